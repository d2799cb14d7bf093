import { inspect } from "node:util"

import { assert, describe, it } from "@effect/vitest"
import { Address, Hash32, Hex } from "@plumbline/codec"
import * as Random from "@plumbline/seeded/Random"
import { Arbitrary, Effect, Option, Result, Schema, SchemaGetter } from "effect"

import {
  AccessListResult,
  AccountProof,
  Block,
  BlockParameter,
  CallOverrides,
  CallRequest,
  FeeHistory,
  Log,
  LogFilter,
  Receipt,
  SignatureScalar,
  StorageKey,
  StorageValues,
  StorageWord,
  SyncStatus,
  Transaction
} from "../../src/index.ts"
import * as EthWire from "../../src/model/ethWire.ts"
import { Count, Integer, Quantity256 } from "../../src/model/wireNumbers.ts"

const runs = Random.runs(60)

/** An object with every kind of field, and the Schema of the same object for the interpreter. */
const inner = EthWire.object("Inner", { n: EthWire.quantity })
const all = EthWire.object("All", {
  hash: EthWire.hash32,
  address: EthWire.address,
  data: EthWire.data,
  bloom: EthWire.bytes(8),
  count: EthWire.quantity,
  maybe: EthWire.optional(EthWire.nullOr(EthWire.quantity)),
  list: EthWire.array(EthWire.hash32),
  padded: EthWire.integer,
  loose: EthWire.count,
  ratio: EthWire.number,
  flag: EthWire.optional(EthWire.boolean),
  inner: EthWire.optional(inner),
  none: EthWire.missable(EthWire.quantity),
  nested: EthWire.missable(EthWire.array(inner))
})
/** A field that may be missing or null. Both mean the same. */
const missable = <S extends Schema.Top>(schema: S) =>
  Schema.optionalKey(Schema.NullOr(schema)).pipe(
    Schema.decodeTo(Schema.optionalKey(Schema.toType(schema)), {
      decode: SchemaGetter.transformOptional((found: Option.Option<S["Type"] | null>) =>
        Option.filter(found, (value) => value !== null)
      ),
      encode: SchemaGetter.passthrough()
    })
  )
const extras = [Schema.Record(Schema.String, Schema.Unknown)] as const
const interpreted = Schema.StructWithRest(
  Schema.Struct({
    hash: Hash32.Hash32,
    address: Address.Address,
    data: Hex.Hex,
    bloom: Hex.sized(8),
    count: Quantity256,
    maybe: Schema.optionalKey(Schema.NullOr(Quantity256)),
    list: Schema.Array(Hash32.Hash32),
    padded: Integer,
    loose: Count,
    ratio: Schema.Finite,
    flag: Schema.optionalKey(Schema.Boolean),
    inner: Schema.optionalKey(
      Schema.StructWithRest(Schema.Struct({ n: Quantity256 }), extras).annotate({ identifier: "Inner" })
    ),
    none: missable(Quantity256),
    nested: missable(
      Schema.Array(Schema.StructWithRest(Schema.Struct({ n: Quantity256 }), extras).annotate({ identifier: "Inner" }))
    )
  }),
  extras
).annotate({ identifier: "All" })

const hash = `0x${"aB".repeat(32)}`
const valid = {
  zeta: { kept: [1, null, "x"] },
  hash,
  address: `0x${"12".repeat(20)}`,
  data: "0x",
  bloom: `0x${"00".repeat(8)}`,
  count: "0x0",
  maybe: null,
  list: [hash],
  padded: "0x00ff",
  loose: 5,
  ratio: 0.5,
  flag: true,
  inner: { more: true, n: "0xff" },
  none: "0x7",
  nested: [{ n: "0x1", more: null }]
}

/** Values to put into each field, one after the other: edges of every kind of field, and values that are not JSON. */
const texts = [
  "",
  "0",
  `0x${"0".repeat(64)}`,
  `0x${"0".repeat(65)}`,
  "0x",
  "0x0",
  "0x00",
  "0x1",
  "0x01",
  "0xg0",
  "0X00",
  "0x٠٠",
  "latest"
]
const hashes = [hash, `${hash}00`, hash.slice(0, -1), hash.slice(0, 42), ` ${hash}`, hash.toUpperCase()]
const long = [`0x${"f".repeat(64)}`, `0x${"f".repeat(65)}`]
const numbers = [0, -0, 1, -1, 0.1, 2 ** 53, NaN, Infinity, 1n, -1n, 2n ** 256n - 1n, 2n ** 256n]
const others = [null, undefined, true, false, [], [hash], [null], {}, { n: "0x1" }, { n: 1n }, { n: 1 }]
const edges: ReadonlyArray<unknown> = [texts, hashes, long, numbers, others].flat()

