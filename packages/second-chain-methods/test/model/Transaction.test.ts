import { assert, describe, it } from "@effect/vitest"
import { Broadcast, Transaction } from "@plumbline/second-chain-methods"
import * as Random from "@plumbline/seeded/Random"
import { Result, Schema, SchemaIssue } from "effect"

import * as Made from "../support/transactions.ts"

const decode = Schema.decodeUnknownResult(Transaction.Transaction)
const encode = Schema.encodeUnknownResult(Transaction.Transaction)

const read = (value: unknown): Transaction.Transaction => Result.getOrThrow(decode(value))

/** Returns the paths of the invalid values. */
const complaints = (result: Result.Result<unknown, { readonly issue: SchemaIssue.Issue }>): ReadonlyArray<string> =>
  Result.isSuccess(result)
    ? []
    : SchemaIssue.makeFormatterStandardSchemaV1()(result.failure.issue).issues.map(({ path }) =>
        (path ?? []).map(String).join(".")
      )

const all = Object.entries(Made.wire)

describe("Transaction", () => {
  it("knows every kind and version, also with the query bit, and writes what it read", () => {
    for (const [kind, made] of all) {
      for (const wire of [made, Made.asQuery(made)]) {
        const transaction = read(wire)
        assert.strictEqual(Transaction.caseOf(transaction).kind, kind)
        assert.strictEqual(JSON.stringify(transaction), JSON.stringify(wire), "the same text, unknown fields in place")
        assert.strictEqual(JSON.stringify(Result.getOrThrow(encode(transaction))), JSON.stringify(wire))
        const known = Transaction.caseOf(transaction)
        assert.isTrue(known.kind !== "UNKNOWN" && Transaction.isQuery(known.transaction) === (wire !== made))
      }
    }
  })

  it("refuses a known kind without a required field, and says which", () => {
    for (const [kind, made] of all) {
      const required = Object.keys(made).filter(
        (field) => !["type", "version", "later_field", ...(Made.optional[kind] ?? [])].includes(field)
      )
      assert.isAtLeast(required.length, 4)
      for (const field of required) {
        const { [field]: _, ...rest } = made as Record<string, unknown>
        assert.deepStrictEqual(complaints(decode(rest)), [field], kind)
      }
      for (const field of Made.optional[kind] ?? []) {
        const { [field]: _, ...rest } = made as Record<string, unknown>
        assert.strictEqual(Transaction.caseOf(read(rest)).kind, kind)
      }
    }
  })

  it("refuses a wrong value, and says where", () => {
    const transaction = Made.wire["INVOKE v3"]
    const { resource_bounds, signature } = transaction
    const l1_gas = { ...resource_bounds.l1_gas, max_amount: "0x10000000000000000" }
    const cases: ReadonlyArray<readonly [object, string]> = [
      [{ nonce: 7 }, "nonce"],
      [{ nonce: null }, "nonce"],
      [{ signature: [...signature, "0xg"] }, "signature.2"],
      [{ signature: "0x1" }, "signature"],
      [{ resource_bounds: { ...resource_bounds, l1_gas } }, "resource_bounds.l1_gas.max_amount"],
      [{ fee_data_availability_mode: "L3" }, "fee_data_availability_mode"],
      [{ tip: `0x1${"0".repeat(16)}` }, "tip"]
    ]
    for (const [change, path] of cases) {
      assert.deepStrictEqual(complaints(decode({ ...transaction, ...change })), [path])
      assert.deepStrictEqual(complaints(encode({ ...transaction, ...change })), [path])
    }
  })

  it("holds nothing of a wrong value in its error's text", () => {
    const failure = Result.flip(decode({ ...Made.wire["INVOKE v1"], nonce: "0xsecret" }))
    const issues = Result.isSuccess(failure)
      ? SchemaIssue.makeFormatterStandardSchemaV1()(failure.success.issue).issues
      : assert.fail("expected a failure")
    assert.notInclude(JSON.stringify(issues.map(({ message }) => message)), "secret")
  })

  it("keeps what it does not know whole, as long as it has a hash", () => {
    const strangers: ReadonlyArray<object> = [
      { type: "INVOKE", version: "0x4", transaction_hash: "0x1", signature: "none" },
      { type: "INVOKE", version: "0x01", transaction_hash: "0x1" },
      { type: "INVOKE", version: 1, transaction_hash: "0x1" },
      { type: "DECLARE", version: "0x4", z: null, transaction_hash: "0x1", a: 1 },
      { type: "L1_HANDLER", version: "0x1", transaction_hash: "0x1" },
      { type: "DECLARE", version: "0x2", contract_class: {}, transaction_hash: "0x1" },
      { type: "constructor", version: "toString", transaction_hash: "0x1" },
      { transaction_hash: "0x1", ["__proto__"]: 1 },
      { transaction_hash: "0x1" }
    ]
    for (const stranger of strangers) {
      const transaction = read(stranger)
      assert.strictEqual(Transaction.caseOf(transaction).kind, "UNKNOWN")
      assert(transaction.type === "UNKNOWN")
      assert.strictEqual(JSON.stringify(transaction.sent), JSON.stringify(stranger))
      assert.strictEqual(JSON.stringify(Result.getOrThrow(encode(transaction))), JSON.stringify(stranger))
    }
    assert.deepStrictEqual(complaints(decode({ type: "INVOKE", version: "0x4" })), ["transaction_hash"])
    assert.deepStrictEqual(complaints(decode({ type: "INVOKE", version: "0x4", transaction_hash: 1 })), [
      "transaction_hash"
    ])
  })

  it("does not take a known kind for an unknown one", () => {
    const unknown = (sent: object) => ({ type: "UNKNOWN", transaction_hash: "0x1", sent })
    const isUnknown = Schema.is(Transaction.Unknown)
    assert.isTrue(isUnknown(unknown({ type: "INVOKE", version: "0x4", transaction_hash: "0x1" })))
    assert.isFalse(isUnknown(unknown(Made.wire["INVOKE v1"])))
    assert.isFalse(isUnknown(Made.wire["INVOKE v1"]))
    assert.isTrue(Result.isFailure(encode(unknown(Made.wire["INVOKE v1"]))), "a kind that is known, in disguise")
    assert.isTrue(Result.isFailure(Schema.decodeUnknownResult(Transaction.Unknown)(Made.wire["INVOKE v1"])))
  })

  it("refuses what is not an object", () => {
    for (const value of [null, undefined, 1, "0x1", [], [Made.wire["INVOKE v1"]], true]) {
      assert.isTrue(Result.isFailure(decode(value)))
      assert.isTrue(Result.isFailure(encode(value)))
    }
  })

  it("throws at nothing, and writes whatever it reads: seeded changes of every kind", () => {
    const random = Random.make(6)
    const values: ReadonlyArray<unknown> = [
      null,
      1,
      -1,
      "",
      "0x",
      "0x1",
      "L1",
      {},
      [],
      ["0x1"],
      [null],
      true,
      "__proto__"
    ]
    let taken = 0
    for (let run = 0; run < Random.runs(3000); run++) {
      const changed: Record<string, unknown> = structuredClone(Random.pick(random, all)[1])
      for (let change = Random.int(random, 3); change >= 0; change--) {
        const field = Random.pick(random, Object.keys(changed))
        if (Random.int(random, 3) === 0) delete changed[field]
        else changed[field] = Random.pick(random, values)
      }
      const decoded = decode(changed)
      if (Result.isFailure(decoded)) continue
      taken++
      assert.isString(changed["transaction_hash"], "nothing is taken without a hash")
      assert.strictEqual(JSON.stringify(Result.getOrThrow(encode(decoded.success))), JSON.stringify(changed))
    }
    assert.isAbove(taken, 0)
  })
})

