/**
 * Compares hashes and addresses of random transactions of every kind with starknet.js, and the hash functions with
 * @scure.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"
import * as scure from "@scure/starknet"
import { Effect, Schema } from "effect"
import { hash } from "starknet"

import * as Hash from "../../src/hash/hashFormulas.ts"
import { digest } from "../../src/hash/hashInputs.ts"
import { pedersen, pedersenOf } from "../../src/hash/pedersen.ts"
import { poseidonOf } from "../../src/hash/poseidon.ts"
import { transactionHashInTurns } from "../../src/hash/TransactionHashInTurns.ts"
import { contractAddress, Felt, isSignedBy, senderOf, Transaction, transactionHash } from "../../src/index.ts"
import * as Hashed from "../support/hashed.ts"

const decode = Schema.decodeUnknownSync(Transaction.Transaction)
const known = (json: unknown): Transaction.KnownTransaction => decode(json) as Transaction.KnownTransaction
const chains = [Hashed.CHAIN, "0x534e5f5345504f4c4941", "0x0"]

describe("transactionHash", () => {
  for (const [kind, make] of Object.entries(Hashed.makes)) {
    it(`hashes ${kind} as starknet.js does, on any chain, with and without the query bit`, () => {
      const random = Random.make(601)
      for (let run = 0; run < Random.runs(6); run++) {
        const chainId = Random.pick(random, chains)
        const made = make(random, chainId, Hashed.versionOf(kind, run % 2 === 1))
        const transaction = known({ ...made.json, transaction_hash: "0x0" })
        assert.strictEqual(Transaction.caseOf(transaction).kind, kind)
        const got = transactionHash(transaction, Felt.fromHexUnsafe(chainId))
        assert.strictEqual(BigInt(got), BigInt(made.hash), JSON.stringify(made.json))
      }
    })
  }
})

/** Lengths of calldata around the borders of turns. */
const LENGTHS = Random.isWhole ? [0, 1, 15, 16, 17, 63, 64, 65, 128, 150] : [0, 1, 15, 16, 17, 65]

describe("transactionHashInTurns", () => {
  for (const kind of ["INVOKE v1", "INVOKE v3", "DEPLOY_ACCOUNT v3"]) {
    it.effect(`hashes ${kind} as starknet.js does, however long its calldata is`, () =>
      Effect.gen(function* () {
        const random = Random.make(604)
        for (const length of LENGTHS) {
          const made = Hashed.makes[kind]!(random, Hashed.CHAIN, Hashed.versionOf(kind, false), length)
          const transaction = known({ ...made.json, transaction_hash: "0x0" })
          const got = yield* transactionHashInTurns(transaction, Felt.fromHexUnsafe(Hashed.CHAIN))
          assert.strictEqual(BigInt(got), BigInt(made.hash), `${length}`)
        }
      })
    )
  }

  it.live("lets others run while it hashes", () =>
    Effect.gen(function* () {
      for (const [kind, slices] of [
        ["INVOKE v1", 20],
        ["INVOKE v3", 5]
      ] as const) {
        const { json } = Hashed.makes[kind]!(Random.make(605), Hashed.CHAIN, Hashed.versionOf(kind, false), 330)
        const transaction = known({ ...json, transaction_hash: "0x0" })
        let turns = 0
        let isOver = false
        const others = () => {
          turns++
          if (!isOver) setImmediate(others)
        }
        others()
        yield* transactionHashInTurns(transaction, Felt.fromHexUnsafe(Hashed.CHAIN))
        isOver = true
        assert.isAtLeast(turns, slices, kind)
      }
    })
  )
})

describe("contractAddress", () => {
  it("is what starknet.js computes", () => {
    const random = Random.make(602)
    for (let run = 0; run < Random.runs(10); run++) {
      const [salt, classHash] = [Hashed.felt(random), Hashed.felt(random)] as const
      const data = Array.from({ length: run % 4 }, () => Hashed.felt(random))
      const got = contractAddress({
        class_hash: Felt.fromHexUnsafe(classHash),
        contract_address_salt: Felt.fromHexUnsafe(salt),
        constructor_calldata: data.map(Felt.fromHexUnsafe)
      })
      assert.strictEqual(BigInt(got), BigInt(hash.calculateContractAddressFromHash(salt, classHash, data, 0)))
    }
  })
})

