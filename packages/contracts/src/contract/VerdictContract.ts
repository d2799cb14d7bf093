/**
 * Reads a contract through a `VerdictEthClient`: every value has a verdict, with its evidence.
 *
 * A revert is proven as a value is, so its error has the verdict on the call. `Contract` does the same over clients with
 * plain answers.
 */
import type * as CallOutcome from "@plumbline/eth-methods/call/CallOutcome"
import type * as BlockParameter from "@plumbline/eth-methods/model/BlockParameter"
import type { NoBlockError } from "@plumbline/eth-methods/model/NoBlockError"
import * as EthEvidence from "@plumbline/eth-methods/proof/EthEvidence"
import type * as VerdictEthClient from "@plumbline/eth-methods/verified/VerdictEthClient"
import { JsonRpcError, MovedError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Claim from "@plumbline/verdict/Claim"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import type { UnprovenError } from "@plumbline/verdict/UnprovenError"
import * as Verdict from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import type { AbiArgumentError, AbiNameError } from "../abi/AbiError.ts"
import * as AbiEvent from "../abi/AbiEvent.ts"
import type * as AbiType from "../abi/AbiType.ts"
import type { Abi } from "../abi/AbiType.ts"
import * as Together from "./callsTogether.ts"
import * as ContractCall from "./ContractCall.ts"
import { type DecodedRevert, HaltedError, type ReturnedDataError, type RevertedError } from "./ContractError.ts"
import * as ContractLogs from "./contractLogs.ts"
import * as Options from "./readOptions.ts"

export type { MakeErrorOf } from "./callsTogether.ts"
export type { EventLog } from "./contractLogs.ts"
export type { AllOptions, LogsOptions, ReadOptions } from "./readOptions.ts"

/** The defaults of the options. */
export const defaults: typeof Options.defaults = Options.defaults

/** The reads that a contract makes. */
export type ContractClient = Pick<VerdictEthClient.Client, "call" | "getLogs" | "getBlockByHash" | "getBlockByNumber">

/** The errors of a proven read that are the client's. */
export type CallFailure = JsonRpcError | RefutedError | UnprovenError

/** An effect that gives the verdict on a value of a contract. */
export type ContractRead<A, Revert extends DecodedRevert> = Effect.Effect<
  Verdict.Verdict<A>,
  RevertedError<Revert> | HaltedError | ReturnedDataError | AbiArgumentError | AbiNameError | CallFailure
>

/** A contract over a client. It is a {@link ContractCall.DeployedContract} too, so it can be given to `ContractCall.make`. */
export interface VerdictContract<A extends Abi> extends ContractCall.DeployedContract<A> {
  /**
   * Runs a function as a call over proven state, and returns the verdict on its value. Arguments may be left out if there
   * are none.
   *
   * Fails with `RevertedError` or `HaltedError` if the call has no result, and `ReturnedDataError` if what it returned is
   * not of the ABI's types. All three hold the verdict on the call. Also fails with `AbiNameError` and `AbiArgumentError`
   * before anything is sent, and the client's errors: `UnprovenError` if there is no engine for calls, or it cannot run
   * this one.
   */
  readonly read: Read<A>
  /**
   * Reads the logs of an event, selected by indexed arguments: exactly these, none missing, if the verdict is VERIFIED. A
   * log that cannot be decoded has a `fault`. Fails with `UnprovenError` if the blocks need more work than the client's
   * `maxLogWork` or `maxLogTime`.
   */
  readonly logs: <const Name extends AbiType.EventName<A>>(
    event: Name,
    selection?: AbiType.EventSelection<A, Name>,
    blocks?: Options.LogsOptions
  ) => Effect.Effect<
    Verdict.Verdict<ReadonlyArray<ContractLogs.EventLog<AbiEvent.DecodedEvent<A, Name>>>>,
    AbiArgumentError | AbiNameError | CallFailure
  >
}

/** Runs functions of an ABI as calls. */
export interface Read<A extends Abi> {
  <const Name extends AbiType.BareFunctionName<A>>(
    name: Name,
    args?: readonly [],
    options?: Options.ReadOptions
  ): ContractRead<AbiType.FunctionValue<A, Name>, ContractCall.DecodedRevertOf<A>>
  <const Name extends AbiType.FunctionName<A>, const Args extends AbiType.FunctionArgs<A, Name>>(
    name: Name,
    args: Args,
    options?: Options.ReadOptions
  ): ContractRead<AbiType.FunctionValue<A, Name, Args>, ContractCall.DecodedRevertOf<A>>
}

/**
 * Returns a contract over a client.
 *
 * ```ts import.meta.vitest
 * import { VerdictContract } from "@plumbline/contracts"
 * import { TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
 * import { Transport } from "@plumbline/jsonrpc-core"
 * import { Effect, Layer } from "effect"
 * import { parseAbi } from "viem/utils"
 *
 * const node = Layer.succeed(Transport.Transport, { call: () => Effect.never, callAll: () => Effect.never })
 * const client = VerdictEthClient.layer().pipe(Layer.provide([node, TrustedBlock.layerNone()]))
 * const decimals = VerdictEthClient.VerdictEthClient.use((eth) => {
 *   const token = VerdictContract.make(eth, {
 *     address: "0x00000000219ab540356cBB839Cbe05303d7705Fa",
 *     abi: parseAbi(["function decimals() view returns (uint8)"])
 *   })
 *   return token.read("decimals")
 * })
 * const failure = await Effect.runPromise(Effect.flip(Effect.provide(decimals, client)))
 * failure._tag // => "UnprovenError"
 * ```
 */
export const make = <const A extends Abi>(
  eth: ContractClient,
  { abi, address }: ContractCall.DeployedContract<A>
): VerdictContract<A> => {
  const contract: ContractCall.DeployedContract = { abi, address }
  const read = (name: string, args?: ReadonlyArray<unknown>, options?: Options.ReadOptions) =>
    run(eth, ContractCall.make(contract, name, args ?? []), options)
  return {
    abi,
    address,
    read: read as Read<A>,
    logs: (event, selection, blocks = defaults.blocks) =>
      Effect.flatMap(Effect.fromResult(AbiEvent.topics(abi, event, selection)), (topics) =>
        Effect.map(eth.getLogs(Options.filterOf(address, topics, blocks)), (verdict) =>
          Verdict.map(verdict, (logs) => ContractLogs.decoded(abi, event, logs), {
            // the members of a log keep their paths, except those in whose place something else is now
            claims: (claim) => (REPLACED.test(claim.field) ? [] : [claim])
          })
        )
      )
  }
}

/**
 * The members that a decoded log has in place of a node's own. They follow from the topics and the data of the log, which
 * are proven together with it.
 */
const REPLACED = /\]\.(?:event|fault)$/u

