/** Liars that assign receipts, logs or places to the wrong transactions. */
import type { Json, JsonObject } from "../../json.ts"
import {
  ADDRESS,
  another,
  hasLogs,
  hasTwo,
  hasTyped,
  isBeforeByzantium,
  isOf,
  isSinceByzantium,
  type Liar,
  liar,
  relabelled,
  rotated,
  unknown
} from "./liar.ts"
import { list, object } from "./node.ts"
import { type Touch, touching } from "./touch.ts"
import { transactionsOf, type World, withHashes } from "./world.ts"

/**
 * Returns a node that lies about receipts. Its block has only transactions of an unknown type, in the order of their
 * new labels.
 */
const hidden = (world: World, touch: Touch, labels: ReadonlyMap<Json | undefined, Json> = new Map()) => {
  const hash = (one: Json): Json => {
    const before = typeof one === "string" ? one : object(one)["hash"]!
    return labels.get(before) ?? before
  }
  return touching(world.node, {
    ...touch,
    block: (block) =>
      block["hash"] === world.hash
        ? {
            ...block,
            transactions: list(block["transactions"]).map((one) =>
              typeof one === "string" ? hash(one) : { ...unknown(object(one)), hash: hash(one) }
            )
          }
        : block
  })
}

const ofBlock =
  (world: World, change: (thing: JsonObject) => JsonObject) =>
  (thing: JsonObject): JsonObject =>
    isOf(world, thing) ? change(thing) : thing

const inReceipts = (world: World, change: (receipt: JsonObject, index: number) => JsonObject): Touch => ({
  receipts: (receipts) => receipts.map((one, i) => (isOf(world, one) ? change(one, i) : one))
})

const swap = (world: World): Touch => {
  const labels = rotated(world)
  return {
    receipts: (receipts) =>
      receipts.map((one) => (isOf(world, one) ? relabelled(one, labels) : one)) as ReadonlyArray<JsonObject>,
    logs: (logs) => logs.map((log) => (isOf(world, log) ? relabelled(log, labels) : log))
  }
}

/**
 * Returns a function that changes one field of an object, if the object has it: a receipt, a transaction, or anything
 * that repeats the field.
 */
const field = (name: string, value: (before: Json | undefined) => Json) => (thing: JsonObject) =>
  name in thing ? { ...thing, [name]: value(thing[name]) } : thing

