/**
 * Types of transactions that this version does not know, as data: their fields, in the order of their RLP. The bytes of
 * such a transaction, and so its hash and the roots of its block, follow from the fields. How its signature gives its
 * sender, and what it pays, do not.
 *
 * See `LaterForks`, whose file names them.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Address from "@plumbline/codec/value/Address"
import * as Quantity from "@plumbline/codec/value/Quantity"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import { isDigits } from "./wordDigits.ts"

/** Maximum number of fields of a type, and of the structure in a list. */
export const MOST = 64

/**
 * The kind of a value that has no parts. `integer` is a number in any spelling, as nodes write the parts of a signature;
 * `receiver` is an address, or null in a creation.
 */
export type Scalar = "hash" | "bytes" | "quantity" | "integer" | "address" | "receiver"

/** The kind of a field: a scalar, or a list of items of one kind or of structures. */
export type Kind = Scalar | { readonly list: Kind | ReadonlyArray<Field> }

/** A field of a transaction or receipt, in the order of its RLP. */
export interface Field {
  /** The name in the JSON of a transaction. */
  readonly name: string
  readonly kind: Kind
}

const Scalar = Schema.Literals(["hash", "bytes", "quantity", "integer", "address", "receiver"])

/** The names of fields that no transaction's bytes hold. */
const OUTSIDE: ReadonlySet<string> = new Set([
  "type",
  "hash",
  "blockHash",
  "blockNumber",
  "transactionIndex",
  "blockTimestamp"
])

const fields = (kind: Schema.Codec<Kind>) =>
  Schema.Array(
    Schema.Struct({
      name: Schema.String.check(Schema.isPattern(/^[a-zA-Z][a-zA-Z0-9]{0,63}$/u, { expected: "a name of a field" })),
      kind
    })
  ).check(
    Schema.isMaxLength(MOST),
    Schema.makeFilter((list) => new Set(list.map(({ name }) => name)).size === list.length, {
      expected: "fields that are named once"
    })
  )

const orList = (inner: Schema.Codec<Kind>): Schema.Codec<Kind> =>
  Schema.Union([Scalar, Schema.Struct({ list: Schema.Union([inner, fields(inner).check(Schema.isMinLength(1))]) })])

/** Lists hold lists at most twice, as in an access list. */
const Kind: Schema.Codec<Kind> = orList(orList(orList(Scalar)))

/** A type of transactions (EIP-2718), and its form. */
export const TransactionType = Schema.Struct({
  /** The type, from 0x5 to 0x7f. Types below are known. */
  type: Schema.String.check(
    Schema.isPattern(/^0x(?:[5-9a-f]|[1-7][0-9a-f])$/u, { expected: "a type from 0x5 to 0x7f" })
  ),
  /** The fields of the transaction, in the order of its RLP list, with those of its signature. */
  fields: fields(Kind).check(
    Schema.isMinLength(1),
    Schema.makeFilter((list) => list.every(({ name }) => !OUTSIDE.has(name)), {
      expected: "fields of the transaction itself, and not of its place"
    })
  ),
  /**
   * The fields that the receipt has after its logs. Default: not known. The receipts are then proven if they have none, and
   * are claimed otherwise.
   */
  receiptFields: Schema.optionalKey(fields(Kind))
})
/** See the Schema of the same name. */
export interface TransactionType extends Schema.Schema.Type<typeof TransactionType> {}

/**
 * Reads a value from JSON, as text of bytes or as a number; undefined if it is not of the kind.
 *
 * ```ts import.meta.vitest
 * import { LaterTransactions } from "@plumbline/eth-methods"
 *
 * LaterTransactions.valueOf("quantity", "0x80") // => 128n
 * LaterTransactions.valueOf("quantity", "0x080") // => undefined
 * LaterTransactions.valueOf("integer", "0x080") // => 128n
 * LaterTransactions.valueOf("receiver", null) // => "0x"
 * ```
 */
export const valueOf = (kind: Scalar, json: unknown): Hex.Hex | bigint | undefined => {
  switch (kind) {
    case "hash":
      return Hash32.isHash32(json) ? json : undefined
    case "bytes":
      return Hex.isHex(json) ? json : undefined
    case "address":
      return Address.isAddress(json) ? json : undefined
    case "receiver":
      return json == null ? "0x" : valueOf("address", json)
    case "integer":
      return isDigits(json) && json.length > 2 ? BigInt(json) : asNumber(json)
    case "quantity":
      return typeof json === "string" && json.length <= MAX_QUANTITY
        ? Result.getOrUndefined(Quantity.fromHex(json))
        : asNumber(json)
  }
}

/** Fields that all types share are numbers already. */
const asNumber = (value: unknown): bigint | undefined => (typeof value === "bigint" && value >= 0n ? value : undefined)

/** Length of `0x` and 64 digits. */
const MAX_QUANTITY = 66
