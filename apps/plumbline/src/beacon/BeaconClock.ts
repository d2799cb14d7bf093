/**
 * The clock with which the light client compares slots: the machine's clock, or a clock that starts at `PLUMBLINE_NOW`.
 */
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

import { UsageError } from "../terminal/UsageError.ts"

/** Provides the clock. It starts at `PLUMBLINE_NOW`, in seconds since 1970, and runs on from there. */
export const layer: Layer.Layer<never, UsageError> = Layer.unwrap(
  Effect.gen(function* () {
    const given = yield* Effect.orDie(Config.option(Config.String("PLUMBLINE_NOW")))
    if (Option.isNone(given)) return Layer.empty
    if (!/^[0-9]{1,12}(?:\.[0-9]{1,9})?$/u.test(given.value)) {
      return yield* new UsageError({ problem: "PLUMBLINE_NOW must be a number of seconds since 1970" })
    }
    const clock = yield* Clock.Clock
    const ahead = Number(given.value) * 1000 - clock.currentTimeMillisUnsafe()
    const now = () => clock.currentTimeMillisUnsafe() + ahead
    const shifted: Clock.Clock = Object.assign(Object.create(clock), {
      currentTimeMillisUnsafe: now,
      currentTimeMillis: Effect.sync(now)
    })
    return Layer.succeed(Clock.Clock, shifted)
  })
)
