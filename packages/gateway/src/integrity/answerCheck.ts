/** Checks a node's answers without further calls: the rules are in `answerRules.ts`. */
import * as EthMethods from "@plumbline/eth-methods/methods/EthMethods"
import * as Input from "@plumbline/eth-methods/model/Input"
import type { OfChain } from "@plumbline/eth-methods/proof/Verify"
import * as SenderRecovery from "@plumbline/eth-methods/sender/SenderRecovery"
import * as JsonRpcClient from "@plumbline/jsonrpc-core/client/JsonRpcClient"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as JsonRpcServer from "@plumbline/jsonrpc-core/server/JsonRpcServer"
import { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as ProviderReason from "@plumbline/provider/node/ProviderReason"
import * as ProviderRefusal from "@plumbline/provider/node/ProviderRefusal"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import { claim, type Verdict } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"

import type { AnswerVerdict, Upstream } from "../networks/Upstream.ts"
import { UpstreamError } from "../networks/UpstreamError.ts"
import type { AskProven } from "./answerProof.ts"
import { rules } from "./answerRules.ts"
import * as AnswerVerdicts from "./answerVerdict.ts"
import * as Faults from "./faults.ts"
import * as NodeTransport from "./nodeTransport.ts"

/** Makes the function that asks a node and checks each answer without further calls. */
export const make = Effect.fnUntraced(function* (
  name: string,
  upstream: Upstream,
  chain: OfChain,
  recovery: SenderRecovery.RecoveryEngine = SenderRecovery.standard
): Effect.fn.Return<AskProven> {
  const clients = JsonRpcClient.make(EthMethods.group)
  const calls = (yield* Effect.provideService(clients, Transport, NodeTransport.make(upstream))) as unknown as Calls
  return (method, params, record) => {
    const rule = rules.get(method)
    const found = EthMethods.group.get(method)
    const args = rule === undefined || found === undefined ? undefined : JsonRpcServer.decodeParams(found, params)
    if (rule === undefined || found === undefined || args === undefined || Result.isFailure(args)) {
      return Effect.map(upstream.call(method, params), (answer) =>
        AnswerVerdicts.attach(answer, wordOf(method, name, isNull(answer)))
      )
    }
    // the caller's addresses may have no checksum
    const asked = Input.withoutChecksums(args.success)
    return Effect.suspend(() =>
      Effect.matchEffect(Effect.provideService(calls[method]!(...asked), NodeTransport.Current, record), {
        onFailure: () => Exit.fail(record.fault ?? record.refusal ?? WRONG_RESULT),
        onSuccess: (value) => {
          const verdict: Result.Result<Verdict<unknown>, RefutedError> = value === null
            ? Result.succeed(claim(value, ProviderReason.NodesWord({ method })))
            : rule(asked, value, { method, chain, recovery })
          if (Result.isFailure(verdict)) {
            return Exit.fail(
              Faults.refuted(verdict.failure, ProviderRefusal.anchorOfQuestion(method, asked), record.result)
            )
          }
          // the result is encoded again, because a caller might read a duplicate name in an object differently from
          // this check; a proven answer also gets the fields that the node left out and that follow from the proof
          const told = AnswerVerdicts.of(verdict.success, name)
          const whole = verdict.success.value
          const isAsSent = told.word === "CLAIMED" || whole === value
          const encoded = isAsSent ? Result.succeed(record.result) : JsonRpcServer.encodeResult(found, whole)
          if (Result.isFailure(encoded)) return Exit.fail(WRONG_RESULT)
          return Exit.succeed(AnswerVerdicts.attach(encoder.encode(JSON.stringify(encoded.success)), told))
        }
      })
    )
  }
})

type Calls = Readonly<Record<string, (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, JsonRpcError>>>

/** Returns the verdict on an unchecked answer. */
const wordOf = (method: string, by: string, isNull: boolean): AnswerVerdict => ({
  ...AnswerVerdicts.of(claim(undefined, ProviderReason.NodesWord({ method })), by),
  isNull
})

const isNull = (answer: Uint8Array): boolean => answer.length === 4 && answer[0] === 0x6e

const WRONG_RESULT = new UpstreamError({ reason: { _tag: "BadAnswer", problem: "wrong result" } })

const encoder = new TextEncoder()
