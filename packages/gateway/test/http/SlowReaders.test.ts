/** Clients that do not read their answers: they lose their connections, whatever they asked for. */
import { connect, type Socket } from "node:net"

import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule, type Scope } from "effect"

import * as Service from "../support/service.ts"
import { KEY } from "../support/service.ts"

const upstream = { call: () => Effect.succeed(new TextEncoder().encode(`"0x${"ab".repeat(500)}"`)) }

const page = {
  path: "/console",
  handle: (_: unknown, response: { end: (body: Uint8Array) => void }) => response.end(Buffer.alloc(200_000, "x"))
}

/** Opens a connection that reads nothing. */
const deaf = (service: { readonly port: number }): Effect.Effect<Socket, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Socket>((resume) => {
      const socket: Socket = connect(service.port, "127.0.0.1", () => resume(Effect.succeed(socket)))
      socket.on("error", () => undefined).pause()
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`

const post = (body: string): string =>
  `POST /v3/${KEY} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`

/** Requests whose answers together do not fit into the buffers of the system. */
const kinds: ReadonlyArray<readonly [name: string, requests: string]> = [
  ["small answers of /livez", get("/livez").repeat(40_000)],
  ["small answers of /health", get("/health").repeat(30_000)],
  ["answers of a mount", get("/console/app.js").repeat(100)],
  ["answers to calls", post(Service.call("eth_getBlockByHash", [`0x${"11".repeat(32)}`, true])).repeat(15_000)],
  ["refusals", get("/nowhere").repeat(40_000)]
]

describe("a client that reads nothing", { concurrent: false }, () => {
  it.live.each(kinds)("loses its connection behind %s", ([, requests]) =>
    Effect.gen(function* () {
      const service = yield* Service.start(upstream, {
        mounts: [page],
        timeouts: { write: "200 millis", idle: "1 hour" },
        limits: { connections: 1 }
      })
      const socket = yield* deaf(service)
      socket.write(requests)
      // the service permits one connection, so it answers another one only after it has ended this one
      const answer = yield* Effect.suspend(() =>
        Service.raw(service, get("/livez").replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n"))
      ).pipe(
        Effect.repeat({ until: (answer) => answer !== "", schedule: Schedule.spaced("20 millis") }),
        Effect.timeout("60 seconds")
      )
      assert.include(answer, "200 OK")
    }).pipe(Effect.scoped)
  )

  it.live("gets nothing more of a large answer, not even what the system holds for it", () =>
    Effect.gen(function* () {
      const large = Buffer.alloc(30_000_000, "x")
      const service = yield* Service.start(upstream, {
        mounts: [{ path: "/console", handle: (_, response) => response.end(large) }],
        timeouts: { write: "200 millis" },
        limits: { connections: 1 }
      })
      const socket = yield* deaf(service)
      const ended = new Promise<string>((resolve) => {
        socket.once("error", ({ code }: NodeJS.ErrnoException) => resolve(String(code)))
        socket.once("end", () => resolve("end"))
      })
      socket.write(get("/console/app.js"))
      // the service permits one connection, so it answers another one only after it has ended this one
      yield* Effect.suspend(() =>
        Service.raw(service, get("/livez").replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n"))
      ).pipe(
        Effect.repeat({ until: (answer) => answer !== "", schedule: Schedule.spaced("20 millis") }),
        Effect.timeout("60 seconds")
      )
      socket.resume()
      assert.strictEqual(yield* Effect.promise(() => ended), "ECONNRESET")
    }).pipe(Effect.scoped)
  )

  it.live("is not one that reads slowly", () =>
    Effect.gen(function* () {
      // one write of 30 MB, read at 10 MB a second: several sweeps see it under way
      const large = Buffer.alloc(30_000_000, "x")
      const service = yield* Service.start(upstream, {
        mounts: [{ path: "/console", handle: (_, response) => response.end(large) }],
        timeouts: { write: "1 second" }
      })
      const socket = yield* deaf(service)
      socket.write(get("/console/app.js"))
      const read = yield* Effect.callback<number>((resume) => {
        let bytes = 0
        let left = 0
        socket.on("data", (chunk) => {
          bytes += chunk.length
          left -= chunk.length
          if (left < 0) socket.pause()
          if (bytes > large.length) resume(Effect.succeed(bytes))
        })
        socket.once("close", () => resume(Effect.succeed(bytes)))
        const turn = setInterval(() => {
          left = 1_000_000
          socket.resume()
        }, 100)
        return Effect.sync(() => clearInterval(turn))
      })
      assert.isAbove(read, large.length)
    }).pipe(Effect.scoped)
  )
})
