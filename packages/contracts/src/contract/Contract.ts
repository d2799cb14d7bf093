/**
 * Reads a contract through a client with plain answers: `ProvenEthClient`, whose answers are proven, or `EthClient`,
 * whose answers are the node's word.
 *
 * `VerdictContract` does the same over a `VerdictEthClient`, and returns verdicts.
 */
import * as Hex from "@plumbline/codec/hex/Hex"
import type * as EthClient from "@plumbline/eth-methods/client/EthClient"
import type * as BlockParameter from "@plumbline/eth-methods/model/BlockParameter"
import type { NoBlockError } from "@plumbline/eth-methods/model/NoBlockError"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import type { AbiArgumentError, AbiNameError } from "../abi/AbiError.ts"
import * as AbiEvent from "../abi/AbiEvent.ts"
import type * as AbiType from "../abi/AbiType.ts"
import type { Abi } from "../abi/AbiType.ts"
import * as Together from "./callsTogether.ts"
import * as ContractCall from "./ContractCall.ts"
import type { ReturnedDataError, DecodedRevert, RevertedError } from "./ContractError.ts"
import * as ContractLogs from "./contractLogs.ts"
import * as Options from "./readOptions.ts"

export type { EventLog } from "./contractLogs.ts"
export type { MakeErrorOf } from "./callsTogether.ts"
export type { AllOptions, LogsOptions, ReadOptions } from "./readOptions.ts"

/** The defaults of the options. */
export const defaults: typeof Options.defaults = Options.defaults

/** The reads that a contract makes. `E` is the error of the client's reads. */
export interface ContractClient<out E = JsonRpcError> {
  /** Runs a function. */
  readonly call: EthClient.Client<E>["call"]
  /** Reads the logs of events. */
  readonly getLogs: EthClient.Client<E>["getLogs"]
  /** Finds the block at which several reads are made. */
  readonly getBlockByNumber: EthClient.Client<E>["getBlockByNumber"]
}

/** An effect that gives a value of a contract. */
export type ContractRead<A, Revert extends DecodedRevert, E> = Effect.Effect<
  A,
  RevertedError<Revert> | ReturnedDataError | AbiArgumentError | AbiNameError | E
>

/** A contract over a client. It is a {@link ContractCall.DeployedContract} too, so it can be given to `ContractCall.make`. */
export interface Contract<A extends Abi, out E = JsonRpcError> extends ContractCall.DeployedContract<A> {
  /**
   * Runs a function as a call, and returns its value: nothing is sent to the chain. Arguments may be left out if there
   * are none.
   *
   * Fails with `RevertedError` if the contract reverts, `ReturnedDataError` if what it returned is not of the ABI's
   * types, `AbiNameError` and `AbiArgumentError` before anything is sent, and the client's errors.
   */
  readonly read: Read<A, E>
  /**
   * Reads the logs of an event, selected by indexed arguments, in the order of the chain. A log that cannot be decoded
   * has a `fault`.
   *
   * Fails with `AbiNameError` and `AbiArgumentError` before anything is sent, and the client's errors.
   */
  readonly logs: <const Name extends AbiType.EventName<A>>(
    event: Name,
    selection?: AbiType.EventSelection<A, Name>,
    blocks?: Options.LogsOptions
  ) => Effect.Effect<
    ReadonlyArray<ContractLogs.EventLog<AbiEvent.DecodedEvent<A, Name>>>,
    AbiArgumentError | AbiNameError | E
  >
}

/** Runs functions of an ABI as calls. */
export interface Read<A extends Abi, out E> {
  <const Name extends AbiType.BareFunctionName<A>>(
    name: Name,
    args?: readonly [],
    options?: Options.ReadOptions
  ): ContractRead<AbiType.FunctionValue<A, Name>, ContractCall.DecodedRevertOf<A>, E>
  <const Name extends AbiType.FunctionName<A>, const Args extends AbiType.FunctionArgs<A, Name>>(
    name: Name,
    args: Args,
    options?: Options.ReadOptions
  ): ContractRead<AbiType.FunctionValue<A, Name, Args>, ContractCall.DecodedRevertOf<A>, E>
}

/**
 * Returns a contract over a client.
 *
 * ```ts import.meta.vitest
 * import { Contract } from "@plumbline/contracts"
 * import { EthClient } from "@plumbline/eth-methods"
 * import { Transport } from "@plumbline/jsonrpc-core"
 * import { Effect, Layer } from "effect"
 * import { parseAbi } from "viem/utils"
 *
 * const node = Layer.succeed(Transport.Transport, {
 *   call: () => Effect.succeed(`0x${"00".repeat(31)}12`),
 *   callAll: () => Effect.succeed([])
 * })
 * const decimals = EthClient.EthClient.use((eth) => {
 *   const token = Contract.make(eth, {
 *     address: "0x00000000219ab540356cBB839Cbe05303d7705Fa",
 *     abi: parseAbi(["function decimals() view returns (uint8)"])
 *   })
 *   return token.read("decimals")
 * })
 * await Effect.runPromise(Effect.provide(decimals, EthClient.layer().pipe(Layer.provide(node)))) // => 18
 * ```
 */
export const make = <const A extends Abi, E>(
  eth: ContractClient<E>,
  { abi, address }: ContractCall.DeployedContract<A>
): Contract<A, E> => {
  const contract: ContractCall.DeployedContract = { abi, address }
  const read = (name: string, args?: ReadonlyArray<unknown>, options?: Options.ReadOptions) =>
    run(eth, ContractCall.make(contract, name, args ?? []), options)
  return {
    abi,
    address,
    read: read as Read<A, E>,
    logs: (event, selection, blocks = defaults.blocks) =>
      Effect.flatMap(Effect.fromResult(AbiEvent.topics(abi, event, selection)), (topics) =>
        Effect.map(eth.getLogs(Options.filterOf(address, topics, blocks)), (logs) =>
          ContractLogs.decoded(abi, event, logs)
        )
      )
  }
}