/** Runs a call, and returns the verdict on its value. */
export const run = <Value, Revert extends DecodedRevert, MakeError>(
  eth: Pick<ContractClient, "call">,
  call: ContractCall.MadeCall<Value, Revert, MakeError>,
  options: Options.ReadOptions = {}
): Effect.Effect<
  Verdict.Verdict<Value>,
  RevertedError<Revert> | HaltedError | ReturnedDataError | MakeError | CallFailure
> =>
  Effect.flatMap(Effect.fromResult(call), (call) =>
    Effect.flatMap(eth.call(Options.requestOf(call, options), options.block ?? defaults.block), (verdict) =>
      Effect.fromResult(valueOf(call, verdict))
    )
  )

const valueOf = <Value, Revert extends DecodedRevert>(
  call: ContractCall.ContractCall<Value, Revert>,
  verdict: Verdict.Verdict<CallOutcome.CallOutcome>
): Result.Result<Verdict.Verdict<Value>, RevertedError<Revert> | HaltedError | ReturnedDataError> => {
  const outcome = verdict.value
  switch (outcome._tag) {
    case "Returned":
      return Result.map(call.decode(outcome.data, verdict), (value) => Verdict.map(verdict, () => value))
    case "Reverted":
      return Result.fail(call.reverted(outcome.data, verdict))
    case "Halted":
      return Result.fail(
        new HaltedError({ address: call.request.to, function: call.function, verdict, halt: outcome.halt })
      )
  }
}

/** The outcomes of calls that were made together, each in its place. */
export type Outcomes<Calls extends ReadonlyArray<ContractCall.AnyCall>> = {
  -readonly [At in keyof Calls]: Calls[At] extends ContractCall.MadeCall<infer Value, infer Revert, any>
    ? Result.Result<Verdict.Verdict<Value>, RevertedError<Revert> | HaltedError | ReturnedDataError>
    : never
}

