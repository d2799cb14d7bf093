/** A server on a free port that answers honestly, except for one lie. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"

import { type Answer, type Asked, honest } from "./answer.ts"
import type { Lie } from "./lie.ts"

export interface Server {
  readonly url: string
  readonly close: () => Promise<void>
}

export const start = async (lie: Lie): Promise<Server> => {
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    request.on("error", () => {})
    response.on("error", () => {})
    // The content of the request is known, so it is read to its end and ignored.
    request.resume()
    request.on("end", () => void answerTo(lie, request, response))
  })
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.once("close", () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      })
  }
}

const answerTo = async (lie: Lie, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const url = new URL(request.url ?? "", "http://server")
  const command = url.pathname.replace("/api/v0/", "")
  const asked: Asked = { command, args: url.searchParams.getAll("arg"), query: url.searchParams }
  const answer = honest(asked)
  const behaviour = Object.hasOwn(lie.commands, command) ? lie.commands[command] : undefined
  if (behaviour?._tag === "Responding") {
    behaviour.respond({ asked, answer, response, socket: request.socket })
  } else {
    send(response, behaviour === undefined ? answer : await behaviour.change(answer, asked))
  }
}

/** Sends an answer as Kubo does: in chunks. The headers announce a trailer, but none follows. */
export const send = (response: ServerResponse, { body, headers, status }: Answer): void => {
  begin(response, { headers, status })
  response.end(body)
}

/** Sends the status and the headers of an answer. */
export const begin = (response: ServerResponse, { headers, status }: Pick<Answer, "headers" | "status">): void => {
  // an answer without a body has no chunks
  const framing = status === 204 ? {} : { trailer: "X-Stream-Error", "transfer-encoding": "chunked" }
  response.writeHead(status, { ...framing, server: "kubo/0.43.1", ...headers })
}
