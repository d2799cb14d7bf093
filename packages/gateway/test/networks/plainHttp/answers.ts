/** A node that writes given bytes, and what a client hears of its answers. */
import { type AddressInfo, createServer, type Socket } from "node:net"

import { Pool } from "undici"

import type { AnswerHandler, AnswerHeaders, RequestControl } from "../../../src/networks/plainHttp/answerHandler.ts"
import { NodeConnections, type NodeConnectionsOptions } from "../../../src/networks/plainHttp/nodeConnections.ts"

/** The pieces of an answer. After the last one the node closes its side. */
export type Answer = ReadonlyArray<string>

interface PlayedNode {
  readonly url: URL
  /** The bytes that the node writes for each request, in the order of the requests. */
  answers: Array<Answer>
  /** The requests, as they came. */
  readonly requests: Array<string>
  /** Number of connections so far. */
  connections: number
  readonly sockets: Set<Socket>
  readonly close: () => void
}

/** A piece that leaves the connection open, and silent. */
export const OPEN = "OPEN"
/** A piece that breaks the connection. */
export const RST = "RST"

const turn = () => new Promise<void>((resolve) => setTimeout(resolve, 2))

const write = async (socket: Socket, answer: Answer): Promise<void> => {
  for (const [index, piece] of answer.entries()) {
    if (index > 0) await turn()
    if (piece === OPEN) return
    if (piece === RST) return void socket.resetAndDestroy()
    socket.write(piece, "latin1")
  }
  // what comes in time is not affected by the end
  setTimeout(() => socket.end(), 30)
}

export const playedNode = (): Promise<PlayedNode> =>
  new Promise((resolve) => {
    const sockets = new Set<Socket>()
    const server = createServer({ noDelay: true }, (socket) => {
      node.connections++
      sockets.add(socket)
      socket.on("error", () => undefined)
      socket.on("close", () => sockets.delete(socket))
      let held = ""
      socket.on("data", (bytes) => {
        held += bytes.toString("latin1")
        const start = held.indexOf("\r\n\r\n") + 4
        const size = start + Number(/\r\ncontent-length: (\d+)/u.exec(held)?.[1])
        if (start < 4 || held.length < size) return
        node.requests.push(held.slice(0, size))
        held = held.slice(size)
        void write(socket, node.answers.shift() ?? [])
      })
    })
    const node: PlayedNode = {
      url: new URL("http://127.0.0.1"),
      answers: [],
      requests: [],
      connections: 0,
      sockets,
      close: () => {
        server.close()
        for (const socket of sockets) socket.destroy()
      }
    }
    server.listen(0, "127.0.0.1", () => {
      node.url.port = String((server.address() as AddressInfo).port)
      resolve(node)
    })
  })

/** The result of a call: an answer, or the code of the error that took its place. */
export type Heard =
  | { readonly status: number; readonly body: string; readonly retryAfter: unknown }
  | { readonly error: string }

/** Hears an answer to its end. */
class Hearing implements AnswerHandler {
  readonly heard: Promise<Heard>
  control: RequestControl | undefined
  #resolve!: (heard: Heard) => void
  #status = 0
  #retryAfter: unknown
  #body = ""

  constructor() {
    this.heard = new Promise((resolve) => (this.#resolve = resolve))
  }

  onRequestStart(control: RequestControl): void {
    this.control = control
  }

  onResponseStart(_control: RequestControl, status: number, headers: AnswerHeaders): void {
    this.#status = status
    this.#retryAfter = headers["retry-after"]
  }

  onResponseData(_control: RequestControl, chunk: Uint8Array): void {
    this.#body += Buffer.from(chunk).toString("latin1")
  }

  onResponseEnd(): void {
    this.#resolve({ status: this.#status, body: this.#body, retryAfter: this.#retryAfter })
  }

  onResponseError(_control: RequestControl, error: Error): void {
    this.#resolve({ error: String("code" in error ? error.code : error.name) })
  }
}

const headers: ReadonlyArray<string> = ["content-type", "application/json"]

/** Connections that count the answers that they gave to undici. */
class CountedConnections extends NodeConnections {
  handedOver = 0

  override handOver(...given: Parameters<NodeConnections["handOver"]>): void {
    this.handedOver++
    super.handOver(...given)
  }
}

/** The connections to a node, with undici for what they do not take. */
export const connectionsTo = (node: PlayedNode, options: Partial<NodeConnectionsOptions> = {}) => {
  const pool = new Pool(node.url.origin, { connections: 4, allowH2: false, headersTimeout: 0, bodyTimeout: 0 })
  const undici = (body: string, hearing: Hearing): void => {
    pool.dispatch({ path: "/", method: "POST", headers: [...headers], body }, hearing)
  }
  const plain = new CountedConnections({
    url: node.url,
    headers,
    connections: 4,
    connectTimeout: 1000,
    maxAnswerBytes: 1_000_000,
    undici: ({ body }, handler) => undici(body, handler as Hearing),
    ...options
  })
  return {
    plain,
    /** Sends a request over one of the clients. */
    ask: (over: "plain" | "undici" = "plain", body = "{}"): Hearing => {
      const hearing = new Hearing()
      if (over === "undici") undici(body, hearing)
      else plain.dispatch({ headers: options.headers ?? headers, body }, hearing)
      return hearing
    },
    close: async () => {
      plain.close()
      await pool.destroy()
    }
  }
}

/** Plays answers to requests that come one after the other. Returns what each of them heard. */
export const play = async (over: "plain" | "undici", answers: ReadonlyArray<Answer>) => {
  const node = await playedNode()
  node.answers = [...answers]
  const client = connectionsTo(node)
  const heard: Array<Heard> = []
  for (const _ of answers) heard.push(await client.ask(over).heard)
  await client.close()
  node.close()
  return { heard, handedOver: client.plain.handedOver }
}
