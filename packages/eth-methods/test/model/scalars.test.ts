/**
 * Compares the hand-written conversions of parameters and results with Effect's interpreter, which runs equivalent
 * Schemas that are written as patterns.
 */
import { inspect, isDeepStrictEqual } from "node:util"

import { assert, describe, it } from "@effect/vitest"
import { Address, Hash32, Hex } from "@plumbline/codec"
import * as Random from "@plumbline/seeded/Random"
import { Option, Result, Schema, SchemaGetter, SchemaIssue, SchemaParser, SchemaTransformation } from "effect"

import { BlockParameter, StorageKey, StorageWord } from "../../src/index.ts"
import { Quantity256 } from "../../src/model/wireNumbers.ts"

const text = (pattern: RegExp) => Schema.String.check(Schema.isPattern(pattern))
const hash = text(/^0x[0-9a-fA-F]{64}$/u)
const number = (maximum: bigint) =>
  text(/^0x(?:0|[1-9a-fA-F][0-9a-fA-F]*)$/u).pipe(
    Schema.decodeTo(
      Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum })),
      SchemaTransformation.transform({ decode: (hex) => BigInt(hex), encode: (n) => `0x${n.toString(16)}` })
    )
  )
const word = text(/^0x[0-9a-fA-F]{0,64}$/u).pipe(
  Schema.decodeTo(
    hash,
    SchemaTransformation.transform({
      decode: (hex) => `0x${hex.slice(2).padStart(64, "0")}`,
      encode: (hex: string) => hex
    })
  )
)
/** Returns the key with all 32 bytes. Decoding and encoding both pad a key. */
const padded = (hex: string): string => `0x${hex.replace(/^0x/iu, "").padStart(64, "0")}`
const digits = text(/^0x[0-9a-fA-F]{0,64}$/u)
/** geth decodes a key without a prefix too (`decodeStorageKey`). */
const loose = text(/^(?:0x[0-9a-fA-F]{0,64}|(?:0X)?[0-9a-fA-F]{1,64})$/u)
const key = loose.pipe(Schema.decodeTo(digits, SchemaTransformation.transform({ decode: padded, encode: padded })))
const tag = Schema.Literals(["latest", "earliest", "pending", "safe", "finalized"])
const inBlock = number(2n ** 64n - 1n)
/** Returns the schema of a member that may be null, and is then left out. */
const missable = <S extends Schema.Top>(schema: S) =>
  Schema.optionalKey(Schema.NullOr(schema)).pipe(
    Schema.decodeTo(Schema.optionalKey(Schema.toType(schema)), {
      decode: SchemaGetter.transformOptional(Option.filter((value) => value !== null)),
      encode: SchemaGetter.passthrough()
    })
  )
const ofEip1898 = Schema.Union(
  [
    Schema.Struct({ blockHash: hash, requireCanonical: missable(Schema.Boolean) }),
    Schema.Struct({ blockNumber: Schema.Union([tag, inBlock]) })
  ],
  { mode: "oneOf" }
)

const pairs: Readonly<Record<string, readonly [byHand: Schema.Codec<any, any>, pattern: Schema.Codec<any, any>]>> = {
  Hash32: [Hash32.Hash32, hash],
  Address: [Address.Address, text(/^0x[0-9a-fA-F]{40}$/u)],
  Hex: [Hex.Hex, text(/^0x(?:[0-9a-fA-F]{2})*$/u)],
  StorageKey: [StorageKey.StorageKey, key],
  StorageWord: [StorageWord.StorageWord, word],
  Quantity256: [Quantity256, number(2n ** 256n - 1n)],
  NumberOrTag: [BlockParameter.NumberOrTag, Schema.Union([tag, inBlock])],
  BlockParameter: [BlockParameter.BlockParameter, Schema.Union([tag, hash, inBlock, ofEip1898])]
}

const DIGITS = "0123456789abcdefABCDEF"
/** Lengths close to the length of each kind of text. */
const SIZES = [0, 1, 2, 15, 16, 17, 18, 39, 40, 41, 63, 64, 65, 66]

