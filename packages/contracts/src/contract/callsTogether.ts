/** Calls that are made together, in the state of one block. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as Block from "@plumbline/eth-methods/model/Block"
import type * as BlockParameter from "@plumbline/eth-methods/model/BlockParameter"
import { NoBlockError } from "@plumbline/eth-methods/model/NoBlockError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import type * as ContractCall from "./ContractCall.ts"
import { HaltedError, ReturnedDataError, RevertedError } from "./ContractError.ts"

/** The error of a list of calls that could not be made. */
export type MakeErrorOf<Calls extends ReadonlyArray<ContractCall.AnyCall>> =
  Calls[number] extends ContractCall.MadeCall<any, any, infer MakeError> ? MakeError : never

/** Returns the calls, or the error of the first one that could not be made. */
export const made = <const Calls extends ReadonlyArray<ContractCall.AnyCall>>(
  calls: Calls
): Result.Result<ReadonlyArray<ContractCall.ContractCall>, MakeErrorOf<Calls>> => {
  const all: Array<ContractCall.ContractCall> = []
  for (const call of calls) {
    if (Result.isFailure(call)) return Result.fail(call.failure)
    all.push(call.success)
  }
  return Result.succeed(all)
}

/**
 * Runs the calls at the same time. A failure of a contract is the outcome of its call; the client's errors fail all of
 * them.
 */
export const outcomes = <A, E>(
  calls: ReadonlyArray<ContractCall.ContractCall>,
  run: (call: ContractCall.ContractCall) => Effect.Effect<A, E>
): Effect.Effect<Array<Result.Result<A, Extract<E, ContractFailure>>>, Exclude<E, ContractFailure>> =>
  Effect.forEach(
    calls,
    (call) =>
      Effect.matchEffect(run(call), {
        onSuccess: (value) => Effect.succeed(Result.succeed(value)),
        onFailure: (error) =>
          isOfContract(error) ? Effect.succeed(Result.fail(error)) : Effect.fail(error as Exclude<E, ContractFailure>)
      }),
    { concurrency: "unbounded" }
  )

/** A failure that the contract is the cause of. */
type ContractFailure = RevertedError | HaltedError | ReturnedDataError

const isOfContract = <E>(error: E): error is Extract<E, ContractFailure> =>
  error instanceof RevertedError || error instanceof HaltedError || error instanceof ReturnedDataError

/**
 * Returns the number or the tag that names a block; undefined if its hash does. Fails for the pending block, whose state
 * may differ from call to call.
 */
export const numberOrTag = (
  block: BlockParameter.BlockParameter
): Result.Result<BlockParameter.NumberOrTag, NoBlockError> | undefined => {
  if (Hash32.isHash32(block) || (typeof block === "object" && "blockHash" in block)) return undefined
  const named = (typeof block === "object" ? block.blockNumber : block) as BlockParameter.NumberOrTag
  return named === "pending" ? Result.fail(new NoBlockError({ reason: "Pending" })) : Result.succeed(named)
}

/** A block that has a place in the chain. */
export interface MinedBlock {
  readonly hash: Hash32.Hash32
  readonly number: bigint
}

/** Returns the hash and the number of a block that was read. */
export const minedBlock = (block: Block.WithHashes | null): Result.Result<MinedBlock, NoBlockError> => {
  if (block === null) return Result.fail(new NoBlockError({ reason: "Unknown" }))
  const { hash, number } = block
  return hash === null || number === null
    ? Result.fail(new NoBlockError({ reason: "Pending" }))
    : Result.succeed({ hash, number })
}
