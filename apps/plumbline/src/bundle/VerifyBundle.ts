/** Checks bundles: from a file, without any network, or from a node of IPFS. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as Address from "@plumbline/codec/value/Address"
import * as EthEvidence from "@plumbline/eth-methods/proof/EthEvidence"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as ProofBundle from "@plumbline/proof-bundle/bundle/ProofBundle"
import * as Anchor from "@plumbline/verdict/Anchor"
import * as Claim from "@plumbline/verdict/Claim"
import type * as Evidence from "@plumbline/verdict/Evidence"
import * as Hardforks from "@plumbline/verified-calls/rules/Hardforks"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

import * as AccountReference from "../answer/AccountReference.ts"
import * as BlockReference from "../answer/BlockReference.ts"
import * as Print from "../answer/Print.ts"
import * as ReadAnswer from "../answer/ReadAnswer.ts"
import type { IpfsFlags } from "../ipfs/IpfsFlags.ts"
import * as CallRules from "../rules/CallRules.ts"
import type { CallRulesFlags } from "../rules/CallRulesFlags.ts"
import * as ContractFlags from "../storage/layout/ContractFlags.ts"
import * as StorageWire from "../storage/StorageWire.ts"
import { UsageError } from "../terminal/UsageError.ts"
import * as AccessListView from "./AccessListView.ts"
import * as BundledAccessList from "./BundledAccessList.ts"
import * as BundleFile from "./BundleFile.ts"
import * as BundleReasons from "./BundleReasons.ts"
import * as BundleRefusal from "./BundleRefusal.ts"
import * as BundleSummary from "./BundleSummary.ts"
import * as BundleView from "./BundleView.ts"
import * as ProvenVariables from "./ProvenVariables.ts"

export interface VerifyFlags extends IpfsFlags, CallRulesFlags {
  readonly bundle: string
  readonly paths: ReadonlyArray<string>
  readonly trust: string
  readonly layout: Option.Option<string>
  readonly contract: Option.Option<string>
  readonly struct: ReadonlyArray<string>
  readonly address: Option.Option<string>
}

export const run = Effect.fnUntraced(function* (flags: VerifyFlags) {
  const trusted = yield* Effect.fromResult(BlockReference.hash(flags.trust, "--trust"))
  const layout = Option.getOrUndefined(flags.layout)
  const unused = layout === undefined ? withoutLayout(flags) : undefined
  if (unused !== undefined) {
    return yield* new UsageError({ problem: `${unused} needs --layout, which says where the variable is` })
  }
  const named = yield* Effect.fromResult(
    Result.all(Option.toArray(Option.map(flags.address, AccountReference.address)))
  )
  const chain = yield* CallRules.ofReader(flags)
  const read = layout === undefined ? undefined : yield* ContractFlags.layout({ ...flags, layout })
  const ask = Effect.gen(function* () {
    const bundle = yield* get(flags, trusted)
    if (read === undefined) return yield* bundle.call === undefined ? whole(bundle) : called(flags, bundle, chain)
    const address = named[0] ?? (yield* onlyAccount(bundle))
    const asked = yield* ProvenVariables.find(address, read, flags.paths)
    const { missing, subject, unnamed } =
      flags.paths.length === 0
        ? yield* ProvenVariables.there(bundle, asked)
        : { missing: [], subject: asked, unnamed: [] }
    const { beside, block, value, verdict, view } = yield* ProvenVariables.read(bundle, subject)
    const reply = ReadAnswer.accepted(verdict, () => value, block)
    const shown: Print.PrintableAnswer = {
      reply: { ...reply, proven: [...reply.proven, ...keys(bundle)] },
      beside: {
        ...beside,
        ...(missing.length === 0 ? {} : { missing }),
        ...(unnamed.length === 0 ? {} : { unnamed: unnamed.map(StorageWire.unnamed) }),
        bundle: BundleSummary.of(bundle)
      },
      view: (style) => [
        ...view(new Set(), style),
        ...BundleView.unnamed(unnamed, style),
        ...BundleView.missing(missing, style),
        ...BundleView.lines(bundle, flags.bundle, style)
      ]
    }
    return shown
  })
  yield* Print.answer(flags, {
    ask,
    refusal: BundleRefusal.refusal({ anchor: Anchor.block(trusted), subject: "the bundle" })
  })
})

/** Returns the argument or flag that means nothing without a layout; undefined if there is none. */
const withoutLayout = ({ address, contract, paths, struct }: VerifyFlags): string | undefined => {
  if (paths.length > 0) return "a path"
  if (Option.isSome(address)) return "--address"
  if (Option.isSome(contract)) return "--contract"
  return struct.length > 0 ? "--struct" : undefined
}

