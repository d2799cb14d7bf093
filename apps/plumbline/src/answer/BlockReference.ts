/**
 * The blocks, hashes and positions that a person types.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as BlockParameter from "@plumbline/eth-methods/model/BlockParameter"
import * as Result from "effect/Result"

import { UsageError } from "../terminal/UsageError.ts"
import * as WholeNumber from "../terminal/WholeNumber.ts"

/**
 * A block by its hash, or by number or tag. A number or tag does not prove its block: an authority or the node must
 * name it.
 */
export type BlockReference =
  | { readonly _tag: "Hash"; readonly hash: Hash32.Hash32 }
  | { readonly _tag: "NumberOrTag"; readonly block: BlockParameter.NumberOrTag }

/**
 * Parses a hash, a decimal or `0x` number, or a tag. A `0x` text of 66 characters is a hash. `what` names the argument
 * in the error.
 */
export const parse = (text: string, what = "block"): Result.Result<BlockReference, UsageError> => {
  if (isTag(text)) return Result.succeed({ _tag: "NumberOrTag", block: text })
  if (text.length === 66 && text.startsWith("0x")) {
    return Result.map(hash(text, what), (hash) => ({ _tag: "Hash", hash }))
  }
  const block = WholeNumber.parse(text, BITS)
  return block !== undefined
    ? Result.succeed({ _tag: "NumberOrTag", block })
    : Result.fail(
        new UsageError({
          problem: `${what} must be a hash (0x and 64 hex digits), a number, or one of ${tags.join(", ")}${lengthOf(text)}`
        })
      )
}

/** Parses a 32-byte hash. The digits become lower case, as in answers. `what` is the argument's name in the error. */
export const hash = (text: string, what: string): Result.Result<Hash32.Hash32, UsageError> =>
  Result.mapBoth(Hash32.fromHex(text), {
    onSuccess: (hash) => Hash32.fromBytesUnsafe(Hash32.toBytes(hash)),
    onFailure: () => new UsageError({ problem: `${what} must be 0x and 64 hex digits${lengthOf(text)}` })
  })

/** Parses a position, decimal or with `0x`. The first position is 0. `what` names the argument in the error. */
export const index = (text: string, what: string): Result.Result<bigint, UsageError> => {
  const number = WholeNumber.parse(text, BITS)
  return number !== undefined
    ? Result.succeed(number)
    : Result.fail(new UsageError({ problem: `${what} must be a number from 0, decimal or 0x` }))
}

/** Block numbers and positions have at most 64 bits (the bound of EIP-1898 and of every client). */
const BITS = 64

/** Returns the block as a parameter of methods about the state. */
export const parameter = (reference: BlockReference): BlockParameter.BlockParameter =>
  reference._tag === "Hash" ? reference.hash : reference.block

const tags: ReadonlyArray<BlockParameter.Tag> = ["latest", "earliest", "pending", "safe", "finalized"]

const isTag = (text: string): text is BlockParameter.Tag => tags.some((tag) => tag === text)

/** Returns the length of a text for the error, because losing some digits is the commonest mistake with hashes. */
const lengthOf = (text: string): string =>
  /^0x[0-9a-f]*$/iu.test(text) && text.length > 18 ? `; this has ${text.length - 2} digits` : ""