/**
 * Runs calls in the state of one block. A call that reverts does not fail the others: each outcome is a `Result`.
 *
 * The block is read first, and the calls share what is proven about it: an account or a slot that several of them read is
 * proven once. Over a transport with `Batching`, what they need in the same turn travels in one packet.
 *
 * Fails with `NoBlockError` if there is no such block, the errors of `ContractCall.make`, and the client's errors. If the
 * chain is reorganised during the reads, they are repeated once.
 */
export const all = <const Calls extends ReadonlyArray<ContractCall.AnyCall>>(
  eth: Pick<ContractClient, "call" | "getBlockByHash" | "getBlockByNumber">,
  calls: Calls,
  options: Options.AllOptions = {}
): Effect.Effect<Outcomes<Calls>, Together.MakeErrorOf<Calls> | NoBlockError | CallFailure> => {
  const block = options.block ?? defaults.block
  const outcomes = Effect.flatMap(Effect.fromResult(Together.made(calls)), (calls) => {
    const attempt = Effect.flatMap(located(eth, block), (at) =>
      Together.outcomes(calls, (call) => run(tied(eth, at), Result.succeed(call), { block: at.block }))
    )
    return Effect.catchIf(attempt, isMoved, () => attempt)
  })
  return outcomes as Effect.Effect<any, Effect.Error<typeof outcomes>>
}

/** The block of some calls, and the verdict on it if the caller did not name its hash. */
interface LocatedBlock {
  readonly block: BlockParameter.BlockParameter
  readonly hash: string
  readonly verdict: Verdict.Verdict<unknown> | undefined
}

/**
 * Reads the block. The client keeps its header, and the number of a block that is linked to trust, so the calls do not
 * read the block again.
 */
const located = Effect.fnUntraced(function* (
  eth: Pick<ContractClient, "getBlockByHash" | "getBlockByNumber">,
  block: BlockParameter.BlockParameter
): Effect.fn.Return<LocatedBlock, NoBlockError | JsonRpcError | RefutedError> {
  const named = Together.numberOrTag(block)
  if (named === undefined) {
    const hash = typeof block === "object" && "blockHash" in block ? block.blockHash : (block as `0x${string}`)
    yield* eth.getBlockByHash(hash)
    return { block, hash, verdict: undefined }
  }
  const verdict = yield* eth.getBlockByNumber(yield* Effect.fromResult(named))
  const { hash, number } = yield* Effect.fromResult(Together.minedBlock(verdict.value))
  // the number carries the link to trust; without such a link, the hash is enough
  return { block: verdict._tag === "VERIFIED" ? number : { blockHash: hash }, hash, verdict }
})

/** Returns a client whose calls are only answered about this block, and rest on its verdict. */
const tied = (eth: Pick<ContractClient, "call">, at: LocatedBlock): Pick<ContractClient, "call"> => ({
  call: (request, block) =>
    Effect.flatMap(eth.call(request, block), (verdict) => {
      const run = verdict.proven.find(EthEvidence.CallRun.is)
      return run === undefined || run.block.toLowerCase() === at.hash.toLowerCase()
        ? Effect.succeed(at.verdict === undefined ? verdict : restingOn(verdict, at.verdict))
        : Effect.fail(moved(`the block was ${at.hash}, and is ${run.block} in a call`))
    })
})

/** Returns the verdict with what is claimed of the block: that it is on the chain, and that a tag means it. */
const restingOn = <A>(self: Verdict.Verdict<A>, block: Verdict.Verdict<unknown>): Verdict.Verdict<A> => {
  const anchored =
    block._tag === "VERIFIED" || self._tag === "CLAIMED"
      ? self
      : block.anchor === null
        ? Verdict.weaken(self, (block.claimed.find(({ about }) => about === "Value") ?? block.claimed[0]!).reason)
        : Verdict.restOn(self, block.anchor)
  return block.claimed
    .filter((claim) => claim.about === "Question" && !anchored.claimed.some((other) => Claim.equals(other, claim)))
    .reduce<Verdict.Verdict<A>>(Verdict.withClaim, anchored)
}

const moved = (detail: string): JsonRpcError =>
  new JsonRpcError({ method: "eth_call", reason: new MovedError({ detail }) })

const isMoved = (error: { readonly _tag: string }): boolean =>
  error instanceof JsonRpcError && error.reason._tag === "MovedError"
