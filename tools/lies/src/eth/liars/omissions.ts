/**
 * Liars by omission: each leaves one field out of one kind of answer, or sends null or an empty value for it, in every
 * answer of that kind. Others send null or an empty value instead of every answer to one method.
 */
import type { Json, JsonObject } from "../../json.ts"
import { isList, isObject } from "../../json.ts"
import { type Liar, liar } from "./liar.ts"
import { list, type Node, object } from "./node.ts"
import { type Touch, touching } from "./touch.ts"
import { transactionsOf, type World } from "./world.ts"

/** A kind of object: its fields, an example in a world, and how a node changes it everywhere. */
interface Kind {
  readonly fields: ReadonlyArray<string>
  readonly examples: (world: World) => ReadonlyArray<JsonObject>
  readonly touch: (change: (thing: JsonObject) => JsonObject) => Touch
}

/** Changes each item of a list in an object. */
const inside = (thing: JsonObject, name: string, change: (item: JsonObject) => JsonObject): JsonObject => {
  const items = thing[name]
  return isList(items) ? { ...thing, [name]: items.map((item) => change(object(item))) } : thing
}

const words = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/u)

const ofHeader = words(`
  number hash parentHash nonce mixHash sha3Uncles logsBloom transactionsRoot stateRoot receiptsRoot miner difficulty
  extraData gasLimit gasUsed timestamp baseFeePerGas withdrawalsRoot blobGasUsed excessBlobGas parentBeaconBlockRoot
  requestsHash size uncles
`)

const kinds: Readonly<Record<string, Kind>> = {
  block: {
    fields: [...ofHeader, "withdrawals", "transactions"],
    examples: (world) => [world.block],
    touch: (block) => ({ block })
  },
  uncle: {
    fields: ofHeader,
    examples: ({ uncles }) => uncles,
    touch: (uncle) => ({ uncle })
  },
  withdrawal: {
    fields: words("index validatorIndex address amount"),
    examples: ({ block }) => list(block["withdrawals"] ?? []).map(object),
    touch: (change) => ({ block: (block) => inside(block, "withdrawals", change) })
  },
  transaction: {
    fields: words(`
      blockHash blockNumber blockTimestamp transactionIndex hash from type chainId nonce gasPrice maxFeePerGas
      maxPriorityFeePerGas maxFeePerBlobGas gas to value input accessList authorizationList blobVersionedHashes v yParity
      r s
    `),
    examples: ({ block }) => transactionsOf(block),
    touch: (change) => ({ transaction: (one) => change(object(one)) })
  },
  "entry of an access list": {
    fields: words("address storageKeys"),
    examples: ({ block }) => transactionsOf(block).flatMap(({ accessList = [] }) => list(accessList).map(object)),
    touch: (change) => ({ transaction: (one) => inside(object(one), "accessList", change) })
  },
  authorization: {
    fields: words("chainId address nonce yParity r s"),
    examples: ({ block }) =>
      transactionsOf(block).flatMap(({ authorizationList = [] }) => list(authorizationList).map(object)),
    touch: (change) => ({ transaction: (one) => inside(object(one), "authorizationList", change) })
  },
  receipt: {
    fields: words(`
      type status root cumulativeGasUsed gasUsed effectiveGasPrice logsBloom logs blockHash blockNumber transactionHash
      transactionIndex from to contractAddress blobGasUsed blobGasPrice
    `),
    examples: ({ receipts }) => receipts,
    touch: (change) => ({ receipts: (all) => all.map(change) })
  },
  "receipt alone": {
    fields: words(`
      type status root cumulativeGasUsed gasUsed effectiveGasPrice logsBloom logs blockHash blockNumber transactionHash
      transactionIndex from to contractAddress blobGasUsed blobGasPrice
    `),
    examples: ({ receipts }) => receipts,
    touch: (receipt) => ({ receipt })
  },
  log: {
    fields: words(`
      address topics data blockHash blockNumber transactionHash transactionIndex blockTimestamp logIndex removed
    `),
    examples: ({ receipts }) => receipts.flatMap(({ logs }) => list(logs)).map(object),
    touch: (log) => ({ log })
  },
  proof: {
    fields: words("address accountProof balance codeHash nonce storageHash storageProof"),
    examples: ({ state }) => (state === undefined ? [] : [{ accountProof: [], balance: "0x0", storageProof: [] }]),
    touch: (proof) => ({ proof })
  },
  "proof of a slot": {
    fields: words("key value proof"),
    examples: ({ state }) => (state === undefined ? [] : [{ key: "0x0", value: "0x0", proof: [] }]),
    touch: (change) => ({ proof: (proof) => inside(proof, "storageProof", change) })
  }
}

/** Returns an empty value of the same kind. */
const emptied = (value: Json): Json =>
  isList(value) ? [] : isObject(value) ? {} : typeof value === "boolean" ? false : "0x"

const ways: Readonly<Record<string, (thing: JsonObject, field: string) => JsonObject>> = {
  "left out": (thing, field) => Object.fromEntries(Object.entries(thing).filter(([name]) => name !== field)),
  null: (thing, field) => ({ ...thing, [field]: null }),
  empty: (thing, field) => ({ ...thing, [field]: emptied(thing[field]!) })
}

/** The methods whose whole answers are withheld: every method that is proven, and those that their proofs need. */
const methods = words(`
  eth_blockNumber eth_getBlockByHash eth_getBlockByNumber eth_getBlockTransactionCountByHash
  eth_getBlockTransactionCountByNumber eth_getTransactionByHash eth_getTransactionByBlockHashAndIndex
  eth_getTransactionByBlockNumberAndIndex eth_getTransactionReceipt eth_getBlockReceipts eth_getUncleCountByBlockHash
  eth_getUncleCountByBlockNumber eth_getUncleByBlockHashAndIndex eth_getUncleByBlockNumberAndIndex eth_getLogs
  eth_getBalance eth_getCode eth_getTransactionCount eth_getStorageAt eth_getStorageValues eth_getProof
`)

const withheld: ReadonlyArray<Liar> = methods.flatMap((named) =>
  Object.entries({ null: () => null, empty: emptied }).map(([way, change]) =>
    liar(`${named} ${way}`, `every answer to ${named} is ${way}`, ({ node }): Node => async (method, params) => {
      const truth = await node(method, params)
      return method === named && truth !== null ? change(truth) : truth
    })
  )
)

const fields: ReadonlyArray<Liar> = Object.entries(kinds).flatMap(([kind, { examples, fields, touch }]) =>
  fields.flatMap((field) =>
    Object.entries(ways).map(([way, change]) =>
      liar(
        `${kind}.${field} ${way}`,
        `${field} is ${way} in every ${kind}`,
        (world) =>
          touching(
            world.node,
            touch((thing) => (field in thing ? change(thing, field) : thing))
          ),
        (world) => (kind.startsWith("proof") ? examples(world).length > 0 : examples(world).some((one) => field in one))
      )
    )
  )
)

export const liars: ReadonlyArray<Liar> = [...fields, ...withheld]
