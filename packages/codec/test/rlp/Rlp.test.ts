import { assert, describe, it } from "@effect/vitest"
import { RLP } from "@ethereumjs/rlp"
import { Hex, Rlp } from "@plumbline/codec"
import * as Result from "effect/Result"

import { asView, edgeSizes, Random, runs, same, toHex } from "../support/generators.ts"

const text = (characters: string) => new TextEncoder().encode(characters)

const failure = (hex: string, options?: Rlp.RlpOptions) => {
  const bytes = asView(Hex.toBytesUnsafe(hex))
  const error = Result.getOrThrow(Result.flip(Rlp.decode(bytes, options)))
  assert.throws(() => Rlp.decodeUnsafe(bytes, options), error.message)
  return [error.reason, error.offset]
}

const nested = (depth: number): Rlp.Rlp => {
  let item: Rlp.Rlp = []
  for (let i = 1; i < depth; i++) item = [item]
  return item
}

const lorem = "Lorem ipsum dolor sit amet, consectetur adipisicing elit"

// The examples of the Ethereum Wiki's page on RLP.
const wiki: ReadonlyArray<readonly [Rlp.Rlp, string]> = [
  [text("dog"), "0x83646f67"],
  [[text("cat"), text("dog")], "0xc88363617483646f67"],
  [text(""), "0x80"],
  [[], "0xc0"],
  [new Uint8Array([0]), "0x00"],
  [new Uint8Array([0x0f]), "0x0f"],
  [new Uint8Array([4, 0]), "0x820400"],
  [[[], [[]], [[], [[]]]], "0xc7c0c1c0c3c0c1c0"],
  [text(lorem), `0xb838${toHex(text(lorem)).slice(2)}`]
]

