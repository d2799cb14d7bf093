/**
 * Time limits that do not count the time in which this process did not run.
 *
 * A timer that is due fires as soon as the event loop runs again, before an answer that arrived meanwhile is read. So
 * after a long piece of work, a paused container or a suspended machine, an ordinary time limit would report that a
 * store does not answer, although its answer is there. Here a limit is waited for in parts, and each part begins only
 * when the event loop runs: a stall counts as one part, and input is read before the next part ends.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Number of parts of a limit. A stall of any length counts as one of them. */
export const PARTS = 8

/** Waits until this process has run for a time. */
export const sleep = (time: Duration.Input): Effect.Effect<void> => {
  const duration = Duration.fromInputUnsafe(time)
  if (!Duration.isFinite(duration)) return Effect.never
  const part = Effect.sleep(Duration.millis(Duration.toMillis(duration) / PARTS))
  const wait = (left: number): Effect.Effect<void> =>
    left === 1
      ? part
      : Effect.andThen(
          part,
          Effect.suspend(() => wait(left - 1))
        )
  return wait(PARTS)
}

/** Does the same as `Effect.timeoutOption`, for the time in which this process ran. */
export const timeoutOption = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  time: Duration.Input
): Effect.Effect<Option.Option<A>, E, R> => Effect.raceFirst(Effect.asSome(work), Effect.as(sleep(time), Option.none()))

/** Does the same as `Effect.timeoutOrElse`, for the time in which this process ran. */
export const timeoutOrElse = <A, E, R, A2, E2, R2>(
  work: Effect.Effect<A, E, R>,
  { duration, orElse }: { readonly duration: Duration.Input; readonly orElse: () => Effect.Effect<A2, E2, R2> }
): Effect.Effect<A | A2, E | E2, R | R2> =>
  Effect.flatMap(timeoutOption(work, duration), (answer): Effect.Effect<A | A2, E2, R2> =>
    Option.isSome(answer) ? Effect.succeed(answer.value) : orElse()
  )
