/** Bytes cut into chunks of one size, but for the last, which may be shorter. */
import * as Stream from "effect/Stream"

import * as ByteQueue from "../codec/byteQueue.ts"

/** A chunk in the pieces that it came in, so that it is copied once, into its block. One without bytes has none. */
export type Chunk = ReadonlyArray<Uint8Array>

/** No bytes are one chunk, which is empty. */
export const rechunk = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>, size: number): Stream.Stream<Chunk, E, R> =>
  Stream.mapAccum(
    bytes,
    ByteQueue.make,
    (queue, piece) => {
      queue.push(piece)
      const chunks: Array<Chunk> = []
      while (queue.size >= size) chunks.push(queue.takeParts(size))
      return [queue, chunks] as const
    },
    { onHalt: (queue) => (queue.size > 0 || queue.position === 0 ? [queue.takeParts(queue.size)] : []) }
  )
