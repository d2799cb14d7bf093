/** Receipts and logs, as answers to their verifiers. */
import { Hash32 } from "@plumbline/codec"
import type { LogFilter } from "@plumbline/eth-methods"
import { Block, Log, Receipt, Verify } from "@plumbline/eth-methods"
import * as Random from "@plumbline/seeded/Random"
import { Result, Schema } from "effect"

import { type Outcome, refused, type Target } from "../../fuzzTarget.ts"
import type * as Json from "../../json.ts"
import * as Mutate from "../../mutate.ts"
import * as Commit from "./commit.ts"
import { judge, mustPass } from "./ethJudge.ts"
import { proven, withHashes } from "./fuzzedBlocks.ts"
import * as Encode from "./hashedForms.ts"
import * as Truth from "./historyAnswers.ts"
import * as Vary from "./vary.ts"

const decode = Schema.decodeUnknownResult(Schema.Array(Receipt.Receipt))
const decodeOne = Schema.decodeUnknownResult(Receipt.Receipt)
const decodeLogs = Schema.decodeUnknownResult(Schema.Array(Log.Log))

const HONEST = 0.05

/**
 * Returns the fields that an accepted answer may lack: the time, which only anvil sends in receipts, and the contract of
 * a failed creation, for which some nodes send null.
 */
const silentOf = (receipts: ReadonlyArray<Json.JsonObject>): ReadonlyArray<string> => [
  "[].blockTimestamp",
  ...receipts.flatMap(({ status, to }, at) => (status === "0x0" && to === null ? [`[${at}].contractAddress`] : []))
]

/** Returns the receipts with the time of their block, which a node may add to each. */
const timed = ({ block, receipts }: Commit.Whole): ReadonlyArray<Json.Json> =>
  receipts.map((receipt) => ({ ...receipt, blockTimestamp: block["timestamp"]! }))

/** Blocks with receipts, and the mutations of their receipts. */
const prepare = async () => {
  const wholes = (await Truth.wholes()).filter(({ receipts }) => receipts.length > 0)
  const lists = wholes.map(({ receipts }) => receipts)
  return { wholes, mutator: Mutate.make(lists), one: Mutate.make(lists.flat()) }
}

/** Returns a true block: one of the given blocks, or a valid variation. */
const draw = (wholes: ReadonlyArray<Commit.Whole>, random: Random.Random): Commit.Whole => {
  const original = Random.pick(random, wholes)
  if (!Random.chance(random, 0.4)) return original
  const varied = Commit.commit(Vary.vary(original, wholes, random))
  // No chain contains a transaction twice, because the transaction uses up its nonce.
  const hashes = new Set(varied.receipts.map(({ transactionHash }) => transactionHash))
  return hashes.size === varied.receipts.length ? varied : original
}

/** Returns a function that proves blocks and remembers each proof, because the same blocks are drawn many times. */
const provenOf = () => {
  const known = new WeakMap<Json.JsonObject, ReturnType<typeof proven>>()
  return (block: Json.JsonObject) => {
    const found = known.get(block) ?? proven(block)
    known.set(block, found)
    return found
  }
}

export const receipts: Target = {
  name: "receipts",
  about: "Verify.receipts: all receipts of a proven block of whole transactions",
  prepare: async () => {
    const { mutator, wholes } = await prepare()
    const blockOf = provenOf()
    return (seed) => {
      const random = Random.make(seed)
      const truth = draw(wholes, random)
      const put = (said: Json.Json) => {
        const decoded = decode(said)
        if (Result.isFailure(decoded)) return refused("decode")
        return judge(Verify.receipts(decoded.success, blockOf(truth.block)), timed(truth), {
          silent: silentOf(truth.receipts),
          root: "receipts"
        })
      }
      if (Random.chance(random, HONEST)) return mustPass(put(truth.receipts))
      if (Random.chance(random, 0.65)) return put(mutator.mutate(truth.receipts, random))
      // the lie adds a status to a root, or a root to a status; only one of the two is in the trie
      if (Random.chance(random, 0.15)) {
        return put(
          truth.receipts.map((receipt) =>
            receipt["root"] === undefined
              ? { ...receipt, root: truth.block["stateRoot"]! }
              : { ...receipt, status: Random.pick(random, ["0x0", "0x1"]) }
          )
        )
      }
      // Consistent receipts of another block, with the labels of this block or with their own.
      const lie = Commit.commit(Vary.vary(truth, wholes, random), "roots")
      return put(Random.chance(random, 0.5) ? lie.receipts : labelledAs(lie.receipts, truth.receipts))
    }
  }
}

