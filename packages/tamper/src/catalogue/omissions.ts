/**
 * Lies by omission. Most of them leave one field out of one kind of object, or send null or an empty value for it, in
 * every answer that shows such an object. Others send null or an empty value instead of every answer to one method.
 */
import * as Lie from "../lie/Lie.ts"
import * as Everywhere from "./everywhere.ts"

/** A kind of object: its name in sentences, its fields, and the change of every object of the kind. */
interface Kind {
  readonly name: string
  readonly fields: ReadonlyArray<string>
  readonly changes: (change: (thing: any) => any) => Lie.AnswerChanges
}

const words = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/u)

const ofHeader = words(`
  number hash parentHash nonce mixHash sha3Uncles logsBloom transactionsRoot stateRoot receiptsRoot miner difficulty
  extraData gasLimit gasUsed timestamp baseFeePerGas withdrawalsRoot blobGasUsed excessBlobGas parentBeaconBlockRoot
  requestsHash blockAccessListHash slotNumber size uncles
`)

const ofReceipt = words(`
  type status root cumulativeGasUsed gasUsed effectiveGasPrice logsBloom logs blockHash blockNumber transactionHash
  transactionIndex blockTimestamp from to contractAddress blobGasUsed blobGasPrice
`)

/** Changes each item of a list in an object. */
const inside =
  (name: string, change: (item: any) => any) =>
  (thing: any): any =>
    Array.isArray(thing[name]) ? { ...thing, [name]: thing[name].map(change) } : thing

/** Changes each account of every block access list. */
const accessLists = (change: (account: any) => any): Lie.AnswerChanges => ({
  eth_getBlockAccessList: (list: ReadonlyArray<any>) => list.map(change)
})

/** The kinds, keyed by the first word of the names of their lies. */
const kinds: Readonly<Record<string, Kind>> = {
  block: {
    name: "block",
    fields: [...ofHeader, "withdrawals", "transactions"],
    changes: Everywhere.blocks
  },
  uncle: {
    name: "uncle",
    fields: ofHeader,
    changes: (change) => ({
      eth_getUncleByBlockHashAndIndex: change,
      eth_getUncleByBlockNumberAndIndex: change
    })
  },
  withdrawal: {
    name: "withdrawal",
    fields: words("index validatorIndex address amount"),
    changes: (change) => Everywhere.blocks(inside("withdrawals", change))
  },
  transaction: {
    name: "transaction",
    fields: words(`
      blockHash blockNumber blockTimestamp transactionIndex hash from type chainId nonce gasPrice maxFeePerGas
      maxPriorityFeePerGas maxFeePerBlobGas gas to value input accessList authorizationList blobVersionedHashes v yParity
      r s
    `),
    changes: Everywhere.transactions
  },
  "access-list-entry": {
    name: "entry of an access list",
    fields: words("address storageKeys"),
    changes: (change) => Everywhere.transactions(inside("accessList", change))
  },
  authorization: {
    name: "authorization",
    fields: words("chainId address nonce yParity r s"),
    changes: (change) => Everywhere.transactions(inside("authorizationList", change))
  },
  receipt: {
    name: "receipt",
    fields: ofReceipt,
    changes: Everywhere.receipts
  },
  "single-receipt": {
    name: "receipt that is asked for alone",
    fields: ofReceipt,
    changes: (change) => ({ eth_getTransactionReceipt: change })
  },
  log: {
    name: "log",
    fields: words(`
      address topics data blockHash blockNumber transactionHash transactionIndex blockTimestamp logIndex removed
    `),
    changes: (change) => Everywhere.logs((logs) => logs.map(change))
  },
  proof: {
    name: "proof of an account",
    fields: words("address accountProof balance codeHash nonce storageHash storageProof"),
    changes: (change) => ({ eth_getProof: change })
  },
  "slot-proof": {
    name: "proof of a slot",
    fields: words("key value proof"),
    changes: (change) => ({ eth_getProof: inside("storageProof", change) })
  },
  "account-changes": {
    name: "account of a block access list",
    fields: words("address storageChanges storageReads balanceChanges nonceChanges codeChanges"),
    changes: accessLists
  },
  "slot-changes": {
    name: "changed slot of a block access list",
    fields: words("key changes"),
    changes: (change) => accessLists(inside("storageChanges", change))
  }
}

/** Returns an empty value of the same kind. */
const emptied = (value: unknown): unknown =>
  Array.isArray(value)
    ? []
    : typeof value === "object" && value !== null
      ? {}
      : typeof value === "boolean"
        ? false
        : "0x"

/** The ways to leave a field out, keyed by the last word of the names of their lies. */
const ways: Readonly<Record<string, (thing: any, field: string) => object>> = {
  absent: (thing, field) => Object.fromEntries(Object.entries(thing).filter(([name]) => name !== field)),
  null: (thing, field) => ({ ...thing, [field]: null }),
  empty: (thing, field) => ({ ...thing, [field]: emptied(thing[field]) })
}

/** Every method that can be proven, and those that the proofs need. */
const methods = words(`
  eth_blockNumber eth_getBlockByHash eth_getBlockByNumber eth_getBlockTransactionCountByHash
  eth_getBlockTransactionCountByNumber eth_getTransactionByHash eth_getTransactionByBlockHashAndIndex
  eth_getTransactionByBlockNumberAndIndex eth_getTransactionReceipt eth_getBlockReceipts eth_getUncleCountByBlockHash
  eth_getUncleCountByBlockNumber eth_getUncleByBlockHashAndIndex eth_getUncleByBlockNumberAndIndex eth_getLogs
  eth_getBalance eth_getCode eth_getTransactionCount eth_getStorageAt eth_getStorageValues eth_getProof
  eth_getBlockAccessList
`)

/** Returns a name of the protocol in lower case with hyphens. */
const hyphenated = (name: string): string =>
  name.replace("_", "-").replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)

const fields = Object.entries(kinds).flatMap(([kind, { changes, fields, name }]) =>
  fields.flatMap((field) =>
    Object.entries(ways).map(([way, without]) =>
      Lie.make(`${kind}-${hyphenated(field)}-${way}`, {
        about: `${field} is ${way} in every ${name}`,
        expected: "WHOLE",
        changes: changes((thing) => (Object.hasOwn(thing, field) ? without(thing, field) : thing))
      })
    )
  )
)

const answers = methods.flatMap((method) =>
  Object.entries({ null: () => null, empty: emptied }).map(([way, change]) =>
    Lie.make(`${hyphenated(method)}-${way}`, {
      about: `every answer to ${method} is ${way}`,
      expected: "WHOLE",
      changes: { [method]: change }
    })
  )
)

export const lies: ReadonlyArray<Lie.Lie> = [...fields, ...answers]
