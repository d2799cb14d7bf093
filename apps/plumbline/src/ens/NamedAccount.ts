/** Reads about an account whose ENS name is given. Loaded when a command is given a name. */
import type * as Address from "@plumbline/codec/value/Address"
import type * as EnsName from "@plumbline/ens/name/EnsName"
import * as EnsReason from "@plumbline/ens/resolve/EnsReason"
import type * as Block from "@plumbline/eth-methods/model/Block"
import * as EthEvidence from "@plumbline/eth-methods/proof/EthEvidence"
import type { Client } from "@plumbline/eth-methods/verified/VerdictEthClient"
import * as Verdict from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import * as BlockTarget from "../answer/BlockTarget.ts"
import * as NameReading from "./NameReading.ts"

/**
 * Finds the address of a name, and asks about it at the same block. The verdict covers both: it is VERIFIED only if both
 * are. A name without an address is a `NoRecordError`.
 */
export const ask = Effect.fnUntraced(function* <A, E>(
  names: NameReading.NameReading,
  name: EnsName.EnsName,
  [eth, block, target]: readonly [eth: Client, block: Block.WithHashes, target: BlockTarget.BlockTarget],
  ask: (address: Address.Address) => Effect.Effect<Verdict.Verdict<A>, E>
) {
  const ens = yield* Effect.fromResult(names.over(eth))
  const found = yield* ens.address(name, { block: BlockTarget.parameter(target) })
  if (found.value === null) return yield* NameReading.noRecord(name, "address", found)
  const both = Verdict.zip(found, yield* ask(found.value))
  const verdict = Verdict.map(both, ([, value]) => value, {
    claims: (claim) => [claim.field.startsWith(SECOND) ? { ...claim, field: claim.field.slice(SECOND.length) } : claim]
  })
  const nameBlock = found.proven.find((shown) => EthEvidence.CallRun.is(shown))?.block
  return nameBlock === undefined || block.hash === null || nameBlock === block.hash
    ? verdict
    : Verdict.weaken(verdict, EnsReason.OtherBlock({ name, nameBlock, block: block.hash }))
})

/** The beginning of a path in the second value of a pair. */
const SECOND = "[1]."
