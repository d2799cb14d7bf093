/** Encodes the results of methods. */
import * as Result from "effect/Result"

import type * as Method from "./Method.ts"
import * as MethodCodecs from "./methodCodecs.ts"

/** Returns the wire value of a result, or the fault of a result that the schema cannot encode. */
export const encode = (method: Method.Any, result: unknown): Result.Result<unknown, Method.ArgumentFault> =>
  Result.mapError(MethodCodecs.of(method).encodeResult(result), MethodCodecs.firstIssue)

/**
 * Returns the wire value of a result. Throws if the schema cannot encode it; `giver` names the party at fault, for
 * `onDefect`.
 */
export const wireOf = (method: Method.Any, result: unknown, giver: string): unknown => {
  const encoded = encode(method, result)
  if (Result.isFailure(encoded)) {
    const { path, detail } = encoded.failure
    throw new Error(`${giver} gave a result that is not its schema's: ${path.join(".")} ${detail}`)
  }
  return encoded.success
}

/** Returns the wire value of a result as JSON text. */
export const textOf = (method: Method.Any, result: unknown, giver: string): string =>
  JSON.stringify(wireOf(method, result, giver)) ?? "null"

/** Returns the wire value of a result as bytes of JSON text. */
export const bytesOf = (method: Method.Any, result: unknown, giver: string): Uint8Array =>
  encoder.encode(textOf(method, result, giver))

const encoder = /* @__PURE__ */ new TextEncoder()
