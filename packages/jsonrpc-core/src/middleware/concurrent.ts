/** A transport over nodes that are asked at the same time. */
import * as Effect from "effect/Effect"

import type { WireCall, WireOutcome, Transport } from "../transport/Transport.ts"
import { ofNode } from "./answerChoice.ts"
import type { NamedTransport } from "./Fallback.ts"

/** The rules for the answers to one call, or to the calls of one packet. Each call or packet gets new rules. */
export interface AnswerRules {
  /** Waits for the turn of node `index`. */
  readonly turn: (index: number) => Effect.Effect<void>
  /** Records the answer of node `index` to call `at`. Returns the outcome of the call once it is decided. */
  readonly hear: (at: number, index: number, said: WireOutcome) => WireOutcome | undefined
}

/**
 * Returns a transport that asks several nodes. When a node's turn comes, the transport sends it all calls that are not
 * decided yet. When all calls are decided, nodes that have not answered are interrupted. The rules must have decided
 * each call once the last answer has arrived.
 *
 * Calls that are not idempotent are sent only to the first node.
 */
export const make = (
  nodes: ReadonlyArray<NamedTransport>,
  rulesOf: (calls: ReadonlyArray<WireCall>) => AnswerRules
): Transport["Service"] => {
  const { name, transport: first } = nodes[0]!
  return {
    call: (call) =>
      call.idempotent === false
        ? Effect.flatMap(Effect.result(first.call(call)), (said) => Effect.fromResult(ofNode(said, name)))
        : Effect.flatMap(
            decide(nodes, [call], rulesOf, (node) =>
              Effect.map(Effect.result(node.transport.call(call)), (outcome) => [outcome])
            ),
            ([outcome]) => Effect.fromResult(outcome!)
          ),
    callAll: (calls) =>
      calls.every((call) => call.idempotent === false)
        ? Effect.map(first.callAll(calls), (replies) => replies.map((said) => ofNode(said, name)))
        : decide(nodes, calls, rulesOf, (node, calls) => node.transport.callAll(calls))
  }
}

const decide = (
  nodes: ReadonlyArray<NamedTransport>,
  calls: ReadonlyArray<WireCall>,
  rulesOf: (calls: ReadonlyArray<WireCall>) => AnswerRules,
  send: (node: NamedTransport, calls: ReadonlyArray<WireCall>) => Effect.Effect<ReadonlyArray<WireOutcome>>
): Effect.Effect<ReadonlyArray<WireOutcome>> =>
  Effect.suspend(() => {
    const { turn, hear } = rulesOf(calls)
    const decided = new Map<number, WireOutcome>()

    const ask = (node: NamedTransport, index: number): Effect.Effect<ReadonlyArray<WireOutcome>> => {
      const asked = [...calls.keys()].filter(
        (at) => !decided.has(at) && (index === 0 || calls[at]!.idempotent !== false)
      )
      if (asked.length === 0) {
        return Effect.never
      }
      const toSend = asked.map((at) => calls[at]!)
      return Effect.flatMap(send(node, toSend), (replies) => {
        for (const [position, at] of asked.entries()) {
          if (!decided.has(at)) {
            const said = replies[position]!
            const outcome = calls[at]!.idempotent === false ? ofNode(said, node.name) : hear(at, index, said)
            if (outcome !== undefined) {
              decided.set(at, outcome)
            }
          }
        }
        return decided.size === calls.length
          ? Effect.succeed([...calls.keys()].map((at) => decided.get(at)!))
          : Effect.never
      })
    }

    return Effect.raceAllFirst(
      nodes.map((node, index) =>
        Effect.andThen(
          turn(index),
          Effect.suspend(() => ask(node, index))
        )
      )
    )
  })