describe("senderOf", () => {
  it("is the account that signs, and nobody where none does", () => {
    const random = Random.make(603)
    for (const [kind, make] of Object.entries(Hashed.makes)) {
      const { json } = make(random, Hashed.CHAIN, Hashed.versionOf(kind, false))
      const said = kind === "INVOKE v0" ? json["contract_address"] : json["sender_address"]
      const sender = senderOf(known({ ...json, transaction_hash: "0x0" }))
      if (said !== undefined) assert.strictEqual(BigInt(sender!), BigInt(said as string), kind)
      else if (kind.startsWith("DEPLOY_ACCOUNT")) {
        const { class_hash, constructor_calldata, contract_address_salt } = json as Record<string, never>
        const address = hash.calculateContractAddressFromHash(
          contract_address_salt!,
          class_hash!,
          constructor_calldata!,
          0
        )
        assert.strictEqual(BigInt(sender!), BigInt(address), kind)
      } else assert.isUndefined(sender, kind)
    }
    assert.isUndefined(senderOf(decode({ type: "INVOKE", version: "0x9", transaction_hash: "0x1" })))
  })
})

describe("pedersen", () => {
  it("is that of @scure/starknet, over the whole range", () => {
    const random = Random.make(604)
    for (const a of Hashed.EDGES) {
      for (const b of [Random.pick(random, Hashed.EDGES), BigInt(Hashed.felt(random))]) {
        assert.strictEqual(pedersen(a, b), BigInt(scure.pedersen(a, b)), `${a} ${b}`)
        assert.strictEqual(pedersen(b, a), BigInt(scure.pedersen(b, a)), `${b} ${a}`)
      }
    }
  })

  it("hashes lists as starknet.js does, the empty one too", () => {
    const random = Random.make(605)
    for (let length = 0; length < 4; length++) {
      const list = Array.from({ length }, () => Hashed.felt(random))
      assert.strictEqual(pedersenOf(list.map(BigInt)), BigInt(hash.computeHashOnElements(list)))
    }
  })
})

describe("poseidon", () => {
  it("is that of @scure/starknet, over the whole range and for every length", () => {
    const random = Random.make(606)
    for (let run = 0; run < Random.runs(40); run++) {
      const list = Array.from({ length: run % 8 }, () => BigInt(Hashed.felt(random)))
      assert.strictEqual(poseidonOf(list), scure.poseidonHashMany(list), list.join())
    }
    for (const a of Hashed.EDGES) assert.strictEqual(poseidonOf([a, a, a]), scure.poseidonHashMany([a, a, a]), `${a}`)
  })
})

describe("the range of felts", () => {
  it("is kept: no hash takes a number for the one that it is the remainder of", () => {
    for (const wrong of [-1n, Felt.PRIME, Felt.PRIME + 1n, 2n ** 256n]) {
      assert.throws(() => poseidonOf([wrong]), RangeError)
      assert.throws(() => poseidonOf([1n, wrong]), RangeError)
      assert.throws(() => pedersen(wrong, 1n), RangeError)
      assert.throws(() => pedersen(1n, wrong), RangeError)
      assert.throws(() => pedersenOf([wrong]), RangeError)
    }
  })
})

