import { readFile } from "node:fs/promises"

import { assert, describe, it } from "@effect/vitest"
import { Keccak256 } from "@plumbline/codec"

import { generate } from "../../scripts/wasm.ts"
import * as KeccakEngine from "../../src/hash/keccakEngine.ts"
import { SCALAR, THREE_LANES } from "../../src/hash/keccakWasm.ts"
import * as hexCodec from "../../src/hex/hexConversion.ts"
import { HEX } from "../../src/hex/hexWasm.ts"
import * as hexPlain from "../../src/hex/inJavaScript.ts"
import * as memoryText from "../../src/hex/memoryText.ts"
import * as WasmMemory from "../../src/wasm/wasmMemory.ts"

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))

describe("the generated WebAssembly", () => {
  it("is, byte for byte, what its script makes", async () => {
    const files = await generate()
    assert.deepStrictEqual(
      files.map(({ target }) => target.href),
      [
        new URL("../../src/hex/hexWasm.ts", import.meta.url),
        new URL("../../src/hash/keccakWasm.ts", import.meta.url)
      ].map(({ href }) => href)
    )
    for (const { target, text } of files) assert.strictEqual(await readFile(target, "utf8"), text)
  })

  it("may be compiled at once on the main thread of every browser, but for the module with three lanes", () => {
    assert.isAtMost(bytesOf(SCALAR).length, 4096)
    assert.isAtMost(bytesOf(HEX).length, 4096)
    assert.isAtMost(bytesOf(THREE_LANES).length, 8192)
  })

  it("asks for nothing but memory", () => {
    for (const module of [SCALAR, HEX, THREE_LANES]) {
      assert.deepStrictEqual(WebAssembly.Module.imports(new WebAssembly.Module(bytesOf(module))), [
        { module: "codec", name: "memory", kind: "memory" }
      ])
    }
  })
})

/** Runs synchronous code with another value of a global; no other code can run meanwhile. */
const withGlobal = <A>(name: "WebAssembly" | "Buffer", value: unknown, body: () => A): A => {
  const original = Object.getOwnPropertyDescriptor(globalThis, name)!
  Object.defineProperty(globalThis, name, { configurable: true, writable: true, value })
  try {
    return body()
  } finally {
    Object.defineProperty(globalThis, name, original)
  }
}

/** Loads all modules with one memory, as the package does. */
const load = () => {
  const memory = WasmMemory.make()
  return { hex: hexCodec.load(memory), keccak: KeccakEngine.load(memory) }
}

const nothing: ReturnType<typeof load> = { hex: undefined, keccak: undefined }

/** Loads the modules as on a platform that refuses to compile modules of some sizes. */
const loadRefusing = (refused: (size: number) => boolean) => {
  class Module extends WebAssembly.Module {
    constructor(source: BufferSource) {
      if (refused(source.byteLength)) throw new WebAssembly.CompileError("refused by the test")
      super(source)
    }
  }
  const { Memory, Instance } = WebAssembly
  return withGlobal("WebAssembly", { Memory, Instance, Module }, load)
}

describe("the choice by platform", () => {
  const hashOfNothing = ({ hex, keccak }: ReturnType<typeof load>) =>
    hexCodec.best(hex).encode(KeccakEngine.best(keccak).hash(new Uint8Array(0)))

  it("is plain JavaScript without WebAssembly", () => {
    const loaded = withGlobal("WebAssembly", undefined, load)
    assert.deepStrictEqual(loaded, nothing)
    assert.strictEqual(hashOfNothing(loaded), Keccak256.EMPTY)
  })

  it("is plain JavaScript where a policy refuses WebAssembly", () => {
    assert.deepStrictEqual(
      loadRefusing(() => true),
      nothing
    )
  })

  it("is one message at a time where modules have at most 4 KiB", () => {
    const loaded = loadRefusing((size) => size > 4096)
    assert.isDefined(loaded.hex)
    assert.isUndefined(loaded.keccak?.hashList)
    assert.strictEqual(KeccakEngine.best(loaded.keccak).name, "wasm")
    assert.strictEqual(hashOfNothing(loaded), Keccak256.EMPTY)
  })

  it("is WebAssembly for hashes and plain JavaScript for hex without SIMD", () => {
    const withoutSimd = bytesOf(SCALAR).length
    const loaded = loadRefusing((size) => size !== withoutSimd)
    assert.isUndefined(loaded.keccak?.hashList)
    assert.strictEqual(hexCodec.best(loaded.hex), hexPlain.plain)
    assert.strictEqual(KeccakEngine.best(loaded.keccak).name, "wasm")
    assert.strictEqual(hashOfNothing(loaded), Keccak256.EMPTY)
  })

  it("is TextDecoder and TextEncoder without Buffer, or with one that lacks what we need", () => {
    const { hex } = loadRefusing(() => false)
    for (const Buffer of [undefined, {}, { from: (memory: ArrayBuffer) => new Uint8Array(memory) }]) {
      const codec = withGlobal("Buffer", Buffer, () => {
        assert.isUndefined(memoryText.byBuffer(hex!.memory))
        return hexCodec.best(hex)
      })
      assert.strictEqual(codec.encode(new Uint8Array([0xc0, 0xff, 0xee])), "0xc0ffee")
      assert.deepStrictEqual(codec.decode(`0x${"c0ffee".repeat(9)}`)?.slice(24), new Uint8Array([0xc0, 0xff, 0xee]))
    }
  })
})