/** Returns the bundle: the file of this name if there is one, or else a node's content under this CID. */
const get = Effect.fnUntraced(function* (flags: VerifyFlags, trusted: Hash32.Hash32) {
  const cid = Cid.fromText(flags.bundle.replace(/^(?:ipfs:\/\/|\/ipfs\/)/u, ""))
  if (Result.isFailure(cid) || (yield* BundleFile.exists(flags.bundle))) {
    return yield* Effect.fromResult(ProofBundle.open(yield* BundleFile.read(flags.bundle), trusted))
  }
  const { fetch } = yield* Effect.promise(() => import("./BundleOnIpfs.ts"))
  return yield* fetch(flags, cid.success, trusted)
})

/** Runs the call of a bundle again. It needs no network. */
const called = Effect.fnUntraced(function* (
  flags: VerifyFlags,
  bundle: ProofBundle.ProofBundle,
  chain: Hardforks.ChainForks | undefined
) {
  const { header } = bundle
  const block = { number: header.number!, timestamp: header.timestamp }
  const { answer, replay } = yield* Effect.promise(() => import("./BundledCall.ts"))
  const known = chain === undefined ? undefined : Hardforks.rulesAt(chain, block)
  const shown = answer(bundle, yield* replay(bundle, known))
  return {
    ...shown,
    beside: { ...shown.beside, bundle: BundleSummary.of(bundle) },
    view: (style) => [...shown.view(style), ...BundleView.lines(bundle, flags.bundle, style)]
  } satisfies Print.PrintableAnswer
})

/** Returns the answer about a whole bundle, for a command without a layout. */
const whole = Effect.fnUntraced(function* (bundle: ProofBundle.ProofBundle) {
  const list = BundledAccessList.isKept(bundle) ? yield* BundledAccessList.read(bundle) : undefined
  const accounts = list?._tag === "VERIFIED" && list.value !== null ? list.value : undefined
  return {
    reply: {
      verdict: "VERIFIED",
      value: {
        ...BundleSummary.of(bundle),
        ...(accounts === undefined ? {} : { accessList: BundledAccessList.wire(accounts) })
      },
      block: { number: bundle.header.number!, hash: bundle.blockHash },
      anchor: Anchor.block(bundle.blockHash),
      proven: [
        BundleReasons.Blocks({ blocks: bundle.blocks.length, of: bundle.blockHash }),
        ...(list?.proven.filter(EthEvidence.BlockAccessList.is) ?? [])
      ],
      // the list has its hash, and is not one of a valid block
      claimed: accounts === undefined ? (list?.claimed ?? []).map(({ reason }) => Claim.of("accessList", reason)) : []
    },
    view: (style) => [
      ...BundleView.whole(bundle, style),
      ...(accounts === undefined ? [] : AccessListView.lines(accounts, style))
    ]
  } satisfies Print.PrintableAnswer
})

/** Returns the evidence about keys. Preimages prove the keys; the layout says which variable has them. */
const keys = ({ preimages }: ProofBundle.ProofBundle): ReadonlyArray<Evidence.Evidence> =>
  preimages.length === 0 ? [] : [BundleReasons.Keys({})]

const onlyAccount = (bundle: ProofBundle.ProofBundle): Effect.Effect<Address.Address, UsageError> => {
  const [first, second] = bundle.accounts
  if (first !== undefined && second === undefined) return Effect.succeed(first)
  const names = bundle.accounts.slice(0, MAX_NAMES).join(", ")
  const others = bundle.accounts.length > MAX_NAMES ? " and others" : ""
  const has = first === undefined ? "names no account" : `proves several accounts: ${names}${others}`
  return Effect.fail(new UsageError({ problem: `--address must name the contract, because the bundle ${has}` }))
}

const MAX_NAMES = 8
