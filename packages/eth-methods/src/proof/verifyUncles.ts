/**
 * Proves the uncles of a block from its sha3Uncles: Keccak-256 of the RLP list of their headers (Yellow Paper, section
 * 4.4.2).
 *
 * sha3Uncles proves the whole list, so a single uncle can only be proven with the list.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as RlpWriter from "@plumbline/codec/rlp/RlpWriter"
import { fieldOf } from "@plumbline/codec/wire/WireObject"
import * as Claim from "@plumbline/verdict/Claim"
import * as Proven from "@plumbline/verdict/prove/Proven"
import type { Reason } from "@plumbline/verdict/Reason"
import { RefutedError, refute } from "@plumbline/verdict/RefutedError"
import type { Verified } from "@plumbline/verdict/Verdict"
import * as Result from "effect/Result"

import * as Block from "../model/Block.ts"
import * as LaterForks from "../model/LaterForks.ts"
import { EMPTY_UNCLES } from "../rlp/emptyRoots.ts"
import * as HeaderEncoding from "../rlp/headerEncoding.ts"
import { withHead } from "../rlp/rlpSize.ts"
import type { OfChain } from "./ethereumChains.ts"
import * as EthEvidence from "./EthEvidence.ts"
import * as EthReason from "./EthReason.ts"
import { completed, contradiction, type Derived, difference, leftOut } from "./provenDifference.ts"

/**
 * Proves all uncles of a proven block, or that it has none.
 *
 * **Details**
 *
 * Proven: every field of each header, the hashes, their order and number, the sizes (a node counts an uncle as a block
 * with an empty body). Claimed: totalDifficulty; the uncles of an uncle, unless the uncle's own sha3Uncles is the hash
 * of an empty list; fields that no hash covers.
 *
 * Fails with `RefutedError`: `uncles` (their number), `uncles[i] hash`, `uncles[i].hash`, `uncles[i].header.<field>`,
 * `uncles[i].header shape`, `uncles[i].size`, `uncles[i].uncles`, `block.uncles[i]`, `sha3Uncles`.
 */
export const verifyUncles = (
  uncles: ReadonlyArray<Block.Uncle>,
  block: Verified<Block.Block>,
  { forks }: Pick<OfChain, "forks"> = {}
): Result.Result<Verified<ReadonlyArray<Block.Uncle>>, RefutedError> =>
  Result.map(checkUncles(uncles, block.value, RlpWriter.make(2048), forks), ({ claimed, list }) =>
    Proven.make({
      value: list,
      anchor: block.anchor,
      proven: [EthEvidence.ListRoot({ list: "uncles", count: uncles.length, items: "whole" })],
      claimed
    })
  )

/**
 * Proves an answer about one uncle of a block whose uncles are proven. The answer may be that the index has no uncle.
 *
 * Fails with `RefutedError`: `uncle` (it exists although the answer is null, or the reverse), `uncle.<field>`.
 */
export const verifyUncle = (
  uncle: Block.Uncle | null,
  index: bigint,
  uncles: Verified<ReadonlyArray<Block.Uncle>>
): Result.Result<Verified<Block.Uncle | null>, RefutedError> => {
  const { length } = uncles.value
  const proven = index < BigInt(length) ? uncles.value[Number(index)] : undefined
  if (proven === undefined) {
    return uncle === null
      ? Result.succeed(
          Proven.make({
            value: null,
            anchor: uncles.anchor,
            proven: [EthEvidence.Count({ list: "uncles", count: length, noneAt: index })],
            claimed: []
          })
        )
      : Result.fail(refute("uncle", `nothing: the block has ${length} uncles`, uncle.hash))
  }
  if (uncle === null) return Result.fail(refute("uncle", proven.hash, "null"))
  const loose: Array<Claim.Claim> = []
  const wrong =
    difference(uncle, proven, "uncle", (path) =>
      loose.push(Claim.of(path.slice(6), EthReason.NotCovered({ by: "header" })))
    ) ?? leftOut(uncle, proven, "uncle", ofHeader)
  if (wrong !== undefined) return Result.fail(wrong)
  const open = uncles.claimed.map(({ field, reason }) => Claim.of(field.slice(LIST.length), reason))
  const value = completed(uncle, proven, (path) => open.some(({ field }) => field === path))
  return Result.succeed(
    Proven.make({
      value,
      anchor: uncles.anchor,
      proven: [EthEvidence.Member({ list: "uncles", index, count: length })],
      claimed: [
        ...open.filter(({ field, reason }) =>
          EthReason.UnclesOfUncle.is(reason)
            ? !Hex.equals(value.sha3Uncles, EMPTY_UNCLES)
            : fieldOf(value, field) !== undefined
        ),
        ...loose
      ]
    })
  )
}

