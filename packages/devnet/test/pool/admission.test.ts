/** Checks which transactions the pool admits and refuses, each hashed and signed by starknet.js. */
import { assert, describe, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"
import { Effect } from "effect"
import { ec, hash, shortString } from "starknet"

import { StarknetPool, type StarknetPoolAccounts } from "../../src/index.ts"
import * as Pool from "../support/pool.ts"

const [first, second] = Pool.accounts as [
  StarknetPoolAccounts.StarknetPoolAccount,
  StarknetPoolAccounts.StarknetPoolAccount
]

const { codeOf, kinds, pending, send } = Pool

describe("a transaction that is right", () => {
  for (const [kind, make] of Object.entries(kinds)) {
    it.effect(`is taken in, under the hash that starknet.js makes of it: ${kind}`, () =>
      Effect.gen(function* () {
        const pool = yield* StarknetPool.make()
        const transaction = make()
        const answer = yield* send(pool, transaction)
        const expected = { transaction_hash: Pool.hashOf(transaction) }
        const address = Pool.stranger(0).address
        assert.deepStrictEqual(
          answer,
          transaction["type"] === "INVOKE" ? expected : { ...expected, contract_address: address }
        )
        assert.deepStrictEqual(yield* pending(pool), [{ ...expected, ...transaction }])
      }).pipe(Effect.scoped)
    )

    it.effect(`is hashed as starknet.js does, whatever is in it: ${kind}`, () =>
      Effect.gen(function* () {
        const random = Random.make(611)
        for (let run = 0; run < Random.runs(6); run++) {
          const pool = yield* StarknetPool.make()
          const transaction = make({ ...randomly(random, kind), ...(kind.startsWith("INVOKE") ? callOf(random) : {}) })
          const { transaction_hash } = yield* send(pool, transaction)
          assert.strictEqual(transaction_hash, Pool.hashOf(transaction), JSON.stringify(transaction))
        }
      }).pipe(Effect.scoped)
    )
  }

  it.effect("is kept without leading zeros and without fields that are not of its kind", () =>
    Effect.gen(function* () {
      const pool = yield* StarknetPool.make()
      const transaction = Pool.invokeV3(first, 0)
      const padded = JSON.parse(JSON.stringify(transaction), (name, value) =>
        typeof value === "string" && value.startsWith("0x") && name !== "version" ? `0x00${value.slice(2)}` : value
      )
      padded.sender_address = `0x${first.address.slice(2).padStart(64, "0")}`
      padded.signature = transaction["signature"].map((felt: string) => `0x${felt.slice(2).padStart(64, "0")}`)
      const strange = { ...padded, gift: "x".repeat(1000), max_fee: "0x1", proof_facts: [], proof: null }
      const { l2_gas } = padded.resource_bounds
      strange.resource_bounds = {
        ...padded.resource_bounds,
        l2_gas: { ...l2_gas, unit: "gas" },
        l3_gas: { max_amount: "0x1" }
      }
      yield* send(pool, strange)
      assert.deepStrictEqual(yield* pending(pool), [{ transaction_hash: Pool.hashOf(transaction), ...transaction }])
    }).pipe(Effect.scoped)
  )

  it.effect("may follow another of its account at once, and the deployment of its account", () =>
    Effect.gen(function* () {
      const pool = yield* StarknetPool.make()
      const stranger = Pool.stranger(1)
      const all = [
        Pool.deployAccountV3(stranger),
        Pool.invokeV3(stranger, 1),
        Pool.invokeV1(stranger, 2),
        Pool.invokeV1(second, 0),
        Pool.invokeV3(second, 1)
      ]
      for (const transaction of all) yield* send(pool, transaction)
      assert.deepStrictEqual(
        (yield* pending(pool)).map((transaction: Pool.Fields) => transaction["transaction_hash"]),
        all.map((transaction) => Pool.hashOf(transaction))
      )
    }).pipe(Effect.scoped)
  )

  it.effect("without bounds for L1 data gas is taken by versions before 0.8, which have none, and by no other", () =>
    Effect.gen(function* () {
      const { l1_gas, l2_gas } = Pool.bounds
      const old = { ...Pool.invokeV3(first, 0), resource_bounds: { l1_gas, l2_gas } }
      const hashed = hashWithTwoBounds(old)
      const { r, s } = ec.starkCurve.sign(hashed, first.privateKey)
      const transaction = { ...old, signature: [Pool.hex(r), Pool.hex(s)] }
      for (const specVersion of ["0.4.0", "0.7.1"] as const) {
        const pool = yield* StarknetPool.make({ specVersion })
        assert.deepStrictEqual(yield* send(pool, transaction), { transaction_hash: hashed })
      }
      for (const specVersion of ["0.8.1", "0.9.0", "0.10.2"] as const) {
        const pool = yield* StarknetPool.make({ specVersion })
        assert.deepStrictEqual(yield* Effect.flip(send(pool, transaction)), {
          code: -32602,
          message: `invalid argument 0: resource_bounds.l1_data_gas: version ${specVersion} has it`
        })
      }
    }).pipe(Effect.scoped)
  )
})

const felts = (n: number): ReadonlyArray<string> => Array.from({ length: n }, (_, i) => Pool.hex(i))
const bound = { max_amount: "0x1", max_price_per_unit: "0x1" }
const nothing = { max_amount: "0x0", max_price_per_unit: "0xff" }
/** The order of the Stark curve. */
const ORDER = 0x800000000000010ffffffffffffffffb781126dcae7b2321e66a241adc64d2fn

describe("a transaction that is wrong", () => {
  /**
   * The fault, the code of the refusal, and the transaction. Each faulty transaction has a valid signature unless its
   * text says otherwise.
   */
  const cases: ReadonlyArray<readonly [what: string, code: number, transaction: () => Pool.Fields]> = [
    ["the query bit, INVOKE v3", 61, () => Pool.invokeV3(first, 0, { version: `0x1${"0".repeat(31)}3` })],
    ["the query bit, INVOKE v1", 61, () => Pool.invokeV1(first, 0, { version: `0x1${"0".repeat(31)}1` })],
    ["the query bit, DEPLOY_ACCOUNT v3", 61, () => kinds["DEPLOY_ACCOUNT v3"]!({ version: `0x1${"0".repeat(31)}3` })],
    ["the query bit, DEPLOY_ACCOUNT v1", 61, () => kinds["DEPLOY_ACCOUNT v1"]!({ version: `0x1${"0".repeat(31)}1` })],
    [
      "INVOKE v0",
      61,
      () => ({
        ...Pool.invokeV1(first, 0),
        version: "0x0",
        contract_address: first.address,
        entry_point_selector: "0x1"
      })
    ],
    ["a version that is none", -32602, () => ({ ...Pool.invokeV3(first, 0), version: "0x2" })],

    ["a nonce that is ahead", 52, () => Pool.invokeV3(first, 1)],
    ["a nonce that is far ahead", 52, () => Pool.invokeV1(first, 2 ** 40)],
    ["a deployment with a nonce", 52, () => kinds["DEPLOY_ACCOUNT v3"]!({ nonce: "0x1" })],

    ["a signature by another account's key", 55, () => Pool.invokeV3({ ...first, privateKey: second.privateKey }, 0)],
    [
      "a deployment signed by another key",
      55,
      () => Pool.deployAccountV1({ ...Pool.stranger(0), privateKey: second.privateKey })
    ],
    [
      "a signature for another chain",
      55,
      () => Pool.signed(first, Pool.invokeV3(first, 0), shortString.encodeShortString("SN_MAIN"))
    ],
    ["no signature", 55, () => ({ ...Pool.invokeV3(first, 0), signature: [] })],
    ["half a signature", 55, () => withSignature(([r]) => [r!])],
    ["a signature with something behind", 55, () => withSignature(([r, s]) => [r!, s!, "0x0"])],
    ["r of zero", 55, () => withSignature(([, s]) => ["0x0", s!])],
    ["s of zero", 55, () => withSignature(([r]) => [r!, "0x0"])],
    ["r and s changed over", 55, () => withSignature(([r, s]) => [s!, r!])],
    ["r from 2^251 on", 55, () => withSignature(([, s]) => [Pool.hex(2n ** 251n), s!])],
    ["s that is the curve's order", 55, () => withSignature(([r]) => [r!, Pool.hex(ORDER)])],
    ["s beyond the curve's order", 55, () => withSignature(([r]) => [r!, Pool.hex(ORDER + 1n)])],
    ["a signature that is not a felt", -32602, () => withSignature(([r]) => [r!, `0x${"f".repeat(64)}`])],

    ["an account that is not there", 55, () => Pool.invokeV3(Pool.stranger(0), 0)],
    ["an account that is not there, v1", 55, () => Pool.invokeV1(Pool.stranger(0), 0)],
    ["a deployment where an account is", 55, () => Pool.deployAccountV3(first)],
    ["a class that it does not know", 28, () => kinds["DEPLOY_ACCOUNT v3"]!({ class_hash: "0x1" })],
    ["no key for the constructor", 55, () => kinds["DEPLOY_ACCOUNT v3"]!({ constructor_calldata: [] })],
    [
      "two keys for the constructor",
      55,
      () => kinds["DEPLOY_ACCOUNT v1"]!({ constructor_calldata: [Pool.stranger(0).publicKey, "0x2"] })
    ],
    ["a key that no point has", 55, () => kinds["DEPLOY_ACCOUNT v3"]!({ constructor_calldata: ["0x5"] })],

    ["a fee of zero", 53, () => Pool.invokeV1(first, 0, { max_fee: "0x0" })],
    ["a fee of zero to deploy", 53, () => kinds["DEPLOY_ACCOUNT v1"]!({ max_fee: "0x0" })],
    ["a fee of 2^128", 55, () => Pool.invokeV1(first, 0, { max_fee: Pool.hex(2n ** 128n) })],
    [
      "bounds that pay for nothing",
      53,
      () => Pool.invokeV3(first, 0, { resource_bounds: { l1_gas: nothing, l1_data_gas: nothing, l2_gas: nothing } })
    ],
    ["no bounds", -32602, () => ({ ...Pool.invokeV3(first, 0), resource_bounds: undefined })],
    [
      "no bounds for L2 gas",
      -32602,
      () => ({ ...Pool.invokeV3(first, 0), resource_bounds: { l1_gas: bound, l1_data_gas: bound } })
    ],
    ["an amount of 2^64", -32602, () => withBound({ max_amount: Pool.hex(2n ** 64n), max_price_per_unit: "0x1" })],
    ["a price of 2^128", -32602, () => withBound({ max_amount: "0x1", max_price_per_unit: Pool.hex(2n ** 128n) })],
    ["a tip of 2^64", -32602, () => ({ ...Pool.invokeV3(first, 0), tip: Pool.hex(2n ** 64n) })],

    ["5001 felts of calldata", 55, () => ({ ...Pool.invokeV3(first, 0), calldata: felts(5001) })],
    [
      "5001 felts of calldata to deploy",
      55,
      () => ({ ...kinds["DEPLOY_ACCOUNT v3"]!(), constructor_calldata: felts(5001) })
    ],
    ["calldata beyond the field", -32602, () => ({ ...Pool.invokeV3(first, 0), calldata: [`0x${"f".repeat(64)}`] })],
    ["data for a paymaster", 55, () => Pool.invokeV3(first, 0, { paymaster_data: ["0x1"] })],
    ["data for a deployment", 55, () => Pool.invokeV3(first, 0, { account_deployment_data: ["0x1"] })],
    ["a nonce kept on L2", 55, () => Pool.invokeV3(first, 0, { nonce_data_availability_mode: "L2" })],
    ["a fee paid on L2", 55, () => Pool.invokeV3(first, 0, { fee_data_availability_mode: "L2" })],
    ["facts of a proof", 55, () => ({ ...Pool.invokeV3(first, 0), proof_facts: ["0x1"] })],
    ["a proof", 55, () => ({ ...Pool.invokeV3(first, 0), proof: "AAAA" })]
  ]
  const withSignature = (change: (signature: ReadonlyArray<string>) => ReadonlyArray<string>): Pool.Fields => {
    const transaction = Pool.invokeV3(first, 0)
    return { ...transaction, signature: change(transaction["signature"]) }
  }
  const withBound = (l2_gas: object): Pool.Fields => ({
    ...Pool.invokeV3(first, 0),
    resource_bounds: { ...Pool.bounds, l2_gas }
  })

  for (const [what, code, make] of cases) {
    it.effect(`is refused with ${code}: ${what}`, () =>
      Effect.gen(function* () {
        const pool = yield* StarknetPool.make()
        assert.strictEqual(yield* codeOf(pool, make()), code)
        assert.deepStrictEqual(yield* pending(pool), [])
        // a refusal has no effect: the same account can then send a valid transaction
        yield* send(pool, Pool.invokeV3(first, 0))
      }).pipe(Effect.scoped)
    )
  }

  it.effect("is refused though it was right once: the same again, its nonce again, and after a block", () =>
    Effect.gen(function* () {
      const pool = yield* StarknetPool.make()
      const once = [Pool.invokeV3(first, 0), Pool.invokeV1(second, 0), Pool.deployAccountV3(Pool.stranger(0))]
      const otherwise = [
        Pool.invokeV3(first, 0, { tip: "0x1" }),
        Pool.invokeV3(second, 0),
        Pool.deployAccountV1(Pool.stranger(0))
      ]
      for (const transaction of once) yield* send(pool, transaction)
      for (const transaction of once) assert.strictEqual(yield* codeOf(pool, transaction), 59)
      for (const transaction of otherwise) assert.strictEqual(yield* codeOf(pool, transaction), 52)
      yield* pool.seal
      for (const transaction of [...once, ...otherwise]) assert.strictEqual(yield* codeOf(pool, transaction), 52)
      assert.deepStrictEqual(yield* pending(pool), [])
    }).pipe(Effect.scoped)
  )

  it.effect("is the same transaction with the other signature that ECDSA has for it", () =>
    Effect.gen(function* () {
      const pool = yield* StarknetPool.make()
      const transaction = Pool.invokeV3(first, 0)
      const [r, s] = transaction["signature"]
      // both `s` and `ORDER - s` are below 2^251, as Cairo requires
      const twin = { ...transaction, signature: [r, Pool.hex(ORDER - BigInt(s))] }
      yield* send(pool, transaction)
      assert.strictEqual(yield* codeOf(pool, twin), 59)
    }).pipe(Effect.scoped)
  )

  it.effect("is told in words what is wrong with it", () =>
    Effect.gen(function* () {
      const pool = yield* StarknetPool.make()
      const { address, publicKey } = first
      const thief = Pool.invokeV3({ ...first, privateKey: second.privateKey }, 0)
      const texts: ReadonlyArray<readonly [Pool.Fields, string]> = [
        [withSignature(([r]) => [r!]), "a signature is r and s, and not 1 felts"],
        [withSignature(([r, s]) => [r!, s!, "0x0"]), "a signature is r and s, and not 3 felts"],
        [Pool.invokeV3(first, 3), `the next nonce of ${address} is 0x0, not 0x3`],
        [thief, `the key ${publicKey} of ${address} did not sign ${Pool.hashOf(thief)} on the chain ${Pool.CHAIN_ID}`],
        [Pool.invokeV3(Pool.stranger(0), 0), `there is no account at ${Pool.stranger(0).address} whose key it knows`],
        [Pool.deployAccountV3(first), `there is a contract at ${address} already`]
      ]
      for (const [transaction, text] of texts) {
        const { data } = yield* Effect.flip(send(pool, transaction))
        assert.strictEqual(data, `this is a pool and not a sequencer: ${text}`)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("is all but one of those that come at once with one nonce", () =>
    Effect.gen(function* () {
      const pool = yield* StarknetPool.make()
      const all = ["0x0", "0x1", "0x2", "0x3"].map((tip) => Pool.invokeV3(first, 0, { tip }))
      const answers = yield* Effect.all(
        all.map((transaction) => Effect.result(send(pool, transaction))),
        { concurrency: "unbounded" }
      )
      const codes = answers.map((answer) => (answer._tag === "Failure" ? answer.failure.code : 0))
      assert.deepStrictEqual(codes, [0, 52, 52, 52])
      assert.lengthOf(yield* pending(pool), 1)
    }).pipe(Effect.scoped)
  )

  it.effect("is refused in the words of the version: what cannot pay", () =>
    Effect.gen(function* () {
      const resources = "The transaction's resources don't cover validation or the minimal transaction fee"
      const maxFee = "Max fee is smaller than the minimal transaction cost (validation plus fee transfer)"
      const texts = { "0.4.0": maxFee, "0.7.1": maxFee, "0.8.1": resources, "0.10.2": resources }
      for (const [specVersion, text] of Object.entries(texts)) {
        const pool = yield* StarknetPool.make({ specVersion: specVersion as StarknetPool.SpecVersion })
        const { code, message } = yield* Effect.flip(send(pool, Pool.invokeV1(first, 0, { max_fee: "0x0" })))
        assert.deepStrictEqual([code, message], [53, text])
      }
    }).pipe(Effect.scoped)
  )

  it.effect("is refused while the pool is full, and taken after a block", () =>
    Effect.gen(function* () {
      const pool = yield* StarknetPool.make({ capacity: 2 })
      yield* send(pool, Pool.invokeV3(first, 0))
      yield* send(pool, Pool.invokeV3(first, 1))
      const error = yield* Effect.flip(send(pool, Pool.invokeV3(first, 2)))
      assert.deepStrictEqual(error, {
        code: 63,
        message: "An unexpected error occurred",
        data: "this is a pool and not a sequencer: it is full: 2 transactions are pending"
      })
      yield* pool.seal
      yield* send(pool, Pool.invokeV3(first, 2))
    }).pipe(Effect.scoped)
  )
})

describe("bounds", () => {
  it.effect("are taken to their edges: 5000 felts of calldata, a fee below 2^128, bounds as large as their types", () =>
    Effect.gen(function* () {
      const pool = yield* StarknetPool.make()
      const most = { max_amount: Pool.hex(2n ** 64n - 1n), max_price_per_unit: Pool.hex(2n ** 128n - 1n) }
      const all = [
        Pool.invokeV3(first, 0, { calldata: felts(5000) }),
        Pool.invokeV1(first, 1, { max_fee: Pool.hex(2n ** 128n - 1n) }),
        Pool.invokeV3(first, 2, { resource_bounds: { l1_gas: most, l1_data_gas: most, l2_gas: most } }),
        Pool.invokeV3(first, 3, { calldata: [], tip: Pool.hex(2n ** 64n - 1n) }),
        Pool.invokeV3(first, 4, { resource_bounds: { l1_gas: nothing, l1_data_gas: nothing, l2_gas: bound } })
      ]
      for (const transaction of all) {
        assert.strictEqual((yield* send(pool, transaction)).transaction_hash, Pool.hashOf(transaction))
      }
    }).pipe(Effect.scoped)
  )
})

const felt = (random: Random.Random): string => {
  const digits = Array.from({ length: 1 + Random.int(random, 62) }, () => Random.int(random, 16).toString(16))
  return Pool.hex(`0x${digits.join("")}`)
}

const callOf = (random: Random.Random) => ({
  calldata: Array.from({ length: Random.int(random, 20) }, () => felt(random))
})

/** Returns random values for fields in which any value is valid. */
const randomly = (random: Random.Random, kind: string): Pool.Fields => {
  const below = (bits: number) => Pool.hex(BigInt.asUintN(bits, BigInt(felt(random))) + 1n)
  if (kind.endsWith("v1")) return { max_fee: below(127) }
  const boundOf = () => ({ max_amount: below(63), max_price_per_unit: below(127) })
  return { tip: below(63), resource_bounds: { l1_gas: boundOf(), l1_data_gas: boundOf(), l2_gas: boundOf() } }
}

/**
 * Returns the hash by SNIP-8 as it was before L1 data gas. starknet.js no longer computes this hash, but still has the
 * functions for its parts.
 */
const hashWithTwoBounds = (transaction: Pool.Fields): Pool.Hex => {
  const packed = (resource: string): bigint => {
    const { max_amount, max_price_per_unit } = transaction["resource_bounds"][resource.toLowerCase()]
    const name = BigInt(shortString.encodeShortString(resource))
    return (name << 192n) + (BigInt(max_amount) << 128n) + BigInt(max_price_per_unit)
  }
  return Pool.hex(
    hash.computePoseidonHashOnElements([
      shortString.encodeShortString("invoke"),
      3n,
      transaction["sender_address"],
      hash.computePoseidonHashOnElements([transaction["tip"], packed("L1_GAS"), packed("L2_GAS")]),
      hash.computePoseidonHashOnElements([]),
      Pool.CHAIN_ID,
      transaction["nonce"],
      0n,
      hash.computePoseidonHashOnElements([]),
      hash.computePoseidonHashOnElements(transaction["calldata"])
    ])
  )
}
