/** A node behind a WebSocket in this process. It answers as the test defines, and records its requests. */
import type { AddressInfo } from "node:net"

import { Effect } from "effect"
import { type WebSocket, WebSocketServer } from "ws"

export interface Asked {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  readonly id: number
}

/** The reaction to a request. It may send any messages. */
export type Behaviour = (asked: Asked, socket: WebSocket) => void

export interface FakeSocketNode {
  readonly url: string
  readonly port: number
  readonly asked: Array<Asked>
  readonly sockets: Array<WebSocket>
  /** The headers of each handshake. */
  readonly handshakes: Array<Readonly<Record<string, unknown>>>
  /** Completes when this number of requests have arrived. */
  readonly wasAsked: (count: number) => Effect.Effect<void>
  /** Completes when this number of connections have opened. */
  readonly wasConnected: (count: number) => Effect.Effect<void>
}

export const make = (
  behaviour: Behaviour,
  options: { readonly port?: number; readonly refuse?: number; readonly autoPong?: boolean } = {}
) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly node: FakeSocketNode; readonly server: WebSocketServer }>((resume) => {
      const asked: Array<Asked> = []
      const sockets: Array<WebSocket> = []
      const handshakes: Array<Readonly<Record<string, unknown>>> = []
      const waiting: Array<() => void> = []
      const wake = () => {
        for (const look of waiting) look()
      }
      const reached = (list: ReadonlyArray<unknown>, count: number) =>
        Effect.callback<void>((resume) => {
          const look = () => (list.length >= count ? resume(Effect.void) : undefined)
          waiting.push(look)
          look()
        })
      const server = new WebSocketServer({
        host: "127.0.0.1",
        port: options.port ?? 0,
        autoPong: options.autoPong ?? true,
        ...(options.refuse === undefined
          ? {}
          : {
              verifyClient: (_info: unknown, done: (ok: boolean, code: number, text: string) => void) =>
                done(false, options.refuse!, "KEY")
            })
      })
      server.on("connection", (socket, request) => {
        sockets.push(socket)
        handshakes.push({ ...request.headers, path: request.url })
        socket.on("error", () => undefined)
        socket.on("message", (data) => {
          const message: Asked = JSON.parse((data as Buffer).toString("utf8"))
          asked.push(message)
          behaviour(message, socket)
          wake()
        })
        wake()
      })
      server.on("listening", () => {
        const { port } = server.address() as AddressInfo
        const node: FakeSocketNode = {
          url: `ws://127.0.0.1:${port}`,
          port,
          asked,
          sockets,
          handshakes,
          wasAsked: (count) => reached(asked, count),
          wasConnected: (count) => reached(sockets, count)
        }
        resume(Effect.succeed({ node, server }))
      })
    }),
    ({ server }) =>
      Effect.callback<void>((resume) => {
        for (const socket of server.clients) socket.terminate()
        server.close(() => resume(Effect.void))
      })
  ).pipe(Effect.map(({ node }) => node))

/** Returns a response as text, given the JSON text of its result. */
export const result = ({ id }: Asked, json: string): string => `{"jsonrpc":"2.0","id":${id},"result":${json}}`

/** Returns a notification as text, given the JSON text of its event. */
export const notification = (subscription: string, json: string): string =>
  `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${subscription}","result":${json}}}`
