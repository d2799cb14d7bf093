/**
 * Encodes JSON answers in the forms that Ethereum hashes, with ethereumjs' RLP. A forger uses the encodings to make an
 * answer consistent. Fields are written unchanged, right or wrong.
 *
 * Sources: Yellow Paper, section 4; EIP-2718, 2930, 1559, 4844, 7702, 4895.
 */
import { RLP } from "@ethereumjs/rlp"
import { Keccak256 } from "@plumbline/codec"
import { Trie } from "@plumbline/merkle-trie"

import * as Json from "../../json.ts"

export type Item = Uint8Array | ReadonlyArray<Item>

export const bytesOf = (text: Json.Json | undefined): Uint8Array =>
  typeof text === "string" ? Uint8Array.from(Buffer.from(text.slice(2), "hex")) : new Uint8Array(0)

export const hexOf = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString("hex")}`

export const hexNumber = (number: bigint | number): string => `0x${number.toString(16)}`

export const numberOf = (text: Json.Json | undefined): bigint =>
  typeof text === "string" && /^0x[0-9a-f]+$/iu.test(text) ? BigInt(text) : 0n

/** Returns the minimal bytes of a number. */
export const minimal = (text: Json.Json | undefined): Uint8Array => {
  const number = numberOf(text)
  if (number === 0n) return new Uint8Array(0)
  const digits = number.toString(16)
  return bytesOf(`0x${digits.length % 2 === 0 ? digits : `0${digits}`}`)
}

export const rlp = (item: Item): Uint8Array => RLP.encode(item as Parameters<typeof RLP.encode>[0])

export const keccak = (bytes: Uint8Array): string => hexOf(Keccak256.hash(bytes))

export const listOf = (json: Json.Json | undefined): ReadonlyArray<Json.JsonObject> =>
  Json.isList(json) ? json.filter((item) => Json.isObject(item)) : []

const header = (block: Json.JsonObject): Item => {
  const data = (name: string) => bytesOf(block[name])
  const number = (name: string) => minimal(block[name])
  const items: Array<Item> = [
    data("parentHash"),
    data("sha3Uncles"),
    data("miner"),
    data("stateRoot"),
    data("transactionsRoot"),
    data("receiptsRoot"),
    data("logsBloom"),
    number("difficulty"),
    number("number"),
    number("gasLimit"),
    number("gasUsed"),
    number("timestamp"),
    data("extraData"),
    data("mixHash"),
    data("nonce")
  ]
  const add = (name: string, write: (name: string) => Uint8Array) => {
    if (block[name] !== undefined) items.push(write(name))
  }
  add("baseFeePerGas", number)
  add("withdrawalsRoot", data)
  add("blobGasUsed", number)
  add("excessBlobGas", number)
  add("parentBeaconBlockRoot", data)
  add("requestsHash", data)
  add("blockAccessListHash", data)
  add("slotNumber", number)
  return items
}

export const headerBytes = (block: Json.JsonObject): Uint8Array => rlp(header(block))

const accessList = (transaction: Json.JsonObject): Item =>
  listOf(transaction["accessList"]).map(({ address, storageKeys }) => [
    bytesOf(address),
    Json.isList(storageKeys) ? storageKeys.map(bytesOf) : []
  ])

/** The fields of a transaction's list, without its type. */
const fields = (transaction: Json.JsonObject): ReadonlyArray<Item> => {
  const data = (name: string) => bytesOf(transaction[name])
  const number = (name: string) => minimal(transaction[name])
  const call = [number("gas"), data("to"), number("value"), data("input")]
  const signature = [minimal(transaction["yParity"] ?? transaction["v"]), number("r"), number("s")]
  const fees = [number("maxPriorityFeePerGas"), number("maxFeePerGas")]
  switch (Number(numberOf(transaction["type"]))) {
    case 0:
      return [number("nonce"), number("gasPrice"), ...call, number("v"), number("r"), number("s")]
    case 1:
      return [number("chainId"), number("nonce"), number("gasPrice"), ...call, accessList(transaction), ...signature]
    case 2:
      return [number("chainId"), number("nonce"), ...fees, ...call, accessList(transaction), ...signature]
    case 3: {
      const hashes = transaction["blobVersionedHashes"]
      const blobs = [number("maxFeePerBlobGas"), Json.isList(hashes) ? hashes.map(bytesOf) : []]
      return [number("chainId"), number("nonce"), ...fees, ...call, accessList(transaction), ...blobs, ...signature]
    }
    default: {
      const authorizations = listOf(transaction["authorizationList"]).map((one) => [
        minimal(one["chainId"]),
        bytesOf(one["address"]),
        minimal(one["nonce"]),
        minimal(one["yParity"]),
        minimal(one["r"]),
        minimal(one["s"])
      ])
      return [
        number("chainId"),
        number("nonce"),
        ...fees,
        ...call,
        accessList(transaction),
        authorizations,
        ...signature
      ]
    }
  }
}

/** Puts the byte of the type before a payload. A legacy transaction has no such byte. */
const typed = (type: Json.Json | undefined, payload: Uint8Array): Uint8Array => {
  const number = Number(numberOf(type))
  return number === 0 ? payload : Uint8Array.from([number & 0xff, ...payload])
}

export const transactionBytes = (transaction: Json.JsonObject): Uint8Array =>
  typed(transaction["type"], rlp(fields(transaction)))

/** Returns the form in which nodes send a transaction with blobs (EIP-4844, or EIP-7594 if it has proofs of cells). */
export const networkBytes = (transaction: Json.JsonObject): Uint8Array => {
  const { blobs, cellProofs, commitments, proofs } = transaction
  const texts = (json: Json.Json | undefined) => (Json.isList(json) ? json.map(bytesOf) : [])
  const version = cellProofs === undefined ? [] : [Uint8Array.of(1)]
  const sidecar = [...version, texts(blobs), texts(commitments), texts(cellProofs ?? proofs)]
  return Uint8Array.from([3, ...rlp([fields(transaction), ...sidecar])])
}

export const receiptBytes = (receipt: Json.JsonObject): Uint8Array => {
  const { cumulativeGasUsed, logs, logsBloom, root, status, type } = receipt
  const outcome = typeof root === "string" && root.length === 66 ? bytesOf(root) : minimal(status)
  return typed(
    type,
    rlp([
      outcome,
      minimal(cumulativeGasUsed),
      bytesOf(logsBloom),
      listOf(logs).map(({ address, data, topics }) => [
        bytesOf(address),
        Json.isList(topics) ? topics.map(bytesOf) : [],
        bytesOf(data)
      ])
    ])
  )
}

const withdrawal = ({ address, amount, index, validatorIndex }: Json.JsonObject): Item => [
  minimal(index),
  minimal(validatorIndex),
  bytesOf(address),
  minimal(amount)
]

export const rootOf = (items: ReadonlyArray<Uint8Array>): string => hexOf(Trie.rootOfList(items))

export const withdrawalsRoot = (withdrawals: Json.Json | undefined): string =>
  rootOf(listOf(withdrawals).map((one) => rlp(withdrawal(one))))

export const unclesHash = (uncles: ReadonlyArray<Json.JsonObject>): string => keccak(rlp(uncles.map(header)))

/** The RLP of a whole block. */
export const blockBytes = (
  block: Json.JsonObject,
  uncles: ReadonlyArray<Json.JsonObject>,
  typed: (transaction: Json.JsonObject) => Uint8Array = transactionBytes
): Uint8Array =>
  rlp([
    header(block),
    listOf(block["transactions"]).map((transaction) =>
      numberOf(transaction["type"]) === 0n ? fields(transaction) : typed(transaction)
    ),
    uncles.map(header),
    ...(block["withdrawals"] === undefined ? [] : [listOf(block["withdrawals"]).map(withdrawal)])
  ])

/** The address of a created contract. */
export const createdBy = (from: Json.Json | undefined, nonce: Json.Json | undefined): string =>
  `0x${keccak(rlp([bytesOf(from), minimal(nonce)])).slice(26)}`

/** The bloom filter of logs (Yellow Paper, section 4.3.1). */
export const bloomOf = (logs: ReadonlyArray<Json.JsonObject>): string => {
  const bits = new Uint8Array(256)
  for (const { address, topics } of logs) {
    for (const value of [address, ...(Json.isList(topics) ? topics : [])]) {
      const hash = Keccak256.hash(bytesOf(value))
      for (const at of [0, 2, 4]) {
        const bit = ((hash[at]! << 8) | hash[at + 1]!) & 2047
        bits[255 - (bit >> 3)]! |= 1 << (bit & 7)
      }
    }
  }
  return hexOf(bits)
}
