/** The memory that connections of the lane keep. */
import { once } from "node:events"
import { type AddressInfo, connect } from "node:net"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

import { assert, it } from "@effect/vitest"
import { Effect } from "effect"

import type { CallExchange } from "../../../src/http/callDoor.ts"
import * as HttpListener from "../../../src/http/httpListener.ts"
import { known } from "./memorySocket.ts"

setFlagsFromString("--expose-gc")
const collectGarbage: () => void = runInNewContext("gc")

/** A listener whose calls wait for the test, with one client. */
const start = async () => {
  const listener = HttpListener.make(
    () => ({
      limits: { bodyBytes: 200_000, bufferedBytes: 1_000_000, connections: 10 },
      timeouts: { headers: 60_000, request: 60_000, idle: 60_000, write: 60_000 },
      callerOf: () => "",
      mounts: [],
      tls: undefined,
      compressFrom: 0,
      accessLog: false,
      lane: true
    }),
    Effect.runFork
  )
  const exchanges: Array<CallExchange> = []
  const bodies: Array<WeakRef<ArrayBufferLike>> = []
  listener.serve([
    {
      serve: () => false,
      door: {
        headOf: () => ({ ...known }),
        serve: (exchange, _head, _address, body) => {
          exchange.isAccountedFor = true
          exchanges.push(exchange)
          bodies.push(new WeakRef(body.buffer))
        }
      }
    }
  ])
  await once(listener.server.listen({ host: "127.0.0.1", port: 0 }), "listening")
  const socket = connect((listener.server.address() as AddressInfo).port, "127.0.0.1")
  const stop = () => {
    socket.destroy()
    listener.connections.destroyAll()
    listener.server.close()
  }
  return { bodies, exchanges, listener, socket, stop }
}

const post = (body: string) => `POST /v3/key HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n\r\n${body}`

/** True once none of these is in memory. A collection frees what a pending callback still holds only later. */
const areFree = async (refs: ReadonlyArray<WeakRef<object>>): Promise<boolean> => {
  for (let left = 20; left > 0; left--) {
    collectGarbage()
    if (refs.every((ref) => ref.deref() === undefined)) return true
    await new Promise<void>((resolve) => void setImmediate(resolve))
  }
  return false
}

it("an idle connection keeps nothing of its last call", async () => {
  const { bodies, exchanges, listener, socket, stop } = await start()
  socket.write(post("x".repeat(30_000)))
  while (exchanges.length === 0) await new Promise<void>((resolve) => void setImmediate(resolve))
  const refs: Array<WeakRef<object>> = [...bodies, ...exchanges.map((exchange) => new WeakRef(exchange))]
  exchanges
    .splice(0)
    .forEach((exchange) => exchange.answer({ _tag: "Answer", status: 200, headers: [], body: undefined }))
  await once(socket, "data")
  assert.strictEqual(listener.connections.size, 1)
  assert.isTrue(await areFree(refs))
  stop()
})

it("a call that waits keeps its own body, and not the bytes that came with it", async () => {
  const { bodies, exchanges, stop, socket } = await start()
  socket.write(post("x".repeat(40_000)) + post("{}"))
  while (exchanges.length < 2) await new Promise<void>((resolve) => void setImmediate(resolve))
  exchanges.shift()!.answer({ _tag: "Answer", status: 200, headers: [], body: undefined })
  await once(socket, "data")
  assert.strictEqual(exchanges.length, 1)
  assert.isTrue(await areFree(bodies.slice(0, 1)))
  stop()
})
