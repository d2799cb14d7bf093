/** The fields of headers, accounts, transactions, receipts and withdrawals, in the order of their RLP. */
import * as RlpTree from "@plumbline/codec/rlp/RlpTree"
import * as BlockRlp from "@plumbline/eth-methods/rlp/BlockRlp"
import * as Result from "effect/Result"

/** Returns the last fork whose headers have this number of fields. */
export const forkOf = (fields: number): string =>
  ({
    15: "before London",
    16: "London",
    17: "Shanghai",
    20: "Cancun",
    21: "Prague or later",
    23: "Amsterdam"
  })[fields] ?? "unknown fork"

const ACCOUNT = ["nonce", "balance", "storageRoot", "codeHash"]
const SIGNATURE = ["r", "s"]
const PAID = ["gas", "to", "value", "input"]
const FEES = ["maxPriorityFeePerGas", "maxFeePerGas"]
const TRANSACTIONS: Readonly<Record<number, ReadonlyArray<string>>> = {
  0: ["nonce", "gasPrice", ...PAID, "v", ...SIGNATURE],
  1: ["chainId", "nonce", "gasPrice", ...PAID, "accessList", "yParity", ...SIGNATURE],
  2: ["chainId", "nonce", ...FEES, ...PAID, "accessList", "yParity", ...SIGNATURE],
  3: [
    "chainId",
    "nonce",
    ...FEES,
    ...PAID,
    "accessList",
    "maxFeePerBlobGas",
    "blobVersionedHashes",
    "yParity",
    ...SIGNATURE
  ],
  4: ["chainId", "nonce", ...FEES, ...PAID, "accessList", "authorizationList", "yParity", ...SIGNATURE],
  0x7e: ["sourceHash", "from", "to", "mint", "value", "gas", "isSystemTx", "input"]
}

/** A field with its place in bytes. The content starts at `offset + head`. */
export interface Field {
  readonly name: string
  readonly offset: number
  readonly head: number
  readonly length: number
  /** The content; for a list, the encodings of its items. */
  readonly content: Uint8Array
  /** The number of items of a list; undefined for a string of bytes. */
  readonly items: number | undefined
}

/** The forms in which fields are read. */
export type FieldForm = "header" | "account" | "transactions" | "receipts" | "withdrawals"

/**
 * Reads the fields of an encoding. `at` is the position of its first byte in larger bytes. Undefined if it is not an
 * RLP list.
 *
 * Typed transactions and receipts begin with a byte below 0x80, which is the field `type`.
 */
export const read = (form: FieldForm, bytes: Uint8Array, at = 0): ReadonlyArray<Field> | undefined => {
  const isTyped = (form === "transactions" || form === "receipts") && bytes.length > 0 && bytes[0]! < 0x80
  const type = isTyped ? bytes[0]! : 0
  const list = items(isTyped ? bytes.subarray(1) : bytes, at + (isTyped ? 1 : 0))
  if (list === undefined) return undefined
  const names = namesOf(form, type, list)
  const fields = list.map((field, i) => ({ ...field, name: names[i] ?? `field ${i}` }))
  if (!isTyped) return fields
  return [{ name: "type", offset: at, head: 0, length: 1, content: bytes.subarray(0, 1), items: undefined }, ...fields]
}

const namesOf = (form: FieldForm, type: number, fields: ReadonlyArray<Field>): ReadonlyArray<string> => {
  switch (form) {
    case "header":
      return BlockRlp.headerFields
    case "account":
      return ACCOUNT
    case "transactions":
      return TRANSACTIONS[type] ?? []
    case "withdrawals":
      return ["index", "validatorIndex", "address", "amount"]
    case "receipts":
      return [
        fields[0]?.length === 32 ? "root" : "status",
        "cumulativeGasUsed",
        "logsBloom",
        "logs",
        ...(type === 0x7e ? ["depositNonce", "depositReceiptVersion"] : [])
      ]
  }
}

/** Reads the items of a list. The items have no names. */
export const items = (bytes: Uint8Array, at = 0): ReadonlyArray<Field> | undefined => {
  const read = RlpTree.decode(bytes)
  if (Result.isFailure(read) || read.success._tag === "String") return undefined
  return read.success.items.map((item, i) => {
    const { head, length, offset } = item
    const content = bytes.subarray(offset + head, offset + head + length)
    return {
      name: String(i),
      offset: at + offset,
      head,
      length,
      content,
      items: item._tag === "List" ? item.items.length : undefined
    }
  })
}

/** Reads big-endian bytes as a number. */
export const numberOf = (bytes: Uint8Array): bigint => {
  let number = 0n
  for (const byte of bytes) number = number * 256n + BigInt(byte)
  return number
}

const NUMBERS: ReadonlySet<string> = new Set([
  "type",
  "difficulty",
  "number",
  "gasLimit",
  "gasUsed",
  "timestamp",
  "baseFeePerGas",
  "blobGasUsed",
  "excessBlobGas",
  "slotNumber",
  "nonce",
  "balance",
  "gasPrice",
  "gas",
  "value",
  "mint",
  "isSystemTx",
  "depositNonce",
  "depositReceiptVersion",
  "v",
  "chainId",
  "maxPriorityFeePerGas",
  "maxFeePerGas",
  "maxFeePerBlobGas",
  "yParity",
  "status",
  "cumulativeGasUsed",
  "index",
  "validatorIndex",
  "amount"
])

/** Numbers that identify something or count time. Their digits are never grouped. */
const UNGROUPED: ReadonlySet<string> = new Set([
  "timestamp",
  "nonce",
  "depositNonce",
  "chainId",
  "number",
  "slotNumber",
  "index"
])

/** Returns the kind of a field's value. The nonce of a header is eight bytes, not a number. */
export const kindOf = (
  form: FieldForm,
  { content, items, name }: Field
): "number" | "identifier" | "bytes" | "list" => {
  if (items !== undefined) return "list"
  if (!NUMBERS.has(name) || (form === "header" && name === "nonce") || content.length > 32) return "bytes"
  return UNGROUPED.has(name) ? "identifier" : "number"
}
