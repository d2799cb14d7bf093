/** A connection to a server, from the client's side. */
import { Connection, type Dispatcher } from "@plumbline/jsonrpc-core"
import { Effect, Queue, type Scope } from "effect"

export interface Connected {
  /** Passes a packet to the server, and waits until the server would read the next one. */
  readonly give: (packet: unknown) => Effect.Effect<void>
  /** The next packet that the server sent. */
  readonly take: Effect.Effect<any>
  /** Number of packets that were sent but not taken with `take`. */
  readonly waiting: Effect.Effect<number>
  readonly ended: Effect.Effect<Connection.ConnectionEnd>
}

/** Makes a connection whose peer reads every packet at once, unless the options have another `send`. */
export const make = <R>(
  server: Dispatcher.Dispatcher<R>,
  options?: Partial<Connection.ConnectionOptions>
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

/** Returns a request. If the id is undefined, returns a notification. */
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
