import { assert, describe, it } from "@effect/vitest"
import { Keccak256, Quantity, Rlp, RlpWriter } from "@plumbline/codec"
import { keccak_256 } from "js-sha3"

import * as rlpScratchMemory from "../../src/rlp/scratchMemory.ts"
import * as WasmMemory from "../../src/wasm/wasmMemory.ts"
import { edgeSizes, Random, runs, toHex } from "../support/generators.ts"

/** Writes the item by a method chosen at random among the methods that fit. */
const write = (writer: RlpWriter.RlpWriter, item: Rlp.Rlp, random: Random): void => {
  if (!(item instanceof Uint8Array)) {
    const list = writer.beginList()
    for (const child of item) write(writer, child, random)
    writer.endList(list)
  } else if (random.below(4) === 0) writer.raw(Rlp.encode(item))
  else if (random.below(2) === 0) writer.bytes(item)
  else writer.data(random.below(2) === 0 ? toHex(item) : `0x${toHex(item).slice(2).toUpperCase()}`)
}

/** Makes a writer over a separate linear memory, because tests run concurrently. */
const inMemory = (size?: number): RlpWriter.RlpWriter =>
  new RlpWriter.RlpWriter(0, rlpScratchMemory.make(WasmMemory.make(), size))

/** Writers in an ordinary buffer, in linear memory, and in a linear memory so small that they must leave it. */
const writers: ReadonlyArray<readonly [string, () => RlpWriter.RlpWriter]> = [
  ["in memory of its own", () => RlpWriter.make()],
  ["in linear memory", () => inMemory()],
  ["that leaves linear memory", () => inMemory(200)]
]

