/** Liars about the existence of blocks, their content, and the results of their state. */
import type { JsonObject } from "../../json.ts"
import * as Forge from "./forge.ts"
import {
  ADDRESS,
  another,
  hasLogs,
  hasState,
  hasUncles,
  isSinceByzantium,
  isSinceLondon,
  type Liar,
  liar
} from "./liar.ts"
import { list, type Node, object, quantity, refusal, text } from "./node.ts"
import { everywhere, touching } from "./touch.ts"
import { NEVER, transactionsOf, type World } from "./world.ts"

/** A time in the future: 2096. */
const LATER = "0xed000000"

/** The attacked block, made anew with changes. */
const remade = (world: World, change: (forged: Forge.Forged) => Forge.Forged): Forge.Forged =>
  Forge.seal(change({ block: world.block, receipts: world.receipts, uncles: world.uncles }))

/** The attacked block with another header: at the same height, a sibling. */
const sibling = (world: World, header: JsonObject = { extraData: "0x6c6965" }): Forge.Forged =>
  remade(world, (forged) => ({ ...forged, block: { ...forged.block, ...header } }))

/** The same on top of the head. */
const above = (world: World, header: JsonObject = {}): Forge.Forged =>
  sibling(world, { number: quantity(world.head + 1n), parentHash: world.headHash, timestamp: LATER, ...header })

const stateOf = (world: World): Forge.Beside => ({ stateOf: world.hash })

const withStatus = (receipts: ReadonlyArray<JsonObject>): ReadonlyArray<JsonObject> =>
  receipts.map((one) => ("status" in one ? { ...one, status: another(one["status"]) } : one))

const pending = (world: World, fields: JsonObject = {}): Node =>
  touching(world.node, {
    transaction: (one) => ({
      ...object(one),
      blockHash: null,
      blockNumber: null,
      transactionIndex: null,
      ...fields
    })
  })

/** Answers about a block under other names. */
const renamed = (world: World, names: Readonly<Record<string, string>>): Node => {
  const other = (parameter: unknown): any => {
    if (typeof parameter === "string") return names[parameter] ?? parameter
    if (typeof parameter !== "object" || parameter === null || Array.isArray(parameter)) return parameter
    return Object.fromEntries(Object.entries(parameter).map(([name, value]) => [name, other(value)]))
  }
  return (method, params) => world.node(method, params.map(other))
}

/** Returns a node that accepts no object for a block, and answers by number about another block. */
const byNumberAbout =
  (world: World, number: string): Node =>
  async (method, params) => {
    const at = params.at(-1)
    if (!/Balance|Code|TransactionCount$|Storage|Proof/u.test(method)) return world.node(method, params)
    if (typeof at !== "string" || at.length === 66) throw refusal(-32602, "invalid argument: want a number or a tag")
    return world.node(method, [...params.slice(0, -1), at.startsWith("0x") ? number : at])
  }

