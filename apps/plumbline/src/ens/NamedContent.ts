/** Finds the CID of content that is given by its ENS name, by a proven call. Loaded when a command is given a name. */
import type * as ContentHash from "@plumbline/ens/content/ContentHash"
import * as EnsName from "@plumbline/ens/name/EnsName"
import { VerdictEthClient } from "@plumbline/eth-methods/verified/VerdictEthClient"
import type * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as IpfsReason from "@plumbline/ipfs-client/cid/IpfsReason"
import * as Claim from "@plumbline/verdict/Claim"
import { UnprovenError } from "@plumbline/verdict/UnprovenError"
import type * as Verdict from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

import * as BlockTarget from "../answer/BlockTarget.ts"
import * as ChainReading from "../answer/ChainReading.ts"
import type { ReadFlags } from "../answer/ReadFlags.ts"
import type { NamedContentFlags } from "./NamedContentFlags.ts"
import * as NameReading from "./NameReading.ts"
import { OtherNetworkError } from "./NoRecordError.ts"
import { RefutedNameError } from "./RefutedNameError.ts"

/** The root of content that a name leads to. */
export interface NamedRoot {
  readonly name: EnsName.EnsName
  readonly cid: Cid.Cid
  readonly verdict: Verdict.Verdict<ContentHash.ContentHash | null>
}

/** Returns the root of the content of a name, with the verdict on it. */
export const root = Effect.fnUntraced(function* (flags: Omit<ReadFlags, "url"> & NamedContentFlags, text: string) {
  const name = yield* Effect.fromResult(EnsName.fromText(text))
  const chainFlags = { ...flags, url: flags.chainUrl, urlFlag: "--chain-url" }
  const target = yield* Effect.fromResult(BlockTarget.state({ block: Option.none(), trust: flags.trust, l1: flags.l1 }))
  const names = NameReading.make(chainFlags)
  const eth = yield* ChainReading.client(chainFlags, target, { rules: names.rules })
  const verdict = yield* Effect.provide(
    VerdictEthClient.use((eth) =>
      Effect.flatMap(Effect.fromResult(names.over(eth)), (ens) =>
        ens.contentHash(name, { block: BlockTarget.parameter(target) })
      )
    ),
    eth
  ).pipe(
    Effect.catchTag("RefutedError", (refuted) => Effect.fail(new RefutedNameError({ refuted, anchor: target.anchor })))
  )
  const { value } = verdict
  if (value === null) return yield* NameReading.noRecord(name, "content", verdict)
  if (value._tag === "Ipns") {
    return yield* new UnprovenError({ subject: `/ipns/${value.name}`, claims: [Claim.whole(IpfsReason.IpnsName({}))] })
  }
  if (value._tag === "Other") return yield* new OtherNetworkError({ name, codec: value.codec })
  const found: NamedRoot = { name, cid: value.cid, verdict }
  return found
})
