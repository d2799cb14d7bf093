/**
 * Maps a stream with a state that holds items back. The held items are emitted only if the stream ends without an
 * error.
 */
import * as Stream from "effect/Stream"

const END: unique symbol = Symbol.for("@plumbline/ipfs-client/End")

/**
 * Works as `Stream.mapAccum`, but calls `onEnd` only after the last item. `onHalt` of `Stream.mapAccum` also runs if
 * the stream fails, and would emit the root of an incomplete file.
 */
export const mapAccum = <A, E, R, S, B>(
  stream: Stream.Stream<A, E, R>,
  initial: () => S,
  step: (state: S, item: A) => readonly [state: S, items: ReadonlyArray<B>],
  onEnd: (state: S) => ReadonlyArray<B>
): Stream.Stream<B, E, R> =>
  Stream.mapAccum(Stream.concat(stream, Stream.succeed<typeof END>(END)), initial, (state, item) =>
    item === END ? [state, onEnd(state)] : step(state, item)
  )