export const liars: ReadonlyArray<Liar> = [
  liar("a block above the head", "the transactions are in a block of the liar's making, in the year 2096", (world) =>
    Forge.beside(world.node, above(world), stateOf(world))
  ),
  liar("a block above the head, named", "the same, and it is found by its number and as latest", (world) => {
    const names = [quantity(world.head + 1n), "latest", "safe", "finalized"]
    return Forge.beside(world.node, above(world), { ...stateOf(world), named: names })
  }),
  liar("a block far above the head", "the same, a million blocks on", (world) => {
    const number = quantity(world.head + 1_000_000n)
    return Forge.beside(world.node, above(world, { number }), { ...stateOf(world), named: [number, "latest"] })
  }),
  liar(
    "a block above the head, other outcomes",
    "the same, and what failed succeeded there",
    (world) =>
      Forge.beside(
        world.node,
        remade(world, (forged) => ({
          ...forged,
          block: { ...forged.block, number: quantity(world.head + 1n), parentHash: world.headHash },
          receipts: withStatus(forged.receipts)
        }))
      ),
    isSinceByzantium
  ),
  liar(
    "a block above the head, another base fee",
    "the same, and with it what was paid",
    (world) => {
      const fee = "0x5f5e100"
      const priced = (one: JsonObject): JsonObject => ({ ...one, ...priceIn(one, BigInt(fee)) })
      return Forge.beside(
        world.node,
        remade(world, (forged) => ({
          ...forged,
          block: {
            ...forged.block,
            number: quantity(world.head + 1n),
            baseFeePerGas: fee,
            transactions: transactionsOf(forged.block).map(priced)
          },
          receipts: forged.receipts.map((receipt, i) => ({
            ...receipt,
            effectiveGasPrice: priced(transactionsOf(forged.block)[i]!)["gasPrice"]!
          }))
        }))
      )
    },
    isSinceLondon
  ),
  liar("a sibling", "a block at the same height holds the transactions", (world) =>
    Forge.beside(world.node, sibling(world), stateOf(world))
  ),
  liar("a sibling, named", "the same, and it is found by the number", (world) =>
    Forge.beside(world.node, sibling(world), { ...stateOf(world), named: [quantity(world.number)] })
  ),
  liar("a sibling at another time", "a block at the same height, in the year 2096", (world) =>
    Forge.beside(world.node, sibling(world, { timestamp: LATER }), stateOf(world))
  ),
  liar("a sibling in another order", "a block at the same height, its transactions reversed", (world) =>
    Forge.beside(
      world.node,
      remade(world, ({ block, receipts, uncles }) => ({
        block: { ...block, transactions: transactionsOf(block).toReversed() },
        receipts: receipts.toReversed(),
        uncles
      })),
      { named: [quantity(world.number)] }
    )
  ),
  liar(
    "a sibling with other outcomes",
    "a block at the same height, where what failed succeeded",
    (world) =>
      Forge.beside(
        world.node,
        remade(world, (forged) => ({ ...forged, receipts: withStatus(forged.receipts) })),
        { named: [quantity(world.number)] }
      ),
    isSinceByzantium
  ),
  liar(
    "a sibling without logs",
    "a block at the same height, where nothing was logged",
    (world) =>
      Forge.beside(
        world.node,
        remade(world, (forged) => ({
          ...forged,
          receipts: forged.receipts.map((receipt) => ({ ...receipt, logs: [] }))
        })),
        { named: [quantity(world.number)] }
      ),
    hasLogs
  ),
  liar("a sibling with another state", "a block at the same height, with the state of another block", (world) =>
    Forge.beside(world.node, sibling(world, { stateRoot: world.parent["stateRoot"]! }), {
      stateOf: text(world.parent["hash"]),
      named: [quantity(world.number), "latest"]
    })
  ),
  liar("a block with a transaction that never was", "an invented hash is in an invented block", (world) => {
    const forged = above(world)
    const [first, ...rest] = transactionsOf(forged.block)
    const told = { ...first!, hash: NEVER }
    return Forge.beside(
      world.node,
      {
        ...forged,
        block: { ...forged.block, transactions: [told, ...rest] },
        receipts: forged.receipts.map((one, i) => (i === 0 ? { ...one, transactionHash: NEVER } : one))
      },
      stateOf(world)
    )
  }),
  liar("a block with an unknown transaction that never was", "the same, of a type that cannot be encoded", (world) => {
    const forged = above(world)
    return Forge.beside(world.node, {
      ...forged,
      block: {
        ...forged.block,
        transactions: transactionsOf(forged.block).map((one, i) => ({
          ...(i === 0 ? { blockHash: one["blockHash"]! } : {}),
          type: "0x7e",
          hash: i === 0 ? NEVER : one["hash"]!
        }))
      },
      receipts: forged.receipts.map((one, i) => (i === 0 ? { ...one, transactionHash: NEVER } : one))
    })
  }),
  liar("mined as pending", "mined transactions have no place", (world) => pending(world)),
  liar("mined as pending, wholly", "the same, without time and at another price", (world) =>
    pending(world, { blockTimestamp: null })
  ),
  liar("mined as pending, another price", "the same, where the price follows from the block", (world) =>
    touching(pending(world), {
      transaction: (one) =>
        object(one)["maxFeePerGas"] === undefined
          ? one
          : { ...object(one), gasPrice: object(one)["maxFeePerGas"]!, blockTimestamp: "0x1" }
    })
  ),
  liar("another place in the true block", "transactions name each other's index", (world) =>
    touching(world.node, {
      transaction: (one) => ({ ...object(one), transactionIndex: another(object(one)["transactionIndex"]) })
    })
  ),
  liar("a place in another true block", "transactions and receipts name another block that there is", (world) => {
    const { hash, number } = world.other.block
    const move = (one: JsonObject): JsonObject =>
      one["blockHash"] === world.hash ? { ...one, blockHash: hash!, blockNumber: number! } : one
    return touching(world.node, {
      transaction: (one) => move(object(one)),
      receipts: (receipts) => receipts.map(move),
      log: move
    })
  }),
  liar("a place in a block that nobody knows", "transactions and receipts name a block without showing it", (world) => {
    const move = (one: JsonObject): JsonObject => ({ ...one, blockHash: NEVER, blockNumber: quantity(world.head) })
    return touching(world.node, {
      transaction: (one) => move(object(one)),
      receipt: move,
      log: move
    })
  }),
  liar(
    "transactions dropped",
    "the last transaction is nowhere: not in the block, the count or the receipts",
    (world) =>
      touching(world.node, {
        block: (block) => ({ ...block, transactions: list(block["transactions"]).slice(0, -1) }),
        receipts: (receipts) => receipts.slice(0, -1),
        scalar: (method, answer) =>
          method.includes("TransactionCountBy") ? quantity(Math.max(0, Number(answer) - 1)) : answer
      })
  ),
  liar("no transactions", "the block is empty in every answer", (world) =>
    touching(world.node, {
      block: (block) => ({ ...block, transactions: [] }),
      receipts: () => [],
      logs: () => [],
      scalar: (method, answer) => (method.includes("TransactionCountBy") ? "0x0" : answer)
    })
  ),
  liar("another total difficulty and size", "what no header proves", (world) =>
    touching(world.node, {
      block: (block) => ({ ...block, totalDifficulty: "0x1", size: "0x1" }),
      uncle: (uncle) => ({ ...uncle, totalDifficulty: "0x1" })
    })
  ),
  liar("another total difficulty", "of blocks and uncles alike", (world) =>
    touching(world.node, {
      block: (block) => ({ ...block, totalDifficulty: "0x1" }),
      uncle: (uncle) => ({ ...uncle, totalDifficulty: "0x1" })
    })
  ),
  liar("other withdrawals", "withdrawals to the liar", (world) =>
    touching(world.node, {
      block: (block) =>
        block["withdrawals"] === undefined
          ? block
          : { ...block, withdrawals: [{ index: "0x0", validatorIndex: "0x0", address: ADDRESS, amount: "0x1" }] }
    })
  ),
  liar("nulls in all that may be", "null in every field that a node may leave out", (world) => {
    const nulled = (thing: JsonObject): JsonObject => ({ ...thing, blockTimestamp: null })
    return touching(world.node, {
      block: (block) => ({ ...block, size: null, totalDifficulty: null }),
      transaction: (one) => ({ ...nulled(object(one)), yParity: null, chainID: null }),
      receipts: (receipts) =>
        receipts.map((one) => ({ ...nulled(one), effectiveGasPrice: null, blobGasUsed: null, blobGasPrice: null })),
      log: (log) => ({ ...nulled(log), removed: null })
    })
  }),
  liar(
    "other uncle hashes",
    "the hashes of uncles in the block",
    (world) =>
      touching(world.node, {
        block: (block) => ({ ...block, uncles: list(block["uncles"] ?? []).map(() => NEVER) })
      }),
    hasUncles
  ),
  liar(
    "other uncles",
    "other headers in the place of the uncles, and their hashes in the block",
    (world) => {
      const told = world.uncles.map((uncle) => {
        const header = { ...uncle, miner: ADDRESS }
        return { ...header, hash: Forge.hashOf(header) }
      })
      return touching(world.node, {
        block: (block) => (block["hash"] === world.hash ? { ...block, uncles: told.map(({ hash }) => hash) } : block),
        uncle: (uncle) => told[world.uncles.findIndex(({ hash }) => hash === uncle["hash"])] ?? uncle
      })
    },
    hasUncles
  ),
  liar(
    "fewer uncles",
    "one uncle less, in the block, by index and in the count",
    (world) =>
      touching(world.node, {
        block: (block) => ({ ...block, uncles: list(block["uncles"] ?? []).slice(1) }),
        uncle: (uncle) => (uncle["hash"] === world.uncles[0]?.["hash"] ? (world.uncles[1] ?? null) : null),
        scalar: (method, answer) => (method.includes("UncleCount") ? quantity(Number(answer) - 1) : answer)
      }),
    hasUncles
  ),
  liar(
    "uncles where there are none",
    "an uncle of the liar's making, in the block, by index and in the count",
    (world) => {
      const { transactions: _a, uncles: _b, withdrawals: _c, ...header } = world.parent
      return async (method, params) => {
        if (method.includes("UncleCount")) return "0x1"
        if (method.includes("Uncle")) return params[1] === "0x0" ? header : null
        const answer = await world.node(method, params)
        return method.startsWith("eth_getBlockBy") && answer !== null
          ? { ...object(answer), uncles: [header["hash"]!] }
          : answer
      }
    }
  ),
  liar("a node without uncle methods", "no method for uncles, and other hashes in the block", (world) => {
    const lying = touching(world.node, {
      block: (block) => ({ ...block, uncles: list(block["uncles"] ?? []).map(() => NEVER) })
    })
    return async (method, params) => {
      if (method.includes("Uncle")) throw refusal(-32601, `the method ${method} does not exist`)
      return lying(method, params)
    }
  }),
  liar(
    "the state of another block",
    "values and proofs of the parent",
    (world) => {
      const parent = text(world.parent["hash"])
      const number = text(world.parent["number"])
      const names = { [world.hash]: parent, [quantity(world.number)]: number }
      const stale = renamed(world, names)
      return (method, params) =>
        /Balance|Code|getTransactionCount|Storage|Proof/u.test(method)
          ? stale(method, params)
          : world.node(method, params)
    },
    hasState
  ),
  liar(
    "the state of another account",
    "values and proofs of another account under this one's address",
    (world) => {
      const { account, contract } = world.state!
      const swapped = renamed(world, { [contract]: account, [account]: contract })
      return async (method, params) => {
        if (!/Balance|Code|getTransactionCount|Storage|Proof/u.test(method)) return world.node(method, params)
        const answer = await swapped(method, params)
        return method === "eth_getProof" ? { ...object(answer), address: params[0]! } : answer
      }
    },
    hasState
  ),
  liar(
    "riches",
    "another balance, in the proof as well",
    (world) =>
      touching(world.node, {
        proof: (proof) => ({ ...proof, balance: "0xde0b6b3a7640000" }),
        scalar: (method, answer) => (method === "eth_getBalance" ? "0xde0b6b3a7640000" : answer)
      }),
    hasState
  ),
  liar(
    "another nonce",
    "in the proof as well",
    (world) =>
      touching(world.node, {
        proof: (proof) => ({ ...proof, nonce: "0x7" }),
        scalar: (method, answer) => (method === "eth_getTransactionCount" ? "0x7" : answer)
      }),
    hasState
  ),
  liar(
    "other code",
    "code that hashes to the hash in the proof",
    (world) =>
      touching(world.node, {
        proof: (proof) => ({
          ...proof,
          codeHash: "0xbc36789e7a1e281436464229828f817d6612f7b477d66591ff96a9e064bcc98a"
        }),
        scalar: (method, answer) => (method === "eth_getCode" ? "0x00" : answer)
      }),
    hasState
  ),
  liar(
    "other words",
    "other words of storage, in the proof as well",
    (world) =>
      touching(world.node, {
        proof: (proof) => ({
          ...proof,
          storageProof: list(proof["storageProof"]).map((slot) => ({ ...object(slot), value: "0x2a" }))
        }),
        scalar: (method, answer) =>
          method === "eth_getStorageAt" || method === "eth_getStorageValues"
            ? everyWord(answer, `0x${"2a".padStart(64, "0")}`)
            : answer
      }),
    hasState
  ),
  liar(
    "slots swapped",
    "words of other slots, with their proofs under these keys",
    (world) => {
      const [a, b] = world.state!.slots
      const swapped = renamed(world, { [a]: b, [b]: a })
      return async (method, params) => {
        if (!method.includes("Storage") && method !== "eth_getProof") return world.node(method, params)
        const answer = await swapped(method, params)
        if (method !== "eth_getProof") return answer
        const keys = list(params[1])
        const proofs = list(object(answer)["storageProof"]).map((slot, i) => ({ ...object(slot), key: keys[i]! }))
        return { ...object(answer), storageProof: proofs }
      }
    },
    hasState
  ),
  liar(
    "nothing is there",
    "empty accounts, with the proof of an absent one",
    (world) => {
      const { absent } = world.state!
      return async (method, params) => {
        if (!/Balance|Code|getTransactionCount|StorageAt|Proof/u.test(method)) return world.node(method, params)
        const answer = await world.node(method, [absent, ...params.slice(1)])
        return method === "eth_getProof" ? { ...object(answer), address: params[0]! } : answer
      }
    },
    hasState
  ),
  liar(
    "an old node",
    "takes no hash for a block, and answers by number about the parent",
    (world) => byNumberAbout(world, text(world.parent["number"])),
    hasState
  ),
  liar("an old head", "latest, safe and finalized are an older block, in all answers", (world) => {
    const number = text(world.parent["number"])
    const stale = renamed(world, { latest: number, safe: number, finalized: number })
    return (method, params) => (method === "eth_blockNumber" ? Promise.resolve(number) : stale(method, params))
  }),
  liar("an old head, of another number", "latest is an older block that says the head's number", (world) => {
    const parent = text(world.parent["number"])
    const stale = renamed(world, { latest: parent })
    return async (method, params) => {
      const answer = await stale(method, params)
      return params[0] === "latest" && method === "eth_getBlockByNumber"
        ? { ...object(answer), number: quantity(world.head) }
        : answer
    }
  }),
  liar("another block by the number", "a true block of another height under this number, relabelled", (world) => {
    const number = quantity(world.number)
    const told = text(world.other.block["number"])
    const stale = renamed(world, { [number]: told, [world.hash]: text(world.other.block["hash"]) })
    return async (method, params) =>
      everywhere(
        everywhere(await stale(method, params), "blockNumber", (value) => (value === told ? number : value)),
        "number",
        (value) => (value === told ? number : value)
      )
  }),
  liar("nothing", "null for everything that may be null", (world) => async (method, params) => {
    const answer = await world.node(method, params)
    return /^eth_get(?:Block|Transaction|Uncle)/u.test(method) && method !== "eth_getTransactionCount" ? null : answer
  }),
  liar(
    "no transactions by hash",
    "transactions and receipts are null, blocks are true",
    (world) => async (method, params) =>
      method === "eth_getTransactionByHash" || method === "eth_getTransactionReceipt"
        ? null
        : world.node(method, params)
  )
]

/**
 * Returns the `gasPrice` of a transaction in a block with this base fee (EIP-1559), or nothing for types whose price is
 * fixed.
 */
const priceIn = (one: JsonObject, baseFee: bigint): JsonObject => {
  if (one["maxFeePerGas"] === undefined) return {}
  const wanted = baseFee + BigInt(text(one["maxPriorityFeePerGas"]))
  const most = BigInt(text(one["maxFeePerGas"]))
  return { gasPrice: quantity(wanted < most ? wanted : most) }
}

const everyWord = (answer: any, word: string): any => {
  if (typeof answer === "string") return word
  if (Array.isArray(answer)) return answer.map(() => word)
  return Object.fromEntries(Object.entries(answer).map(([name, words]) => [name, everyWord(words, word)]))
}
