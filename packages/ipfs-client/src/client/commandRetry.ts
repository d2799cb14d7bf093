/** Tries calls again. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

import { IpfsError } from "./IpfsError.ts"
import type * as IpfsTarget from "./ipfsTarget.ts"

const FIRST_WAIT = 100
const LONGEST_WAIT = 10_000

/** The tries of one call: the number of failed tries, and the start time of the first try. */
export interface Tries {
  failed: number
  readonly since: number
}

/** The time in milliseconds, by a monotonic clock. */
const now: Effect.Effect<number> = Effect.clockWith((clock) =>
  Effect.succeed(Number(clock.monotonicTimeNanosUnsafe()) / 1e6)
)

/** Begins the tries of a call. */
export const begin: Effect.Effect<Tries> = Effect.map(now, (since) => ({ failed: 0, since }))

/** Tries a call again if it may succeed later. A call that timed out has used its time, and is not tried again. */
export const repeated = <A, E, R>(
  target: IpfsTarget.IpfsTarget,
  tries: Tries,
  work: Effect.Effect<A, E | IpfsError, R>
): Effect.Effect<A, E | IpfsError, R> =>
  Effect.catch(work, (error): Effect.Effect<A, E | IpfsError, R> => {
    if (!(error instanceof IpfsError) || !error.retryable || error.reason._tag === "TimeoutError") {
      return Effect.fail(error)
    }
    const asked = Duration.toMillis(error.retryAfter ?? Duration.zero)
    if (tries.failed >= target.retries || asked > LONGEST_WAIT) {
      return Effect.fail(error)
    }
    return Effect.flatMap(Effect.zip(Random.next, now), ([part, at]) => {
      const millis = Math.ceil(asked + part * FIRST_WAIT * 2 ** tries.failed)
      if (at - tries.since + millis > Duration.toMillis(target.timeout)) {
        return Effect.fail(error)
      }
      tries.failed += 1
      const { failed } = tries
      const duration = Duration.millis(millis)
      return Effect.andThen(
        target.onWait({ error, tried: failed, left: target.retries - failed + 1, duration }),
        Effect.andThen(Effect.sleep(duration), repeated(target, tries, work))
      )
    })
  })