describe.each(writers)("RlpWriter %s", (_, make) => {
  it("writes what Rlp.encode makes of the same items, and hashes it", () => {
    const random = new Random(30)
    const writer = make()
    for (let run = 0; run < runs(300); run++) {
      const items = Array.from({ length: 1 + random.below(3) }, () => random.item(1 + random.below(4)))
      writer.reset()
      const expected = items.map((item) => Rlp.encode(item))
      const ranges = items.map((item) => {
        const from = writer.position
        write(writer, item, random)
        return [from, writer.position] as const
      })
      ranges.forEach(([from, to], i) => {
        assert.strictEqual(toHex(writer.slice(from, to)), toHex(expected[i]!))
        assert.deepStrictEqual(writer.hash(from, to), Keccak256.hash(expected[i]!))
      })
    }
  })

  it("writes strings of every edge size from bytes and from text", () => {
    const random = new Random(31)
    const writer = make()
    for (const size of edgeSizes) {
      for (const bytes of [random.bytes(size), new Uint8Array(size), new Uint8Array(size).fill(0x80)]) {
        const expected = toHex(Rlp.encode([bytes, bytes]))
        writer.reset()
        const list = writer.beginList()
        writer.bytes(bytes)
        writer.data(toHex(bytes))
        writer.endList(list)
        assert.strictEqual(toHex(writer.slice(0)), expected)
      }
    }
  })

  it("moves lists of every size to their place behind the head", () => {
    const writer = make()
    for (const size of edgeSizes) {
      const items = Array.from({ length: size }, (_, i) => new Uint8Array([i % 128]))
      writer.reset()
      const outer = writer.beginList()
      const inner = writer.beginList()
      items.forEach((item) => writer.byte(item[0]!))
      writer.endList(inner)
      writer.endList(outer)
      assert.strictEqual(toHex(writer.slice(0)), toHex(Rlp.encode([items])))
    }
  })

  it("writes numbers of every width as the shortest string", () => {
    const random = new Random(32)
    const edges = [0, 7, 8, 63, 64, 65, 128, 192, 255, 256, 257, 600].flatMap((bits) => {
      const power = 1n << BigInt(bits)
      return [power - 1n, power, power + 1n]
    })
    const writer = make()
    for (const n of [...edges, ...Array.from({ length: runs(300) }, () => random.quantity())]) {
      writer.reset()
      writer.quantity(n)
      assert.strictEqual(toHex(writer.slice(0)), toHex(Rlp.encode(Quantity.toBytes(n))), `${n}`)
    }
  })

  it("writes the whole number of hex text as that of a bigint, whatever its leading zeros", () => {
    const random = new Random(34)
    const writer = RlpWriter.make(0)
    const written = (): string => toHex(writer.slice(0))
    for (const n of [0n, 1n, 127n, 128n, 255n, 256n, ...Array.from({ length: runs(300) }, () => random.quantity())]) {
      for (const zeros of ["", "0", "00", "000"]) {
        writer.reset()
        writer.integer(`0x${zeros}${n.toString(16)}`)
        assert.strictEqual(written(), toHex(Rlp.encode(Quantity.toBytes(n))), `${zeros} ${n}`)
      }
    }
    writer.reset()
    writer.integer("0x")
    assert.strictEqual(written(), "0x80")
    writer.reset()
    for (const [text, message] of [
      ["12", "hex text must start with 0x"],
      ["0x00g", "character 4 is not a hex digit"],
      ["0x1g1", "character 3 is not a hex digit"],
      ["0x11g1", "character 4 is not a hex digit"]
    ] as const) {
      assert.throws(() => writer.integer(text), message)
    }
    assert.strictEqual(writer.position, 0)
  })

  it("takes a transaction type before the list, and hashes both", () => {
    const writer = RlpWriter.make()
    writer.byte(2)
    const list = writer.beginList()
    writer.quantity(1n)
    writer.endList(list)
    assert.deepStrictEqual(writer.slice(0), new Uint8Array([2, 0xc1, 1]))
    assert.deepStrictEqual(writer.hash(0), Keccak256.hash(new Uint8Array([2, 0xc1, 1])))
    assert.deepStrictEqual(writer.hash(1), Keccak256.hash(new Uint8Array([0xc1, 1])))
    assert.deepStrictEqual(writer.hash(3), Keccak256.hash(new Uint8Array(0)))
  })

  it("keeps two writers apart", () => {
    const random = new Random(33)
    const [a, b] = [RlpWriter.make(), RlpWriter.make()]
    const [x, y] = [random.item(3), random.item(3)]
    const [listA, listB] = [a.beginList(), b.beginList()]
    for (let i = 0; i < 50; i++) {
      write(a, x, random)
      write(b, y, random)
    }
    a.endList(listA)
    b.endList(listB)
    assert.strictEqual(toHex(a.slice(0)), toHex(Rlp.encode(Array.from({ length: 50 }, () => x))))
    assert.strictEqual(toHex(b.slice(0)), toHex(Rlp.encode(Array.from({ length: 50 }, () => y))))
  })

  it("refuses bad text where it is bad, and stays as it was", () => {
    const writer = make()
    writer.quantity(7n)
    const long = `0x${"00".repeat(200)}`
    for (const [text, message] of [
      ["0x0g", "character 3 is not a hex digit"],
      [`${long}0g`, "character 403 is not a hex digit"],
      [`${long.slice(0, 100)}\u0130${long.slice(101)}`, "character 100 is not a hex digit"],
      ["0x0", "hex text must have an even number of digits"],
      ["00", "hex text must start with 0x"],
      ["", "hex text must start with 0x"]
    ] as const) {
      assert.throws(() => writer.data(text), message)
    }
    assert.throws(() => writer.quantity(-1n), "a quantity must not be negative")
    assert.throws(() => writer.byte(256), RangeError)
    assert.throws(() => writer.byte(-1), RangeError)
    assert.deepStrictEqual(writer.slice(0), new Uint8Array([7]))
  })

  it("hashes messages together, and leaves room for nothing else before them", () => {
    const random = new Random(35)
    const writer = make()
    for (let run = 0; run < runs(30); run++) {
      writer.reset()
      const messages = Array.from({ length: random.below(8) }, () =>
        random.bytes(random.pick([0, 1, 31, 135, 136, 137, 500, 4000]))
      )
      const starts = messages.map((message, i) => {
        if (i % 2 === 0) writer.byte(i)
        const start = writer.beginMessage()
        writer.raw(message)
        assert.strictEqual(writer.endMessage(start), start + message.length)
        if (i % 3 === 0) writer.hashMessages()
        return start
      })
      writer.hashMessages()
      for (const [i, start] of starts.entries()) {
        const message = messages[i]!
        assert.strictEqual(writer.text(start - 32, start), `0x${keccak_256(message)}`)
        assert.strictEqual(toHex(writer.view(start, start + message.length)), toHex(message))
      }
    }
  })

  it("hashes more messages than are hashed at a time", () => {
    const writer = make()
    const starts = Array.from({ length: 2100 }, (_, i) => {
      const start = writer.beginMessage()
      writer.quantity(BigInt(i))
      writer.endMessage(start)
      return start
    })
    writer.hashMessages()
    assert.deepStrictEqual(
      starts.map((start) => writer.text(start - 32, start)),
      starts.map((_, i) => `0x${keccak_256(Rlp.encode(Quantity.toBytes(BigInt(i))))}`)
    )
  })

  it("reads the hashes of messages as one text, also of more than are read at a time", () => {
    const writer = make()
    const starts = Array.from({ length: 2100 }, (_, i) => {
      const start = writer.beginMessage()
      writer.quantity(BigInt(i))
      writer.endMessage(start)
      return start
    })
    writer.hashMessages()
    for (const some of [[], starts.slice(0, 1), starts.slice(0, 1024), starts.toReversed()]) {
      assert.strictEqual(writer.hashTexts(some), some.map((start) => writer.text(start - 32, start)).join(""))
    }
    for (const start of [31, writer.position + 1]) assert.throws(() => writer.hashTexts([start]), RangeError)
  })

  it("copies what it has written, as it is and as byte strings", () => {
    const random = new Random(36)
    const writer = make()
    for (const size of [0, 1, 2, 32, 55, 56, 64, 65, 300]) {
      const bytes = size === 1 ? new Uint8Array([0x7f]) : random.bytes(size)
      writer.reset()
      writer.raw(bytes)
      writer.copy(0, size)
      const list = writer.beginList()
      writer.copyBytes(size, 2 * size)
      writer.endList(list)
      assert.strictEqual(writer.text(size, 2 * size), toHex(bytes))
      assert.strictEqual(writer.text(2 * size), toHex(Rlp.encode([bytes])))
      assert.throws(() => writer.copy(0, writer.position + 1), RangeError)
      assert.throws(() => writer.copyBytes(1, 0), RangeError)
    }
  })

  it("writes the head of a list whose size is known, and knows the size of copied byte strings", () => {
    const random = new Random(37)
    const writer = make()
    for (const size of [0, 1, 2, 54, 55, 56, 255, 256, 65_535, 65_536]) {
      for (const bytes of [random.bytes(size), new Uint8Array(size).fill(0x7f)]) {
        writer.reset()
        writer.raw(bytes)
        writer.listHead(writer.sizeOfBytes(0, size))
        writer.copyBytes(0, size)
        assert.strictEqual(toHex(writer.slice(size)), toHex(Rlp.encode([bytes])))
      }
    }
    assert.throws(() => writer.sizeOfBytes(0, writer.position + 1), RangeError)
  })

  it("refuses messages inside of lists, and messages that did not begin", () => {
    const writer = make()
    const start = writer.beginMessage()
    const list = writer.beginList()
    assert.throws(() => writer.beginMessage(), RangeError)
    assert.throws(() => writer.endMessage(start), RangeError)
    writer.endList(list)
    assert.strictEqual(writer.endMessage(start), start + 1)
    assert.throws(() => writer.endMessage(writer.position + 1), RangeError)
    writer.reset()
    writer.hashMessages()
    assert.strictEqual(writer.position, 0)
  })
})