describe("wire objects", () => {
  it("decode and encode as the interpreter does, whatever stands in a field", () => {
    const decode = Schema.decodeUnknownResult(all.schema)
    const decodeSlow = Schema.decodeUnknownResult(interpreted)
    const encode = Schema.encodeUnknownResult(all.schema)
    const encodeSlow = Schema.encodeUnknownResult(interpreted)
    const same = (fast: Result.Result<unknown, Schema.SchemaError>, slow: typeof fast, what: string): void => {
      if (Result.isSuccess(slow)) assert.deepStrictEqual(Result.getOrThrow(fast), slow.success, what)
      else assert.strictEqual(Result.isFailure(fast) && fast.failure.message, slow.failure.message, what)
    }
    const domain = Schema.decodeUnknownSync(interpreted)(valid)
    for (const field of [...Object.keys(valid), "other", "__proto__", "constructor"]) {
      for (const value of edges) {
        const wire = Object.defineProperty({ ...valid }, field, { value, enumerable: true, configurable: true })
        same(decode(wire), decodeSlow(wire), `decode ${field} = ${inspect(value)}`)
        const typed = Object.defineProperty({ ...domain }, field, { value, enumerable: true, configurable: true })
        same(encode(typed), encodeSlow(typed), `encode ${field} = ${inspect(value)}`)
      }
      const { [field as keyof typeof valid]: _, ...without } = valid
      same(decode(without), decodeSlow(without), `decode without ${field}`)
    }
    for (const value of edges) same(decode(value), decodeSlow(value), `decode ${inspect(value)}`)
  })

  it("keep unknown fields and the order of all, both ways", () => {
    const decoded = Schema.decodeUnknownSync(all.schema)(valid)
    assert.deepStrictEqual(Object.keys(decoded), Object.keys(valid))
    // numbers in unusual spellings are written in the usual spelling; everything else stays as it was
    const usual = { ...valid, padded: "0xff", loose: "0x5" }
    assert.strictEqual(JSON.stringify(Schema.encodeSync(all.schema)(decoded)), JSON.stringify(usual))
  })

  it("never give an answer another prototype", () => {
    const hostile: unknown = JSON.parse(`{"__proto__":{"polluted":true},${JSON.stringify(valid).slice(1)}`)
    const decoded = Schema.decodeUnknownSync(all.schema)(hostile)
    assert.strictEqual(Object.getPrototypeOf(decoded), Object.prototype)
    assert.isUndefined(Object.getOwnPropertyDescriptor(Object.prototype, "polluted"))
    assert.isFalse("polluted" in decoded)
  })
})

describe("the published Schemas", () => {
  const published = {
    Block: Block.Block,
    WithHashes: Block.WithHashes,
    WithTransactions: Block.WithTransactions,
    Uncle: Block.Uncle,
    Header: Block.Header,
    Withdrawal: Block.Withdrawal,
    Transaction: Transaction.Transaction,
    AccountProof: AccountProof.AccountProof,
    AccessListResult: AccessListResult.AccessListResult,
    Log: Log.Log,
    LogFilter: LogFilter.LogFilter,
    Receipt: Receipt.Receipt,
    CallRequest: CallRequest.CallRequest,
    BlockOverride: CallOverrides.BlockOverride,
    StateOverride: CallOverrides.StateOverride,
    FeeHistory: FeeHistory.FeeHistory,
    SyncStatus: SyncStatus.SyncStatus,
    StorageRequest: StorageValues.StorageValuesRequest,
    StorageValues: StorageValues.StorageValues,
    StorageWord: StorageWord.StorageWord,
    BlockParameter: BlockParameter.BlockParameter,
    StorageKey: StorageKey.StorageKey,
    SignatureScalar: SignatureScalar.SignatureScalar
  } as const

  for (const [name, schema] of Object.entries<Schema.Codec<any, any>>(published)) {
    it.effect(`${name} generates values, and they come back from the wire`, () =>
      Effect.gen(function* () {
        const decode = Schema.decodeUnknownSync(schema)
        const encode = Schema.encodeSync(schema)
        const outcome = yield* Arbitrary.checkEffect(
          Arbitrary.schema(schema),
          (value) =>
            Effect.sync(() => {
              const wire: unknown = encode(value)
              assert.deepStrictEqual(encode(decode(wire)), wire)
              return true
            }),
          { runs }
        )
        if (outcome._tag !== "Passed") assert.fail(Arbitrary.formatCheckFailure(outcome))
      })
    )

    it(`${name} has a JSON Schema of its wire form, with patterns`, () => {
      const document = JSON.stringify(Schema.toJsonSchemaDocument(schema))
      assert.include(document, '"pattern":"^0x')
    })
  }
})

describe("a field that repeats", () => {
  const wire = EthWire.object("Repeating", { at: EthWire.repeated(EthWire.missable(EthWire.nullOr(EthWire.quantity))) })
  const decode = Schema.decodeUnknownResult(wire.schema)
  const outcome = (at: unknown) => {
    const result = decode({ at })
    return Result.isSuccess(result) ? result.success : "refused"
  }

  it("is converted as it is alone, whatever came before it", () => {
    const cases: ReadonlyArray<readonly [unknown, unknown]> = [
      ["0x1", { at: 1n }],
      ["0x2", { at: 2n }],
      [null, {}],
      ["0x", "refused"],
      [1, "refused"],
      [undefined, "refused"],
      [`0x${"f".repeat(64)}`, { at: 2n ** 256n - 1n }],
      [`0x${"f".repeat(65)}`, "refused"]
    ]
    for (const [first, expected] of cases) {
      for (const [second, after] of cases) {
        assert.deepStrictEqual(outcome(first), expected)
        assert.deepStrictEqual(outcome(second), after)
        assert.deepStrictEqual(outcome(second), after)
      }
    }
  })
})
