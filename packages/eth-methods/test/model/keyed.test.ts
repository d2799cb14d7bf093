/**
 * Tests objects whose keys are addresses or slots. Compares their hand-written conversions with Effect's interpreter,
 * and checks the cost of a mistake in such an object.
 */
import { inspect } from "node:util"

import { assert, describe, it } from "@effect/vitest"
import { Address, Hash32, Hex } from "@plumbline/codec"
import { Option, Result, Schema, SchemaGetter } from "effect"

import { CallOverrides, StorageKey, StorageValues, StorageWord } from "../../src/index.ts"
import { Quantity256 } from "../../src/model/wireNumbers.ts"

/** Makes the same Schema as the package, without the hand-written conversions. */
const keyed = <V extends Schema.Codec<any, any>>(names: Schema.Codec<any, string>, values: V) => {
  const key = names as Schema.Codec<string, string> & Schema.Record.Key
  return Schema.Record(Schema.String, Schema.toEncoded(values))
    .check(Schema.isPropertyNames(key))
    .pipe(Schema.decodeTo(Schema.Record(key, values)))
}
const slots = keyed(Hash32.Hash32, StorageWord.StorageWord)
/** Returns the schema of a field that may be null, and is then left out. */
const missable = <S extends Schema.Top>(schema: S) =>
  Schema.optionalKey(Schema.NullOr(schema)).pipe(
    Schema.decodeTo(Schema.optionalKey(Schema.toType(schema)), {
      decode: SchemaGetter.transformOptional(Option.filter((value) => value !== null)),
      encode: SchemaGetter.passthrough()
    })
  )
const account = Schema.Struct({
  balance: missable(Quantity256),
  nonce: missable(Quantity256),
  code: missable(Hex.Hex),
  state: missable(slots),
  stateDiff: missable(slots),
  movePrecompileToAddress: missable(Address.Address)
}).annotate({ identifier: "AccountOverride" })

const pairs: ReadonlyArray<readonly [name: string, fast: Schema.Codec<any, any>, slow: Schema.Codec<any, any>]> = [
  ["overrides", CallOverrides.StateOverride, keyed(Address.Address, account)],
  ["an account", CallOverrides.AccountOverride, account],
  ["slots", StorageValues.StorageValuesRequest, keyed(Address.Address, Schema.Array(StorageKey.StorageKey))],
  ["words", StorageValues.StorageValues, keyed(Address.Address, Schema.Array(StorageWord.StorageWord))]
]

const one = `0x${"aB".repeat(20)}`
const two = `0x${"12".repeat(20)}`
const slot = `0x${"0c".repeat(32)}`
const names = [one, slot, "", "0x", "k", "__proto__", "constructor", one.toUpperCase(), `${one}00`, "toString"]
const leaves = ["0x", "0x0", "0x1", "0x01", "0x001", "0xg", slot, one, "", 0, 1n, null, undefined, true, [], {}]
const fields = ["balance", "nonce", "code", "state", "stateDiff", "movePrecompileToAddress", "more", "__proto__"]

const own = (name: string, value: unknown): object =>
  Object.defineProperty({}, name, { value, enumerable: true, configurable: true, writable: true })

const inputs: ReadonlyArray<unknown> = [
  ...leaves,
  ...names.flatMap((name) => [
    ...leaves.map((leaf) => own(name, leaf)),
    ...leaves.map((leaf) => own(name, [leaf])),
    own(name, ["0x1", "0x2"]),
    ...fields.flatMap((field) => [
      ...leaves.map((leaf) => own(name, own(field, leaf))),
      ...names.flatMap((inner) => leaves.map((leaf) => own(name, own(field, own(inner, leaf)))))
    ])
  ]),
  ...fields.flatMap((field) => leaves.map((leaf) => own(field, leaf))),
  ...fields.flatMap((field) => names.map((inner) => own(field, own(inner, "0x1")))),
  { [one]: {}, [two]: { nonce: "0x1", more: 1, balance: "0x0", state: { [slot]: "0x" } } },
  { [one]: ["0x"], [two]: [] }
]

describe("objects by address", () => {
  for (const [name, fast, slow] of pairs) {
    it(`${name}: are decoded and encoded as the interpreter does it`, () => {
      const [decode, decodeSlow] = [Schema.decodeUnknownResult(fast), Schema.decodeUnknownResult(slow)]
      const [encode, encodeSlow] = [Schema.encodeUnknownResult(fast), Schema.encodeUnknownResult(slow)]
      let taken = 0
      let refused = 0
      const same = (found: Result.Result<unknown, Schema.SchemaError>, expected: typeof found, input: unknown) => {
        if (Result.isSuccess(expected)) {
          assert.deepStrictEqual(Result.getOrThrow(found), expected.success, inspect(input))
          taken++
        } else {
          assert.isTrue(Result.isFailure(found), inspect(input))
          refused++
        }
      }
      for (const input of inputs) {
        const slowly = decodeSlow(input)
        same(decode(input), slowly, input)
        if (Result.isSuccess(slowly)) same(encode(slowly.success), encodeSlow(slowly.success), slowly.success)
        same(encode(input), encodeSlow(input), input)
      }
      assert.isAbove(taken, 10)
      assert.isAbove(refused, 100)
    })
  }

  it("say what is wrong with one of thousands, and where", () => {
    const many = Object.fromEntries(
      Array.from({ length: 4000 }, (_, i) => [`0x${i.toString(16).padStart(40, "0")}`, {}])
    )
    const said = (schema: Schema.Codec<any, any>, value: unknown) => {
      const result = Schema.decodeUnknownResult(schema)(value)
      return Result.isFailure(result) ? result.failure.message : "taken"
    }
    assert.strictEqual(said(CallOverrides.StateOverride, many), "taken")
    assert.include(said(CallOverrides.StateOverride, { ...many, [one]: { nonce: 5 } }), `["${one}"]["nonce"]`)
    assert.include(said(CallOverrides.StateOverride, { ...many, k: {} }), `["k"]`)
    const keys = Array.from({ length: 513 }, () => "0x0")
    assert.include(said(StorageValues.StorageValuesRequest, { [one]: keys, [two]: keys }), "at most 1024 slots")
  })
})