describe("Broadcast", () => {
  const withoutHash = (transaction: Readonly<Record<string, unknown>>) => {
    const { transaction_hash: _, ...rest } = transaction
    return rest
  }

  it("takes what senders send: the same without a hash", () => {
    for (const [schema, ...kinds] of [
      [Broadcast.Invoke, "INVOKE v0", "INVOKE v1", "INVOKE v3"],
      [Broadcast.DeployAccount, "DEPLOY_ACCOUNT v1", "DEPLOY_ACCOUNT v3"]
    ] as const) {
      for (const kind of kinds) {
        const wire = withoutHash(Made.wire[kind])
        const decoded = Schema.decodeUnknownSync(schema)(wire)
        assert.strictEqual(JSON.stringify(Schema.encodeUnknownSync(schema)(decoded)), JSON.stringify(wire))
        const { signature: _, ...unsigned } = wire
        assert.deepStrictEqual(complaints(Schema.decodeUnknownResult(schema)(unsigned)), ["signature"])
      }
    }
  })

  it("takes no kind or version that is not known", () => {
    const invoke = withoutHash(Made.wire["INVOKE v3"])
    for (const change of [{ version: "0x4" }, { version: "0x2" }, { version: undefined }, { type: "DECLARE" }]) {
      assert.isTrue(Result.isFailure(Schema.decodeUnknownResult(Broadcast.Invoke)({ ...invoke, ...change })))
    }
    assert.isTrue(Result.isFailure(Schema.decodeUnknownResult(Broadcast.DeployAccount)(invoke)))
  })
})
