/** A node behind a socket of this machine: messages as lines, however the bytes arrive. */
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { IpcUpstream, UpstreamError } from "@plumbline/gateway"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Queue, type Scope } from "effect"

const decoder = new TextDecoder()

interface Asked {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** Listens at a path until the scope closes. `onLine` receives each line of a client. */
const listening = (
  onLine: (asked: Asked, socket: Socket) => void
): Effect.Effect<{ readonly path: string; readonly sockets: ReadonlySet<Socket> }, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<{ path: string; sockets: Set<Socket>; close: () => void }>((resume) => {
      const folder = mkdtempSync(path.join(tmpdir(), "ipc-"))
      const sockets = new Set<Socket>()
      const server = createServer((socket) => {
        sockets.add(socket)
        let text = ""
        socket
          .setEncoding("utf8")
          .on("error", () => {})
          .on("data", (chunk: string) => {
            text += chunk
            const lines = text.split("\n")
            text = lines.pop()!
            for (const line of lines) onLine(JSON.parse(line), socket)
          })
      })
      const close = () => {
        for (const socket of sockets) socket.destroy()
        server.close()
        rmSync(folder, { recursive: true })
      }
      const at = path.join(folder, "node.ipc")
      server.listen(at, () => resume(Effect.succeed({ path: at, sockets, close })))
    }),
    ({ close }) => Effect.sync(close)
  )

const result = (id: number, json: string): string => `{"jsonrpc":"2.0","id":${id},"result":${json}}`

const answer = (called: Effect.Effect<Uint8Array, unknown>): Effect.Effect<unknown> =>
  Effect.match(called, {
    onSuccess: (bytes) => decoder.decode(bytes),
    onFailure: (error) => (error instanceof UpstreamError.UpstreamError ? error.reason : error)
  })

describe("a node behind a socket", () => {
  it.live("answers every call, however its lines are cut into pieces", () =>
    Effect.gen(function* () {
      const random = Random.make(7)
      let waiting = ""
      const { path } = yield* listening(({ id, params }, socket) => {
        waiting += `${result(id, JSON.stringify(params))}\n${Random.int(random, 4) === 0 ? "\n" : ""}`
        if (id < 64) return
        const bytes = Buffer.from(waiting)
        waiting = ""
        let at = 0
        const next = (): void => {
          if (at >= bytes.length) return
          const end = at + 1 + Random.int(random, 400)
          socket.write(bytes.subarray(at, end), () => setImmediate(next))
          at = end
        }
        next()
      })
      const node = yield* IpcUpstream.make({ path, timeout: "10 seconds" })
      const asked = Array.from({ length: 64 }, (_, index) => [index, "é".repeat(Random.int(random, 200))])
      const got = yield* Effect.forEach(asked, (params) => answer(node.call("echo", params)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        got,
        asked.map((params) => JSON.stringify(params))
      )
    }).pipe(Effect.scoped)
  )

  it.live("pushes events", () =>
    Effect.gen(function* () {
      const { path } = yield* listening(({ id }, socket) => {
        const event = (value: string) =>
          `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":${value}}}\n`
        socket.write(`${result(id, '"0x1"')}\n${event('{"number":"0x1"}')}${event('{"number":"0x2"}')}`)
      })
      const node = yield* IpcUpstream.make({ path })
      const queue = yield* node.subscribe(["newHeads"])
      const events = [yield* Queue.take(queue), yield* Queue.take(queue)]
      assert.deepStrictEqual(
        events.map((bytes) => decoder.decode(bytes)),
        ['{"number":"0x1"}', '{"number":"0x2"}']
      )
    }).pipe(Effect.scoped)
  )

  it.live("connects again after a loss, and the calls of the lost connection fail", () =>
    Effect.gen(function* () {
      const { path, sockets } = yield* listening(({ id, method }, socket) => {
        if (method === "die") socket.destroy()
        else socket.write(`${result(id, "1")}\n`)
      })
      const node = yield* IpcUpstream.make({ path })
      assert.deepStrictEqual(yield* answer(node.call("die", [])), { _tag: "Unreachable", code: "CLOSED" })
      assert.strictEqual(yield* answer(node.call("live", [])), "1")
      assert.strictEqual(sockets.size, 2)
    }).pipe(Effect.scoped)
  )

  it.live("keeps at most the allowed bytes of a line", () =>
    Effect.gen(function* () {
      let sent = 0
      const { path } = yield* listening((_, socket) => {
        const more = (): void => {
          if (socket.destroyed || sent > 50_000_000) return
          sent += 10_000
          socket.write(Buffer.alloc(10_000, " "), more)
        }
        more()
      })
      const node = yield* IpcUpstream.make({ path, maxAnswerBytes: 100_000 })
      assert.deepStrictEqual(yield* answer(node.call("endless", [])), { _tag: "TooLarge", limit: 100_000 })
      assert.isBelow(sent, 50_000_000)
    }).pipe(Effect.scoped)
  )

  it.live("a line that is not JSON-RPC ends the connection, because it could answer any call", () =>
    Effect.gen(function* () {
      const { path } = yield* listening((_, socket) => socket.write("hello\n"))
      const node = yield* IpcUpstream.make({ path })
      assert.deepStrictEqual(yield* answer(node.call("eth_chainId", [])), {
        _tag: "BadAnswer",
        problem: "not JSON-RPC"
      })
    }).pipe(Effect.scoped)
  )
})
