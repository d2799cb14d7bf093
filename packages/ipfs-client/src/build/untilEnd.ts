/**
 * Maps a stream with a state that holds items back. The last ones are emitted only if the stream ends without an error.
 */
import * as Stream from "effect/Stream"

const END: unique symbol = Symbol.for("@plumbline/ipfs-client/End")

/**
 * Does the same as `Stream.mapAccum`, but calls `onEnd` only after the last item. `onHalt` of `Stream.mapAccum` also runs
 * if the stream fails, and would give the root of a file that was cut off.
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