const labels = ["transactionHash", "transactionIndex", "blockHash", "blockNumber", "from", "to", "contractAddress"]

/** Returns the receipts with the labels of other receipts. */
const labelledAs = (
  receipts: ReadonlyArray<Json.JsonObject>,
  others: ReadonlyArray<Json.JsonObject>
): ReadonlyArray<Json.JsonObject> =>
  receipts.map((receipt, at) => {
    const other = others[at]
    if (other === undefined) return receipt
    return { ...receipt, ...Object.fromEntries(labels.map((name) => [name, other[name] ?? null])) }
  })

/** The target for a block with unproven hashes of transactions, and receipts that agree with them. */
export const hashedReceipts: Target = {
  name: "receipts-of-hashes",
  about: "Verify.receipts: receipts of a block of which only hashes are there, labels swapped in agreement",
  prepare: async () => {
    const { mutator, wholes } = await prepare()
    const decodeBlock = Schema.decodeUnknownSync(Block.Block)
    return (seed) => {
      const random = Random.make(seed)
      const truth = draw(wholes, random)
      const hashes = truth.receipts.map(({ transactionHash }) => transactionHash!)
      const agreed =
        hashes.length > 1 && Random.chance(random, 0.5)
          ? Random.pick(random, [hashes.toReversed(), [...hashes.slice(1), hashes[0]!]])
          : hashes.map((hash) => (Random.chance(random, 0.3) ? Mutate.flipped(hash as string, random) : hash))
      const block = decodeBlock({ ...withHashes(truth.block), transactions: agreed })
      const anchor = Hash32.fromHexUnsafe(truth.block["hash"] as string)
      const verdict = Result.getOrThrow(Verify.block(block, anchor, { senders: false }))
      if (verdict._tag === "CLAIMED") throw new Error("a true header is only claimed")
      const sworn = truth.receipts.map((receipt, at) => {
        const from = hashes.indexOf(agreed[at]!)
        const label = { transactionHash: agreed[at]! }
        // The receipt takes the labels of the other transaction together with its hash.
        const other = from < 0 ? {} : labelledAs([receipt], [truth.receipts[from]!])[0]!
        const { blockHash, blockNumber, transactionIndex } = receipt
        const place = { blockHash: blockHash!, blockNumber: blockNumber!, transactionIndex: transactionIndex! }
        const said = Encode.listOf(receipt["logs"])
        return { ...receipt, ...other, ...place, ...label, logs: said.map((log) => ({ ...log, ...label })) }
      })
      const said = Random.chance(random, 0.5) ? sworn : mutator.mutate(sworn, random)
      const decoded = decode(said)
      if (Result.isFailure(decoded)) return refused("decode")
      return judge(Verify.receipts(decoded.success, verdict), timed(truth), {
        silent: silentOf(truth.receipts),
        root: "receipts"
      })
    }
  }
}

export const receipt: Target = {
  name: "receipt",
  about: "Verify.receipt: one receipt against the proven receipts of its block",
  prepare: async () => {
    const { one, wholes } = await prepare()
    const blockOf = provenOf()
    return (seed) => {
      const random = Random.make(seed)
      const truth = draw(wholes, random)
      if (truth.receipts.length === 0) return refused("nothing to ask")
      const verdict = Result.getOrThrow(
        Verify.receipts(Result.getOrThrow(decode(truth.receipts)), blockOf(truth.block))
      )
      if (verdict._tag === "CLAIMED") throw new Error("true receipts are only claimed")
      const at = Random.int(random, truth.receipts.length)
      const asked = truth.receipts[at]!
      const put = (said: Json.Json) => {
        const decoded = decodeOne(said)
        if (Result.isFailure(decoded)) return refused("decode")
        const hash = Hash32.fromHexUnsafe(asked["transactionHash"] as string)
        return judge(Verify.receipt(decoded.success, hash, verdict), asked, {
          silent: silentOf([asked]).map((path) => path.replace(/^\[\d*\]\./u, ""))
        })
      }
      if (Random.chance(random, HONEST)) return mustPass(put(asked))
      if (Random.chance(random, 0.8)) return put(one.mutate(asked, random))
      // the lie is another receipt of the same block, labelled with the hash of the requested transaction
      const sibling = Random.pick(random, truth.receipts)
      return put(labelledAs([sibling], [asked])[0]!)
    }
  }
}

