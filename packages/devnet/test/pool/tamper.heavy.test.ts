/** Changes transactions in every way. The pool must admit none of them, and the client must trust none. */
import { assert, describe, it } from "@effect/vitest"
import { Transaction, verifyPending } from "@plumbline/second-chain-methods"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Result, Schema } from "effect"

import { StarknetPool } from "../../src/index.ts"
import * as Pool from "../support/pool.ts"

const { codeOf, kinds, pending, send } = Pool
const keys = [Pool.accounts[0]!, Pool.stranger(0)]

describe("anything that is changed", () => {
  const decode = Schema.decodeUnknownResult(Transaction.Transaction)

  for (const [kind, make] of Object.entries(kinds)) {
    it.effect(`is refused by the pool, wherever it is: ${kind}`, () =>
      Effect.gen(function* () {
        const pool = yield* StarknetPool.make()
        const random = Random.make(612)
        const transaction = make()
        let count = 0
        for (const { json, path } of changesOf(transaction, random)) {
          const code = yield* codeOf(pool, json)
          assert.include([28, 52, 53, 55, 61, -32602], code, path)
          count++
        }
        assert.isAtLeast(count, 20)
        assert.deepStrictEqual(yield* pending(pool), [])
        yield* send(pool, transaction)
      }).pipe(Effect.scoped)
    )

    it.effect(`is refuted by the client, wherever it is: ${kind}`, () =>
      Effect.gen(function* () {
        const pool = yield* StarknetPool.make()
        const random = Random.make(613)
        yield* send(pool, make())
        const [listed] = yield* pending(pool)
        const options = {
          chainId: StarknetPool.CHAIN_ID,
          publicKeyOf: (account: string) => keys.find(({ address }) => address === account)?.publicKey
        }
        const verdict = Result.flatMap(decode(listed), (transaction) => verifyPending(transaction, options))
        assert.strictEqual(Result.getOrThrow(verdict)._tag, "VERIFIED")
        let refuted = 0
        for (const { json, path } of changesOf(listed, random)) {
          const lie = decode(json)
          // an answer that does not decode fails before it is verified
          if (Result.isFailure(lie)) continue
          assert.isTrue(Result.isFailure(verifyPending(lie.success, options)), `${path}: ${JSON.stringify(json)}`)
          refuted++
        }
        assert.isAtLeast(refuted, 20)
      }).pipe(Effect.scoped)
    )
  }
})

describe("junk in any place", () => {
  const junk = [
    null,
    true,
    0,
    -1,
    1.5,
    "",
    "0x",
    "x",
    `0x${"f".repeat(64)}`,
    "0".repeat(10_000),
    [],
    [null],
    {},
    { a: [] }
  ]
  const strange = ["proof", "proof_facts", "paymaster_data", "nonce_data_availability_mode", "__proto__", "gift"]

  for (const [kind, make] of Object.entries(kinds)) {
    it.effect(`is refused or dropped, and breaks nothing: ${kind}`, () =>
      Effect.gen(function* () {
        const random = Random.make(614)
        const transaction = make()
        const names = [...Object.keys(transaction), ...strange]
        const expected = [{ transaction_hash: Pool.hashOf(transaction), ...transaction }]
        let refused = 0
        for (let run = 0; run < Random.runs(30); run++) {
          const pool = yield* StarknetPool.make()
          const name = Random.pick(random, names)
          const json = Object.fromEntries([...Object.entries(transaction), [name, Random.pick(random, junk)]])
          const answer = yield* Effect.result(send(pool, json))
          if (Result.isFailure(answer)) {
            refused++
            assert.include([53, 55, 61, -32602], answer.failure.code, JSON.stringify(json).slice(0, 500))
            assert.deepStrictEqual(yield* pending(pool), [])
          } else {
            assert.deepStrictEqual(yield* pending(pool), expected)
          }
        }
        assert.isAtLeast(refused, 5)
      }).pipe(Effect.scoped)
    )
  }
})

interface Change {
  readonly path: string
  readonly json: any
}

/** Returns changed copies of the value, each with one change: a character of one text, or the length of one list. */
const changesOf = (value: unknown, random: Random.Random, path = ""): ReadonlyArray<Change> => {
  if (typeof value === "string") {
    return Array.from({ length: Random.runs(2) }, () => ({ path, json: changed(value, random) }))
  }
  const within = Object.entries(value as object).flatMap(([name, inner]) =>
    changesOf(inner, random, `${path}.${name}`).map((change) => ({
      ...change,
      json: replaced(value, name, change.json)
    }))
  )
  if (!Array.isArray(value)) return within
  return [
    ...within,
    { path, json: [...value, "0x0"] },
    ...(value.length > 0 ? [{ path, json: value.slice(0, -1) }] : []),
    ...(value.length > 1 ? [{ path, json: [value[1], value[0], ...value.slice(2)] }] : [])
  ]
}

const replaced = (value: any, name: string, inner: unknown): unknown =>
  Array.isArray(value) ? value.with(Number(name), inner) : { ...value, [name]: inner }

/** Returns a number with one digit changed, or a word with another last character. */
const changed = (text: string, random: Random.Random): string => {
  if (!text.startsWith("0x")) return `${text.slice(0, -1)}${text.endsWith("2") ? "1" : "2"}`
  const at = 2 + Random.int(random, text.length - 2)
  const digit = (Number.parseInt(text[at]!, 16) ^ (1 + Random.int(random, 15))).toString(16)
  return `${text.slice(0, at)}${digit}${text.slice(at + 1)}`
}