/** Returns a text at the edge of a size, sometimes with a wrong digit or prefix. */
const textOf = (random: Random.Random): string => {
  const unit = Random.pick(random, [DIGITS, DIGITS, "0f", "0", "0g", "fx "])
  const body = Array.from({ length: Random.pick(random, SIZES) }, () => unit[Random.int(random, unit.length)]).join("")
  return `${Random.pick(random, ["0x", "0x", "0x", "0x", "0X", ""])}${body}`
}

const fixed: ReadonlyArray<unknown> = [
  ["latest", "earliest", "pending", "safe", "finalized", "Latest", "", "0x", "0x0", "0x00", " 0x0"],
  [null, undefined, 0, 1, Number.NaN, true, {}, ["0x0"]],
  [-1n, 0n, 1n, 2n ** 64n - 1n, 2n ** 64n, 2n ** 256n - 1n, 2n ** 256n],
  `0x${(2n ** 64n - 1n).toString(16)}`,
  `0x${(2n ** 64n).toString(16)}`,
  `0x${(2n ** 256n - 1n).toString(16)}`,
  { blockNumber: 2n ** 64n },
  { blockNumber: 5n },
  { blockHash: `0x${"ab".repeat(32)}`, blockNumber: "latest" },
  { blockHash: `0x${"ab".repeat(32)}`, requireCanonical: "true" },
  { blockHash: `0x${"ab".repeat(32)}`, blockNumber: null, requireCanonical: null },
  { blockHash: null, blockNumber: "latest" },
  { blockHash: null, blockNumber: null }
].flat()

const valueOf = (random: Random.Random): unknown =>
  Random.pick<() => unknown>(random, [
    () => textOf(random),
    () => textOf(random),
    () => Random.pick(random, fixed),
    () => ({ blockHash: textOf(random) }),
    () => ({ blockNumber: textOf(random) }),
    () => ({ blockHash: textOf(random), requireCanonical: Random.pick(random, [true, false]) })
  ])()

/**
 * Returns the value, or the paths and the number of the faults. A union names the faults of each member, and the
 * conversion by hand those of the member that it chose: so the fault of an object has no path here.
 */
const outcome = (value: unknown, result: Result.Result<unknown, SchemaIssue.Issue>): unknown =>
  Result.isSuccess(result)
    ? { value: result.success }
    : faults(result.failure)
        .issues.map(({ path }) => path && (typeof value === "object" ? [] : path))
        .slice(0, 1)

/**
 * True if both outcomes are the same value, or refusals. A union names the faults of the form that the value has, so
 * its faults are some of those that the interpreter finds in all forms.
 */
const areAlike = (ours: unknown, interpreted: unknown): boolean =>
  Array.isArray(ours) && Array.isArray(interpreted)
    ? ours.length > 0 && ours.every((path) => interpreted.some((other) => isDeepStrictEqual(path, other)))
    : isDeepStrictEqual(ours, interpreted)

const faults = SchemaIssue.makeFormatterStandardSchemaV1()

describe("a value converted by hand", () => {
  for (const [name, [byHand, pattern]] of Object.entries(pairs)) {
    it(`is what the interpreter makes of it, or refused as there: ${name}`, () => {
      const random = Random.make(1)
      const values = [...fixed, ...Array.from({ length: Random.runs(60) * 20 }, () => valueOf(random))]
      let accepted = 0
      for (const value of values) {
        const decoded = outcome(value, SchemaParser.decodeUnknownResult(byHand)(value))
        const wanted = outcome(value, SchemaParser.decodeUnknownResult(pattern)(value))
        assert(areAlike(decoded, wanted), `decode ${inspect(value)}`)
        const encoded = outcome(value, SchemaParser.encodeUnknownResult(byHand)(value))
        const other = outcome(value, SchemaParser.encodeUnknownResult(pattern)(value))
        assert(areAlike(encoded, other), `encode ${inspect(value)}`)
        assert.strictEqual(Schema.is(byHand)(value), Schema.is(pattern)(value), inspect(value))
        if (!Array.isArray(decoded)) accepted++
      }
      assert.isAbove(accepted, values.length / 160)
      assert.isBelow(accepted, values.length)
    })
  }
})
