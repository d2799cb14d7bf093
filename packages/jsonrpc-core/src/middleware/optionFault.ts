/** The transport of middleware whose options are impossible. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import { JsonRpcError, OptionsError } from "../error/JsonRpcError.ts"
import type * as Transport from "../transport/Transport.ts"

/**
 * Returns a transport that sends nothing: each call fails with `OptionsError`. A transport over HTTP treats an invalid URL
 * in the same way, so a stack of middleware is always a value.
 */
export const transport = (option: string, detail: string): Transport.Transport["Service"] => {
  const reason = new OptionsError({ option, detail })
  const failure = ({ method }: Transport.WireCall): JsonRpcError => new JsonRpcError({ method, reason })
  return {
    call: (call) => Effect.fail(failure(call)),
    callAll: (calls) => Effect.succeed(calls.map((call) => Result.fail(failure(call))))
  }
}

/** The fault of a number that must be whole and at least one; `undefined` if it is. */
export const notPositive = (value: number): string | undefined =>
  Number.isSafeInteger(value) && value >= 1 ? undefined : `must be a whole number above zero, not ${value}`
