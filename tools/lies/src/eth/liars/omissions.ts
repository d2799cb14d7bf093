/**
 * Liars by omission: each leaves one field out of one kind of answer, or sends null or an empty value for it, in every
 * answer of that kind.
 */
import type { Json, JsonObject } from "../../json.ts"
import { isList } from "../../json.ts"
import { type Liar, liar } from "./liar.ts"
import { list, object } from "./node.ts"
import { type Touch, touching } from "./touch.ts"
import { transactionsOf, type World } from "./world.ts"

/** A kind of object: its fields, an example in a world, and how a node changes it everywhere. */
interface Kind {
  readonly fields: ReadonlyArray<string>
  readonly examples: (world: World) => ReadonlyArray<JsonObject>
  readonly touch: (change: (thing: JsonObject) => JsonObject) => Touch
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
    touch: (change) => ({
      block: (block) =>
        isList(block["withdrawals"])
          ? { ...block, withdrawals: block["withdrawals"].map((one) => change(object(one))) }
          : block
    })
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
  receipt: {
    fields: words(`
      type status root cumulativeGasUsed gasUsed effectiveGasPrice logsBloom logs blockHash blockNumber transactionHash
      transactionIndex from to contractAddress blobGasUsed blobGasPrice
    `),
    examples: ({ receipts }) => receipts,
    touch: (change) => ({ receipts: (all) => all.map(change) })
  },
  "receipt alone": {
    fields: words("type status root effectiveGasPrice logs blockHash from to contractAddress blobGasUsed blobGasPrice"),
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
  }
}

/** Returns an empty value of the same kind. */
const emptied = (value: Json): Json => (isList(value) ? [] : typeof value === "boolean" ? false : "0x")

const ways: Readonly<Record<string, (thing: JsonObject, field: string) => JsonObject>> = {
  "left out": (thing, field) => Object.fromEntries(Object.entries(thing).filter(([name]) => name !== field)),
  null: (thing, field) => ({ ...thing, [field]: null }),
  empty: (thing, field) => ({ ...thing, [field]: emptied(thing[field]!) })
}

export const liars: ReadonlyArray<Liar> = Object.entries(kinds).flatMap(([kind, { examples, fields, touch }]) =>
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
        (world) => (kind === "proof" ? examples(world).length > 0 : examples(world).some((one) => field in one))
      )
    )
  )
)
