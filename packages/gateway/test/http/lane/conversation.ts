/**
 * Plays a conversation with a server whose connections are in memory, so that nothing depends on the system or on time.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"

import { Lane } from "../../../src/http/lane/lane.ts"
import type { LaneCall } from "../../../src/http/lane/laneCall.ts"
import { known, MemorySocket } from "./memorySocket.ts"
import { GOOD } from "./vector.ts"

/** A request as its handler saw it. */
export interface Seen {
  readonly url: string
  readonly headers: string
  readonly body: string
}

export interface Heard {
  /** Everything that the client heard, without dates. */
  readonly text: string
  /** True if the server has closed its side or the connection. */
  readonly isClosed: boolean
  /** The requests whose bodies arrived completely. */
  readonly seen: ReadonlyArray<Seen>
  /** How many of them the lane took, and the number of bytes that it handed over; undefined if it handed none over. */
  readonly taken: number
  readonly handed: number | undefined
}

export type ServerKind = "node" | "lane"

/** How the steps arrive: byte by byte, and after the answer to a good request. */
export interface Setting {
  readonly bytewise: boolean
  readonly isSecond: boolean
}

/** Plays the steps, and returns what the client heard of them. */
export const play = async (kind: ServerKind, steps: ReadonlyArray<string>, setting: Setting): Promise<Heard> => {
  const seen: Array<Seen> = []
  let taken = 0
  let handed: number | undefined
  const server = echo(seen)
  if (kind === "lane") {
    laneOf(
      server,
      (call, body) => {
        taken++
        answerCall(call, body, seen)
      },
      (bytes) => {
        handed = bytes
      }
    )
  }
  const socket = new MemorySocket()
  server.emit("connection", socket)
  if (setting.isSecond) {
    socket.push(GOOD)
    await settle(socket)
    socket.heard.length = 0
    seen.length = 0
    taken = 0
  }
  await send(socket, steps, setting.bytewise)
  await settle(socket)
  const heard = {
    text: Buffer.concat(socket.heard)
      .toString("latin1")
      .replaceAll(/^Date: .*\r\n/gmu, ""),
    isClosed: socket.isClosed
  }
  socket.destroy()
  server.emit("close")
  return { ...heard, seen, taken, handed }
}

const send = async (socket: MemorySocket, steps: ReadonlyArray<string>, bytewise: boolean): Promise<void> => {
  for (const step of steps) {
    if (socket.destroyed) return
    if (step === "WAIT") await settle(socket)
    // the system reports the end of a connection behind its last bytes, never together with them
    else if (step === "FIN") await turn().then(() => socket.push(null))
    else if (step === "RST") await turn().then(() => socket.destroy(reset()))
    else if (!bytewise || step.length > LONG) socket.push(Buffer.from(step, "latin1"))
    else {
      for (const byte of Buffer.from(step, "latin1")) {
        if (socket.destroyed) return
        socket.push(Buffer.of(byte))
        await turn()
      }
    }
  }
}

const reset = (): Error => Object.assign(new Error("reset"), { code: "ECONNRESET" })

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))

/** Waits until nothing has happened for more turns of the event loop than a handler waits. */
const settle = async (socket: MemorySocket): Promise<void> => {
  let events = -1
  for (let quiet = 0; quiet < QUIET; quiet++) {
    if (events !== socket.events) quiet = 0
    ;({ events } = socket)
    await turn()
  }
}

const QUIET = 16
/** Number of turns for which a path that ends with `slow` waits. */
const SLOW = 6
/** Writes that are longer are not sent byte by byte. */
const LONG = 1500

/** Answers each request with what it was, by `node:http` alone. */
const echo = (seen: Array<Seen>): Server => {
  const server = createServer({ requireHostHeader: false, keepAliveTimeout: 5000 }, (request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("latin1")
      seen.push(seenOf(request.url ?? "", headersOf(request), body))
      const text = textOf(request, body)
      void after(request.url ?? "", () => answer(response, text))
    })
  })
  return server
}

const answer = (response: ServerResponse, text: string): void => {
  response.writeHead(200, ["content-type", "application/json", "content-length", String(text.length)])
  response.end(text, "latin1")
}

const answerCall = (call: LaneCall, bytes: Uint8Array, seen: Array<Seen>): void => {
  const { head } = call
  const body = Buffer.from(bytes).toString("latin1")
  seen.push(seenOf(head.url, JSON.stringify(sorted({ ...head.headers, "content-length": String(bytes.length) })), body))
  const text = textOf({ method: "POST", url: head.url }, body)
  const headers = ["content-type", "application/json", "content-length", String(text.length)]
  void after(head.url, () => call.answer(200, headers, Buffer.from(text, "latin1"), false))
}

const seenOf = (url: string, headers: string, body: string): Seen => ({ url, headers, body })

const textOf = ({ method, url }: Pick<IncomingMessage, "method" | "url">, body: string): string =>
  `${method} ${url} ${body.length} ${body.slice(0, 100)}`

/** Returns the headers as text, except Connection, which the lane reads itself. */
const headersOf = ({ headers }: IncomingMessage): string => {
  const { connection: _, ...others } = headers
  return JSON.stringify(sorted(others))
}

const sorted = (record: Readonly<Record<string, unknown>>) =>
  Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1))

const after = async (url: string, done: () => void): Promise<void> => {
  if (url.endsWith("slow")) for (let index = 0; index < SLOW; index++) await turn()
  done()
}

const laneOf = (
  server: Server,
  onCall: (call: LaneCall, body: Uint8Array) => void,
  onHandOver: (bytes: number) => void
): Lane => {
  return new Lane(
    server,
    { first: 60_000, idle: 5000 },
    {
      isOn: () => true,
      open: ({ url }) => (PATH.test(url) ? known : undefined),
      admits: () => true,
      onCall,
      onLeave: ({ socket }) => onHandOver(socket.readableLength),
      onIdle: (socket) => void socket.end(),
      onSilent: (socket) => void socket.end()
    }
  )
}

const PATH = /^\/(?:[A-Za-z0-9._~-]+\/)?v3\/[A-Za-z0-9_-]+$/u