const LIST = "uncles[]."

/** Fields that the uncle's hash covers. An uncle without one of them would pass as a header of another fork. */
const ofHeader = [...Block.headerFields].filter((field) => !["totalDifficulty", "size", "uncles"].includes(field))

/** The result of checking a block's uncles. */
export interface Uncles {
  /** The claims about `uncles[]`. */
  readonly claimed: ReadonlyArray<Claim.Claim>
  /** The uncles, with the fields that follow from their headers. */
  readonly list: ReadonlyArray<Block.Uncle>
  /** Bytes of the RLP list of the headers. */
  readonly size: number
}

/** Checks uncles against a block whose header is proven. The writer serves as scratch space. */
export const checkUncles = (
  uncles: ReadonlyArray<Block.Uncle>,
  block: Block.Block,
  writer: RlpWriter.RlpWriter,
  forks: LaterForks.LaterForks | undefined
): Result.Result<Uncles, RefutedError> => {
  const fail = (at: number, { check, expected, got }: RefutedError) =>
    Result.fail(new RefutedError({ check: `uncles[${at}].${check}`, expected, got }))
  if (Hex.equals(block.sha3Uncles, EMPTY_UNCLES) !== (uncles.length === 0)) {
    return Result.fail(
      uncles.length === 0
        ? refute("uncles", "some, by sha3Uncles", "none")
        : refute("uncles", "none, by sha3Uncles", `${uncles.length} uncles`)
    )
  }
  const later = new Set(forks === undefined ? [] : LaterForks.headerFields(forks).map(({ name }) => name))
  const claimed = new Map<string, Reason>()
  const whole: Array<Block.Uncle> = []
  writer.reset()
  const list = writer.beginList()
  for (const [at, uncle] of uncles.entries()) {
    const from = writer.position
    const written = HeaderEncoding.write(writer, uncle, forks)
    if (Result.isFailure(written)) return fail(at, written.failure)
    const hash = Hash32.fromBytesUnsafe(writer.hash(from))
    if (uncle.hash === null) return fail(at, refute("hash", hash, null))
    if (!Hex.equals(uncle.hash, hash)) return Result.fail(refute(`uncles[${at}] hash`, uncle.hash, hash))
    const derived = derivedOf(uncle, withHead(writer.position - from + NO_BODIES))
    const wrong = contradiction(uncle, derived)
    if (wrong !== undefined) return fail(at, refute(...wrong))
    const other = checkOwn(uncle, later, claimed)
    if (other !== undefined) return fail(at, other)
    const hasNone = uncle.uncles === undefined && Hex.equals(uncle.sha3Uncles, EMPTY_UNCLES)
    whole.push(completed(hasNone ? { ...uncle, uncles: [] } : uncle, derived.always, () => false))
  }
  writer.endList(list)
  const got = Hash32.fromBytesUnsafe(writer.hash(0))
  if (!Hex.equals(got, block.sha3Uncles)) return Result.fail(refute("sha3Uncles", block.sha3Uncles, got))
  if (block.uncles !== undefined) {
    const wrong = difference(
      block.uncles,
      uncles.map((uncle) => uncle.hash),
      "block.uncles",
      () => {}
    )
    if (wrong !== undefined) return Result.fail(wrong)
  }
  return Result.succeed({
    claimed: Array.from(claimed, ([field, reason]) => Claim.of(LIST + field, reason)),
    list: whole,
    size: writer.position
  })
}

/** Bytes of two empty lists: the transactions and uncles of an uncle. */
const NO_BODIES = 2

/** Returns the fields that follow from an uncle's header. */
const derivedOf = (uncle: Block.Uncle, size: number): Derived => ({
  always: { difficulty: uncle.difficulty ?? 0n, size: BigInt(size) }
})

/** Checks an uncle's list of its own uncles, and collects the fields that are only claimed. */
const checkOwn = (
  uncle: Block.Uncle,
  later: ReadonlySet<string>,
  claimed: Map<string, Reason>
): RefutedError | undefined => {
  const none = Hex.equals(uncle.sha3Uncles, EMPTY_UNCLES)
  if (!none) claimed.set("uncles", EthReason.UnclesOfUncle({}))
  else if (uncle.uncles !== undefined && uncle.uncles.length > 0) {
    return refute("uncles", "none, by sha3Uncles", `${uncle.uncles.length} uncles`)
  }
  if (uncle.totalDifficulty != null) {
    claimed.set("totalDifficulty", EthReason.TotalDifficulty({}))
  }
  for (const field of Object.keys(uncle))
    if (!Block.headerFields.has(field) && !later.has(field)) claimed.set(field, EthReason.NotCovered({ by: "header" }))
  return undefined
}
