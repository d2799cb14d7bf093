/** Prints content as an answer: raw on standard output, or in JSON. */
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"

import { UsageError } from "../terminal/UsageError.ts"

/** Maximum number of content bytes in one JSON object, because the object is held in memory. */
export const MAX_JSON = 16 * 1024 * 1024

/** Content in JSON. */
export interface ContentBytes {
  readonly size: number
  readonly base64: string
}

/** Writes the content to standard output, as fast as its reader takes it. */
export const print = Effect.fnUntraced(function* <E, R>(content: Stream.Stream<Uint8Array, E, R>) {
  const stdio = yield* Stdio.Stdio
  const output = stdio.stdout({ endOnDone: false })
  yield* Stream.run(content, output)
  return null
})

/** Collects a stream of content for JSON. `size` is the expected size. */
export const collect = <E, R>(
  content: Stream.Stream<Uint8Array, E, R>,
  size: number
): Effect.Effect<ContentBytes, E | UsageError, R> =>
  size > MAX_JSON
    ? Effect.fail(
        new UsageError({ problem: "--json: content of more than 16 MiB is not put into one object: leave it out" })
      )
    : Effect.map(Stream.runCollect(content), (pieces) => of(Buffer.concat(pieces)))

/** Returns bytes in the form for JSON. */
export const of = (bytes: Uint8Array): ContentBytes => ({
  size: bytes.length,
  base64: Buffer.from(bytes).toString("base64")
})