describe("Rlp", () => {
  it("has the encodings of the wiki's examples", () => {
    for (const [item, hex] of wiki) {
      assert.strictEqual(Hex.fromBytes(Rlp.encode(item)), hex)
      assert.deepStrictEqual(Rlp.decodeUnsafe(Hex.toBytesUnsafe(hex)), item)
    }
  })

  it("encodes strings and lists of every edge size as another implementation does, and decodes them", () => {
    const random = new Random(20)
    for (const size of edgeSizes) {
      const string = random.bytes(size)
      const list = Array.from({ length: size }, () => new Uint8Array([random.below(0x80)]))
      for (const item of [string, list, [list, string]]) {
        const encoded = Rlp.encode(item)
        assert.isTrue(same(encoded, RLP.encode(item)), `${size}`)
        assert.isTrue(same(Rlp.encode(Rlp.decodeUnsafe(asView(encoded))), encoded), `${size}`)
      }
    }
  })

  it("encodes lists of lists of every size around that of its buffer, in bytes of their own", () => {
    const inner = [new Uint8Array([5]), new Uint8Array(200).fill(0xee), [], [new Uint8Array([0x80])]]
    const many = Array.from({ length: 155 }, () => inner)
    for (let filler = 300; filler < 420; filler++) {
      for (const item of [
        [new Uint8Array(filler), ...many],
        [...many, [new Uint8Array(filler)]],
        [[[new Uint8Array(filler), [[...many]]], new Uint8Array([1])], [new Uint8Array([2])]]
      ]) {
        const encoded = Rlp.encode(item)
        assert.isTrue(same(encoded, RLP.encode(item)), `${filler}`)
        assert.strictEqual(encoded.buffer.byteLength, encoded.length)
      }
    }
  })

  it("encodes lists of lists far larger than its buffer", () => {
    const random = new Random(22)
    for (let run = 0; run < runs(20); run++) {
      const item = Array.from({ length: 20 + random.below(60) }, () => [
        random.string(),
        random.item(4),
        random.bytes(2000)
      ])
      assert.isTrue(same(Rlp.encode(item), RLP.encode(item as unknown as Array<Uint8Array>)))
    }
  })

  it("encodes and decodes strings whose sizes have three and four bytes", () => {
    for (const [size, head] of [
      [0xff_ffff, "0xbaffffff"],
      [0x100_0000, "0xbb01000000"]
    ] as const) {
      const encoded = Rlp.encode(new Uint8Array(size))
      const from = head.length / 2 - 1
      assert.strictEqual(toHex(encoded.subarray(0, from)), head)
      assert.strictEqual(encoded.length, from + size)
      assert.strictEqual((Rlp.decodeUnsafe(encoded) as Uint8Array).length, size)
    }
  })

  it("shows nothing of what was in memory before, even of a list that changes while it is read", () => {
    const items = [new Uint8Array(200_000), new Uint8Array([5]), new Uint8Array(300_000)]
    for (const item of [items, items[2]!]) {
      const encoded = Rlp.encode(item)
      assert.strictEqual(encoded.buffer.byteLength, encoded.length)
      assert.strictEqual(toHex(encoded), toHex(RLP.encode(item)))
    }
    let reads = 0
    const changing = Object.defineProperty([items[1]!], 0, { get: () => items[reads++ % 2]! })
    const encoded = Rlp.encode(changing)
    assert.strictEqual(encoded.length, 200_008)
    assert.isTrue(encoded.subarray(5).every((byte) => byte === 0))
  })

  it("encodes and decodes any item as another implementation does", () => {
    const random = new Random(21)
    for (let run = 0; run < runs(300); run++) {
      const item = random.item(1 + random.below(5))
      const encoded = Rlp.encode(item)
      assert.strictEqual(toHex(encoded), toHex(RLP.encode(item as Uint8Array)))
      assert.deepStrictEqual(Rlp.decodeUnsafe(asView(encoded)), item)
      assert.deepStrictEqual(RLP.decode(encoded), item)
    }
  })

  it("gives views of the input", () => {
    const input = new Uint8Array([0xc3, 0x82, 1, 2])
    const [string] = Rlp.decodeUnsafe(input) as [Uint8Array]
    input[2] = 9
    assert.deepStrictEqual(string, new Uint8Array([9, 2]))
    assert.strictEqual(string.buffer, input.buffer)
  })

  it("refuses input that ends too early", () => {
    assert.deepStrictEqual(failure("0x"), ["Empty", 0])
    assert.deepStrictEqual(failure("0x81"), ["UnexpectedEnd", 0])
    assert.deepStrictEqual(failure("0x8301"), ["UnexpectedEnd", 0])
    assert.deepStrictEqual(failure("0xb8"), ["UnexpectedEnd", 0])
    assert.deepStrictEqual(failure("0xb9ff"), ["UnexpectedEnd", 0])
    assert.deepStrictEqual(failure("0xb838aa"), ["UnexpectedEnd", 0])
    assert.deepStrictEqual(failure("0xc1"), ["UnexpectedEnd", 0])
    assert.deepStrictEqual(failure("0xf8"), ["UnexpectedEnd", 0])
    assert.deepStrictEqual(failure("0xf838c0"), ["UnexpectedEnd", 0])
    assert.deepStrictEqual(failure("0xc181"), ["UnexpectedEnd", 1])
    for (const [, hex] of wiki) {
      for (let end = 4; end < hex.length; end += 2) {
        assert.deepStrictEqual(failure(hex.slice(0, end)), ["UnexpectedEnd", 0], hex)
      }
    }
  })

  it("refuses items that are longer than their list", () => {
    assert.deepStrictEqual(failure("0xc2c18180"), ["ListOverrun", 2])
    assert.deepStrictEqual(failure("0xc3c1820102"), ["ListOverrun", 2])
    assert.deepStrictEqual(failure("0xc3c1c2c0c0"), ["ListOverrun", 2])
    assert.deepStrictEqual(failure("0xc3c1b838aa"), ["ListOverrun", 2])
    assert.deepStrictEqual(failure("0xc4c1b9ffffaa"), ["ListOverrun", 2])
  })

  it("refuses bytes after the item", () => {
    assert.deepStrictEqual(failure("0x0000"), ["TrailingBytes", 1])
    assert.deepStrictEqual(failure("0x820102ff"), ["TrailingBytes", 3])
    assert.deepStrictEqual(failure("0xc0c0"), ["TrailingBytes", 1])
    assert.deepStrictEqual(failure("0xc1c080"), ["TrailingBytes", 2])
  })

  it("refuses a head before a byte that is its own encoding", () => {
    for (let byte = 0; byte < 0x80; byte++) {
      const digits = byte.toString(16).padStart(2, "0")
      assert.deepStrictEqual(failure(`0x81${digits}`), ["NonCanonicalSingleByte", 0])
      assert.deepStrictEqual(failure(`0xc28081${digits}`.replace("c2", "c3")), ["NonCanonicalSingleByte", 2])
    }
    assert.deepStrictEqual(Rlp.decodeUnsafe(new Uint8Array([0x81, 0x80])), new Uint8Array([0x80]))
  })

  it("refuses the long form for fewer than 56 bytes", () => {
    for (let size = 1; size < 56; size++) {
      const digits = size.toString(16).padStart(2, "0") + "80".repeat(size)
      assert.deepStrictEqual(failure(`0xb8${digits}`), ["NonCanonicalSize", 0])
      assert.deepStrictEqual(failure(`0xf8${digits}`), ["NonCanonicalSize", 0])
    }
    assert.deepStrictEqual(failure("0xc3b80180"), ["NonCanonicalSize", 1])
  })

  it("refuses sizes with leading zeros", () => {
    assert.deepStrictEqual(failure("0xb800"), ["LeadingZeroInSize", 0])
    assert.deepStrictEqual(failure("0xf800"), ["LeadingZeroInSize", 0])
    assert.deepStrictEqual(failure(`0xb90038${"00".repeat(56)}`), ["LeadingZeroInSize", 0])
    assert.deepStrictEqual(failure(`0xf90038${"80".repeat(56)}`), ["LeadingZeroInSize", 0])
    assert.deepStrictEqual(failure(`0xbf0000000000000038${"00".repeat(56)}`), ["LeadingZeroInSize", 0])
  })

  it("refuses sizes beyond exact arithmetic as what they are: longer than the input", () => {
    for (let width = 4; width <= 8; width++) {
      for (const size of ["ff".repeat(width), `01${"00".repeat(width - 1)}`, `80${"00".repeat(width - 2)}01`]) {
        assert.deepStrictEqual(failure(`0x${(0xb7 + width).toString(16)}${size}00`), ["UnexpectedEnd", 0])
        assert.deepStrictEqual(failure(`0x${(0xf7 + width).toString(16)}${size}00`), ["UnexpectedEnd", 0])
      }
    }
  })

  it("bounds how deep lists are nested, both ways", () => {
    assert.deepStrictEqual(Rlp.decodeUnsafe(Rlp.encode(nested(64))), nested(64))
    const encoded = Rlp.encode(nested(65), { maxDepth: 65 })
    assert.deepStrictEqual(failure(toHex(encoded)), ["TooDeep", 73]) // 9 heads of two bytes, 55 heads of one byte
    assert.deepStrictEqual(Rlp.decodeUnsafe(encoded, { maxDepth: 65 }), nested(65))
    assert.throws(() => Rlp.encode(nested(65)), "lists are nested deeper than 64")
    assert.deepStrictEqual(failure("0xc0", { maxDepth: 0 }), ["TooDeep", 0])
    assert.throws(() => Rlp.encode([], { maxDepth: 0 }), "lists are nested deeper than 0")
    assert.throws(() => Rlp.encode([new Uint8Array(1), []], { maxDepth: 1 }), "lists are nested deeper than 1")
    assert.deepStrictEqual(Rlp.decodeUnsafe(new Uint8Array([5]), { maxDepth: 0 }), new Uint8Array([5]))
    assert.deepStrictEqual(Rlp.encode(new Uint8Array([5]), { maxDepth: 0 }), new Uint8Array([5]))
  })

  it("never exhausts the stack, however deep the bounds allow", () => {
    const depth = 100_000
    const options = { maxDepth: Infinity }
    const encoded = Rlp.encode(nested(depth), options)
    let item = Rlp.decodeUnsafe(encoded, options)
    let found = 0
    for (; Array.isArray(item); item = item[0] as Rlp.Rlp) found++
    assert.strictEqual(found, depth)
    assert.strictEqual(Result.getOrThrow(Result.flip(Rlp.decode(encoded))).reason, "TooDeep")
  })

  it("ends with an error on lists that contain themselves and on lists shared without end", () => {
    const cycle: Array<Rlp.Rlp> = [new Uint8Array([1])]
    cycle.push(cycle)
    assert.throws(() => Rlp.encode(cycle), "lists are nested deeper than 64")
    let shared: Rlp.Rlp = []
    for (let i = 0; i < 60; i++) shared = [shared, shared]
    assert.throws(() => Rlp.encode(shared, { maxBytes: 100_000 }), "the encoding is larger than 100000 bytes")
    // a failure does not affect the next call
    assert.deepStrictEqual(Rlp.encode([new Uint8Array([1])]), new Uint8Array([0xc1, 1]))
  })

  it("bounds the size of an encoding, both ways, to the byte", () => {
    for (const item of [new Uint8Array([1]), new Uint8Array(100), [new Uint8Array(100), new Uint8Array([1])]]) {
      const encoded = Rlp.encode(item)
      const size = encoded.length
      assert.deepStrictEqual(Rlp.encode(item, { maxBytes: size }), encoded)
      assert.deepStrictEqual(Rlp.decodeUnsafe(encoded, { maxBytes: size }), item)
      assert.throws(() => Rlp.encode(item, { maxBytes: size - 1 }), `the encoding is larger than ${size - 1} bytes`)
      assert.deepStrictEqual(failure(toHex(encoded), { maxBytes: size - 1 }), ["TooLarge", size - 1])
    }
    const limit = 32 * 1024 * 1024
    assert.strictEqual(Result.getOrThrow(Result.flip(Rlp.decode(new Uint8Array(limit + 1)))).reason, "TooLarge")
    assert.throws(() => Rlp.encode(new Uint8Array(limit)), `the encoding is larger than ${limit} bytes`)
  })

  it("keeps the bounds in the part of an encoding that does not fit into its buffer", () => {
    const tail = Array.from({ length: 20 }, () => [new Uint8Array(2000)])
    const item = [nested(5), [new Uint8Array([7])], ...tail]
    const size = Rlp.encode(item).length
    assert.deepStrictEqual(Rlp.encode(item, { maxBytes: size }), RLP.encode(item as unknown as Array<Uint8Array>))
    assert.throws(() => Rlp.encode(item, { maxBytes: size - 1 }), `the encoding is larger than ${size - 1} bytes`)
    assert.throws(() => Rlp.encode(item, { maxBytes: 1000 }), "the encoding is larger than 1000 bytes")
    assert.strictEqual(Rlp.encode(item, { maxDepth: 6 }).length, size)
    assert.throws(() => Rlp.encode(item, { maxDepth: 5 }), "lists are nested deeper than 5")
    const strange = [["0x05" as unknown as Uint8Array], ...tail]
    assert.throws(() => Rlp.encode(strange), "an item must be bytes or a list")
    assert.deepStrictEqual(Rlp.encode([[new Uint8Array([7])]]), new Uint8Array([0xc2, 0xc1, 7]))
  })

  it("refuses to encode what is neither bytes nor a list", () => {
    for (const item of ["0x05", 5, 5n, undefined, null, {}]) {
      assert.throws(() => Rlp.encode([new Uint8Array(1), item as Uint8Array]), "an item must be bytes or a list")
      assert.throws(() => Rlp.encode([[[]], item as Uint8Array]), "an item must be bytes or a list")
      assert.throws(() => Rlp.encode(item as Uint8Array), "an item must be bytes or a list")
    }
  })
})

