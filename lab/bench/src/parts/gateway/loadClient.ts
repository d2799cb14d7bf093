/**
 * A client with little overhead: it sends prepared request heads on kept connections. It records the latency of each
 * request.
 */
import * as net from "node:net"

import type { Metered } from "../../measure/measuredRow.ts"
import { used } from "../../measure/processes.ts"
import type { Question } from "./loadQuestions.ts"
import type { Server } from "./servers.ts"

export interface Load {
  /** Opens missing connections, before a turn begins. */
  readonly ready: () => Promise<void>
  /**
   * Sends the questions of a run, numbered from `first`, over all connections. Returns the bodies in the order of their
   * arrival.
   */
  readonly run: (first: number) => Promise<ReadonlyArray<string>>
  /** Returns the nanoseconds within which 99 of 100 requests of the turn were answered. */
  readonly tail: () => number
  readonly close: () => void
}

/** The clients of a part: each asks one question of one server. */
export class Loads {
  readonly #requests: number
  readonly #all: Array<Load> = []

  /** `requests` is the number of requests of one run. */
  constructor(requests: number) {
    this.#requests = requests
  }

  /** Returns the calls of a client, with the processor time of the server. */
  through({ pid, url }: Server, connections: number, question: Question): Metered {
    const load = make(url, connections, this.#requests, question)
    this.#all.push(load)
    return { before: load.ready, run: load.run, tail: load.tail, used: () => used(pid) }
  }

  close(): void {
    for (const load of this.#all) load.close()
  }
}

/** Makes the client of a server. */
export const make = (url: string, connections: number, requests: number, question: Question): Load => {
  const { hostname, pathname, port } = new URL(url)
  const head = `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: ${question(0).length}\r\n\r\n`
  let next = 0
  let unsent = 0
  let bodies: Array<string> = []
  /** Milliseconds of each request of the turn. */
  let latencies: Array<number> = []
  const sentAt = new Map<net.Socket, number>()
  let done:
    | { readonly resolve: (bodies: ReadonlyArray<string>) => void; readonly reject: (error: Error) => void }
    | undefined
  const send = (socket: net.Socket): void => {
    unsent--
    sentAt.set(socket, performance.now())
    socket.write(head + question(next++), "latin1")
  }
  const take: Take = (socket, answer) => {
    if (answer instanceof Error) {
      sentAt.delete(socket)
      return done?.reject(answer)
    }
    latencies.push(performance.now() - sentAt.get(socket)!)
    bodies.push(answer)
    if (unsent > 0) send(socket)
    else if (bodies.length === requests) done?.resolve(bodies)
    return undefined
  }
  const sockets: Array<net.Socket> = []
  return {
    ready: async () => {
      done = undefined
      latencies = []
      // servers close connections after a long idle time
      const open = sockets.filter((socket) => !socket.destroyed)
      const missing = Array.from({ length: connections - open.length }, () => connected(Number(port), take))
      sockets.splice(0, sockets.length, ...open, ...(await Promise.all(missing)))
    },
    run: (first) =>
      new Promise((resolve, reject) => {
        done = { resolve, reject }
        next = first
        unsent = requests
        bodies = []
        for (const socket of sockets.slice(0, requests)) send(socket)
      }),
    tail: () => latencies.toSorted((a, b) => a - b)[Math.floor(latencies.length * 0.99)]! * 1e6,
    close: () => {
      done = undefined
      for (const socket of sockets) socket.destroy()
    }
  }
}

type Take = (socket: net.Socket, answer: string | Error) => void

const connected = (port: number, take: Take): Promise<net.Socket> =>
  new Promise((resolve, reject) => {
    const socket = net.connect({ port, host: "127.0.0.1", noDelay: true }, () => resolve(socket))
    let text = ""
    socket.setEncoding("latin1")
    socket.on("data", (chunk: string) => {
      text = text === "" ? chunk : text + chunk
      for (;;) {
        const answer = read(text)
        if (answer === undefined) return
        text = text.slice(answer.end)
        take(socket, answer.isGood ? answer.result : new Error(answer.result))
      }
    })
    socket.once("error", reject)
    socket.once("close", () => take(socket, new Error("the gateway closed the connection")))
  })

/** Returns the first complete HTTP answer in a text. The answer must have a content length, or exactly one chunk. */
const read = (text: string) => {
  const head = text.indexOf("\r\n\r\n")
  if (head === -1) return undefined
  const isGood = text.startsWith("HTTP/1.1 200")
  const length = /\r\ncontent-length: *(\d+)/iu.exec(text)
  if (length !== null) {
    const end = head + 4 + Number(length[1])
    return text.length < end ? undefined : { end, isGood, result: text.slice(head + 4, end) }
  }
  const end = text.indexOf("\r\n0\r\n\r\n", head)
  const first = text.indexOf("\r\n", head + 4)
  return end === -1 ? undefined : { end: end + 7, isGood, result: text.slice(first + 2, end) }
}
