/** Bytes cut into chunks of one size, but for the last, which may be shorter. */
import * as Stream from "effect/Stream"

import * as ByteQueue from "./byteQueue.ts"

/** No bytes are one chunk, which is empty. */
export const rechunk = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>, size: number): Stream.Stream<Uint8Array, E, R> =>
  Stream.mapAccum(
    bytes,
    ByteQueue.make,
    (queue, piece) => {
      queue.push(piece)
      const chunks: Array<Uint8Array> = []
      while (queue.size >= size) chunks.push(queue.take(size))
      return [queue, chunks] as const
    },
    { onHalt: (queue) => (queue.size > 0 || queue.position === 0 ? [queue.take(queue.size)] : []) }
  )
