import { assert, describe, it } from "@effect/vitest"
import { BatchHash, Hex, HexBatch } from "@plumbline/codec"
import { keccak_256 } from "js-sha3"

import * as BatchHashing from "../../src/hash/batchHashing.ts"
import * as KeccakEngine from "../../src/hash/keccakEngine.ts"
import * as hexBatchMemory from "../../src/hex/batchMemory.ts"
import * as hexCodec from "../../src/hex/hexConversion.ts"
import * as WasmMemory from "../../src/wasm/wasmMemory.ts"
import { Random, runs, toHex } from "../support/generators.ts"

/** Makes a separate batch for each test, because tests run concurrently. */
const make = () => {
  const memory = WasmMemory.make()
  const batch = hexBatchMemory.best(hexCodec.load(memory))!
  const hash = BatchHashing.best(KeccakEngine.load(memory))!
  return { ...batch, hash: (items: ReadonlyArray<number>) => hash(batch, items) }
}

const bytesOf = ({ ends, memory, starts }: HexBatch.HexBatch, item: number) =>
  toHex(memory.slice(starts[item], ends[item]))

const hashOf = ({ memory, starts }: HexBatch.HexBatch, item: number) =>
  toHex(memory.slice(starts[item]! - 32, starts[item]))

const oracle = (text: string) => `0x${keccak_256(Buffer.from(text.slice(2), "hex"))}`

const sizes = [0, 1, 31, 32, 33, 64, 135, 136, 137, 271, 272, 532, 532, 532, 1000]

describe("HexBatch and BatchHash", () => {
  it("decodes and hashes texts of mixed sizes as an independent implementation does, some of them twice", () => {
    const random = new Random(21)
    const batch = make()
    for (let run = 0; run < runs(60); run++) {
      if (run % 2 === 0) batch.clear()
      const texts = Array.from({ length: random.below(16) }, () => toHex(random.bytes(random.pick(sizes))))
      const twice = [...texts, ...texts.slice(0, random.below(texts.length + 1))]
      const items = run % 3 === 0 ? twice.map(batch.add) : batch.addAll(twice)!
      assert.deepStrictEqual(
        items.map((item) => bytesOf(batch, item)),
        twice
      )
      batch.hash(items)
      assert.deepStrictEqual(
        items.map((item) => hashOf(batch, item)),
        twice.map(oracle)
      )
      // hashing pads the items in place, and changes none of their bytes
      assert.deepStrictEqual(
        items.map((item) => bytesOf(batch, item)),
        twice
      )
    }
  })

  it("hashes only the items that it is given, and each again in the next run", () => {
    const batch = make()
    const [a, b] = ["0x01", "0x02"].map(batch.add) as [number, number]
    batch.hash([a])
    assert.strictEqual(hashOf(batch, a), oracle("0x01"))
    assert.notStrictEqual(hashOf(batch, b), oracle("0x02"))
    batch.memory.fill(0, batch.starts[a]! - 32, batch.starts[a])
    batch.hash([b, a, b])
    assert.deepStrictEqual([hashOf(batch, a), hashOf(batch, b)], [oracle("0x01"), oracle("0x02")])
  })

  it("refuses numbers that are not items, and leaves nothing of such a run behind in the next", () => {
    const batch = make()
    const items = ["0x01", "0x02", "0x03"].map(batch.add)
    for (const bad of [3, -1, Number.NaN]) assert.throws(() => batch.hash([0, bad]), RangeError)
    batch.hash(items)
    assert.deepStrictEqual(
      items.map((item) => hashOf(batch, item)),
      ["0x01", "0x02", "0x03"].map(oracle)
    )
    batch.clear()
    assert.throws(() => batch.hash([0]), RangeError)
  })

  it("keeps a long text once", () => {
    const batch = make()
    const random = new Random(22)
    const texts = Array.from({ length: 40 }, () => toHex(random.bytes(500)))
    const items = texts.map(batch.add)
    assert.deepStrictEqual(
      texts.map((text) => batch.add(`${text.slice(0, 100)}${text.slice(100)}`)),
      items
    )
    // texts that differ in one digit get different items
    const other = texts.map((text) => `${text.slice(0, -1)}${text.endsWith("0") ? "1" : "0"}`)
    assert.isTrue(other.every((text) => bytesOf(batch, batch.add(text)) === text))
  })

  it("finds lists that come again, unless they have changed or others came in between", () => {
    const batch = make()
    const random = new Random(23)
    const lists = Array.from({ length: 3 }, () => [300, 40, 20].map((size): string => toHex(random.bytes(size))))
    const items = lists.map(batch.addAll)
    const show = (list: ReadonlyArray<string>) => batch.addAll(list)!.map((item) => bytesOf(batch, item))
    assert.strictEqual(batch.addAll(lists[0]!), items[0])
    lists[1]![1] = "0x0102"
    assert.deepStrictEqual(show(lists[1]!), lists[1])
    assert.deepStrictEqual(show(lists[2]!), lists[2])
    lists[0]!.pop()
    assert.deepStrictEqual(show(lists[0]!), lists[0])
    batch.clear()
    assert.deepStrictEqual(show(lists[2]!), lists[2])
    assert.deepStrictEqual(show(lists[1]!), lists[1])
  })

  it("takes capital letters, and refuses what is not hex of whole bytes", () => {
    const batch = make()
    assert.strictEqual(bytesOf(batch, batch.add("0xABcdEF")), "0xabcdef")
    const long = `0x${"ab".repeat(600)}`
    const bad = [
      "",
      "0",
      "0x0",
      "0X00",
      "ab",
      "0xgg",
      `${long}0`,
      `${long.slice(0, -1)}g`,
      `${long.slice(0, -1)}\u0130`
    ]
    for (const text of [...bad, long.slice(2), `${long.slice(0, 300)}\u{1f600}${long.slice(302)}`, `${long} `]) {
      assert.strictEqual(batch.add(text), -1, text)
      assert.isUndefined(batch.addAll(["0x01", text]))
    }
    assert.isFalse(bad.some(Hex.isHex))
  })

  it("refuses texts when its room is used up, and keeps those that it has", () => {
    const batch = make()
    const one = `0x${"01".repeat(64 * 1024)}`
    assert.strictEqual(batch.add(`${one}01`), -1)
    const large: Array<string> = []
    for (let i = 0; ; i++) {
      const text = `0x${i.toString(16).padStart(2, "0")}${one.slice(4)}`
      if (batch.add(text) < 0) break
      large.push(text)
    }
    assert.strictEqual(large.length, 7)
    // text that is not ASCII takes up to three times the room in the text area
    assert.strictEqual(batch.add(`0x${"\uffff".repeat(2 * 64 * 1024)}`), -1)
    assert.isTrue(large.every((text, item) => bytesOf(batch, item) === text))
    batch.clear()
    let count = 0
    while (batch.add("0x01") >= 0) count++
    assert.strictEqual(count, 2048)
    batch.clear()
    assert.strictEqual(bytesOf(batch, batch.add(one)), one)
  })

  it("is there on this platform, and not without WebAssembly", () => {
    assert.isDefined(HexBatch.get())
    assert.strictEqual(HexBatch.get(), HexBatch.get())
    assert.isTrue(BatchHash.hash(HexBatch.get()!, []))
    assert.isUndefined(hexBatchMemory.best(undefined))
    assert.isUndefined(BatchHashing.best(undefined))
    const modules = KeccakEngine.load(WasmMemory.make())!
    assert.isUndefined(BatchHashing.best({ ...modules, hashList: undefined }))
    assert.isUndefined(BatchHashing.best({ ...modules, hashList: () => {} }))
  })
})