/**
 * Runs a call, and returns its value.
 *
 * ```ts import.meta.vitest
 * import { Contract, ContractCall } from "@plumbline/contracts"
 * import { EthClient } from "@plumbline/eth-methods"
 * import { Effect } from "effect"
 * import { parseAbi } from "viem/utils"
 *
 * const token = {
 *   address: "0x00000000219ab540356cBB839Cbe05303d7705Fa",
 *   abi: parseAbi(["function totalSupply() view returns (uint256)"])
 * } as const
 * const supply = EthClient.EthClient.use((eth) => Contract.run(eth, ContractCall.make(token, "totalSupply")))
 * Effect.isEffect(supply) // => true
 * ```
 */
export const run = <Value, Revert extends DecodedRevert, MakeError, E>(
  eth: Pick<ContractClient<E>, "call">,
  call: ContractCall.MadeCall<Value, Revert, MakeError>,
  options: Options.ReadOptions = {}
): Effect.Effect<Value, RevertedError<Revert> | ReturnedDataError | MakeError | E> =>
  Effect.flatMap(Effect.fromResult(call), (call) =>
    Effect.matchEffect(eth.call(Options.requestOf(call, options), options.block ?? defaults.block), {
      onSuccess: (data) => Effect.fromResult(call.decode(data)),
      onFailure: (error): Effect.Effect<never, RevertedError<Revert> | E> => {
        const data = revertOf(error)
        return Effect.fail(data === undefined ? error : call.reverted(data))
      }
    })
  )

/**
 * Returns the bytes of a revert in the error of a client; undefined for other errors. Nodes send them as `data`, and a
 * few inside an object.
 */
const revertOf = (error: unknown): Hex.Hex | undefined => {
  const { reason } = error as Partial<JsonRpcError>
  if (reason?._tag !== "RemoteError" || reason.kind !== "executionFailed") return undefined
  const { data } = reason
  const inside = typeof data === "object" && data !== null && "data" in data ? data.data : data
  if (Hex.isHex(inside)) return inside
  return reason.code === REVERTED ? "0x" : undefined
}

/** The code of a revert, in all nodes that have one. */
const REVERTED = 3

/** The outcomes of calls that were made together, each in its place. */
export type Outcomes<Calls extends ReadonlyArray<ContractCall.AnyCall>> = {
  -readonly [At in keyof Calls]: Calls[At] extends ContractCall.MadeCall<infer Value, infer Revert, any>
    ? Result.Result<Value, RevertedError<Revert> | ReturnedDataError>
    : never
}

/**
 * Runs calls in the state of one block. A call that reverts does not fail the others: each outcome is a `Result`.
 *
 * The block is read first, and each call names its hash. `ProvenEthClient` reads it whole, to prove it: if you know the
 * hash, name the block by it, and no block is read. The calls are made at the same time, so over a transport with
 * `Batching` they travel in one packet. No contract such as Multicall3 stands between: each call has its own sender and
 * its own gas, as if it were made alone.
 *
 * Fails with `NoBlockError` if there is no such block, the errors of `ContractCall.make`, and the client's errors.
 *
 * ```ts import.meta.vitest
 * import { Contract, ContractCall } from "@plumbline/contracts"
 * import { EthClient } from "@plumbline/eth-methods"
 * import { Effect } from "effect"
 * import { parseAbi } from "viem/utils"
 *
 * const token = {
 *   address: "0x00000000219ab540356cBB839Cbe05303d7705Fa",
 *   abi: parseAbi(["function symbol() view returns (string)", "function totalSupply() view returns (uint256)"])
 * } as const
 * const both = EthClient.EthClient.use((eth) =>
 *   Contract.all(eth, [ContractCall.make(token, "symbol"), ContractCall.make(token, "totalSupply")])
 * )
 * Effect.isEffect(both) // => true
 * ```
 */
export const all = <const Calls extends ReadonlyArray<ContractCall.AnyCall>, E>(
  eth: Pick<ContractClient<E>, "call" | "getBlockByNumber">,
  calls: Calls,
  options: Options.AllOptions = {}
): Effect.Effect<Outcomes<Calls>, Together.MakeErrorOf<Calls> | NoBlockError | E> => {
  const outcomes = Effect.flatMap(Effect.fromResult(Together.made(calls)), (calls) =>
    Effect.flatMap(pinned(eth, options.block ?? defaults.block), (block) =>
      Together.outcomes(calls, (call) => run(eth, Result.succeed(call), { block }))
    )
  )
  return outcomes as Effect.Effect<any, Effect.Error<typeof outcomes>>
}

/** Returns the block by its hash, so that calls that name it see one state. */
const pinned = <E>(
  eth: Pick<ContractClient<E>, "getBlockByNumber">,
  block: BlockParameter.BlockParameter
): Effect.Effect<BlockParameter.BlockParameter, NoBlockError | E> => {
  const named = Together.numberOrTag(block)
  return named === undefined
    ? Effect.succeed(block)
    : Effect.flatMap(Effect.fromResult(named), (named) =>
        Effect.flatMap(eth.getBlockByNumber(named), (found) =>
          Effect.map(Effect.fromResult(Together.minedBlock(found)), ({ hash }) => ({ blockHash: hash }))
        )
      )
}