export const liars: ReadonlyArray<Liar> = [
  liar(
    "unknown types, receipts swapped",
    "all transactions are of an unknown type, and receipts and hashes stand in each other's places",
    (world) => hidden(world, swap(world), rotated(world)),
    hasTwo
  ),
  liar(
    "unknown types, receipts swapped, logs true",
    "the same, but the logs that are asked for alone keep their labels",
    (world) => hidden(world, { receipts: swap(world).receipts! }, rotated(world)),
    hasTwo
  ),
  liar("unknown types, another sender", "receipts name another sender, and the block hides the transactions", (world) =>
    hidden(
      world,
      inReceipts(
        world,
        field("from", () => ADDRESS)
      )
    )
  ),
  liar("unknown types, another receiver", "receipts name another receiver", (world) =>
    hidden(
      world,
      inReceipts(
        world,
        field("to", () => ADDRESS)
      )
    )
  ),
  liar("unknown types, another contract", "receipts name a contract that was never made", (world) =>
    hidden(
      world,
      inReceipts(world, (receipt) => ({ ...receipt, contractAddress: ADDRESS }))
    )
  ),
  liar("unknown types, another price", "receipts name another price", (world) =>
    hidden(world, inReceipts(world, field("effectiveGasPrice", another)))
  ),
  liar(
    "unknown types, log labels",
    "logs name another transaction, in receipts and alone",
    (world) => hidden(world, { log: ofBlock(world, (log) => relabelled(log, rotated(world))) }),
    (world) => hasTwo(world) && hasLogs(world)
  ),
  liar("unknown types, logs moved to no transaction", "logs name a transaction that never was", (world) =>
    hidden(world, { log: ofBlock(world, (log) => ({ ...log, transactionHash: `0x${"e7".repeat(32)}` })) })
  ),
  liar("one unknown type", "one transaction is of an unknown type, and its receipt names another sender", (world) => {
    const [first] = transactionsOf(world.block)
    return touching(world.node, {
      block: (block) =>
        block["hash"] === world.hash
          ? {
              ...block,
              transactions: list(block["transactions"]).map((one, i) =>
                typeof one === "string" || i > 0 ? one : unknown(object(one))
              )
            }
          : block,
      receipts: (receipts) =>
        receipts.map((one) => (one["transactionHash"] === first?.["hash"] ? { ...one, from: ADDRESS } : one))
    })
  }),
  liar("unknown types with invented fields", "transactions of an unknown type that say anything", (world) =>
    touching(world.node, {
      transaction: (one) => ({ ...one, type: "0x64", value: "0x1", from: ADDRESS, to: ADDRESS })
    })
  ),
  liar(
    "known types in disguise",
    "true transactions under an unknown type, and another sender in the receipts",
    (world) =>
      touching(world.node, {
        transaction: (one) => ({ ...one, type: "0x64" }),
        ...inReceipts(
          world,
          field("from", () => ADDRESS)
        )
      })
  ),
  liar(
    "receipts swapped",
    "the labels of receipts and logs, with a true block",
    (world) => touching(world.node, swap(world)),
    hasTwo
  ),
  liar(
    "receipts swapped, hashes swapped",
    "the labels of receipts and the list of hashes, while whole transactions are true",
    (world) =>
      touching(world.node, {
        ...swap(world),
        block: (block) =>
          block["hash"] === world.hash && list(block["transactions"]).every((one) => typeof one === "string")
            ? { ...block, transactions: list(block["transactions"]).map((one) => rotated(world).get(one) ?? one) }
            : block
      }),
    hasTwo
  ),
  liar(
    "a status from before Byzantium",
    "a status beside the root of the state, in all receipts",
    (world) =>
      touching(
        world.node,
        inReceipts(world, (receipt) => ({ ...receipt, status: "0x1" }))
      ),
    isBeforeByzantium
  ),
  liar(
    "a status in one answer",
    "a status beside the root in the receipt that is asked for alone",
    (world) => touching(world.node, { receipt: (receipt) => ({ ...receipt, status: "0x0" }) }),
    isBeforeByzantium
  ),
  liar(
    "a root since Byzantium",
    "a root of the state beside the status, in all receipts",
    (world) =>
      touching(
        world.node,
        inReceipts(world, (receipt) => ({ ...receipt, root: `0x${"ab".repeat(32)}` }))
      ),
    isSinceByzantium
  ),
  liar(
    "a root for a status",
    "a root of the state in the place of the status",
    (world) =>
      touching(
        world.node,
        inReceipts(world, (receipt) => ({ ...leavingOut("status")(receipt), root: `0x${"ab".repeat(32)}` }))
      ),
    isSinceByzantium
  ),
  liar(
    "less in the list, lies alone",
    "the list of receipts says little, and the receipt alone says what is not so",
    (world) =>
      touching(world.node, {
        receipts: (receipts) =>
          receipts.map(leavingOut("blobGasPrice", "blobGasUsed", "contractAddress", "effectiveGasPrice", "type")),
        receipt: (receipt) => ({
          ...receipt,
          contractAddress: ADDRESS,
          effectiveGasPrice: "0x1",
          blobGasUsed: "0x1",
          blobGasPrice: "0x1",
          blockTimestamp: "0x1"
        })
      })
  ),
  liar(
    "less in the list, nulls alone",
    "the list of receipts leaves contracts out, and the receipt alone says none",
    (world) =>
      touching(world.node, {
        receipts: (receipts) => receipts.map(leavingOut("contractAddress")),
        receipt: (receipt) => ({ ...receipt, contractAddress: null })
      })
  ),
  liar("other blob prices", "the price of blob gas, in both answers about receipts", (world) =>
    touching(world.node, inReceipts(world, field("blobGasPrice", another)))
  ),
  liar("blobs in all", "blob gas in receipts of transactions without blobs", (world) =>
    touching(
      world.node,
      inReceipts(world, (receipt) => ({ ...receipt, blobGasUsed: "0x20000", blobGasPrice: "0x1" }))
    )
  ),
  liar("other receipts' types", "the type of all receipts", (world) =>
    touching(
      world.node,
      inReceipts(world, (receipt) => ({ ...receipt, type: receipt["type"] === "0x2" ? "0x1" : "0x2" }))
    )
  ),
  liar("receipts of another block", "the receipts of another block under the labels of this one", (world) => {
    const labels = transactionsOf(world.block)
    return touching(world.node, {
      receipts: (receipts) =>
        receipts.map((one, i) => {
          const told = world.other.receipts[i] ?? one
          const place = {
            blockHash: one["blockHash"]!,
            blockNumber: one["blockNumber"]!,
            transactionHash: labels[i]?.["hash"] ?? one["transactionHash"]!
          }
          return { ...told, ...place, logs: list(told["logs"]).map((log) => ({ ...object(log), ...place })) }
        })
    })
  }),
  liar(
    "logs dropped",
    "no logs, empty blooms, in receipts and in answers about logs",
    (world) =>
      touching(world.node, {
        ...inReceipts(world, (receipt) => ({ ...receipt, logs: [], logsBloom: `0x${"00".repeat(256)}` })),
        logs: () => [],
        block: (block) => ({ ...block, logsBloom: `0x${"00".repeat(256)}` })
      }),
    hasLogs
  ),
  liar(
    "logs dropped from ranges",
    "logs are true by a block's hash, and missing in ranges",
    (world) => touching(world.node, { logs: (logs, isRange) => (isRange ? [] : logs) }),
    hasLogs
  ),
  liar(
    "one log dropped",
    "the first log is missing, in receipts and in answers about logs",
    (world) =>
      touching(world.node, {
        logs: (logs) => logs.slice(1),
        ...inReceipts(world, (receipt) => ({ ...receipt, logs: list(receipt["logs"]).slice(1) }))
      }),
    hasLogs
  ),
  liar(
    "logs said twice",
    "the last log twice, in receipts and in answers about logs",
    (world) =>
      touching(world.node, {
        logs: (logs) => [...logs, ...logs.slice(-1)],
        ...inReceipts(world, (receipt) => ({
          ...receipt,
          logs: [...list(receipt["logs"]), ...list(receipt["logs"]).slice(-1)]
        }))
      }),
    hasLogs
  ),
  liar(
    "other emitters of logs",
    "the contract of logs, in receipts and in answers about logs",
    (world) => touching(world.node, { log: (log) => ({ ...log, address: ADDRESS }) }),
    hasLogs
  ),
  liar(
    "logs that were removed",
    "`removed` in all logs",
    (world) => touching(world.node, { log: (log) => ({ ...log, removed: true }) }),
    hasLogs
  ),
  liar(
    "logs with other indices",
    "the index of all logs is one more",
    (world) => touching(world.node, { log: (log) => ({ ...log, logIndex: another(log["logIndex"]) }) }),
    hasLogs
  ),
  liar(
    "logs moved to another block",
    "logs name a block that is not theirs",
    (world) => touching(world.node, { log: (log) => ({ ...log, blockHash: world.parent["hash"]! }) }),
    hasLogs
  ),
  liar(
    "logs moved to another transaction",
    "logs name another transaction of the block",
    (world) => touching(world.node, { log: ofBlock(world, (log) => relabelled(log, rotated(world))) }),
    (world) => hasTwo(world) && hasLogs(world)
  ),
  liar("logs at another time", "the time of logs and receipts", (world) =>
    touching(world.node, {
      log: (log) => ({ ...log, blockTimestamp: "0x1" }),
      ...inReceipts(world, (receipt) => ({ ...receipt, blockTimestamp: "0x1" }))
    })
  ),
  liar("another price", "the price in transactions, blocks and receipts", (world) =>
    touching(world.node, {
      transaction: (one) => ({ ...object(one), gasPrice: another(object(one)["gasPrice"]) }),
      ...inReceipts(world, field("effectiveGasPrice", another))
    })
  ),
  liar("no senders, another sender", "a signature of zeros, and a sender of the liar's choice", (world) =>
    touching(world.node, {
      transaction: (one) => ({ ...object(one), r: "0x0", s: "0x0", v: "0x0", from: ADDRESS }),
      ...inReceipts(
        world,
        field("from", () => ADDRESS)
      )
    })
  ),
  liar(
    "other parities",
    "`v` and `yParity` of typed transactions, in agreement",
    (world) =>
      touching(world.node, {
        transaction: (one) => {
          const { v, yParity, ...rest } = object(one)
          if (rest["type"] === "0x0" || rest["type"] === undefined) return one
          const other = yParity === "0x1" || v === "0x1" ? "0x0" : "0x1"
          return { ...rest, v: other, yParity: other }
        }
      }),
    hasTyped
  ),
  liar("another chain", "the chain of all transactions, in both spellings", (world) =>
    touching(world.node, { transaction: (one) => ({ ...object(one), chainId: "0x539", chainID: "0x539" }) })
  ),
  liar("fields of other types", "fields that are not part of a transaction's type", (world) =>
    touching(world.node, {
      transaction: (one) => ({
        maxFeePerGas: "0x1",
        maxPriorityFeePerGas: "0x1",
        maxFeePerBlobGas: "0x1",
        blobVersionedHashes: [],
        accessList: [],
        authorizationList: [],
        ...object(one)
      })
    })
  ),
  liar("strange fields", "fields that nothing describes, in everything", (world) => {
    const strange = (thing: JsonObject): JsonObject => ({ ...thing, l1Fee: "0x1", note: { status: "0x1" } })
    return touching(world.node, {
      block: (block) => strange({ ...block, withdrawals: withStrange(block["withdrawals"], strange) }),
      transaction: (one) => strange({ ...object(one), accessList: withStrange(object(one)["accessList"], strange) }),
      receipts: (receipts) => receipts.map(strange),
      log: strange,
      uncle: strange,
      proof: (proof) => strange({ ...proof, storageProof: withStrange(proof["storageProof"], strange) })
    })
  }),
  liar("strange names", "fields with names that look like claims or paths", (world) => {
    const strange = (thing: JsonObject): JsonObject => ({
      ...thing,
      block: "0x1",
      fromBlock: "0x2",
      "a.b": "0x3",
      constructor: "0x4",
      toString: "0x5"
    })
    return touching(world.node, {
      block: strange,
      transaction: (one) => strange(object(one)),
      receipts: (receipts) => receipts.map(strange),
      log: strange,
      uncle: strange,
      proof: strange
    })
  }),
  liar(
    "hashes in another order",
    "the list of hashes, reversed",
    (world) =>
      touching(world.node, {
        block: (block) => {
          const hashes = list(withHashes(block)["transactions"])
          return list(block["transactions"]).every((one) => typeof one === "string")
            ? { ...block, transactions: hashes.toReversed() }
            : block
        }
      }),
    hasTwo
  )
]

const leavingOut =
  (...names: ReadonlyArray<string>) =>
  (thing: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(thing).filter(([name]) => !names.includes(name)))

const withStrange = (items: Json | undefined, strange: (thing: JsonObject) => JsonObject): Json =>
  items === undefined ? [] : list(items).map((item) => strange(object(item)))
