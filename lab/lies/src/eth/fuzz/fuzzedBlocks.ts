/** Blocks and their uncles, as answers to the verifiers of a block. */
import { Hash32 } from "@plumbline/codec"
import { Block, Verify } from "@plumbline/eth-methods"
import * as Random from "@plumbline/seeded/Random"
import { Result, Schema } from "effect"

import { refused, type Target } from "../../fuzzTarget.ts"
import * as Json from "../../json.ts"
import * as Mutate from "../../mutate.ts"
import * as Commit from "./commit.ts"
import { judge, mustPass } from "./ethJudge.ts"
import * as Encode from "./hashedForms.ts"
import * as Truth from "./historyAnswers.ts"
import { derived } from "./transactions.ts"
import * as Vary from "./vary.ts"

const decode = Schema.decodeUnknownResult(Block.Block)

/** Fields that only some nodes send. They are judged if they are there. */
const SILENT = ["totalDifficulty", "transactions[].chainID", "transactions[].yParity"]

/** Returns a block with the fields that an honest node may add to its transactions. */
const derivedBlock = (block: Json.JsonObject): Readonly<Record<string, unknown>> => ({
  ...block,
  transactions: (block["transactions"] as ReadonlyArray<Json.Json>).map((transaction) =>
    Json.isObject(transaction) ? derived(transaction) : transaction
  )
})

/** Returns the block with the hashes of its transactions. */
export const withHashes = (block: Json.JsonObject): Json.JsonObject => ({
  ...block,
  transactions: (block["transactions"] as ReadonlyArray<Json.JsonObject>).map(({ hash }) => hash!)
})

/** The share of cases in which the shown answer is true. */
const HONEST = 0.05

const heights: ReadonlyArray<Commit.Height> = ["transactions", "roots"]

export const block: Target = {
  name: "block",
  about: "Verify.block: whole blocks and blocks of hashes of every fork, senders not recovered",
  prepare: async () => {
    const wholes = await Truth.wholes()
    const blocks = wholes.map((whole) => whole.block)
    const mutator = Mutate.make(blocks.concat(blocks.map(withHashes)), blocks)
    return (seed) => {
      const random = Random.make(seed)
      const original = Random.pick(random, wholes)
      const kind = random()
      // The block is the true one or another valid block. Its hash is the anchor.
      const truth = kind < 0.35 ? Commit.commit(Vary.vary(original, wholes, random)) : original
      const uncles = Random.chance(random, 0.3) ? decodeUncles(truth.uncles) : undefined
      const put = (said: Json.Json) => {
        const decoded = decode(said)
        if (Result.isFailure(decoded)) return refused("decode")
        // an answer with whole transactions is compared with whole transactions, and an answer with hashes is compared
        // with hashes
        const isOfHashes = typeof decoded.success.transactions[0] === "string"
        const whole = isOfHashes ? withHashes(truth.block) : truth.block
        const hash = Hash32.fromHexUnsafe(whole["hash"] as string)
        return judge(Verify.block(decoded.success, hash, { senders: false, uncles }), derivedBlock(whole), {
          silent: SILENT
        })
      }
      const shown = Random.chance(random, 0.15) ? withHashes(truth.block) : truth.block
      if (Random.chance(random, HONEST)) return mustPass(put(shown))
      if (kind < 0.6) return put(mutator.mutate(shown, random))
      // All hashes above the lie are computed again, except the anchor.
      const lie = Random.chance(random, 0.5) ? Vary.vary(truth, wholes, random) : Vary.bend(truth, mutator, random)
      return put(Commit.commit(lie, Random.pick(random, heights)).block)
    }
  }
}

export const senders: Target = {
  name: "senders",
  about: "Verify.block with the senders recovered: signatures, `from`, and labels beside them",
  prepare: async () => {
    const all = await Truth.wholes()
    const wholes = all.filter(({ receipts }) => receipts.length > 0 && receipts.length < 3)
    const blocks = wholes.map((whole) => whole.block)
    const transactions = blocks.flatMap((one) => one["transactions"] as ReadonlyArray<Json.JsonObject>)
    const mutator = Mutate.make(transactions)
    return (seed) => {
      const random = Random.make(seed)
      const truth = Random.pick(random, blocks)
      const list = truth["transactions"] as ReadonlyArray<Json.Json>
      const at = Random.int(random, list.length)
      const isHonest = Random.chance(random, HONEST)
      const said = isHonest ? truth : { ...truth, transactions: list.with(at, mutator.mutate(list[at]!, random)) }
      const decoded = decode(said)
      if (Result.isFailure(decoded)) return refused("decode")
      const hash = Hash32.fromHexUnsafe(truth["hash"] as string)
      const outcome = judge(Verify.block(decoded.success, hash), derivedBlock(truth), { silent: SILENT })
      return isHonest ? mustPass(outcome) : outcome
    }
  }
}

const decodeUncle = Schema.decodeUnknownResult(Schema.NullOr(Block.Uncle))

const decodeUncles = (uncles: ReadonlyArray<Json.Json>) => uncles.map((uncle) => Result.getOrThrow(decodeUncle(uncle))!)

const UNCLE_SILENT = ["totalDifficulty"]

/** Verifies a block, for the verifiers of its parts. */
export const proven = (block: Json.JsonObject) => {
  const verdict = Result.getOrThrow(
    Verify.block(Result.getOrThrow(decode(block)), Hash32.fromHexUnsafe(block["hash"] as string), { senders: false })
  )
  if (verdict._tag === "CLAIMED") throw new Error("a true block is only claimed")
  return verdict
}

