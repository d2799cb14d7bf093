/** Content cut where it says so itself: Rabin's fingerprint of a window of bytes. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
// @ts-expect-error -- the package has no types
import { create } from "rabin-wasm"

/** Sizes of chunks, in bytes. */
export interface Sizes {
  readonly min: number
  readonly avg: number
  readonly max: number
}

/** What is used of the package. */
interface Rabin {
  /** The sizes of the chunks that end within these bytes, which follow those of the call before. */
  readonly fingerprint: (bytes: Uint8Array) => Int32Array
}

const makeRabin: (bits: number, min: number, max: number, window: number) => Promise<Rabin> = create

/** Bytes that the fingerprint is of. Source: boxo, `chunker/rabin.go`. */
const WINDOW = 16

/** At least one chunk; an empty one only where there is nothing else. */
export const chunks = <E>(
  content: Stream.Stream<Uint8Array, E>,
  { avg, max, min }: Sizes
): Stream.Stream<Uint8Array, E> =>
  Stream.unwrap(
    Effect.map(
      Effect.promise(() => makeRabin(Math.floor(Math.log2(avg)), min, max, WINDOW)),
      (rabin) =>
        Stream.mapAccum(
          content,
          () => ({ rest: NOTHING, isEmpty: true }),
          ({ isEmpty, rest }, piece) => {
            const bytes = Buffer.concat([rest, piece])
            const ready: Array<Uint8Array> = []
            let at = 0
            for (const size of piece.length === 0 ? [] : rabin.fingerprint(piece)) {
              ready.push(bytes.subarray(at, at + size))
              at += size
            }
            return [{ rest: bytes.subarray(at), isEmpty: isEmpty && ready.length === 0 }, ready] as const
          },
          { onHalt: ({ isEmpty, rest }) => (isEmpty || rest.length > 0 ? [rest] : []) }
        )
    )
  )

const NOTHING: Uint8Array = new Uint8Array(0)
