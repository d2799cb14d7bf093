import { assert, describe, it } from "@effect/vitest"
import { Address, Bytes, Hash32, Hex, Quantity } from "@plumbline/codec"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import { runs } from "./support/generators.ts"

interface Case {
  readonly name: string
  readonly schema: Schema.Codec<unknown, string>
  readonly definition: string
  readonly pattern: string
  readonly good: ReadonlyArray<string>
  readonly bad: ReadonlyArray<unknown>
}

const notText = [undefined, null, 0, 1n, true, {}, [], ["0x00"], new Uint8Array(1)]
const data = [
  "",
  "0x0",
  "0x123",
  "00",
  "0X00",
  "0x0g",
  "0x00 ",
  " 0x00",
  "0x00\n",
  "0x0\u0130",
  "0x\u0660\u0660",
  "-0x00"
]
const text = (size: number) => `0x${"aB".repeat(size)}`

const sized = (name: string, schema: Schema.Codec<unknown, string>, definition: string, size: number): Case => ({
  name,
  schema,
  definition,
  pattern: `^0x[0-9a-fA-F]{${2 * size}}$`,
  good: [text(size), `0x${"00".repeat(size)}`, `0x${"FF".repeat(size)}`],
  bad: [...data, "0x", text(size - 1), text(size + 1), `${text(size)}0`, `0X${"00".repeat(size)}`]
})

const cases: ReadonlyArray<Case> = [
  {
    name: "Hex.Hex",
    schema: Hex.Hex,
    definition: "Data",
    pattern: "^0x(?:[0-9a-fA-F]{2})*$",
    good: ["0x", "0x00", "0xC0ffee", text(1000)],
    bad: data
  },
  {
    name: "Bytes.Bytes",
    schema: Bytes.Bytes,
    definition: "Data",
    pattern: "^0x(?:[0-9a-fA-F]{2})*$",
    good: ["0x", "0x00", "0xc0ffee", `0x${"ab".repeat(1000)}`],
    bad: data
  },
  {
    name: "Quantity.Quantity",
    schema: Quantity.Quantity,
    definition: "Quantity",
    pattern: "^0x(?:0|[1-9a-fA-F][0-9a-fA-F]*)$",
    good: ["0x0", "0x1", "0x41", "0xfffffffffffff", "0x10000000000000", `0x1${"0".repeat(64)}`],
    bad: ["", "0x", "0x00", "0x01", "0x0400", "41", "0X1", "0x1g", "0x1 ", "0x1n", "0x1\u0130", "-0x1", "0x-1", "0x1_0"]
  },
  sized("Address.Address", Address.Address, "Address", 20),
  sized("Hash32.Hash32", Hash32.Hash32, "Hash32", 32),
  sized("Hex.sized", Hex.sized(8), "Data8", 8)
]

describe.each(cases)("$name", ({ schema, definition, pattern, good, bad }) => {
  const decode = Schema.decodeUnknownResult(schema)

  it("tells JSON Schema its pattern", () => {
    const document = Schema.toJsonSchemaDocument(schema)
    assert.deepStrictEqual(document.schema, { $ref: `#/$defs/${definition}` })
    assert.deepStrictEqual(document.definitions, { [definition]: { type: "string", pattern } })
  })

  it("keeps on the round trip what it accepts, and accepts what the pattern accepts", () => {
    const regExp = new RegExp(pattern, "u")
    for (const wire of good) {
      assert.match(wire, regExp)
      assert.strictEqual(Schema.encodeSync(schema)(Result.getOrThrow(decode(wire))), wire)
    }
  })

  it("refuses everything else, without showing it", () => {
    const regExp = new RegExp(pattern, "u")
    for (const wire of [...bad, ...notText]) {
      const result = decode(wire)
      assert.isTrue(Result.isFailure(result), String(wire))
      if (typeof wire !== "string") continue
      assert.notMatch(wire, regExp)
      if (wire.length > 6 && Result.isFailure(result)) assert.notInclude(result.failure.message, wire)
    }
  })

  it.effect("can be generated, and what is generated survives the round trip", () =>
    Effect.gen(function* () {
      const encode = Schema.encodeSync(schema)
      const check = yield* Arbitrary.checkEffect(
        Arbitrary.schema(schema),
        (value) =>
          Effect.sync(() => {
            const wire = encode(value)
            assert.match(wire, new RegExp(pattern, "u"))
            assert.deepStrictEqual(Result.getOrThrow(decode(wire)), value)
            return true
          }),
        { runs: runs(50) }
      )
      assert.strictEqual(check._tag, "Passed", Arbitrary.formatCheckFailure(check))
    })
  )
})

describe("wire schemas", () => {
  it("keep the case of text as sent", () => {
    const address = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
    assert.strictEqual(Schema.decodeUnknownSync(Address.Address)(address), address)
    assert.strictEqual(Schema.decodeUnknownSync(Hex.Hex)("0xC0ffee"), "0xC0ffee")
  })

  it("give numbers and bytes", () => {
    assert.strictEqual(Schema.decodeUnknownSync(Quantity.Quantity)("0x41"), 65n)
    assert.deepStrictEqual(Schema.decodeUnknownSync(Bytes.Bytes)("0xC0ffee"), new Uint8Array([0xc0, 0xff, 0xee]))
  })

  it("refuse to encode numbers below zero", () => {
    assert.isTrue(Result.isFailure(Schema.encodeUnknownResult(Quantity.Quantity)(-1n)))
  })
})
