/** Mutates answers to a request for a transaction by its hash. `Verify.transaction` judges the answers. */
import { Hash32 } from "@plumbline/codec"
import { Transaction, Verify } from "@plumbline/eth-methods"
import * as Random from "@plumbline/seeded/Random"
import { Result, Schema } from "effect"

import { refused, type Target } from "../../fuzzTarget.ts"
import * as Json from "../../json.ts"
import * as Mutate from "../../mutate.ts"
import { judge, mustPass } from "./ethJudge.ts"
import * as Encode from "./hashedForms.ts"
import * as Truth from "./historyAnswers.ts"

const decode = Schema.decodeUnknownResult(Transaction.Transaction)

const HONEST = 0.05

/** Fields that hardly any node sends. They are judged if they are there. */
const RARE = ["chainID", "yParity"]

/** Returns the fields that a node may truly add to a transaction, because they follow from the signature. */
export const derived = (transaction: Json.JsonObject): Readonly<Record<string, unknown>> => {
  if (transaction["type"] !== "0x0") return { chainID: transaction["chainId"] ?? null, ...scalars(transaction) }
  const v = Encode.numberOf(transaction["v"])
  // `v` is 27 or 28, or it is twice the chain's id plus 35 or 36 (EIP-155)
  const chainId = v < 35n ? null : Encode.hexNumber((v - 35n) / 2n)
  return { chainId, chainID: chainId, yParity: Encode.hexNumber((v + 1n) % 2n), ...scalars(transaction) }
}

/**
 * Converts `r` and `s` of signatures to numbers for the comparison, because only some nodes write them with leading
 * zeros.
 */
const scalars = (transaction: Json.JsonObject): Readonly<Record<string, unknown>> => ({
  ...transaction,
  r: Encode.numberOf(transaction["r"]),
  s: Encode.numberOf(transaction["s"]),
  ...("authorizationList" in transaction
    ? { authorizationList: Encode.listOf(transaction["authorizationList"]).map(scalars) }
    : {})
})

const pending = { blockHash: null, blockNumber: null, transactionIndex: null }

/** The other signatures that are worth a test. */
const signatures: ReadonlyArray<(transaction: Json.JsonObject) => Json.JsonObject> = [
  // The other signature of the same key: `s` is negated, and the parity is flipped.
  (transaction) => ({
    ...transaction,
    s: Encode.hexNumber(ORDER - Encode.numberOf(transaction["s"])),
    ...("yParity" in transaction ? { yParity: flip(transaction["yParity"]), v: flip(transaction["v"]) } : {})
  }),
  (transaction) => ({ ...transaction, r: "0x0", s: "0x0", v: "0x0" }),
  (transaction) => ({ ...transaction, r: Encode.hexNumber(ORDER) })
]

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const flip = (parity: Json.Json | undefined): string => (parity === "0x0" ? "0x1" : "0x0")

export const transaction: Target = {
  name: "transaction",
  about: "Verify.transaction: a transaction against its hash, its sender and what is said beside",
  prepare: async () => {
    const wholes = await Truth.wholes()
    const all = wholes.flatMap(({ block }) => Encode.listOf(block["transactions"]))
    const mutator = Mutate.make(all)
    return (seed) => {
      const random = Random.make(seed)
      const truth = Random.pick(random, all)
      const hash = truth["hash"] as string
      const put = (said: Json.Json, anchor = hash) => {
        const decoded = decode(said)
        if (Result.isFailure(decoded)) return refused("decode")
        return judge(Verify.transaction(decoded.success, Hash32.fromHexUnsafe(anchor)), derived(truth), {
          silent: RARE
        })
      }
      if (Random.chance(random, HONEST)) return mustPass(put(truth))
      const kind = random()
      if (kind < 0.7) return put(mutator.mutate(truth, random))
      if (kind < 0.8)
        return put({ ...truth, ...pending, ...(Random.chance(random, 0.5) ? { blockTimestamp: null } : {}) })
      // A transaction that differs from the truth, with the hash of the true one or with its own hash.
      const mutated = mutator.once(truth, random)
      const lie = kind < 0.9 && Json.isObject(mutated) ? mutated : Random.pick(random, signatures)(truth)
      return put({ ...lie, hash: Random.chance(random, 0.5) ? hash : Encode.keccak(Encode.transactionBytes(lie)) })
    }
  }
}
