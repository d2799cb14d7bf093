/** A cheap client: prepared bytes on kept connections. Each request asks for another slot, so that no answer is known. */
import * as net from "node:net"

/** Digits of the number within the position of the slot. */
const DIGITS = 12

const positionOf = (n: number): string => `0x${"0".repeat(64 - DIGITS)}${n.toString(16).padStart(DIGITS, "0")}`

/** The body of the call for a slot. */
const body = (n: number): string =>
  `{"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":["0x${"12".repeat(20)}","${positionOf(n)}","latest"]}`

export interface Load {
  /** Opens the connections that are not open. */
  readonly ready: () => Promise<void>
  /** Asks for so many slots from `first` on over all connections, and returns the bodies as they came. */
  readonly run: (first: number) => Promise<ReadonlyArray<string>>
  readonly close: () => void
}

/** Makes the client of a server. */
export const make = (url: string, connections: number, requests: number): Load => {
  const { hostname, pathname, port } = new URL(url)
  const head = `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: ${body(0).length}\r\n\r\n`
  const request = Buffer.from(head + body(0), "latin1")
  const at = head.length + body(0).indexOf(positionOf(0)) + 2 + 64 - DIGITS
  let next = 0
  let unsent = 0
  let bodies: Array<string> = []
  let done:
    | { readonly resolve: (bodies: ReadonlyArray<string>) => void; readonly reject: (error: Error) => void }
    | undefined
  const send = (socket: net.Socket): void => {
    unsent--
    // the socket keeps what it is given until it is written
    const bytes = Buffer.from(request)
    bytes.write((next++).toString(16).padStart(DIGITS, "0"), at, DIGITS, "latin1")
    socket.write(bytes)
  }
  const take: Take = (socket, answer) => {
    if (answer instanceof Error) return done?.reject(answer)
    bodies.push(answer)
    if (unsent > 0) send(socket)
    else if (bodies.length === requests) done?.resolve(bodies)
    return undefined
  }
  const sockets: Array<net.Socket> = []
  return {
    ready: async () => {
      done = undefined
      // servers close connections that have been idle for long
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

/** Returns the first whole answer of a text, with its length or in one chunk. */
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
