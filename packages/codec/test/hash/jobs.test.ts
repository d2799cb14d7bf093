import { assert, describe, it } from "@effect/vitest"
import { keccak_256 } from "js-sha3"

import * as keccakHashJobs from "../../src/hash/hashJobs.ts"
import * as KeccakEngine from "../../src/hash/keccakEngine.ts"
import * as WasmMemory from "../../src/wasm/wasmMemory.ts"
import { Random, runs, toHex } from "../support/generators.ts"

/** Makes a separate memory for each test, because tests run concurrently. */
const make = () => {
  const modules = KeccakEngine.load(WasmMemory.make())!
  return { memory: modules.memory, jobs: keccakHashJobs.make(modules)! }
}

/**
 * Writes messages side by side and adds them as jobs. If `over` is true, each hash replaces the start of its message;
 * otherwise it is written to a separate place.
 */
const lay = ({ jobs, memory }: ReturnType<typeof make>, messages: ReadonlyArray<Uint8Array>, over: boolean) => {
  let at = WasmMemory.BATCH
  let to = WasmMemory.INPUT
  return messages.map((message) => {
    memory.set(message, at)
    const place = over ? at : to
    jobs.add(at, message.length, place)
    at += keccakHashJobs.roomOf(message.length)
    to += 32
    return place
  })
}

const show = (memory: Uint8Array, places: ReadonlyArray<number>) => places.map((at) => toHex(memory.slice(at, at + 32)))

const oracle = (bytes: Uint8Array) => `0x${keccak_256(bytes)}`

describe("messages that are hashed together", () => {
  it("have the hashes of an independent implementation, whatever their sizes and their number", () => {
    const random = new Random(31)
    const one = make()
    for (let run = 0; run < runs(60); run++) {
      const sizes = [0, 1, 32, 135, 136, 137, 271, 272, 532, 136 * random.below(200)]
      const messages = Array.from({ length: random.below(20) }, () => random.bytes(4 * (random.pick(sizes) >> 2)))
      const places = lay(one, messages, run % 2 === 0)
      one.jobs.run()
      assert.deepStrictEqual(show(one.memory, places), messages.map(oracle))
    }
  })

  it("may be more than the list has room for", () => {
    const random = new Random(32)
    const one = make()
    const messages = Array.from({ length: WasmMemory.MAX_JOBS + 5 }, () => random.bytes(4 * random.below(60)))
    const places = lay(one, messages, true)
    one.jobs.run()
    assert.deepStrictEqual(show(one.memory, places), messages.map(oracle))
  })

  it("are forgotten when they are hashed, and when the caller clears the list", () => {
    const one = make()
    const zeros = new Uint8Array(32)
    const hashed = lay(one, [zeros, zeros, zeros], false)
    one.jobs.run()
    lay(one, [zeros, new Uint8Array(500)], false)
    one.jobs.clear()
    one.memory.fill(0, WasmMemory.INPUT, WasmMemory.INPUT + 96)
    one.jobs.run()
    assert.deepStrictEqual(show(one.memory, hashed), [zeros, zeros, zeros].map(toHex))
  })

  it("change no byte but their own, their padding's and their hashes'", () => {
    const random = new Random(33)
    const one = make()
    const from = WasmMemory.BATCH + 4096
    for (const size of [0, 32, 135, 136, 271, 272]) {
      const messages = Array.from({ length: 4 }, () => random.bytes(size))
      const places = messages.map((_, i) => from + 4096 * i)
      one.memory.fill(0xaa, WasmMemory.BATCH, WasmMemory.TEXT)
      places.forEach((at, i) => one.memory.set(messages[i]!, at))
      places.forEach((at) => one.jobs.add(at, size, at - 32))
      one.jobs.run()
      for (const [i, at] of places.entries()) {
        const end = at + keccakHashJobs.roomOf(size)
        assert.deepStrictEqual(one.memory.slice(at, at + size), messages[i])
        assert.isTrue(one.memory.slice(end, at + 4096 - 32).every((byte) => byte === 0xaa))
      }
      assert.isTrue(one.memory.slice(WasmMemory.BATCH, from - 32).every((byte) => byte === 0xaa))
    }
  })
})
