/** Nodes whose bytes or ends do not belong to the request that comes next. */
import { once } from "node:events"
import { type AddressInfo, createServer, type Socket } from "node:net"

import { assert, describe, it } from "@effect/vitest"

import { connectionsTo, type Heard, playedNode } from "./answers.ts"

const answer = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`
const FAIR: Heard = { status: 200, body: "fair", retryAfter: undefined }

/** Plays a node on raw sockets. `isSilent`: the node reads nothing. */
const make = async (
  onTestFinished: (end: () => Promise<void>) => void,
  onConnection: (socket: Socket) => void,
  isSilent = false
) => {
  const unused = await playedNode()
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true, pauseOnConnect: isSilent }, (socket) => {
    sockets.add(socket.on("error", () => undefined))
    onConnection(socket)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  unused.url.port = String((server.address() as AddressInfo).port)
  const client = connectionsTo(unused)
  onTestFinished(async () => {
    await client.close()
    unused.close()
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { ask: client.ask, plain: client.plain, sockets }
}

/** The process has no time to read what arrives. */
const block = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)

describe.each(["plain", "undici"] as const)("over %s", (over) => {
  it("no answer that nobody asked for is given to the next request", async ({ onTestFinished }) => {
    const { ask, sockets } = await make(onTestFinished, (socket) =>
      socket.on("data", () => socket.write(answer("fair")))
    )
    for (let turn = 0; turn < 20; turn++) {
      assert.deepStrictEqual(await ask(over).heard, FAIR)
      await new Promise((resolve) => setTimeout(resolve, 1))
      for (const socket of sockets) if (!socket.destroyed) socket.write(answer("evil"))
      await new Promise<void>((resolve) => process.nextTick(resolve))
      block()
    }
    assert.isAtLeast(sockets.size, 20)
  })

  it("a node that closes after each answer without a word costs no request", async ({ onTestFinished }) => {
    const { ask } = await make(onTestFinished, (socket) => socket.on("data", () => socket.end(answer("fair"))))
    for (let turn = 0; turn < 20; turn++) assert.deepStrictEqual(await ask(over).heard, FAIR)
    const heard = await Promise.all(Array.from({ length: 50 }, () => ask(over).heard))
    assert.deepStrictEqual(
      heard,
      heard.map(() => FAIR)
    )
  })
})

describe("a connection", () => {
  it("is not used again if the node answered before it read the request", async ({ onTestFinished }) => {
    const { ask, sockets } = await make(onTestFinished, (socket) => socket.write(answer("fair")), true)
    assert.deepStrictEqual(await ask("plain", "x".repeat(20_000_000)).heard, FAIR)
    assert.deepStrictEqual(await ask().heard, FAIR)
    assert.strictEqual(sockets.size, 2)
  })

  it("does not end the next request because of a defect in the end of the one before", async ({ onTestFinished }) => {
    const { ask, plain, sockets } = await make(onTestFinished, (socket) =>
      socket.on("data", () => socket.write(answer("fair")))
    )
    const told = new Promise<Error>((resolve) =>
      plain.dispatch(
        { headers: [], body: "{}" },
        {
          onRequestStart: () => undefined,
          onResponseStart: () => undefined,
          onResponseData: () => undefined,
          onResponseEnd: () => {
            throw new Error("defect")
          },
          onResponseError: (_, error) => resolve(error)
        }
      )
    )
    assert.strictEqual((await told).message, "defect")
    assert.deepStrictEqual(await ask().heard, FAIR)
    assert.strictEqual(sockets.size, 1)
  })
})
