/**
 * Converts values between codecs of IPLD without loss, as `dag/put` and `dag/get` do.
 *
 * **When to use**: for a value that is written again. To look at a value, use `Block.decode`, which returns plain
 * numbers and strings. Plain values do not show whether 1 was an integer or a float, and cannot hold text that is not
 * UTF-8. In this module whole floats are `Float`, and strings that are not UTF-8 are `Text`.
 *
 * Blocks are written as Kubo writes them, so that their CIDs are Kubo's.
 *
 * Source: the specifications of dag-json, dag-cbor and dag-pb; go-ipld-prime 0.24 and go-codec-dagpb 1.7 for questions
 * that the specifications leave open.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import { now, type Steps } from "../work/steps.ts"
import * as WorkScheduler from "../work/WorkScheduler.ts"
import { sentenceOf } from "./blockBounds.ts"
import * as DagJson from "./dagJson.ts"
import * as IpldValue from "./ipldValue.ts"
import { CODECS, type ValueCodecName } from "./valueCodecs.ts"

export { Float, Text } from "./ipldValue.ts"

export type { ValueCodecName } from "./valueCodecs.ts"

/** True if the text is the name of a codec of this module. */
export const isName = (name: string): name is ValueCodecName => Object.hasOwn(CODECS, name)

/**
 * Reads a value.
 *
 * Fails with a sentence if the bytes are invalid in this codec.
 *
 * ```ts import.meta.vitest
 * import { DagCodec } from "@plumbline/ipfs-client"
 * import { Result } from "effect"
 *
 * const json = new TextEncoder().encode('[1.0, 1]')
 * const value = Result.getOrThrow(DagCodec.decode("dag-json", json))
 * value // => [new DagCodec.Float(1), 1]
 * ```
 */
export const decode = (codec: ValueCodecName, bytes: Uint8Array): Result.Result<unknown, string> =>
  Result.mapError(now(CODECS[codec].decode(bytes)), sentenceOf)

/**
 * Writes a value.
 *
 * Fails with a sentence if the codec cannot represent the value: dag-pb can write only its own nodes, and raw can write
 * only bytes. In dag-json, text that is not UTF-8 is written only for display, with U+FFFD for each byte that is not
 * part of a character.
 *
 * ```ts import.meta.vitest
 * import { DagCodec } from "@plumbline/ipfs-client"
 * import { Result } from "effect"
 *
 * Result.getOrThrow(DagCodec.encode("dag-cbor", [1])) // => Uint8Array.of(0x81, 1)
 * DagCodec.encode("dag-pb", { x: 1 }) // => Result.fail("not a dag-pb node: a key that it does not have")
 * ```
 */
export const encode = (codec: ValueCodecName, value: unknown): Result.Result<Uint8Array, string> =>
  now(CODECS[codec].encode(value))

/** The step of a conversion that failed, and its sentence. */
export interface Unconverted {
  readonly at: "reading" | "writing"
  readonly detail: string
}

/**
 * Reads a value in one codec and writes it in another, in turns with other work. Fails with the step that failed, and
 * its sentence.
 *
 * Use it in services: a block of a few MiB can hold a quarter of a million values.
 *
 * ```ts import.meta.vitest
 * import { DagCodec } from "@plumbline/ipfs-client"
 * import { Effect } from "effect"
 *
 * const json = new TextEncoder().encode("[1]")
 * await Effect.runPromise(DagCodec.convert("dag-json", json, "dag-cbor")) // => Uint8Array.of(0x81, 1)
 * ```
 */
export const convert = (
  from: ValueCodecName,
  bytes: Uint8Array,
  to: ValueCodecName
): Effect.Effect<Uint8Array, Unconverted> =>
  Effect.flatMap(
    WorkScheduler.run(() => converted(from, bytes, to)),
    Effect.fromResult
  )

/** Reads and writes in one job, so that the values are not held while other jobs of the caller run. */
function* converted(
  from: ValueCodecName,
  bytes: Uint8Array,
  to: ValueCodecName
): Steps<Result.Result<Uint8Array, Unconverted>> {
  const value = yield* CODECS[from].decode(bytes)
  if (Result.isFailure(value)) return Result.fail({ at: "reading", detail: sentenceOf(value.failure) })
  const written = yield* CODECS[to].encode(value.success)
  return Result.mapError(written, (detail): Unconverted => ({ at: "writing", detail }))
}

/**
 * Reads plain JSON, in turns with other work, with the types that `JSON.parse` returns and bigints beyond 2^53. Fails
 * with a sentence if the text is not JSON in UTF-8, if a key occurs twice in an object, or beyond a bound of blocks. A
 * text beyond a bound is refused before any of its values is made.
 *
 * ```ts import.meta.vitest
 * import { DagCodec } from "@plumbline/ipfs-client"
 * import { Effect } from "effect"
 *
 * await Effect.runPromise(DagCodec.parseJson(new TextEncoder().encode('[1.0, "a"]'))) // => [1, "a"]
 * ```
 */
export const parseJson = (bytes: Uint8Array): Effect.Effect<unknown, string> =>
  Effect.flatMap(
    WorkScheduler.run(function* (): Steps<Result.Result<unknown, string>> {
      const value = yield* DagJson.decodeSteps(bytes, { isPlain: true })
      if (Result.isFailure(value)) return Result.fail(sentenceOf(value.failure))
      return Result.succeed(yield* IpldValue.plainSteps(value.success))
    }),
    Effect.fromResult
  )

/** Returns the value as `Block.decode` does: floats as numbers, and text that is not UTF-8 as text for display. */
export const plain = (value: unknown): unknown => IpldValue.plain(value)
