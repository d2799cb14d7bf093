/** A whole service on a free port, and clients that can break the rules of their protocols. */
import * as http from "node:http"
import * as net from "node:net"

import {
  type Accounts,
  Gateway,
  type GatewayOptions,
  type GatewayProduct,
  type Limiter,
  type Metering,
  type Network,
  type SettingError,
  type StateError
} from "@plumbline/gateway"
import { Context, Effect, Layer, Logger } from "effect"
import { WebSocket } from "ws"

import * as State from "./accounts.ts"
import { methods } from "./methods.ts"

export const KEY = "00112233445566778899aabbccddeeff"
export const SECRET = "ffeeddccbbaa99887766554433221100"
/** The key of a project whose secret is required. */
export const GUARDED_KEY = "0123456789abcdef0123456789abcdef"

export const projects: ReadonlyArray<State.Given> = [
  { id: "open", key: KEY, secret: SECRET },
  { id: "guarded", key: GUARDED_KEY, secret: SECRET, secretRequired: true }
]

/** The services that a gateway needs. */
export type Needed = Layer.Layer<
  Accounts.Accounts | Limiter.Limiter | Metering.Metering,
  SettingError.SettingError | StateError.StateError
>

export const network = (upstream: Network.Network["upstream"], name = "live"): Network.Network => ({
  name,
  hosts: [`${name}.localhost`],
  chainId: 31_337,
  methods,
  upstream
})

/** The listener of a test's gateway. The project `gateway without lane` runs files a second time with this setting. */
export const listener = (): Pick<GatewayOptions.GatewayOptions, "lane"> => ({
  lane: process.env["PLUMBLINE_LANE"] !== "off"
})

/** Starts a service with one node, until the scope closes. It logs only to `loggers`. */
export const start = (
  upstream: Network.Network["upstream"] | ReadonlyArray<Network.Network>,
  options: Omit<GatewayOptions.GatewayOptions & GatewayProduct.GatewayProducts, "networks"> = {},
  state: Needed = State.layer(projects),
  loggers: ReadonlyArray<Logger.Logger<unknown, unknown>> = []
) =>
  Layer.build(
    Gateway.layer({ networks: "call" in upstream ? [network(upstream)] : upstream, ...listener(), ...options }).pipe(
      Layer.provide(state)
    )
  ).pipe(
    Effect.map((context) => Context.get(context, Gateway.Gateway)),
    Effect.provideService(Logger.CurrentLoggers, new Set(loggers))
  )

export interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

export interface Ask {
  readonly path?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly agent?: http.Agent
}

/** Sends one request over node:http, with any settings. Without an agent the request has a separate connection. */
export const ask = (service: { readonly port: number }, options: Ask = {}): Effect.Effect<Answer> =>
  Effect.promise(
    () =>
      new Promise((resolve, reject) => {
        const request = http.request(
          {
            host: "127.0.0.1",
            port: service.port,
            path: options.path ?? `/v3/${KEY}`,
            method: options.method ?? "POST",
            headers: { ...bodyHeaders(options), ...options.headers },
            agent: options.agent ?? false
          },
          (response) => {
            const chunks: Array<Buffer> = []
            response.on("data", (chunk) => chunks.push(chunk))
            response.on("end", () =>
              resolve({
                status: response.statusCode ?? 0,
                headers: response.headers,
                body: Buffer.concat(chunks).toString("utf8")
              })
            )
            response.on("error", reject)
          }
        )
        request.on("error", reject)
        request.end(options.body)
      })
  )

const bodyHeaders = ({ body, headers }: Ask): Record<string, string> => {
  if (body === undefined) return {}
  return {
    "content-type": "application/json",
    ...(headers?.["transfer-encoding"] === undefined ? { "content-length": String(Buffer.byteLength(body)) } : {})
  }
}

/** Returns a JSON-RPC call as text. */
export const call = (method: string, params: unknown = [], id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params })

/**
 * Sends unchanged bytes on a separate connection. Returns everything received until the other side closes it.
 */
export const raw = (service: { readonly port: number }, ...parts: ReadonlyArray<string | Uint8Array>) =>
  Effect.callback<string>((resume) => {
    const socket = net.connect(service.port, "127.0.0.1")
    const chunks: Array<Buffer> = []
    const done = () => resume(Effect.succeed(Buffer.concat(chunks).toString("latin1")))
    socket.on("data", (chunk) => chunks.push(chunk))
    socket.on("error", done)
    socket.on("close", done)
    socket.on("connect", () => {
      for (const part of parts) socket.write(part)
    })
    return Effect.sync(() => socket.destroy())
  })

/** A WebSocket client that stores received messages until the test reads them. */
export class Client {
  readonly socket: WebSocket
  readonly #heard: Array<string> = []
  readonly #waiting: Array<(text: string) => void> = []
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.on("message", (data) => {
      const text = (data as Buffer).toString("utf8")
      const waiting = this.#waiting.shift()
      if (waiting === undefined) this.#heard.push(text)
      else waiting(text)
    })
    socket.on("error", () => undefined)
    this.closed = new Promise((resolve) =>
      socket.once("close", (code, reason) => resolve({ code, reason: reason.toString() }))
    )
  }

  next(): Promise<string> {
    const heard = this.#heard.shift()
    return heard === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(heard)
  }

  take(count: number): Promise<Array<string>> {
    return Promise.all(Array.from({ length: count }, () => this.next()))
  }
}

/** Opens a WebSocket and returns its client. Returns the HTTP answer if the service refuses. */
export const connect = (
  service: { readonly port: number },
  options: {
    readonly path?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly autoPong?: boolean
  } = {}
) =>
  Effect.acquireRelease(
    Effect.callback<Client | Answer>((resume) => {
      const socket = new WebSocket(`ws://127.0.0.1:${service.port}${options.path ?? `/ws/v3/${KEY}`}`, {
        headers: { ...options.headers },
        autoPong: options.autoPong ?? true,
        perMessageDeflate: false
      })
      const client = new Client(socket)
      socket.once("open", () => resume(Effect.succeed(client)))
      socket.once("unexpected-response", (_request, response) => {
        let body = ""
        response.setEncoding("utf8")
        response.on("data", (chunk: string) => {
          body += chunk
        })
        response.on("end", () =>
          resume(Effect.succeed({ status: response.statusCode ?? 0, headers: response.headers, body }))
        )
      })
    }),
    (client) => Effect.sync(() => (client instanceof Client ? client.socket.terminate() : undefined))
  )

/** Opens a WebSocket, and fails if it does not open. */
export const connected = (...parameters: Parameters<typeof connect>) =>
  Effect.flatMap(connect(...parameters), (client) =>
    client instanceof Client ? Effect.succeed(client) : Effect.die(new Error(`no WebSocket: ${client.status}`))
  )
