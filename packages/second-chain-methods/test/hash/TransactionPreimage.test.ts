/**
 * Tests preimages against starknet.js, which independently hashes each list in a preimage, and then the whole preimage.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"
import { Schema } from "effect"
import { hash as starknet } from "starknet"

import { Felt, Transaction, transactionPreimage, type TransactionPreimage } from "../../src/index.ts"
import * as Hashed from "../support/hashed.ts"
import { known } from "../support/known.ts"

const decode = Schema.decodeUnknownSync(Transaction.Transaction)

/** Hashes the parts with starknet.js, including the lists in them. */
const oracle = ({ algorithm, parts }: TransactionPreimage): bigint => {
  const felts = parts.map(({ felt, list }) => (list === undefined ? felt : Hashed.hex(oracle(list))))
  return BigInt(
    algorithm === "poseidon" ? starknet.computePoseidonHashOnElements(felts) : starknet.computeHashOnElements(felts)
  )
}

/** Returns all felts that are not hashes of lists, with their names. */
const flat = ({ parts }: TransactionPreimage): ReadonlyArray<readonly [string, bigint]> =>
  parts.flatMap(({ felt, list, name }) => (list === undefined ? [[name, BigInt(felt)] as const] : flat(list)))

/** Returns the felts of a JSON transaction by their names in a preimage. */
const fieldsOf = (json: Hashed.Json): ReadonlyMap<string, bigint> =>
  new Map(
    Object.entries(json).flatMap(([name, value]): ReadonlyArray<readonly [string, bigint]> => {
      if (Array.isArray(value)) return value.map((felt, at) => [`${name}[${at}]`, BigInt(felt)])
      return typeof value === "string" && value.startsWith("0x") ? [[name, BigInt(value)]] : []
    })
  )

describe("transactionPreimage", () => {
  for (const [kind, make] of Object.entries(Hashed.makes)) {
    it(`has the felts that starknet.js hashes of ${kind}, each under the name of its field`, () => {
      const random = Random.make(611)
      for (let run = 0; run < Random.runs(4); run++) {
        const made = make(random, Hashed.CHAIN, Hashed.versionOf(kind, run % 2 === 1))
        const transaction = decode({ ...made.json, transaction_hash: "0x0" })
        const preimage = transactionPreimage(transaction, Felt.fromHexUnsafe(Hashed.CHAIN))!
        assert.strictEqual(oracle(preimage), BigInt(made.hash))
        assert.strictEqual(BigInt(preimage.hash), BigInt(made.hash))
        assert.strictEqual(
          preimage.algorithm,
          BigInt(made.json["version"] as string) % 2n ** 128n === 3n ? "poseidon" : "pedersen"
        )
        const fields = fieldsOf(made.json)
        const shown = flat(preimage)
        for (const [name, felt] of shown) {
          const own = fields.get(name)
          if (own !== undefined) assert.strictEqual(felt, own, name)
        }
        const names = new Set(shown.map(([name]) => name))
        for (const name of fields.keys()) {
          // the hash of a DEPLOY does not list these two fields, but it covers the address, which is computed from them
          if (kind.startsWith("DEPLOY v") && /^(?:class_hash|contract_address_salt)$/.test(name)) continue
          // no hash covers the signature
          if (name.startsWith("signature")) assert.isFalse(names.has(name))
          else assert.isTrue(names.has(name), `${kind} ${name}`)
        }
        assert.strictEqual(new Map(shown).get("chain_id"), BigInt(Hashed.CHAIN))
        if (kind.startsWith("DEPLOY")) {
          const { class_hash, constructor_calldata, contract_address_salt } = made.json as any
          const address = starknet.calculateContractAddressFromHash(
            contract_address_salt,
            class_hash,
            constructor_calldata,
            0
          )
          assert.strictEqual(new Map(shown).get("contract_address"), BigInt(address))
        }
      }
    })

    it(`of ${kind} changes with each felt of a changed field, and its hash with it`, () => {
      const random = Random.make(612)
      const made = make(random, Hashed.CHAIN, Hashed.versionOf(kind, false))
      const preimage = transactionPreimage(
        decode({ ...made.json, transaction_hash: "0x0" }),
        Felt.fromHexUnsafe(Hashed.CHAIN)
      )!
      const other = transactionPreimage(decode({ ...made.json, transaction_hash: "0x0" }), Felt.fromHexUnsafe("0x1"))!
      assert.notStrictEqual(other.hash, preimage.hash)
      for (const name of ["nonce", "max_fee", "tip", "class_hash"]) {
        const value = made.json[name]
        if (typeof value !== "string") continue
        const changed = { ...made.json, [name]: value === "0x7" ? "0x8" : "0x7", transaction_hash: "0x0" }
        const after = transactionPreimage(decode(changed), Felt.fromHexUnsafe(Hashed.CHAIN))!
        assert.notStrictEqual(after.hash, preimage.hash, name)
      }
    })
  }

  it("of a real transaction is that of the form in which its chain hashed it, also in the first months", () => {
    for (const { chainId, hash, json, query, what } of known) {
      for (const one of query === undefined ? [hash] : [hash, query]) {
        const version = one === query ? Hashed.hex(BigInt(json["version"] as string) + 2n ** 128n) : json["version"]
        const transaction = decode({ ...json, version, transaction_hash: one })
        const preimage = transactionPreimage(transaction, Felt.fromHexUnsafe(chainId), Felt.fromHexUnsafe(one))!
        assert.strictEqual(BigInt(preimage.hash), BigInt(one), what)
        assert.strictEqual(oracle(preimage), BigInt(one), what)
      }
    }
  })

  it("is that of the current form if no form gives the hash, and there is none of an unknown kind", () => {
    const [first] = Object.values(Hashed.makes)
    const made = first!(Random.make(613), Hashed.CHAIN, Hashed.versionOf(Object.keys(Hashed.makes)[0]!, false))
    const transaction = decode({ ...made.json, transaction_hash: "0x1" })
    const chainId = Felt.fromHexUnsafe(Hashed.CHAIN)
    assert.deepStrictEqual(
      transactionPreimage(transaction, chainId, Felt.fromHexUnsafe("0x1")),
      transactionPreimage(transaction, chainId)
    )
    const unknown = decode({ type: "SOMETHING", version: "0x7", transaction_hash: "0x1" })
    assert.isUndefined(transactionPreimage(unknown, chainId))
  })
})
