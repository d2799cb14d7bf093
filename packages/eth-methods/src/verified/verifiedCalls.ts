/** Proves the outcomes of calls: an engine runs them here, over state that is proven under the located block's header. */
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Claim from "@plumbline/verdict/Claim"
import type { Evidence } from "@plumbline/verdict/Evidence"
import * as Proven from "@plumbline/verdict/prove/Proven"
import type { Reason } from "@plumbline/verdict/Reason"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import { UnprovenError } from "@plumbline/verdict/UnprovenError"
import type { Verdict, Verified } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import type { CallEngine, CallHint, CallRunner, CallRunOptions, ProvenCall } from "../call/CallEngine.ts"
import { CallError } from "../call/CallError.ts"
import type { AnyOutcome } from "../call/CallOutcome.ts"
import type * as Block from "../model/Block.ts"
import * as BlockParameter from "../model/BlockParameter.ts"
import type * as CallRequest from "../model/CallRequest.ts"
import * as LaterForks from "../model/LaterForks.ts"
import * as EthEvidence from "../proof/EthEvidence.ts"
import * as EthReason from "../proof/EthReason.ts"
import type { BlockLocator } from "./blockLocator.ts"
import { type ReorgRead, retryOnReorg } from "./reorgRetry.ts"
import { settle } from "./trustLink.ts"
import type { Client, RunName, RunRead } from "./verdictClient.ts"

/** A verdict, or the reason why there is none. */
type Attempt<O> =
  | { readonly _tag: "Settled"; readonly verdict: Verdict<O> }
  | { readonly _tag: "Unproven"; readonly reason: Reason }

/** One method: the runner's function, the call whose reads the node is asked for in advance, and what a run proves. */
interface Job<O extends AnyOutcome> {
  readonly method: string
  readonly hinted: CallRequest.CallRequest | undefined
  readonly run: (
    runner: CallRunner,
    block: Verified<Block.WithHashes>,
    hint: CallHint
  ) => Effect.Effect<ProvenCall<O>, JsonRpcError | RefutedError | CallError>
  readonly proven: (call: ProvenCall<O>) => ReadonlyArray<Evidence>
}

export const make = (chain: BlockLocator, engine: CallEngine | undefined): Pick<Client, RunName> => {
  const runner = engine?.over(chain.eth, chain.chainId)

  /** Reads without an error that could be taken for the call's own. */
  const attempted = <O extends AnyOutcome>(job: Job<O>, parameter: BlockParameter.BlockParameter) =>
    Effect.catch(retryOnReorg(job.method, attempt(chain, runner, job, parameter)), (error) =>
      isLikeRevert(error) ? Effect.succeed(unproven(EthReason.ProofRefused({ error }))) : Effect.fail(error)
    )

  const read = <O extends AnyOutcome>(job: Job<O>, parameter: BlockParameter.BlockParameter): RunRead<O> =>
    Effect.flatMap(attempted(job, parameter), (outcome): RunRead<O> =>
      outcome._tag === "Settled"
        ? Effect.succeed(outcome.verdict)
        : Effect.fail(new UnprovenError({ subject: job.method, claims: [Claim.whole(outcome.reason)] }))
    )

  return {
    call: (request, parameter = "latest", stateOverride, blockOverride) =>
      read(
        {
          method: "eth_call",
          hinted: request,
          run: (runner, block, hint) => runner.run(request, block, optionsOf(hint, stateOverride, blockOverride)),
          proven: ({ basis }) => [EthEvidence.CallRun(basis)]
        },
        parameter
      ),
    estimateGas: (request, parameter = "latest", stateOverride, blockOverride) =>
      read(
        {
          method: "eth_estimateGas",
          hinted: request,
          run: (runner, block, hint) =>
            runner.estimateGas(request, block, optionsOf(hint, stateOverride, blockOverride)),
          proven: ({ basis, outcome }) => [
            EthEvidence.CallRun(basis),
            ...(outcome._tag === "Estimated"
              ? [EthEvidence.GasEstimated({ gas: outcome.gas, tooLow: outcome.tooLow })]
              : [])
          ]
        },
        parameter
      ),
    createAccessList: (request, parameter = "latest") =>
      read(
        {
          method: "eth_createAccessList",
          hinted: request,
          run: (runner, block, hint) => runner.createAccessList(request, block, optionsOf(hint)),
          proven: ({ basis, outcome }) => [
            EthEvidence.CallRun(basis),
            ...(outcome._tag === "Listed"
              ? [
                  EthEvidence.AccessListRun({
                    addresses: outcome.list.accessList.length,
                    slots: outcome.list.accessList.reduce((sum, { storageKeys }) => sum + storageKeys.length, 0)
                  })
                ]
              : [])
          ]
        },
        parameter
      ),
    simulate: (request, parameter = "latest") =>
      read(
        {
          method: "eth_simulateV1",
          hinted: undefined,
          run: (runner, block) => runner.simulate(request, block),
          proven: ({ basis, outcome }) => {
            const blocks = outcome._tag === "Simulated" ? outcome.blocks : []
            return [
              EthEvidence.SimulationRun({
                ...basis,
                blocks: blocks.length,
                calls: blocks.reduce((sum, { calls }) => sum + calls.length, 0)
              })
            ]
          }
        },
        parameter
      )
  }
}

