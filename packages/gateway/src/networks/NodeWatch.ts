/**
 * Watches nodes that no pool asks, such as the beacon nodes of a light client.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

import * as SilentNodes from "./silentNodes.ts"
import type { UpstreamState } from "./Upstream.ts"

/**
 * A node, and a question that is true if the node answers.
 */
export interface WatchedNode {
  readonly name: string
  readonly answers: Effect.Effect<boolean>
}

/**
 * The state of a node.
 */
export interface WatchedState {
  readonly name: string
  readonly state: Exclude<UpstreamState, "lies" | "wrong">
}

/**
 * Asks each node every 2 seconds, until the scope closes. Returns a function that gives the states of the nodes.
 *
 * A node is down after three questions without an answer. One that refuses connections is down 2.75 seconds after it
 * dies, and one that hangs after 4.75 seconds. A node that is down is up again at its next answer.
 *
 * ```ts import.meta.vitest
 * import { NodeWatch } from "@plumbline/gateway"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const states = yield* NodeWatch.make([{ name: "beacon", answers: Effect.succeed(true) }])
 *   return states()
 * })
 * await Effect.runPromise(Effect.scoped(program)) // => [{ name: "beacon", state: "untried" }]
 * ```
 */
export const make = Effect.fnUntraced(function* (
  nodes: ReadonlyArray<WatchedNode>
): Effect.fn.Return<() => ReadonlyArray<WatchedState>, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const members = nodes.map((node) => ({ node, state: "untried" as WatchedState["state"], heard: 0, isAsked: false }))
  yield* SilentNodes.listen(
    members.map((member) => {
      const { answers, name } = member.node
      const question = Effect.timeoutOrElse(answers, {
        duration: SilentNodes.PROBE,
        orElse: () => Effect.succeed(false)
      })
      const asked = Effect.suspend(() => SilentNodes.isBroken(question, member.state === "down" ? 1 : QUESTIONS)).pipe(
        Effect.tap((answered) => {
          const wasDown = member.state === "down"
          member.state = answered ? "up" : "down"
          if (answered === !wasDown) return Effect.void
          return answered ? Effect.logInfo("a node is up again") : Effect.logWarning("a node is down")
        }),
        Effect.ensuring(
          Effect.sync(() => {
            member.heard++
            member.isAsked = false
          })
        ),
        Effect.annotateLogs({ node: name })
      )
      return {
        heard: () => member.heard,
        most: PULSE,
        ask: Effect.suspend(() => {
          if (member.isAsked) return Effect.void
          member.isAsked = true
          return Effect.asVoid(Effect.forkIn(asked, scope))
        })
      }
    })
  )
  return () => members.map(({ node: { name }, state }) => ({ name, state }))
})

/** Milliseconds between an answer and the next question. */
const PULSE = 2000

/** Number of questions without an answer after which a node is down. */
const QUESTIONS = 3