describe("Rlp.decode of any bytes", () => {
  /**
   * Returns "accepted" if the bytes are `encode`'s output for the item, "refused" on a typed failure within the input.
   */
  const outcome = (bytes: Uint8Array): string => {
    const result = Rlp.decode(bytes)
    if (Result.isSuccess(result)) return same(Rlp.encode(result.success), bytes) ? "accepted" : "accepted wrongly"
    const { _tag, offset } = result.failure
    return _tag === "RlpError" && offset <= bytes.length ? "refused" : "refused wrongly"
  }

  /** Returns the number of inputs for each outcome. */
  const count = (inputs: Iterable<Uint8Array>): Record<string, number> => {
    const counts: Record<string, number> = { accepted: 0, refused: 0 }
    for (const bytes of inputs) {
      const result = outcome(bytes)
      counts[result] = (counts[result] ?? 0) + 1
    }
    return counts
  }

  it("gives an item that encodes to the same bytes, or fails: all inputs of up to two bytes", () => {
    const bytes = Array.from({ length: 256 }, (_, byte) => byte)
    const inputs = [
      new Uint8Array(0),
      ...bytes.map((byte) => Uint8Array.of(byte)),
      ...bytes.flatMap((first) => bytes.map((second) => Uint8Array.of(first, second)))
    ]
    // 130 items of one byte: the bytes below 0x80, the empty string and the empty list; 128 items for the bytes from
    // 0x80 on; and 130 lists that hold one item of one byte
    const accepted = 130 + 128 + 130
    assert.deepStrictEqual(count(inputs), { accepted, refused: inputs.length - accepted })
  })

  it("gives an item that encodes to the same bytes, or fails: random bytes with many heads", () => {
    const random = new Random(22)
    const heads = [0, 0x7f, 0x80, 0x81, 0x82, 0xb7, 0xb8, 0xb9, 0xbf, 0xc0, 0xc1, 0xc2, 0xf7, 0xf8, 0xf9, 0xff]
    const counts = count(
      Array.from({ length: runs(5000) }, () =>
        Uint8Array.from({ length: random.below(70) }, () =>
          random.below(2) === 0 ? random.pick(heads) : random.below(256)
        )
      )
    )
    assert.hasAllKeys(counts, ["accepted", "refused"])
  })

  it("gives an item that encodes to the same bytes, or fails: encodings with a few bytes changed", () => {
    const random = new Random(23)
    const mutate = (encoded: Uint8Array): Uint8Array => {
      const changed = [...encoded]
      const at = random.below(encoded.length)
      const kind = random.below(4)
      if (kind === 0) changed[at] = random.below(256)
      else if (kind === 1) changed[at]! ^= 1 << random.below(8)
      else if (kind === 2) changed.splice(at, 1)
      else changed.splice(at, 0, random.below(256))
      return asView(Uint8Array.from(changed))
    }
    const encodings = Array.from({ length: runs(1500) }, () => Rlp.encode(random.item(4)))
    const counts = count(
      encodings.filter(({ length }) => length < 5000).flatMap((encoded) => [encoded, mutate(encoded), mutate(encoded)])
    )
    assert.hasAllKeys(counts, ["accepted", "refused"])
    assert.isAbove(counts["accepted"]!, 0)
    assert.isAbove(counts["refused"]!, 0)
  })
})
