/**
 * Transactions as nodes return them: the five types of Ethereum, and unknown types.
 *
 * Wire and domain form are the two sides of one Schema. Quantities are `bigint`; hashes, addresses and data stay text;
 * unknown fields are kept. `type` distinguishes the members of the union (EIP-2718):
 * `if (transaction.type === 2n) transaction.maxFeePerGas`.
 *
 * Sources: execution-apis (schemas/transaction.yaml), EIP-155, EIP-2930, EIP-1559, EIP-4844, EIP-7702.
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

import { make as makeByName } from "./byName.ts"
import * as SignatureScalar from "./SignatureScalar.ts"
import * as Wire from "./wire.ts"

const scalar = Wire.kept(SignatureScalar.SignatureScalar, SignatureScalar.isSignatureScalar)

const accessListItem = Wire.object(
  "AccessListItem",
  {
    address: Wire.address,
    storageKeys: Wire.array(Wire.hash32)
  },
  (value) => ({ ...value })
)
/** An address, and the storage slots of that address that a transaction declares to use (EIP-2930). */
export const AccessListItem = accessListItem.schema
/** See the Schema of the same name. */
export type AccessListItem = typeof AccessListItem.Type

const authorization = Wire.object("Authorization", {
  chainId: Wire.quantity,
  address: Wire.address,
  nonce: Wire.quantity,
  yParity: Wire.integer,
  r: scalar,
  s: scalar
})
/**
 * A signed permission to run the code at `address` for the account that signed (EIP-7702). `chainId` 0 allows any
 * chain.
 */
export const Authorization = authorization.schema
/** See the Schema of the same name. */
export type Authorization = typeof Authorization.Type

const typeLiteral = <const W extends `0x${string}`, const Type extends bigint>(wire: W, type: Type) =>
  Wire.literal(
    Schema.Literal(wire).pipe(
      Schema.decodeTo(Schema.Literal(type), SchemaTransformation.transform({ decode: () => type, encode: () => wire }))
    ),
    wire,
    type
  )

/** Fields of every transaction. The first three are null while the transaction is pending. */
const common = {
  blockHash: Wire.repeated(Wire.nullOr(Wire.hash32)),
  blockNumber: Wire.repeated(Wire.nullOr(Wire.quantity)),
  transactionIndex: Wire.nullOr(Wire.quantity),
  /** Unix time of the block, in seconds; a later addition that not all nodes send. */
  blockTimestamp: Wire.repeated(Wire.missable(Wire.quantity)),
  hash: Wire.hash32,
  from: Wire.address,
  /** Null when the transaction creates a contract. */
  to: Wire.nullOr(Wire.address),
  nonce: Wire.quantity,
  /** The value in wei. */
  value: Wire.quantity,
  /** Maximum amount of gas that the transaction may use. */
  gas: Wire.quantity,
  input: Wire.data,
  r: scalar,
  s: scalar,
  /**
   * 0 or 1, which selects one of the two points that fit the signature. Most nodes send it for types 1 to 4, few for
   * type 0.
   */
  yParity: Wire.missable(Wire.integer),
  chainId: Wire.repeated(Wire.missable(Wire.quantity)),
  /** `chainId` as the interface's field list spells it. No node is known to send it. See `chainIdOf`. */
  chainID: Wire.missable(Wire.quantity)
}

/** Fields of all types but 0. */
const typed = {
  /** The parity, repeated from `yParity`. Besu omits it. */
  v: Wire.missable(Wire.integer),
  accessList: Wire.array(accessListItem)
}

/** Wei per unit of gas. For a mined transaction, nodes also send `gasPrice`, the price that the transaction paid. */
const dynamicFees = {
  maxFeePerGas: Wire.quantity,
  maxPriorityFeePerGas: Wire.quantity,
  gasPrice: Wire.missable(Wire.quantity)
}

const legacy = Wire.object(
  "LegacyTransaction",
  {
    type: Wire.missable(typeLiteral("0x0", 0n)),
    ...common,
    gasPrice: Wire.quantity,
    /** 27 or 28, or 35 or 36 plus twice the chain id (EIP-155). */
    v: Wire.integer
  },
  (value) => ({ ...value })
)
/** Type 0. Nodes from before EIP-2718 omit `type`. */
export const Legacy = legacy.schema
/** See the Schema of the same name. */
export type Legacy = typeof Legacy.Type

const accessList = Wire.object(
  "AccessListTransaction",
  {
    type: typeLiteral("0x1", 1n),
    ...common,
    gasPrice: Wire.quantity,
    ...typed
  },
  (value) => ({ ...value })
)
/** Type 1, with an access list (EIP-2930). */
export const AccessList = accessList.schema
/** See the Schema of the same name. */
export type AccessList = typeof AccessList.Type

const dynamicFee = Wire.object(
  "DynamicFeeTransaction",
  {
    type: typeLiteral("0x2", 2n),
    ...common,
    ...dynamicFees,
    ...typed
  },
  (value) => ({ ...value })
)
/** Type 2, with a base fee and a tip (EIP-1559). */
export const DynamicFee = dynamicFee.schema
/** See the Schema of the same name. */
export type DynamicFee = typeof DynamicFee.Type