describe("numbers that share a felt", () => {
  const bound = { maxAmount: 1n, maxPricePerUnit: 1n }
  const deployment = { classHash: 1n, salt: 2n, constructorCalldata: [] }
  const it3 = {
    ...deployment,
    contractAddress: 3n,
    version: 3n,
    chainId: 4n,
    nonce: 0n,
    tip: 0n,
    l1Gas: bound,
    l2Gas: bound,
    l1DataGas: bound,
    paymasterData: [],
    nonceMode: 0n,
    feeMode: 0n
  }

  it("are kept to their bits: none flows over into its neighbour", () => {
    for (const wrong of [
      { l1Gas: { maxAmount: 0n, maxPricePerUnit: 2n ** 128n + 1n } },
      { l2Gas: { maxAmount: 2n ** 64n, maxPricePerUnit: 1n } },
      { l1DataGas: { maxAmount: -1n, maxPricePerUnit: 1n } },
      { tip: 2n ** 64n },
      { nonceMode: -1n },
      { feeMode: 2n ** 32n }
    ]) {
      assert.throws(() => Hash.deployAccountV3({ ...it3, ...wrong }), RangeError)
    }
    const most = { maxAmount: 2n ** 64n - 1n, maxPricePerUnit: 2n ** 128n - 1n }
    assert.isAbove(Number(digest(Hash.deployAccountV3({ ...it3, l1Gas: most, tip: 2n ** 64n - 1n }))), 0)
  })
})

describe("isSignedBy", () => {
  const key = "0x1ef15c18599971b7beced415a40f0c7deacfd9b0d1819e03d723d8bc943cfca"
  const publicKey = Felt.fromHexUnsafe(scure.getStarkKey(key))
  const signed = (message: string) => {
    const { r, s } = scure.sign(message, key)
    return [Felt.fromBigIntUnsafe(r), Felt.fromBigIntUnsafe(s)] as const
  }

  it("takes what the key signed, whatever the length of the hash", () => {
    for (let digits = 1; digits <= 62; digits += 7) {
      const message = Felt.fromHexUnsafe(`0x${"9".repeat(digits)}`)
      assert.isTrue(isSignedBy(message, signed(message), publicKey), message)
      assert.isTrue(
        isSignedBy(Felt.fromHexUnsafe(`0x${message.slice(2).padStart(64, "0")}`), signed(message), publicKey)
      )
    }
  })

  it("refuses another hash, another key, another signature", () => {
    const message = Felt.fromHexUnsafe("0x1234")
    const [r, s] = signed(message)
    const one = Felt.fromHexUnsafe("0x1")
    assert.isFalse(isSignedBy(Felt.fromHexUnsafe("0x12340"), [r, s], publicKey))
    assert.isFalse(isSignedBy(message, [s, r], publicKey))
    assert.isFalse(isSignedBy(message, [one, s], publicKey))
    assert.isFalse(isSignedBy(message, [r, one], publicKey))
    assert.isFalse(isSignedBy(message, [r, s], Felt.fromHexUnsafe(scure.getStarkKey("0x2"))))
  })

  it("refuses, without failing, what is neither a signature, a key nor a hash that can be signed", () => {
    const message = Felt.fromHexUnsafe("0x1234")
    const [r, s] = signed(message)
    const wrong = ["0x0", Felt.PRIME - 1n, 2n ** 251n].map((number) => Felt.fromHexUnsafe(Hashed.hex(BigInt(number))))
    for (const felt of wrong) {
      assert.isFalse(isSignedBy(message, [felt, s], publicKey), felt)
      assert.isFalse(isSignedBy(message, [r, felt], publicKey), felt)
      assert.isFalse(isSignedBy(message, [r, s], felt), felt)
      assert.isFalse(isSignedBy(felt, [r, s], publicKey), felt)
    }
    for (const list of [[], [r], [r, s, s]]) assert.isFalse(isSignedBy(message, list, publicKey))
  })

  it("takes either point of a key's x coordinate, as accounts keep no more of it", () => {
    const message = Felt.fromHexUnsafe("0x77")
    const parities = new Set<number>()
    for (let secret = 1; secret < 9; secret++) {
      parities.add(scure.getPublicKey(`0x${secret}`, true)[0]!)
      const { r, s } = scure.sign(message, `0x${secret}`)
      const x = Felt.fromHexUnsafe(scure.getStarkKey(`0x${secret}`))
      assert.isTrue(isSignedBy(message, [Felt.fromBigIntUnsafe(r), Felt.fromBigIntUnsafe(s)], x))
    }
    assert.strictEqual(parities.size, 2)
  })
})