export const logs: Target = {
  name: "logs",
  about: "Verify.logs: the logs that a filter selects from the proven receipts of a block",
  prepare: async () => {
    const { wholes } = await prepare()
    const blockOf = provenOf()
    const speaking = wholes.filter(({ receipts }) => receipts.some(({ logs }) => Encode.listOf(logs).length > 0))
    const lists = wholes.map(({ receipts }) => receipts.flatMap((receipt) => Encode.listOf(receipt["logs"])))
    const mutator = Mutate.make(lists)
    return (seed) => {
      const random = Random.make(seed)
      const truth = draw(Random.chance(random, 0.9) ? speaking : wholes, random)
      const all = truth.receipts.flatMap((receipt) => Encode.listOf(receipt["logs"]))
      const filter = filterOf(all, random)
      const selected = all.filter((log) => selects(filter, log, true))
      const block = blockOf(truth.block)
      const verdict = Result.getOrThrow(Verify.receipts(Result.getOrThrow(decode(truth.receipts)), block))
      if (verdict._tag === "CLAIMED") throw new Error("true receipts are only claimed")
      const known = Random.chance(random, 0.15) ? null : verdict
      const put = (said: Json.Json): Outcome => {
        const decoded = decodeLogs(said)
        if (Result.isFailure(decoded)) return refused("decode")
        const result = Verify.logs(decoded.success, filter, block, known)
        const outcome = judge(result, selected, { root: "logs" })
        if (outcome._tag !== "False") return outcome
        // clients interpret trailing wildcards in a filter in two ways, and both are true
        const wide = all.filter((log) => selects(filter, log, false))
        return judge(result, wide, { root: "logs" })
      }
      if (Random.chance(random, HONEST)) return mustPass(put(selected))
      if (Random.chance(random, 0.15)) return put(Random.pick(random, [all, all.slice(1), all.toReversed(), []]))
      return put(mutator.mutate(selected.length === 0 ? all : selected, random))
    }
  }
}

/** A filter that selects some of these logs, or none. */
const filterOf = (all: ReadonlyArray<Json.JsonObject>, random: Random.Random): LogFilter.Selection => {
  const log = all.length === 0 ? undefined : Random.pick(random, all)
  const topics = (log?.["topics"] ?? []) as ReadonlyArray<Hash32.Hash32>
  const address = (log?.["address"] ?? `0x${"11".repeat(20)}`) as NonNullable<
    Exclude<LogFilter.Selection["address"], ReadonlyArray<unknown>>
  >
  return {
    ...(Random.chance(random, 0.4) ? { address } : {}),
    ...(Random.chance(random, 0.4)
      ? {
          topics: Array.from({ length: Random.int(random, 5) }, (_, at) =>
            Random.chance(random, 0.5) ? null : (topics[at] ?? Hash32.ZERO)
          )
        }
      : {})
  }
}

/**
 * Applies the rule of a filter, as geth has it (`exact`) or as reth has it, where trailing wildcards require nothing.
 */
const selects = (filter: LogFilter.Selection, log: Json.JsonObject, exact: boolean): boolean => {
  const topics = log["topics"] as ReadonlyArray<string>
  const wanted = (filter.topics ?? []) as ReadonlyArray<string | null>
  return (
    (filter.address === undefined || filter.address === log["address"]) &&
    (!exact || wanted.length <= topics.length) &&
    wanted.every((topic, at) => topic === null || topic === topics[at])
  )
}
