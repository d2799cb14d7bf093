/** The worker's side of the channel: asks the supervisor, and hears what it tells. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

import { Outbox } from "./Outbox.ts"
import * as WorkerMessages from "./WorkerMessages.ts"

/** The channel of a worker. */
export interface SupervisorClient {
  /**
   * Asks the supervisor. The supervisor answers every question, and without a supervisor this process ends. If the effect
   * is interrupted, `late` gets the answer that nobody waits for.
   */
  readonly ask: <Q extends WorkerMessages.Question, E extends WorkerMessages.QuestionError>(
    question: Q,
    ask: WorkerMessages.Questions[Q][0],
    late?: (answer: WorkerMessages.Questions[Q][1]) => void
  ) => Effect.Effect<WorkerMessages.Questions[Q][1], E>
  readonly tell: (message: WorkerMessages.WorkerTold) => void
  /** Calls a function for each message that is no answer. The returned function ends that. */
  readonly listen: (listener: (message: WorkerMessages.SupervisorTold) => void) => () => void
}

/** Opens the channel of this process. The process ends at once when the supervisor is gone. */
export const open = (): SupervisorClient => {
  const outbox = new Outbox<WorkerMessages.WorkerTold>((messages) => process.send?.(messages))
  const asked = new Map<number, (exit: Exit.Exit<unknown, WorkerMessages.QuestionError>) => void>()
  const listeners = new Set<(message: WorkerMessages.SupervisorTold) => void>()
  let last = 0
  const answer = (id: number, exit: Exit.Exit<unknown, WorkerMessages.QuestionError>) => {
    const told = asked.get(id)
    asked.delete(id)
    told?.(exit)
  }
  process.on("message", (messages: ReadonlyArray<WorkerMessages.SupervisorTold>) => {
    for (const message of messages) {
      if (message._tag === "Answered") answer(message.id, Exit.succeed(message.answer))
      else if (message._tag === "Failed") answer(message.id, Exit.fail(WorkerMessages.decodeFailure(message.failure)))
      else for (const listener of listeners) listener(message)
    }
  })
  process.once("disconnect", () => process.exit(process.exitCode ?? 1))
  return {
    ask: <Q extends WorkerMessages.Question, E extends WorkerMessages.QuestionError>(
      question: Q,
      ask: WorkerMessages.Questions[Q][0],
      late?: (answer: WorkerMessages.Questions[Q][1]) => void
    ) =>
      Effect.callback<WorkerMessages.Questions[Q][1], E>((resume) => {
        const id = ++last
        asked.set(id, (exit) => resume(exit as Exit.Exit<WorkerMessages.Questions[Q][1], E>))
        outbox.add({ _tag: "Asked", id, question, ask })
        return Effect.sync(() => {
          if (late === undefined) asked.delete(id)
          else
            asked.set(id, (exit) => {
              if (exit._tag === "Success") late(exit.value as WorkerMessages.Questions[Q][1])
            })
        })
      }),
    tell: (message) => outbox.add(message),
    listen: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
  }
}
