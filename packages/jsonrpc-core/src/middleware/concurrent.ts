/** A transport over nodes that are asked at the same time. */
import * as Effect from "effect/Effect"

import type { Call, Outcome, Transport } from "../transport/Transport.ts"
import type { Node } from "./Fallback.ts"

/** The rules for the answers to one call, or to the calls of one packet. Each call or packet gets new rules. */
export interface Rules {
  /** Waits for the turn of node `index`. */
  readonly turn: (index: number) => Effect.Effect<void>
  /** Records the answer of node `index` to call `at`. Returns the outcome of the call once it is decided. */
  readonly hear: (at: number, index: number, said: Outcome) => Outcome | undefined
}

/**
 * Returns a transport that asks several nodes. When a node's turn comes, the transport sends it all calls that are not
 * decided yet. When all calls are decided, nodes that have not answered are interrupted. The rules must have decided
 * each call once the last answer has arrived.
 *
 * Calls that are not idempotent are sent only to the first node.
 */
export const make = (
  nodes: ReadonlyArray<Node>,
  rulesOf: (calls: ReadonlyArray<Call>) => Rules
): Transport["Service"] => {
  const first = nodes[0]!.transport
  return {
    call: (call) =>
      call.idempotent === false
        ? first.call(call)
        : Effect.flatMap(
            decide(nodes, [call], rulesOf, (node) =>
              Effect.map(Effect.result(node.transport.call(call)), (outcome) => [outcome])
            ),
            ([outcome]) => Effect.fromResult(outcome!)
          ),
    callAll: (calls) =>
      calls.every((call) => call.idempotent === false)
        ? first.callAll(calls)
        : decide(nodes, calls, rulesOf, (node, calls) => node.transport.callAll(calls))
  }
}

const decide = (
  nodes: ReadonlyArray<Node>,
  calls: ReadonlyArray<Call>,
  rulesOf: (calls: ReadonlyArray<Call>) => Rules,
  send: (node: Node, calls: ReadonlyArray<Call>) => Effect.Effect<ReadonlyArray<Outcome>>
): Effect.Effect<ReadonlyArray<Outcome>> =>
  Effect.suspend(() => {
    const { turn, hear } = rulesOf(calls)
    const decided = new Map<number, Outcome>()

    const ask = (node: Node, index: number): Effect.Effect<ReadonlyArray<Outcome>> => {
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
            const outcome = calls[at]!.idempotent === false ? said : hear(at, index, said)
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
