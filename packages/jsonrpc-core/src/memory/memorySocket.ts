/** A socket to a server in the same process. */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Queue from "effect/Queue"

import * as Connection from "../server/Connection.ts"
import type * as Dispatcher from "../server/Dispatcher.ts"
import type { WebSocketLike } from "../webSocket/platform.ts"

export interface MemorySocketOptions<R> extends Omit<Connection.ConnectionOptions, "send"> {
  readonly server: Pick<Dispatcher.Dispatcher<R>, "exchange">
  /** Runs the server's side of the connection, until it is interrupted. */
  readonly fork: (work: Effect.Effect<void, never, R>) => Fiber.Fiber<void>
}

/** Codes of RFC 6455, section 7.4.1, and of its registry at IANA. */
const CODES: Readonly<Record<Connection.ConnectionEnd["_tag"], number>> = {
  Closed: 1000,
  SlowReader: 1013,
  SourceDied: 1011,
  SendDied: 1011
}

export const make = <R>({ fork, server, ...options }: MemorySocketOptions<R>): WebSocketLike => {
  const listeners = new Map<string, (event: unknown) => void>()
  const emit = (type: string, event: unknown): void => listeners.get(type)?.(event)
  // Packets wait here until the server reads them. The client's limit on calls in flight bounds their number.
  const sent = Effect.runSync(Queue.unbounded<string>())
  const read = Latch.makeUnsafe(true)
  let served: Fiber.Fiber<void> | undefined
  let isClosed = false

  const serve = Effect.scoped(
    Effect.gen(function* () {
      const { ended, receive } = yield* Connection.make(server, {
        ...options,
        send: (packet) =>
          Effect.andThen(
            read.await,
            Effect.sync(() => emit("message", { data: packet }))
          )
      })
      emit("open", {})
      const reading = Effect.forever(Effect.flatMap(Queue.take(sent), receive))
      return yield* Effect.raceFirst(ended, reading)
    })
  ).pipe(Effect.map(({ _tag }) => emit("close", { code: CODES[_tag] })))

  // Like any socket, this one opens only after its creator has had time to add listeners.
  queueMicrotask(() => {
    if (!isClosed) {
      served = fork(serve)
    }
  })

  return {
    binaryType: "arraybuffer",
    bufferedAmount: 0,
    addEventListener: (type, listener) => void listeners.set(type, listener),
    send: (text) => void Queue.offerUnsafe(sent, text),
    close: () => {
      isClosed = true
      served?.interruptUnsafe()
    },
    pause: () => read.closeUnsafe(),
    resume: () => read.openUnsafe()
  }
}
