/** Step 1 of the pipeline: takes one request from the bucket of the caller's address, before its key is read. */
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

import * as Exits from "../http/exits.ts"
import * as HttpRefusal from "../http/HttpRefusal.ts"
import type { Limiter } from "../limits/Limiter.ts"
import * as LimitExceeded from "../limits/LimitExceeded.ts"
import type { ServiceMeters } from "../meters/serviceMeters.ts"

/** Admits the address without an Effect. Returns false if `admit` has to be asked; then nothing was taken. */
export const admits = (limiter: Limiter["Service"], address: string): boolean =>
  limiter.plain?.admitAddress(address)?._tag === "Admission"

/** Admits the address, or refuses it: 429 over its limit, 503 if the limits cannot be counted. */
export const admit = (
  limiter: Limiter["Service"],
  meters: ServiceMeters,
  address: string
): Effect.Effect<void, HttpRefusal.HttpRefusal> => {
  const admitted = limiter.plain?.admitAddress(address)
  if (admitted?._tag === "Admission") return Exit.void
  const admitting = admitted === undefined ? limiter.admitAddress(address) : Exit.fail(admitted)
  return Exits.mapError(admitting, (error) => {
    const isExceeded = error._tag === "LimitExceeded"
    meters.limited(isExceeded ? "address" : "unavailable")
    return isExceeded ? refusalOf(error) : HttpRefusal.unavailable
  })
}

/** Returns the answer to an unknown caller, in plain text: 429 `too many requests`. */
export const refusalOf = (exceeded: LimitExceeded.LimitExceeded): HttpRefusal.HttpRefusal => {
  const { headers } = LimitExceeded.answer(exceeded)
  return HttpRefusal.make(429, "too many requests", headers.length === 0 ? A_SECOND : headers)
}

/** The `Retry-After` header if the wait is unknown: one second. */
const A_SECOND: ReadonlyArray<string> = ["retry-after", "1"]
