/** Proves the outcome of a call: an engine runs it here, over state that is proven under the located block's header. */
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Claim from "@plumbline/verdict/Claim"
import * as Proven from "@plumbline/verdict/prove/Proven"
import type { Reason } from "@plumbline/verdict/Reason"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import { UnprovenError } from "@plumbline/verdict/UnprovenError"
import type { Verdict, Verified } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import type { CallEngine, CallHint, ProvenCall } from "../call/CallEngine.ts"
import { CallError } from "../call/CallError.ts"
import type { CallOutcome } from "../call/CallOutcome.ts"
import type * as Block from "../model/Block.ts"
import * as BlockParameter from "../model/BlockParameter.ts"
import type * as CallRequest from "../model/CallRequest.ts"
import * as EthEvidence from "../proof/EthEvidence.ts"
import * as EthReason from "../proof/EthReason.ts"
import type { BlockLocator } from "./blockLocator.ts"
import { type ReorgRead, retryOnReorg } from "./reorgRetry.ts"
import { settle } from "./trustLink.ts"
import type { Client } from "./verdictClient.ts"

/** A verdict, or the reason why there is none. */
type Attempt =
  | { readonly _tag: "Settled"; readonly verdict: Verdict<CallOutcome> }
  | { readonly _tag: "Unproven"; readonly reason: Reason }

export const make = (chain: BlockLocator, engine: CallEngine | undefined): Pick<Client, "call"> => {
  const runner = engine?.over(chain.eth, chain.chainId)

  const attempt = Effect.fnUntraced(function* (
    request: CallRequest.CallRequest,
    parameter: BlockParameter.BlockParameter
  ): Effect.fn.Return<Attempt, Effect.Error<ReorgRead<never>>> {
    if (runner === undefined) return unproven(EthReason.NoCallEngine({}))
    if (BlockParameter.isPending(parameter)) return unproven(EthReason.PendingBlock({}))
    const none: Effect.Effect<CallHint> = Effect.succeed<CallHint>(undefined)
    const { answer, guess, located } = yield* chain.place<CallHint, CallHint>(parameter, {
      guess: (asked) => runner.hint(request, asked) ?? none,
      ask: (blockHash) => runner.hint(request, { blockHash }) ?? none
    })
    if (located._tag === "Missing") return unproven(located.reason)
    const block = located.verdict as Verified<Block.WithHashes>
    return yield* Effect.matchEffect(runner.run(request, block, guess ?? answer), {
      onFailure: (error): ReorgRead<Attempt> =>
        error._tag === "CallError"
          ? Effect.succeed(unproven(EthReason.CallNotRun({ cause: error })))
          : Effect.fail<JsonRpcError | RefutedError>(error),
      onSuccess: (call) =>
        Effect.succeed<Attempt>({ _tag: "Settled", verdict: settle(located.link, proven(call, block)) })
    })
  })

  return {
    call: (request, parameter = "latest", stateOverride, blockOverride) =>
      Effect.flatMap(
        stateOverride === undefined && blockOverride === undefined
          ? retryOnReorg("eth_call", attempt(request, parameter))
          : Effect.succeed(unproven(EthReason.CallNotRun({ cause: OVERRIDES }))),
        (outcome) =>
          outcome._tag === "Settled"
            ? Effect.succeed(outcome.verdict)
            : Effect.fail(new UnprovenError({ subject: "eth_call", claims: [Claim.whole(outcome.reason)] }))
      )
  }
}

const OVERRIDES = new CallError({ reason: { _tag: "Unsupported", what: "overrides of the state or the block" } })

const unproven = (reason: Reason): Attempt => ({ _tag: "Unproven", reason })

const proven = ({ basis, outcome }: ProvenCall, block: Verified<Block.WithHashes>): Verified<CallOutcome> =>
  Proven.make({ value: outcome, anchor: block.anchor, proven: [EthEvidence.CallRun(basis)], claimed: [] })