/** Runs a call over the block that the parameter names. */
const attempt = Effect.fnUntraced(function* <O extends AnyOutcome>(
  chain: BlockLocator,
  runner: CallRunner | undefined,
  job: Job<O>,
  parameter: BlockParameter.BlockParameter
): Effect.fn.Return<Attempt<O>, Effect.Error<ReorgRead<never>>> {
  if (runner === undefined) return unproven(EthReason.NoCallEngine({}))
  if (BlockParameter.isPending(parameter)) return unproven(EthReason.PendingBlock({}))
  const none: Effect.Effect<CallHint> = Effect.succeed<CallHint>(undefined)
  const hint = (block: BlockParameter.BlockParameter): Effect.Effect<CallHint> =>
    (job.hinted === undefined ? undefined : runner.hint(job.hinted, block)) ?? none
  const { answer, guess, located } = yield* chain.place<CallHint, CallHint>(parameter, {
    guess: hint,
    ask: (blockHash) => hint({ blockHash })
  })
  if (located._tag === "Missing") return unproven(located.reason)
  const block = located.verdict as Verified<Block.WithHashes>
  const later = chain.forks === undefined ? undefined : LaterForks.newestAt(chain.forks, block.value)
  if (later !== undefined) return unproven(EthReason.CallNotRun({ cause: rulesUnknown(later.name) }))
  return yield* Effect.matchEffect(job.run(runner, block, guess ?? answer), {
    onFailure: (error): ReorgRead<Attempt<O>> =>
      error._tag === "CallError"
        ? Effect.succeed(unproven(EthReason.CallNotRun({ cause: error })))
        : Effect.fail<JsonRpcError | RefutedError>(error),
    onSuccess: (call) => {
      const verdict = Proven.make({
        value: call.outcome,
        anchor: block.anchor,
        proven: job.proven(call),
        claimed: []
      })
      return Effect.succeed<Attempt<O>>({ _tag: "Settled", verdict: settle(located.link, verdict) })
    }
  })
})

const optionsOf = (
  hint: CallHint,
  stateOverride?: CallRunOptions["stateOverride"],
  blockOverride?: CallRunOptions["blockOverride"]
): CallRunOptions => ({ hint, stateOverride, blockOverride })

/**
 * True for an error with which nodes report that a call failed. Here the node sends it in answer to a read, so it says
 * nothing about the call, whose reverts are proven.
 */
const isLikeRevert = (error: JsonRpcError | RefutedError): boolean =>
  error._tag === "JsonRpcError" &&
  error.reason._tag === "RemoteError" &&
  (error.reason.kind === "executionFailed" || error.reason.code === REVERTED)

/** The code of a revert, in all nodes. */
const REVERTED = 3

/** The data about a later fork names the form of its blocks, and not what its code does or costs. */
const rulesUnknown = (fork: string): CallError =>
  new CallError({
    reason: { _tag: "Unsupported", what: `a call after the fork ${fork}, whose rules are not known here` }
  })

const unproven = (reason: Reason): { readonly _tag: "Unproven"; readonly reason: Reason } => ({
  _tag: "Unproven",
  reason
})
