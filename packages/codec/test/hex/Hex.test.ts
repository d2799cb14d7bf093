import { assert, describe, it } from "@effect/vitest"
import { Hex } from "@plumbline/codec"
import * as Result from "effect/Result"

import * as hexCodec from "../../src/hex/hexConversion.ts"
import * as hexPlain from "../../src/hex/inJavaScript.ts"
import * as memoryText from "../../src/hex/memoryText.ts"
import * as WasmMemory from "../../src/wasm/wasmMemory.ts"
import { asView, edgeSizes, Random, runs, same, toHex } from "../support/generators.ts"

const failure = (hex: string) => Result.getOrThrow(Result.flip(Hex.toBytes(hex)))

const module = hexCodec.load(WasmMemory.make())
if (module === undefined) throw new Error("this platform has no WebAssembly with SIMD")
const byBuffer = memoryText.byBuffer(module.memory)
if (byBuffer === undefined) throw new Error("this platform has no Buffer")

const codecs: ReadonlyArray<readonly [string, hexPlain.HexCodec]> = [
  ["plain JavaScript", hexPlain.plain],
  ["WebAssembly, text by Buffer", hexCodec.fromWasm(module, byBuffer)],
  ["WebAssembly, text by TextDecoder and TextEncoder", hexCodec.fromWasm(module, memoryText.byCoders(module.memory))]
]

describe.each(codecs)("hex by %s", (_, codec) => {
  it("writes and reads bytes of every edge size, also beyond one part of the scratch memory", () => {
    const random = new Random(1)
    const sizes = [...edgeSizes, WasmMemory.TEXT_BYTES + 1, 2 * WasmMemory.TEXT_BYTES, 2 * WasmMemory.TEXT_BYTES + 77]
    for (const size of sizes) {
      const bytes = random.bytes(size)
      const hex = toHex(bytes)
      assert.isTrue(codec.encode(asView(bytes)) === hex, `encode ${size}`)
      assert.isTrue(same(codec.decode(hex)!, bytes), `decode ${size}`)
      assert.isTrue(same(codec.decode(`0x${hex.slice(2).toUpperCase()}`)!, bytes), `decode ${size}`)
      const target = new Uint8Array(size + 10).fill(0xaa)
      assert.isTrue(codec.decodeInto(hex, target, 5))
      assert.isTrue(codec.check(hex))
      assert.isTrue(codec.check(`${hex}f`))
      assert.isTrue(same(target.subarray(5, 5 + size), bytes), `decodeInto ${size}`)
      assert.deepStrictEqual([...target.subarray(0, 5), ...target.subarray(5 + size)], Array<number>(10).fill(0xaa))
    }
  })

  it("gives bytes that own their memory", () => {
    const first = codec.decode("0xc0ffee")!
    codec.decode("0x000000")
    assert.deepStrictEqual(first, new Uint8Array([0xc0, 0xff, 0xee]))
    assert.strictEqual(first.buffer.byteLength, 3)
  })

  it("refuses every character but the 22 hex digits, anywhere", () => {
    const digits = new Set("0123456789abcdefABCDEF")
    // includes characters whose low byte is a digit, and characters that share bits with digits
    const codes = [...Array.from({ length: 384 }, (_, code) => code), 0x2030, 0xff10, 0xd800, 0xdc00]
    for (const size of [1, 7, 15, 16, 17, 32, 33]) {
      const base = "a".repeat(2 * size)
      for (const code of codes) {
        const character = String.fromCharCode(code)
        const at = code % (2 * size)
        const text = `0x${base.slice(0, at)}${character}${base.slice(at + 1)}`
        assert.strictEqual(codec.decode(text) !== undefined, digits.has(character), `${code} of ${size}`)
        assert.strictEqual(codec.decodeInto(text, new Uint8Array(size), 0), digits.has(character), `${code} of ${size}`)
        assert.strictEqual(codec.check(text), digits.has(character), `${code} of ${size}`)
        assert.strictEqual(codec.check(`${text}f`), digits.has(character), `${code} of ${size} and a half`)
        assert.isFalse(codec.check(`${text}g`))
      }
    }
  })

  it("refuses a bad character in each part of long text", () => {
    const digits = "b".repeat(2 * (2 * WasmMemory.TEXT_BYTES + 100))
    for (const at of [0, 2 * WasmMemory.TEXT_BYTES - 1, 2 * WasmMemory.TEXT_BYTES, digits.length - 1]) {
      for (const character of ["g", "\u0130", "\u{fffd}"]) {
        const text = `0x${digits.slice(0, at)}${character}${digits.slice(at + 1)}`
        assert.isUndefined(codec.decode(text))
        assert.isFalse(codec.decodeInto(text, new Uint8Array(digits.length / 2), 0))
        assert.isFalse(codec.check(text))
        assert.strictEqual(codec.check(text.slice(0, -1)), at === digits.length - 1)
      }
    }
  })
})

describe("Hex", () => {
  it("names what is wrong with text and where", () => {
    assert.deepInclude(failure(""), { reason: "MissingPrefix", index: 0 })
    assert.deepInclude(failure("c0ffee"), { reason: "MissingPrefix", index: 0 })
    assert.deepInclude(failure("0Xc0ffee"), { reason: "MissingPrefix", index: 0 })
    assert.deepInclude(failure("0x0"), { reason: "OddDigits", index: 3 })
    assert.deepInclude(failure("0x00g0"), { reason: "BadDigit", index: 4 })
    assert.deepInclude(failure("0x 0"), { reason: "BadDigit", index: 2 })
    assert.deepInclude(failure("0x00\u0130"), { reason: "BadDigit", index: 4 })
    assert.throws(() => Hex.toBytesUnsafe("0x00zz"), "character 4 is not a hex digit")
  })

  it("never keeps the text in the error", () => {
    const error = failure("0xdeadbeefzz")
    assert.notInclude(JSON.stringify(error), "deadbeef")
    assert.notInclude(error.message, "deadbeef")
  })

  it("accepts exactly what it can turn into bytes", () => {
    const random = new Random(2)
    const alphabet = "0123456789abcdefABCDEFgGxX \u00b5\u0661"
    for (let run = 0; run < runs(2000); run++) {
      const digits = Array.from({ length: random.below(8) }, () =>
        random.below(20) === 0 ? alphabet.charAt(random.below(alphabet.length)) : "09afAF".charAt(random.below(6))
      ).join("")
      const text = random.pick(["0x", "0x", "0x", "", "0X"]) + digits
      const expected = /^0x(?:[0-9a-fA-F]{2})*$/.test(text)
      assert.strictEqual(Hex.isHex(text), expected, text)
      const bytes = Hex.toBytes(text)
      assert.strictEqual(Result.isSuccess(bytes), expected, text)
      if (Result.isSuccess(bytes)) {
        assert.strictEqual(Hex.fromBytes(bytes.success), text.toLowerCase())
        assert.strictEqual(bytes.success.length, Hex.size(text as Hex.Hex))
      }
    }
  })

  it("is not fooled by values that are not text", () => {
    for (const value of [
      undefined,
      null,
      0,
      0n,
      {},
      [],
      ["0x00"],
      new Uint8Array(2),
      Symbol.iterator,
      new String("0x00")
    ]) {
      assert.isFalse(Hex.isHex(value))
    }
  })

  it("compares bytes, not letters", () => {
    assert.isTrue(Hex.equals("0xAb", "0xaB"))
    assert.isFalse(Hex.equals("0xab", "0xac"))
    assert.isFalse(Hex.equals("0xab", "0xab00"))
  })
})
