/** Cuts bytes into chunks of one size. Only the last chunk may be shorter. */
import type * as Stream from "effect/Stream"

import * as ByteQueue from "../codec/byteQueue.ts"
import * as UntilEnd from "./untilEnd.ts"

/**
 * A chunk, in the pieces in which it arrived, so that its bytes are copied only once, into their block. An empty chunk
 * has no pieces.
 */
export type Chunk = ReadonlyArray<Uint8Array>

/**
 * Cuts a stream of bytes into chunks. A stream without bytes becomes one empty chunk. If the stream fails, only the
 * chunks that were already full are emitted.
 */
export const rechunk = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>, size: number): Stream.Stream<Chunk, E, R> =>
  UntilEnd.mapAccum(
    bytes,
    ByteQueue.make,
    (queue, piece) => {
      queue.push(piece)
      const chunks: Array<Chunk> = []
      while (queue.size >= size) chunks.push(queue.takeParts(size))
      return [queue, chunks] as const
    },
    (queue) => (queue.size > 0 || queue.position === 0 ? [queue.takeParts(queue.size)] : [])
  )
