/** A connection of the lane over a socket in memory: order, slow readers, clients that leave, and idle connections. */
import type { Socket } from "node:net"

import { assert, describe, it } from "@effect/vitest"

import type { LaneCall } from "../../../src/http/lane/laneCall.ts"
import { LaneConnection } from "../../../src/http/lane/laneConnection.ts"
import { known, MemorySocket } from "./memorySocket.ts"
import { GOOD } from "./vector.ts"

/** A connection whose calls wait for the test to answer them. */
const open = (options: { readonly isStuck?: () => boolean } = {}) => {
  const calls: Array<LaneCall> = []
  const handed: Array<string> = []
  const closed: Array<unknown> = []
  const lane = { version: 0, isOpen: true, isEnded: false, bodyBytes: Infinity }
  const socket = new MemorySocket(options)
  const connection = new LaneConnection(
    {
      open: () => (lane.isOpen ? known : undefined),
      admits: (bytes) => bytes <= lane.bodyBytes,
      onCall: (call) => void calls.push(call),
      handOver: () => void handed.push(String(socket.read() ?? "")),
      onClose: (connection) => void closed.push(connection),
      isEnded: () => lane.isEnded,
      keepAlive: "",
      get version() {
        return lane.version
      }
    },
    socket as unknown as Socket
  )
  const text = () => Buffer.concat(socket.heard).toString("latin1")
  return { calls, handed, closed, lane, socket, connection, text }
}

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))

/** Answers with a body alone, to see the order. */
const say = (call: LaneCall | undefined, body: string) =>
  call!.answer(200, ["content-length", String(body.length)], Buffer.from(body), false)

const bodies = (text: string) => [...text.matchAll(/\r\n\r\n([^H]*)/gu)].map((match) => match[1])

describe("answers", () => {
  it("go out in the order of the calls, whatever order they come in", async () => {
    const { calls, socket, text } = open()
    socket.push(GOOD.repeat(3))
    await turn()
    say(calls[2], "three")
    say(calls[1], "two")
    assert.strictEqual(text(), "")
    say(calls[0], "one")
    await turn()
    assert.deepStrictEqual(bodies(text()), ["one", "two", "three"])
  })

  it("in pieces wait for the answers before them, and are chunked", async () => {
    const { calls, socket, text } = open()
    socket.push(GOOD.repeat(3))
    await turn()
    let drained = 0
    calls[1]!.begin(200, [], false)
    assert.isFalse(calls[1]!.write(Buffer.from("ab")))
    calls[1]!.onDrain(() => void drained++)
    say(calls[2], "last")
    assert.strictEqual(text(), "")
    say(calls[0], "first")
    assert.strictEqual(drained, 1)
    assert.isTrue(calls[1]!.write(Buffer.from("cde")))
    calls[1]!.finish()
    await turn()
    assert.match(text(), /first.*transfer-encoding: chunked.*\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n.*last$/su)
  })

  it("hold no header that could end the head", async () => {
    const { calls, socket } = open()
    socket.push(GOOD)
    await turn()
    for (const value of ["a\r\nb: c", "a\nb", "a\0", "\u0100"]) {
      assert.throws(() => calls[0]!.answer(200, ["x", value], undefined, false), TypeError)
    }
  })

  it("are given once", async () => {
    const { calls, socket, text } = open()
    socket.push(GOOD)
    await turn()
    say(calls[0], "one")
    say(calls[0], "two")
    calls[0]!.begin(200, [], false)
    await turn()
    assert.deepStrictEqual(bodies(text()), ["one"])
  })

  it("close the connection if they say so, and nothing behind them is read", async () => {
    const { calls, socket } = open()
    socket.push(GOOD.replace("Host", "Connection: close\r\nHost") + GOOD)
    await turn()
    assert.strictEqual(calls.length, 1)
    say(calls[0], "one")
    await turn()
    socket.push(GOOD)
    await turn()
    assert.strictEqual(calls.length, 1)
    assert.isTrue(socket.destroyed)
  })
})

describe("a client that reads nothing", () => {
  it("has at most 32 calls under way", async () => {
    const { calls, socket } = open()
    socket.push(GOOD.repeat(100))
    await turn()
    assert.strictEqual(calls.length, 32)
    for (let index = 0; index < 32; index++) say(calls[index], "x")
    await turn()
    assert.strictEqual(calls.length, 64)
  })

  it("is not asked for more calls while 64 KiB wait for it", async () => {
    let isStuck = true
    const { calls, socket } = open({ isStuck: () => isStuck })
    socket.push(GOOD)
    await turn()
    say(calls[0], "x".repeat(70_000))
    socket.push(GOOD.repeat(5))
    await turn()
    assert.strictEqual(calls.length, 1)
    isStuck = false
    socket.release()
    await turn()
    await turn()
    assert.strictEqual(calls.length, 6)
  })

  it("is not asked for more calls while 64 KiB wait behind an answer that is not ready", async () => {
    const { calls, socket } = open()
    socket.push(GOOD.repeat(2))
    await turn()
    say(calls[1], "x".repeat(70_000))
    socket.push(GOOD)
    await turn()
    assert.strictEqual(calls.length, 2)
    say(calls[0], "y")
    await turn()
    await turn()
    assert.strictEqual(calls.length, 3)
  })
})

