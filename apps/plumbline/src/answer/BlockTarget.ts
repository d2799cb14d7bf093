/**
 * The block that a command is about, and the hash that proves the answer. Both are read from the flags, once per
 * command.
 */
import * as Hex from "@plumbline/codec/hex/Hex"
import type * as BlockParameter from "@plumbline/eth-methods/model/BlockParameter"
import * as Anchor from "@plumbline/verdict/Anchor"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

import { UsageError } from "../terminal/UsageError.ts"
import * as BlockReference from "./BlockReference.ts"
import * as ReaderTrust from "./ReaderTrust.ts"

/** The hashes that an answer is checked against. */
export interface TargetBasis {
  readonly trust: ReaderTrust.ReaderTrust
  /** The hash that the question names, which proves or refutes the answer. Null if the question names none. */
  readonly anchor: Anchor.Anchor | null
  /** True if the question is also about a second block that it does not name by hash. */
  readonly hasOther?: boolean
}

/** A block, and the hashes that answers about it are checked against. */
export interface BlockTarget extends TargetBasis {
  readonly reference: BlockReference.BlockReference
}

/** Reads the block that is the argument of a command, and `--trust`. */
export const named = (
  text: string,
  flags: { readonly trust: Option.Option<string> }
): Result.Result<BlockTarget, UsageError> =>
  Result.flatMap(BlockReference.parse(text), (reference) =>
    Result.flatMap(ReaderTrust.parse(flags), (trust) => join(reference, trust))
  )

/**
 * Reads `--block` and `--trust`. Without `--block`, the target is the trusted block, whose whole state can be proven; the
 * block of `newest` if a rollup is trusted by its parent chain; or the latest block.
 */
export const state = (
  flags: RollupTarget & { readonly block: Option.Option<string>; readonly trust: Option.Option<string> }
): Result.Result<BlockTarget, UsageError> =>
  Result.flatMap(ReaderTrust.parse(flags), (trust) =>
    Option.isSome(flags.block)
      ? Result.flatMap(BlockReference.parse(flags.block.value, "--block"), (reference) => join(reference, trust))
      : join(trust === undefined ? newest(flags) : { _tag: "Hash", hash: trust }, trust)
  )

/** The flags of a command that reads rollups. */
interface RollupTarget {
  readonly l1?: Option.Option<unknown> | undefined
  readonly accept?: Option.Option<unknown> | undefined
}

/**
 * Returns the newest block that can be proven: for a rollup that is trusted by its parent chain, the settled block, or the
 * newest in a weaker state that the reader accepts.
 */
export const newest = ({
  accept = Option.none(),
  l1 = Option.none()
}: RollupTarget): Extract<BlockReference.BlockReference, { readonly _tag: "NumberOrTag" }> & {
  readonly block: "latest" | "safe" | "finalized"
} => ({
  _tag: "NumberOrTag",
  block: Option.isSome(accept) ? "safe" : Option.isSome(l1) ? "finalized" : "latest"
})

/** Returns the target block as a parameter of methods about the state. */
export const parameter = ({ reference }: BlockTarget): BlockParameter.BlockParameter =>
  BlockReference.parameter(reference)

/** A block named by its hash is proven from that hash, and any other block from the trusted hash. */
const join = (
  reference: BlockReference.BlockReference,
  trust: ReaderTrust.ReaderTrust
): Result.Result<BlockTarget, UsageError> => {
  const hash = reference._tag === "Hash" ? reference.hash : trust
  return hash === undefined || trust === undefined || Hex.equals(hash, trust)
    ? Result.succeed({ reference, trust, anchor: hash === undefined ? null : Anchor.block(hash) })
    : Result.fail(new UsageError({ problem: "--trust: a block asked for by its hash is proven from that hash" }))
}
