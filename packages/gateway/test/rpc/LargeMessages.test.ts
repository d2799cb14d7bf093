/** Large messages of several sockets. The test fills the streams, and controls the clock and the event loop. */
import { EventEmitter } from "node:events"
import type { Socket } from "node:net"
import { PassThrough } from "node:stream"
import { setImmediate } from "node:timers/promises"

import { assert, describe, it } from "@effect/vitest"
import type { WebSocket } from "ws"

import { StepScheduler } from "../../src/pipeline/stepScheduler.ts"
import { LargeMessages } from "../../src/rpc/largeMessages.ts"

const CHUNK = new Uint8Array(64 * 1024)
const LARGE = 8

/**
 * Makes sockets whose messages have `LARGE` chunks. Processing the last chunk of a message takes 12 milliseconds, as in
 * `ws`.
 */
const world = () => {
  const queue: Array<() => void> = []
  const ended: Array<string> = []
  let clock = 0
  const turns = new StepScheduler(
    () => clock,
    (callback) => void queue.push(callback)
  )
  const large = new LargeMessages(turns, () => clock)
  const open = (name: string, chunks = LARGE) => {
    const transport = new PassThrough({ highWaterMark: 1024 * 1024 })
    const socket = Object.assign(new EventEmitter(), { isPaused: false })
    let received = 0
    transport.on("data", () => {
      // ws pauses while it processes a chunk, and then continues by itself.
      transport.pause()
      process.nextTick(() => transport.resume())
      if (++received < chunks) return
      received = 0
      clock += chunks > 4 ? 12 : 0
      ended.push(name)
      socket.emit("message", new Uint8Array(chunks * CHUNK.length))
    })
    large.follow(socket as unknown as WebSocket, transport as unknown as Socket)
    return {
      send: (count: number) => {
        for (let i = 0; i < count; i++) transport.write(CHUNK)
      }
    }
  }
  /** Runs the streams as far as possible, and returns the messages that have ended. */
  const input = async (): Promise<ReadonlyArray<string>> => {
    for (let i = 0; i < 50; i++) await setImmediate()
    return ended.splice(0)
  }
  const turn = () => {
    for (const callback of queue.splice(0)) callback()
  }
  return { open, input, turn, turns, isIdle: () => queue.length === 0 }
}

describe("large messages", () => {
  it("end one in a turn, whatever the number of sockets", async () => {
    const { input, isIdle, open, turn } = world()
    const sockets = ["a", "b", "c", "d"].map((name) => open(name))
    for (const { send } of sockets) send(LARGE - 1)
    assert.deepStrictEqual(await input(), [])
    for (const { send } of sockets) send(1)
    const found: Array<ReadonlyArray<string>> = [await input()]
    while (!isIdle()) {
      turn()
      found.push(await input())
    }
    assert.isTrue(
      found.every(({ length }) => length <= 1),
      JSON.stringify(found)
    )
    assert.deepStrictEqual(found.flat(), ["a", "b", "c", "d"])
  })

  it("wait while packets have used up the turn", async () => {
    const { input, open, turn, turns } = world()
    const { send } = open("a")
    send(LARGE - 1)
    await input()
    turns.spend(10)
    send(1)
    assert.deepStrictEqual(await input(), [])
    turn()
    assert.deepStrictEqual(await input(), ["a"])
  })

  it("that begin in a used up turn are held back too", async () => {
    const { input, open, turn, turns } = world()
    const { send } = open("a")
    turns.spend(10)
    send(LARGE)
    assert.deepStrictEqual(await input(), [])
    turn()
    assert.deepStrictEqual(await input(), ["a"])
  })

  it("do not hold back small ones", async () => {
    const { input, open, turns } = world()
    const { send } = open("small", 2)
    turns.spend(10)
    send(6)
    assert.deepStrictEqual(await input(), ["small", "small", "small"])
  })
})