describe("a client that leaves", () => {
  it("is told to each of its calls once, and late answers do no harm", async () => {
    const { calls, closed, connection, socket } = open()
    socket.push(GOOD.repeat(2))
    await turn()
    let lost = 0
    for (const call of calls) call.onLost = () => void lost++
    socket.destroy()
    await turn()
    assert.strictEqual(lost, 2)
    assert.isTrue(calls[0]!.isLost)
    say(calls[0], "late")
    assert.isFalse(calls[1]!.write(Buffer.from("late")))
    calls[1]!.finish()
    assert.deepStrictEqual([socket.heard.length, closed], [0, [connection]])
  })

  it("is not told to a call that was answered", async () => {
    const { calls, socket } = open()
    socket.push(GOOD)
    await turn()
    let lost = 0
    calls[0]!.onLost = () => void lost++
    say(calls[0], "one")
    socket.destroy()
    await turn()
    assert.deepStrictEqual([lost, calls[0]!.isLost, calls[0]!.writableFinished], [0, false, true])
  })
})

describe("the rest of a connection is handed over", () => {
  const rests: ReadonlyArray<readonly [name: string, rest: string]> = [
    ["another method", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["half a head", "POST /v3/good HTTP/1.1\r\nHo"],
    ["half a body", GOOD.slice(0, -1)],
    ["a head that is too long", GOOD.replace("Host", `X: ${"a".repeat(8192)}\r\nHost`)]
  ]
  for (const [name, rest] of rests) {
    it(`from ${name} on, after the answers before it`, async () => {
      const { calls, handed, socket, text } = open()
      socket.push(GOOD + rest)
      await turn()
      assert.deepStrictEqual(handed, [])
      socket.push("more")
      await turn()
      say(calls[0], "one")
      assert.deepStrictEqual(bodies(text()), ["one"])
      assert.deepStrictEqual(handed, [`${rest}more`])
    })
  }

  it("when the lane takes its head no more, though the connection knows it", async () => {
    const { calls, handed, lane, socket } = open()
    socket.push(GOOD)
    await turn()
    say(calls[0], "one")
    lane.isOpen = false
    socket.push(GOOD)
    await turn()
    assert.deepStrictEqual([calls.length, handed.length], [2, 0])
    say(calls[1], "two")
    lane.version++
    socket.push(GOOD)
    await turn()
    assert.deepStrictEqual([calls.length, handed], [2, [GOOD]])
  })

  it("when its head is too long to be remembered and the lane takes it no more", async () => {
    const { calls, handed, lane, socket } = open()
    const long = GOOD.replace("Host", `X: ${"a".repeat(4000)}\r\nHost`)
    socket.push(long + long)
    await turn()
    assert.strictEqual(calls.length, 2)
    for (const call of calls) say(call, "one")
    lane.isOpen = false
    socket.push(long)
    await turn()
    assert.deepStrictEqual([calls.length, handed], [2, [long]])
  })

  it("when there is no room for its body", async () => {
    const { calls, handed, lane, socket } = open()
    lane.bodyBytes = 1
    socket.push(GOOD)
    await turn()
    assert.deepStrictEqual([calls.length, handed], [0, [GOOD]])
  })

  it("not while a client sends more than 16 KiB behind a call under way", async () => {
    const { calls, handed, socket } = open()
    socket.push(`${GOOD}x`)
    await turn()
    for (let sent = 0; sent < 10; sent++) {
      socket.push("x".repeat(8192))
      await turn()
    }
    assert.isTrue(socket.isPaused())
    assert.isAbove(socket.readableLength, 0)
    say(calls[0], "one")
    await turn()
    assert.strictEqual(handed.join("").length, 1 + 10 * 8192)
  })
})

describe("sweeps", () => {
  it("count while the connection is idle, from the last bytes and the last answer on", async () => {
    const { calls, connection, socket } = open()
    assert.deepStrictEqual([connection.sweep(), connection.sweep(), connection.isUsed], [1, 2, false])
    socket.push(GOOD)
    await turn()
    assert.deepStrictEqual([connection.sweep(), connection.sweep(), connection.isUsed], [0, 0, true])
    say(calls[0], "one")
    assert.deepStrictEqual([connection.sweep(), connection.sweep()], [1, 2])
  })
})

it("bytes behind the last word to a client are dropped", async () => {
  const { calls, lane, socket } = open()
  lane.isEnded = true
  socket.push(GOOD)
  await turn()
  assert.strictEqual(calls.length, 0)
})