export const uncles: Target = {
  name: "uncles",
  about: "Verify.uncles and Verify.uncle: headers of uncles under sha3Uncles",
  prepare: async () => {
    const wholes = (await Truth.wholes()).filter((whole) => whole.receipts.length < 3)
    const all = wholes.filter((whole) => whole.uncles.length > 0)
    const headers = all.flatMap((whole) => whole.uncles)
    const lists = all.map((whole) => whole.uncles)
    const listMutator = Mutate.make(lists)
    const mutator = Mutate.make(headers)
    const known = new Map(wholes.map((whole) => [whole, proven(whole.block)]))
    return (seed) => {
      const random = Random.make(seed)
      const original = Random.chance(random, 0.9) ? Random.pick(random, all) : Random.pick(random, wholes)
      const isVaried = Random.chance(random, 0.2)
      const truth = isVaried
        ? Commit.commit({ ...original, uncles: varied(original.uncles, headers, random) })
        : original
      const block = isVaried ? proven(truth.block) : known.get(truth)!
      const list = decodeUncles(truth.uncles)
      const isHonest = Random.chance(random, HONEST)
      if (Random.chance(random, 0.6)) {
        const said = isHonest ? truth.uncles : listMutator.mutate(truth.uncles, random)
        const decoded = Json.isList(said) ? said.map((uncle) => decodeUncle(uncle)) : [decodeUncle(said)]
        const found = decoded.flatMap((uncle) =>
          Result.isSuccess(uncle) && uncle.success !== null ? [uncle.success] : []
        )
        if (!Json.isList(said) || found.length !== said.length) return refused("decode")
        const outcome = judge(Verify.uncles(found, block), truth.uncles, {
          silent: UNCLE_SILENT.map((name) => `[].${name}`),
          root: "uncles"
        })
        return isHonest ? mustPass(outcome) : outcome
      }
      const index = Random.int(random, 3)
      const one = truth.uncles[index] ?? null
      const lie = one === null ? Random.pick<Json.Json>(random, [...headers, null]) : mutator.mutate(one, random)
      const other = Random.chance(random, 0.1) ? null : Random.chance(random, 0.2) ? Random.pick(random, headers) : lie
      const decoded = decodeUncle(isHonest ? one : other)
      if (Result.isFailure(decoded)) return refused("decode")
      const proof = Result.getOrThrow(Verify.uncles(list, block))
      const outcome = judge(Verify.uncle(decoded.success, BigInt(index), proof), one, { silent: UNCLE_SILENT })
      return isHonest ? mustPass(outcome) : outcome
    }
  }
}

/** Returns other uncles with their right hashes. */
const varied = (
  uncles: ReadonlyArray<Json.JsonObject>,
  headers: ReadonlyArray<Json.JsonObject>,
  random: Random.Random
): ReadonlyArray<Json.JsonObject> =>
  Array.from({ length: Random.int(random, 3) }, (_, at) => uncles[at] ?? Random.pick(random, headers))

/** Short blobs stand for those of 128 KiB, because no verifier here reads them. */
const sidecars: ReadonlyArray<Json.JsonObject> = [
  { blobs: ["0x0102", "0x03"], commitments: ["0xc0ff"], proofs: ["0xc0ee", "0x"] },
  { blobs: ["0x04"], commitments: [], cellProofs: ["0x05", "0x06"] }
]

/** Blocks whose transactionsRoot covers transactions with their blobs, as anvil makes it. */
export const networkForm: Target = {
  name: "network-form",
  about: "Verify.block: transactions with blobs under a root of the form in which they travel",
  prepare: async () => {
    const wholes = await Truth.wholes()
    const truths = wholes.flatMap(({ block }) => {
      const list = block["transactions"] as ReadonlyArray<Json.JsonObject>
      if (!list.some(({ type }) => type === "0x3")) return []
      return sidecars.map((sidecar) => {
        const transactions = list.map((one) => (one["type"] === "0x3" ? { ...one, ...sidecar } : one))
        const bytesOf = (one: Json.JsonObject) =>
          (one["blobs"] === undefined ? Encode.transactionBytes : Encode.networkBytes)(one)
        const rooted: Json.JsonObject = { ...block, transactionsRoot: Encode.rootOf(transactions.map(bytesOf)) }
        const hash = Encode.keccak(Encode.headerBytes(rooted))
        const size = Encode.hexNumber(BigInt(Encode.blockBytes({ ...rooted, transactions }, [], bytesOf).length))
        return { ...rooted, size, hash, transactions: transactions.map((one) => ({ ...one, blockHash: hash })) }
      })
    })
    const mutator = Mutate.make(truths)
    return (seed) => {
      const random = Random.make(seed)
      const truth = Random.pick(random, truths)
      const isHonest = Random.chance(random, HONEST)
      const decoded = decode(isHonest ? truth : mutator.mutate(truth, random))
      if (Result.isFailure(decoded)) return refused("decode")
      const verdict = Verify.block(decoded.success, Hash32.fromHexUnsafe(truth.hash), { senders: false })
      const outcome = judge(verdict, derivedBlock(truth), { silent: SILENT })
      return isHonest ? mustPass(outcome) : outcome
    }
  }
}
