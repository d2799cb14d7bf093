/** A server on a free port that behaves as a fault says, and ends with its scope. */
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo, Socket } from "node:net"

import { Effect, type Scope } from "effect"
import { WebSocketServer } from "ws"

import { type Asked, type Behaviour, trueAnswer } from "./fault.ts"
import type { Truth, WireCall } from "./liveAnswers.ts"

/** The placeholder for an account's key in each URL. No error should ever show it. */
export const KEY = "5ec2e75ec2e75ec2e75ec2e75ec2e75e"

export interface Server {
  readonly httpUrl: string
  readonly webSocketUrl: string
  /**
   * Returns the number of a client's attempts: the number of packets of calls, or the number of requests for a
   * WebSocket, whichever is larger.
   */
  readonly tries: () => number
}

export const make = (behaviour: Behaviour, truth: Truth): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.gen(function* () {
    const started = start(behaviour, truth)
    const close = Effect.callback<void>((resume) => {
      started.close(() => resume(Effect.void))
    })
    const port = yield* Effect.acquireRelease(
      Effect.callback<number>((resume) => {
        started.listen((port) => resume(Effect.succeed(port)))
      }),
      () => close
    )
    if (behaviour._tag === "Nobody") yield* close
    return {
      httpUrl: `http://127.0.0.1:${port}/v3/${KEY}`,
      webSocketUrl: `ws://127.0.0.1:${port}/v3/${KEY}`,
      tries: started.tries
    }
  })

const start = (behaviour: Behaviour, truth: Truth) => {
  const sockets = new Set<Socket>()
  let packets = 0
  let connections = 0

  const askedIn = (text: string, { headers, url: path }: IncomingMessage): Asked => {
    const packet: WireCall | ReadonlyArray<WireCall> = JSON.parse(text)
    const calls = Array.isArray(packet) ? packet : [packet]
    const url = `http://${headers.host}${path}`
    return { calls, call: calls[0], isBatch: Array.isArray(packet), nth: ++packets, url, truth }
  }

  const server = createServer((request, response) => {
    if (request.method !== "POST") {
      packets++
      response.writeHead(405).end()
      return
    }
    const answer = (text: string): void => {
      const asked = askedIn(text, request)
      if (behaviour._tag === "Http") {
        behaviour.respond({ ...asked, request, response, socket: request.socket })
      } else {
        response.setHeader("content-type", "application/json")
        response.end(behaviour._tag === "Saying" ? behaviour.say(asked) : trueAnswer(asked))
      }
    }
    // a client that leaves before its whole request has arrived gets no answer
    void textOf(request).then(answer, () => {})
  })
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.once("close", () => sockets.delete(socket))
  })

  const webSockets = new WebSocketServer({ noServer: true })
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const connection = ++connections
    if (behaviour._tag === "WebSocket" && behaviour.upgrade?.(request, socket, connection) === true) return
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on("error", () => {})
      webSocket.on("message", (data: Buffer) => {
        const asked = askedIn(data.toString(), request)
        if (behaviour._tag === "WebSocket") {
          behaviour.hear({ ...asked, webSocket, socket, connection })
        } else {
          webSocket.send(behaviour._tag === "Saying" ? behaviour.say(asked) : trueAnswer(asked), { binary: false })
        }
      })
    })
  })

  return {
    listen: (then: (port: number) => void) =>
      server.listen(0, "127.0.0.1", () => then((server.address() as AddressInfo).port)),
    close: (then: () => void) => {
      for (const socket of sockets) socket.destroy()
      server.close(then)
    },
    tries: () => Math.max(packets, connections)
  }
}

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