const blob = Wire.object(
  "BlobTransaction",
  {
    type: typeLiteral("0x3", 3n),
    ...common,
    ...dynamicFees,
    ...typed,
    maxFeePerBlobGas: Wire.quantity,
    blobVersionedHashes: Wire.array(Wire.hash32)
  },
  (value) => ({ ...value })
)
/** Type 3, which carries blobs (EIP-4844). The blobs are not part of the transaction. */
export const Blob = blob.schema
/** See the Schema of the same name. */
export type Blob = typeof Blob.Type

const setCode = Wire.object(
  "SetCodeTransaction",
  {
    type: typeLiteral("0x4", 4n),
    ...common,
    ...dynamicFees,
    ...typed,
    authorizationList: Wire.array(authorization)
  },
  (value) => ({ ...value })
)
/** Type 4, which sets the code of accounts (EIP-7702). */
export const SetCode = setCode.schema
/** See the Schema of the same name. */
export type SetCode = typeof SetCode.Type

// Nodes keep a type in 64 bits. A pattern without a bound could exhaust the engine's stack on a string of megabytes.
const UnknownType = Schema.String.pipe(
  Schema.check(
    Schema.isPattern(/^0x(?:[5-9a-fA-F]|[1-9a-fA-F][0-9a-fA-F]{1,15})$/u, {
      expected: "a transaction type of 5 or more"
    })
  ),
  Schema.decodeTo(
    Schema.BigInt.check(Schema.isGreaterThanOrEqualToBigInt(5n)).pipe(Schema.brand("UnknownTransactionType")),
    SchemaTransformation.transform({ decode: (text) => BigInt(text), encode: (type) => `0x${type.toString(16)}` })
  )
)

/** True if the transaction has no part of a signature. */
const isUnsigned = ({ r, s, v }: Readonly<Record<string, unknown>>): boolean => r == null && s == null && v == null

const unknown = Wire.objectIf(
  "UnknownTransaction",
  {
    /** A message that an early second layer put into its blocks has neither a type nor a signature. */
    type: Wire.missable(Wire.bySchema(UnknownType)),
    hash: Wire.hash32
  },
  (value) => {
    const fields = value as Readonly<Record<string, unknown>>
    return fields["type"] != null || isUnsigned(fields)
  },
  "a type, or no signature"
)
/** A transaction of a type that this package does not know, or of another chain. Only its type and hash are read. */
export const Unknown = unknown.schema
/** See the Schema of the same name. */
export type Unknown = typeof Unknown.Type

/** A transaction whose encoding is known. */
export type Known = Legacy | AccessList | DynamicFee | Blob | SetCode

/** The known types, by their number. */
const known: ReadonlyArray<Wire.Wire> = [legacy, accessList, dynamicFee, blob, setCode]

/** Returns the form of a transaction without a type: a legacy transaction from before EIP-2718, or a message. */
const untyped = (value: unknown): Wire.Wire =>
  typeof value === "object" && value !== null && isUnsigned(value as Readonly<Record<string, unknown>>)
    ? unknown
    : legacy

/**
 * Returns the description that the field `type` selects, in wire form or in domain form. A wrong spelling of a known
 * type selects that type too, so that the error says how to spell it.
 */
const chosen = (value: { readonly type?: unknown } | null | undefined): Wire.Wire => {
  const type = value?.type
  if (type == null) return untyped(value)
  return (typeof type === "string" || typeof type === "bigint" ? known[Number(type)] : undefined) ?? unknown
}

const byName = makeByName({ ...common, ...typed, ...dynamicFees })

/**
 * A transaction, mined or pending, of any type.
 *
 * ```ts import.meta.vitest
 * import { Transaction } from "@plumbline/eth-methods"
 * import { Schema } from "effect"
 *
 * const future = { type: "0x7e", hash: `0x${"00".repeat(32)}`, sourceHash: "0x55" }
 * const decoded = Schema.decodeUnknownSync(Transaction.Transaction)(future)
 * decoded.type === 0x7en // => true
 * decoded["sourceHash"] // => "0x55"
 * ```
 */
export const Transaction = Schema.Union([DynamicFee, Legacy, AccessList, Blob, SetCode, Unknown])
/** See the Schema of the same name. */
export type Transaction = typeof Transaction.Type

Wire.install(
  {
    schema: Transaction,
    decode: (value) => byName(value) ?? chosen(value).decode(value),
    encode: (value) => chosen(value).encode(value)
  },
  (value) => chosen(value as {} | null).schema
)

/** True if this package knows the encoding of the transaction's type. */
export const isKnown = (transaction: Transaction): transaction is Known =>
  transaction.type === undefined ? !isUnsigned(transaction) : transaction.type <= 4n

/** Returns the type as a number; 0 for nodes from before EIP-2718, which omit it. */
export const typeOf = (transaction: Transaction): bigint => transaction.type ?? 0n

/** Returns the chain id that the transaction names, in either spelling; `undefined` if it names none. */
export const chainIdOf = (transaction: Known): bigint | undefined => transaction.chainId ?? transaction.chainID
