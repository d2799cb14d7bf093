/**
 * Notices nodes that die between calls. A node that has been silent for a while is asked a small question.
 *
 * The questions overlap. Asked one after the other, a node that hangs would delay each question by the time limit of the
 * one before. A single lost or slow answer proves nothing: a node is dead if it answers none of several questions, and
 * is silent for the whole time. A node under load answers callers, so it is not silent and gets no questions.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Maximum time for the answer to a question, in milliseconds. */
export const PROBE = 2000

/** Time between the beginnings of two questions to a node that has not answered, in milliseconds. */
const AGAIN = 250

/** Time between two looks at the silence of the nodes, in milliseconds. */
const LISTEN = 250

/** A node that may fall silent. */
export interface WatchedConnection {
  /** Returns a number that is another one after each answer or fault of the node. */
  readonly heard: () => number
  /** The silence after which the node is asked, in milliseconds. */
  readonly most: number
  /** Begins to ask the node, and does not wait for the answer. */
  readonly ask: Effect.Effect<void>
}

/**
 * Asks each node that has been silent for too long, until the scope closes. The silence is counted in looks, which
 * leaves out the time in which this process did not run.
 */
export const listen = (nodes: ReadonlyArray<WatchedConnection>): Effect.Effect<void, never, Scope.Scope> => {
  const every = Math.min(LISTEN, ...nodes.map(({ most }) => most))
  const silences = nodes.map((node) => ({ node, heard: -1, millis: 0 }))
  const round = Effect.suspend(() => {
    const silent = silences.filter((silence) => {
      const heard = silence.node.heard()
      silence.millis = silence.heard === heard ? silence.millis + every : 0
      silence.heard = heard
      return silence.millis >= silence.node.most
    })
    return Effect.forEach(silent, ({ node }) => node.ask, { discard: true })
  })
  return Effect.asVoid(Effect.forkScoped(Effect.forever(Effect.andThen(round, Effect.sleep(every)))))
}

/** Asks a node up to `times` times. Returns true after the first question that returns true. */
export const isBroken = (question: Effect.Effect<boolean>, times: number): Effect.Effect<boolean> => {
  const asked = Effect.flatMap(question, (answered) => (answered ? Effect.void : Effect.fail("unanswered" as const)))
  const questions = Array.from({ length: times }, (_, at) => Effect.delay(asked, at * AGAIN))
  return Effect.match(Effect.raceAll(questions), { onSuccess: () => true, onFailure: () => false })
}