describe("RlpWriter", () => {
  it("is borrowed in turns: one borrowed meanwhile is another, and the next one starts empty", () => {
    const write = (writer: RlpWriter.RlpWriter, byte: number): void => {
      assert.strictEqual(writer.position, 0)
      for (let i = 0; i < 100; i++) writer.byte(byte)
    }
    RlpWriter.borrow((outer) => {
      write(outer, 1)
      RlpWriter.borrow((inner) => write(inner, 2))
      assert.isTrue(outer.slice(0).every((byte) => byte === 1))
    })
    assert.throws(() => RlpWriter.borrow(() => assert.fail("the borrower fails")), "the borrower fails")
    RlpWriter.borrow((writer) => write(writer, 3))
  })

  it("is in linear memory when it is borrowed, also after a borrower that failed", () => {
    assert.isDefined(rlpScratchMemory.get())
    assert.throws(() => RlpWriter.borrow(() => assert.fail("the borrower fails")))
    const buffer = RlpWriter.borrow((writer) => writer.view(0).buffer)
    assert.strictEqual(buffer, WasmMemory.get()!.buffer)
    assert.notStrictEqual(
      RlpWriter.borrow(() => RlpWriter.borrow((writer) => writer.view(0).buffer)),
      buffer
    )
  })

  it("has no linear memory without WebAssembly", () => {
    assert.isUndefined(rlpScratchMemory.make(undefined))
  })

  it("refuses ends without a beginning and positions that were not written", () => {
    const writer = RlpWriter.make()
    assert.throws(() => writer.endList(0), RangeError)
    const outer = writer.beginList()
    const inner = writer.beginList()
    assert.throws(() => writer.endList(outer), RangeError)
    writer.endList(inner)
    writer.endList(outer)
    assert.throws(() => writer.endList(outer), RangeError)
    assert.deepStrictEqual(writer.slice(0), new Uint8Array([0xc1, 0xc0]))
    for (const [from, to] of [
      [0, 3],
      [2, 1],
      [-1, 1],
      [NaN, 1]
    ] as const) {
      assert.throws(() => writer.slice(from, to), RangeError)
      assert.throws(() => writer.hash(from, to), RangeError)
      assert.throws(() => writer.view(from, to), RangeError)
    }
    writer.beginList()
    writer.reset()
    assert.throws(() => writer.endList(0), RangeError)
    assert.strictEqual(writer.position, 0)
  })

  it("gives views that last until the next write", () => {
    const writer = RlpWriter.make()
    writer.byte(1)
    writer.byte(2)
    const view = writer.view(1)
    assert.deepStrictEqual(view, new Uint8Array([2]))
    assert.deepStrictEqual(writer.view(0, 1), new Uint8Array([1]))
    writer.reset()
    writer.raw(new Uint8Array([8, 9]))
    assert.deepStrictEqual(view, new Uint8Array([9]))
  })

  it("gives copies", () => {
    const writer = RlpWriter.make()
    writer.byte(1)
    const slice = writer.slice(0)
    writer.reset()
    writer.byte(2)
    assert.deepStrictEqual(slice, new Uint8Array([1]))
  })
})
