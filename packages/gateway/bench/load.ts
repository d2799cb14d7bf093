/**
 * A client that needs little processor time. It sends prepared bytes on connections that stay open, and counts answers
 * by their length.
 */
import * as net from "node:net"

export interface Load {
  /** Sends this number of requests over all connections. Resolves when the same number of answers has arrived. */
  readonly run: (requests: number) => Promise<void>
  readonly close: () => void
}

/** Connects to a server. All of its answers to `request` must have the same length. */
export const connect = async (port: number, request: Uint8Array, connections: number): Promise<Load> => {
  const answerLength = await measure(port, request)
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)))
  let left = 0
  let unsent = 0
  let finish: () => void = () => undefined
  for (const socket of sockets) {
    let received = 0
    socket.on("data", (chunk) => {
      received += chunk.length
      while (received >= answerLength) {
        received -= answerLength
        left--
        if (unsent > 0) {
          unsent--
          socket.write(request)
        } else if (left === 0) finish()
      }
    })
  }
  return {
    run: (requests) =>
      new Promise((resolve) => {
        finish = resolve
        left = requests
        unsent = requests
        for (const socket of sockets) {
          if (unsent === 0) break
          unsent--
          socket.write(request)
        }
      }),
    close: () => {
      for (const socket of sockets) socket.destroy()
    }
  }
}

/** Returns an HTTP request with a JSON body. */
export const post = (path: string, body: string): Uint8Array =>
  Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: live.localhost\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )

const open = (port: number): Promise<net.Socket> =>
  new Promise((resolve, reject) => {
    const socket = net.connect({ port, host: "127.0.0.1", noDelay: true }, () => resolve(socket))
    socket.once("error", reject)
  })

/** Returns the length of an answer. The answer is complete when its body has the length that its headers announce. */
const measure = async (port: number, request: Uint8Array): Promise<number> => {
  const socket = await open(port)
  return new Promise((resolve, reject) => {
    let text = ""
    socket.setEncoding("latin1")
    socket.on("data", (chunk: string) => {
      text += chunk
      const head = text.indexOf("\r\n\r\n")
      const length = /content-length: (\d+)/iu.exec(text)
      if (head === -1 || length === null || text.length < head + 4 + Number(length[1])) return
      if (!text.startsWith("HTTP/1.1 200")) reject(new Error(text))
      socket.destroy()
      resolve(text.length)
    })
    socket.write(request)
  })
}
