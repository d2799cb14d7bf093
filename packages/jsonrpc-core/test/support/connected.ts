/** A connection to a server, seen from the client's end. */
import { Connection, type Dispatcher } from "@plumbline/jsonrpc-core"
import { Effect, Queue, type Scope } from "effect"

export interface Connected {
  /** Passes a packet to the server; done when the server would read on. */
  readonly give: (packet: unknown) => Effect.Effect<void>
  /** The next packet that the server sent. */
  readonly take: Effect.Effect<any>
  /** Number of packets that were sent and not taken. */
  readonly waiting: Effect.Effect<number>
  readonly ended: Effect.Effect<Connection.Ended>
}

/** Connects a reader that is as fast as possible, unless `send` of the options says otherwise. */
export const make = <R>(
  server: Dispatcher.Dispatcher<R>,
  options?: Partial<Connection.Options>
): Effect.Effect<Connected, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const sent = yield* Queue.unbounded<unknown>()
    const { ended, receive } = yield* Connection.make(server, {
      send: (packet) => Effect.asVoid(Queue.offer(sent, JSON.parse(new TextDecoder().decode(packet)))),
      ...options
    })
    return {
      give: (packet) => receive(typeof packet === "string" ? packet : JSON.stringify(packet)),
      take: Queue.take(sent),
      waiting: Queue.size(sent),
      ended
    }
  })

/** A request. Without an id it is a notification. */
export const request = (id: unknown, method: string, ...params: ReadonlyArray<unknown>): object => ({
  jsonrpc: "2.0",
  ...(id === undefined ? {} : { id }),
  method,
  params
})

export const result = (id: unknown, result: unknown): object => ({ jsonrpc: "2.0", id, result })

export const failure = (id: unknown, code: number, message: string): object => ({
  jsonrpc: "2.0",
  id,
  error: { code, message }
})

export const notification = (subscription: string, result: unknown): object => ({
  jsonrpc: "2.0",
  method: "eth_subscription",
  params: { subscription, result }
})
