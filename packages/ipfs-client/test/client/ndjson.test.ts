/** Tests lines whose bytes are cut into any pieces. */
import { assert, describe, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"

import { LineSplitter } from "../../src/client/ndjson.ts"

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Returns all lines of the pieces, and the fault that ended them. */
const cut = (pieces: Iterable<Uint8Array>, maxBytes: number) => {
  const splitter = new LineSplitter(maxBytes)
  const lines: Array<string> = []
  for (const piece of pieces) {
    const { fault, lines: more } = splitter.push(piece)
    lines.push(...more)
    // Overwrites the piece, because platforms reuse their buffers.
    piece.fill(0)
    if (fault !== undefined) {
      return { lines, fault }
    }
  }
  const { fault, lines: last } = splitter.end()
  lines.push(...last)
  return { lines, fault }
}

const chopped = (random: Random.Random, bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  const pieces: Array<Uint8Array> = []
  for (let at = 0; at < bytes.length;) {
    const size = Random.int(random, 9)
    pieces.push(bytes.slice(at, at + size))
    at += size
  }
  return pieces
}

const TEXTS = ["", "{}", '{"Name":"ü"}', "漢字", "😀", " ", "\t\r", '"\\n"', "x".repeat(20), "\u2028", "\ufeff"]

describe("LineSplitter", () => {
  it("finds the lines that String.split finds, wherever the bytes are cut", () => {
    const random = Random.make(1)
    for (let run = 0; run < Random.runs(Random.sized(3000)); run++) {
      const text = Array.from({ length: Random.int(random, 8) }, () =>
        Array.from({ length: Random.int(random, 3) }, () => Random.pick(random, TEXTS)).join("")
      ).join("\n")
      const expected = text.split("\n").filter((line) => /\S/.test(line.replaceAll("\ufeff", "")))
      const { fault, lines } = cut(chopped(random, encode(text)), 1000)
      assert.isUndefined(fault)
      // A decoder would drop the byte order mark at the start of a line.
      assert.deepStrictEqual(
        lines.map((line) => line.replaceAll("\ufeff", "")),
        expected.map((line) => line.replaceAll("\ufeff", ""))
      )
    }
  })

  it("gives up a line of more bytes than it may have, and keeps those before", () => {
    for (const size of [1, 3, 100]) {
      const bytes = encode(`12345\n123456\n1\n`)
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.slice(index * size, (index + 1) * size)
      )
      assert.deepStrictEqual(cut(pieces, 5), { lines: ["12345"], fault: "too long" })
    }
    const splitter = new LineSplitter(10)
    let pushed = 0
    while (splitter.push(encode("abc")).fault === undefined) {
      pushed++
    }
    assert.strictEqual(pushed, 3)
  })

  it("refuses what is not UTF-8", () => {
    assert.deepStrictEqual(cut([encode("a\n"), Uint8Array.of(0xff, 0x0a)], 10), { lines: ["a"], fault: "not UTF-8" })
    assert.deepStrictEqual(cut([Uint8Array.of(0xe2, 0x82)], 10), { lines: [], fault: "not UTF-8" })
  })

  it("looks at each byte of a long line once", () => {
    const splitter = new LineSplitter(2 ** 22)
    for (let index = 0; index < 2 ** 20; index++) {
      splitter.push(Uint8Array.of(0x61))
    }
    assert.strictEqual(splitter.push(Uint8Array.of(0x0a)).lines[0]?.length, 2 ** 20)
  })
})
