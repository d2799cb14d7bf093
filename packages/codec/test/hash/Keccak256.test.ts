import { assert, describe, it } from "@effect/vitest"
import { sha3_256 } from "@noble/hashes/sha3.js"
import { Hash32, Keccak256 } from "@plumbline/codec"
import { keccak_256 } from "js-sha3"

import * as KeccakEngine from "../../src/hash/keccakEngine.ts"
import * as WasmMemory from "../../src/wasm/wasmMemory.ts"
import { asView, Random, runs, toHex } from "../support/generators.ts"

/** An implementation that shares no code with ours. */
const oracle = (bytes: Uint8Array) => `0x${keccak_256(bytes)}`

const modules = KeccakEngine.load(WasmMemory.make())
if (modules?.hashList === undefined) throw new Error("this platform has no WebAssembly with SIMD")

const engines: ReadonlyArray<readonly [string, KeccakEngine.KeccakEngine]> = [
  ["noble", KeccakEngine.noble],
  ["WebAssembly without SIMD", KeccakEngine.fromWasm({ ...modules, hashList: undefined })],
  ["WebAssembly with SIMD", KeccakEngine.fromWasm(modules)]
]

/** Sizes around whole blocks, and around the parts in which long input is absorbed. */
const edges = [1, 2, 7, 8, 255, 256, 257].flatMap((blocks) => [136 * blocks - 1, 136 * blocks, 136 * blocks + 1])
const large = [-1, 0, 1, 136, WasmMemory.INPUT_SIZE - 1, WasmMemory.INPUT_SIZE, WasmMemory.INPUT_SIZE + 1].map(
  (extra) => WasmMemory.INPUT_SIZE + extra
)

describe.each(engines)("Keccak-256 by %s", (_, engine) => {
  it("agrees with an independent implementation at every size up to 300, at block edges and beyond one part", () => {
    const random = new Random(9)
    for (const size of [...Array.from({ length: 301 }, (_, size) => size), ...edges, ...large]) {
      const bytes = random.bytes(size)
      assert.strictEqual(toHex(engine.hash(asView(bytes))), oracle(bytes), `${size} bytes`)
    }
  })

  it("hashes many inputs of mixed sizes in order", () => {
    const random = new Random(10)
    for (let run = 0; run < runs(30); run++) {
      const sizes = [
        0,
        1,
        32,
        64,
        83,
        135,
        136,
        137,
        271,
        272,
        532,
        532,
        532,
        532,
        136 * 255,
        136 * 256,
        WasmMemory.INPUT_SIZE
      ]
      const inputs = Array.from({ length: random.below(12) }, () => {
        const size = run % 2 === 0 ? random.pick(sizes.slice(0, 14)) : random.pick(sizes)
        return asView(random.bytes(size))
      })
      assert.deepStrictEqual(engine.hashMany(inputs).map(toHex), inputs.map(oracle))
    }
  })

  it("hashes many inputs of one size, whatever their number leaves over", () => {
    const random = new Random(11)
    for (const size of [32, 136, 532]) {
      for (let count = 0; count <= 8; count++) {
        const inputs = Array.from({ length: count }, () => random.bytes(size))
        assert.deepStrictEqual(engine.hashMany(inputs).map(toHex), inputs.map(oracle))
      }
    }
  })

  it("hashes more inputs than are hashed at once, of few sizes and of many", () => {
    const random = new Random(13)
    for (const sizes of [[32], [0, 40, 136, 300], [10_000, 20_000, 136 * 256, 136 * 256 + 1]]) {
      const inputs = Array.from({ length: 300 }, () => random.bytes(random.pick(sizes)))
      assert.deepStrictEqual(engine.hashMany(inputs).map(toHex), inputs.map(oracle))
    }
  })

  it("leaves nothing of a call behind in the next", () => {
    const long = new Uint8Array(1000).fill(0xff)
    const short = new Uint8Array([1])
    engine.hash(long)
    assert.strictEqual(toHex(engine.hash(short)), oracle(short))
    engine.hashMany([long, long, long, long, long])
    assert.deepStrictEqual(engine.hashMany([short, short, short, short]).map(toHex), Array(4).fill(oracle(short)))
    // an input that a program without types could pass
    const broken: ReadonlyArray<Uint8Array> = JSON.parse("[null]")
    assert.throws(() => engine.hashMany([long, ...broken]))
    assert.deepStrictEqual(engine.hashMany([short, long]).map(toHex), [oracle(short), oracle(long)])
  })

  it("gives hashes that own their memory and does not change the input", () => {
    const input = new Random(12).bytes(200)
    const copy = input.slice()
    const [first, second] = [engine.hash(input), engine.hashMany([input, input, input])[1]!]
    engine.hash(new Uint8Array(5))
    assert.deepStrictEqual(first, second)
    assert.strictEqual(first.buffer.byteLength, 32)
    assert.strictEqual(second.buffer.byteLength, 32)
    assert.deepStrictEqual(input, copy)
  })

  it("is not SHA3-256", () => {
    const bytes = new TextEncoder().encode("abc")
    assert.strictEqual(toHex(sha3_256(bytes)), "0x3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532")
    assert.strictEqual(toHex(engine.hash(bytes)), "0x4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45")
  })
})

describe("Keccak256", () => {
  it("knows the hash of nothing", () => {
    assert.strictEqual(Keccak256.hashHex(new Uint8Array(0)), Keccak256.EMPTY)
    assert.strictEqual(oracle(new Uint8Array(0)), Keccak256.EMPTY)
    assert.deepStrictEqual(Keccak256.hash(new Uint8Array(0)), Hash32.toBytes(Keccak256.EMPTY))
  })

  it("runs on WebAssembly here, and hashes the same whichever function is asked", () => {
    assert.strictEqual(Keccak256.engine(), "wasm")
    const inputs = [0, 32, 532, 200_000].map((size) => new Random(size).bytes(size))
    assert.deepStrictEqual(inputs.map(Keccak256.hashHex), inputs.map(oracle))
    assert.deepStrictEqual(Keccak256.hashMany(inputs).map(toHex), inputs.map(oracle))
    assert.deepStrictEqual(Keccak256.hash(inputs[2]!), Hash32.toBytes(Keccak256.hashHex(inputs[2]!)))
  })

  it("falls back to plain JavaScript without WebAssembly", () => {
    assert.strictEqual(KeccakEngine.best(undefined), KeccakEngine.noble)
  })

  it("falls back to plain JavaScript when WebAssembly hashes wrongly", () => {
    const broken = { ...modules, absorb: () => {}, hashList: undefined }
    assert.strictEqual(KeccakEngine.best(broken), KeccakEngine.noble)
    const brokenThree = { ...modules, hashList: () => {} }
    modules.memory.fill(0, WasmMemory.DIGEST, WasmMemory.DIGEST + 96)
    assert.strictEqual(KeccakEngine.best(brokenThree), KeccakEngine.noble)
    assert.strictEqual(KeccakEngine.best(modules).name, "wasm")
  })
})
