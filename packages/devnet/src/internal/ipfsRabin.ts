/** Content cut where it says so itself: Rabin's fingerprint of a window of bytes. */
import * as Bytes from "@plumbline/codec/Bytes"
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
          (): State => ({ rest: [], isEmpty: true }),
          (state, piece) => {
            const ready: Array<Uint8Array> = []
            if (piece.length === 0) return [state, ready] as const
            state.rest.push(piece)
            const sizes = rabin.fingerprint(piece)
            // what has no end yet is copied when it has one
            if (sizes.length === 0) return [state, ready] as const
            const bytes = Bytes.join(state.rest.splice(0))
            let at = 0
            for (const size of sizes) {
              ready.push(bytes.subarray(at, at + size))
              at += size
            }
            if (at < bytes.length) state.rest.push(bytes.subarray(at))
            state.isEmpty = false
            return [state, ready] as const
          },
          { onHalt: ({ isEmpty, rest }) => (isEmpty || rest.length > 0 ? [Bytes.join(rest)] : []) }
        )
    )
  )

/** The pieces of a chunk that has no end yet, and whether there was none before. */
interface State {
  readonly rest: Array<Uint8Array>
  isEmpty: boolean
}
