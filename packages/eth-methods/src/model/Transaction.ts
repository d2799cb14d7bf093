/**
 * Transactions as nodes return them: the five types of Ethereum, deposits of the OP stack, and unknown types.
 *
 * Wire and domain form are the two sides of one Schema. Quantities are `bigint`; hashes, addresses and data stay text;
 * unknown fields are kept, and `WireObject.fieldOf` of codec reads them. `type` distinguishes the members of the union
 * (EIP-2718): `if (transaction.type === 2n) transaction.maxFeePerGas`.
 *
 * Sources: execution-apis (schemas/transaction.yaml), EIP-155, EIP-2930, EIP-1559, EIP-4844, EIP-7702; OP-stack
 * specification (protocol/deposits).
 */
import type * as Hex from "@plumbline/codec/hex/Hex"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

import { make as makeByName } from "./dynamicFeeDecoder.ts"
import * as EthWire from "./ethWire.ts"
import * as SignatureScalar from "./SignatureScalar.ts"

const scalar = EthWire.kept(SignatureScalar.SignatureScalar, SignatureScalar.isSignatureScalar)

const accessListItem = EthWire.object(
  "AccessListItem",
  {
    address: EthWire.address,
    storageKeys: EthWire.array(EthWire.hash32)
  },
  (value) => ({ ...value })
)
/** An address, and the storage slots of that address that a transaction declares to use (EIP-2930). */
export const AccessListItem: Schema.Codec<AccessListItem, typeof accessListItem.schema.Encoded> = accessListItem.schema
/** See the Schema of the same name. */
export interface AccessListItem extends Schema.Schema.Type<typeof accessListItem.schema> {}

const authorization = EthWire.object("Authorization", {
  chainId: EthWire.quantity,
  address: EthWire.address,
  nonce: EthWire.quantity,
  yParity: EthWire.integer,
  r: scalar,
  s: scalar
})
/**
 * A signed permission to run the code at `address` for the account that signed (EIP-7702). `chainId` 0 allows any
 * chain.
 */
export const Authorization: Schema.Codec<Authorization, typeof authorization.schema.Encoded> = authorization.schema
/** See the Schema of the same name. */
export interface Authorization extends Schema.Schema.Type<typeof authorization.schema> {}

const typeLiteral = <const W extends `0x${string}`, const Type extends bigint>(wire: W, type: Type) =>
  EthWire.literal(
    Schema.Literal(wire).pipe(
      Schema.decodeTo(Schema.Literal(type), SchemaTransformation.transform({ decode: () => type, encode: () => wire }))
    ),
    wire,
    type
  )

/** Fields of every transaction. The first three are null while the transaction is pending. */
const common = {
  blockHash: EthWire.repeated(EthWire.nullOr(EthWire.hash32)),
  blockNumber: EthWire.repeated(EthWire.nullOr(EthWire.quantity)),
  transactionIndex: EthWire.nullOr(EthWire.quantity),
  /** Unix time of the block, in seconds; a later addition that not all nodes send. */
  blockTimestamp: EthWire.repeated(EthWire.missable(EthWire.quantity)),
  hash: EthWire.hash32,
  from: EthWire.address,
  /** Null when the transaction creates a contract. */
  to: EthWire.nullOr(EthWire.address),
  nonce: EthWire.quantity,
  /** The value in wei. */
  value: EthWire.quantity,
  /** Maximum amount of gas that the transaction may use. */
  gas: EthWire.quantity,
  input: EthWire.data,
  r: scalar,
  s: scalar,
  /**
   * 0 or 1, which selects one of the two points that fit the signature. Most nodes send it for types 1 to 4, few for
   * type 0.
   */
  yParity: EthWire.missable(EthWire.integer),
  chainId: EthWire.repeated(EthWire.missable(EthWire.quantity)),
  /** `chainId` as the interface's field list spells it. No node is known to send it. See `chainIdOf`. */
  chainID: EthWire.missable(EthWire.quantity)
}

/** Fields of all types but 0. */
const typed = {
  /** The parity, repeated from `yParity`. Besu omits it. */
  v: EthWire.missable(EthWire.integer),
  accessList: EthWire.array(accessListItem)
}

/** Wei per unit of gas. For a mined transaction, nodes also send `gasPrice`, the price that the transaction paid. */
const dynamicFees = {
  maxFeePerGas: EthWire.quantity,
  maxPriorityFeePerGas: EthWire.quantity,
  gasPrice: EthWire.missable(EthWire.quantity)
}

const legacy = EthWire.object(
  "LegacyTransaction",
  {
    type: EthWire.missable(typeLiteral("0x0", 0n)),
    ...common,
    gasPrice: EthWire.quantity,
    /** 27 or 28, or 35 or 36 plus twice the chain id (EIP-155). */
    v: EthWire.integer
  },
  (value) => ({ ...value })
)
/** Type 0. Nodes from before EIP-2718 omit `type`. */
export const Legacy: Schema.Codec<Legacy, typeof legacy.schema.Encoded> = legacy.schema
/** See the Schema of the same name. */
export interface Legacy extends Schema.Schema.Type<typeof legacy.schema> {}

const accessList = EthWire.object(
  "AccessListTransaction",
  {
    type: typeLiteral("0x1", 1n),
    ...common,
    gasPrice: EthWire.quantity,
    ...typed
  },
  (value) => ({ ...value })
)
/** Type 1, with an access list (EIP-2930). */
export const AccessList: Schema.Codec<AccessList, typeof accessList.schema.Encoded> = accessList.schema
/** See the Schema of the same name. */
export interface AccessList extends Schema.Schema.Type<typeof accessList.schema> {}

const dynamicFee = EthWire.object(
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
export const DynamicFee: Schema.Codec<DynamicFee, typeof dynamicFee.schema.Encoded> = dynamicFee.schema
/** See the Schema of the same name. */
export interface DynamicFee extends Schema.Schema.Type<typeof dynamicFee.schema> {}

const blob = EthWire.object(
  "BlobTransaction",
  {
    type: typeLiteral("0x3", 3n),
    ...common,
    ...dynamicFees,
    ...typed,
    maxFeePerBlobGas: EthWire.quantity,
    blobVersionedHashes: EthWire.array(EthWire.hash32)
  },
  (value) => ({ ...value })
)
/** Type 3, which carries blobs (EIP-4844). The blobs are not part of the transaction. */
export const Blob: Schema.Codec<Blob, typeof blob.schema.Encoded> = blob.schema
/** See the Schema of the same name. */
export interface Blob extends Schema.Schema.Type<typeof blob.schema> {}

const setCode = EthWire.object(
  "SetCodeTransaction",
  {
    type: typeLiteral("0x4", 4n),
    ...common,
    ...dynamicFees,
    ...typed,
    authorizationList: EthWire.array(authorization)
  },
  (value) => ({ ...value })
)
/** Type 4, which sets the code of accounts (EIP-7702). */
export const SetCode: Schema.Codec<SetCode, typeof setCode.schema.Encoded> = setCode.schema
/** See the Schema of the same name. */
export interface SetCode extends Schema.Schema.Type<typeof setCode.schema> {}

/** The type of deposits. anvil writes its digits in upper case in receipts, so both spellings are read. */
const depositType = {
  ...typeLiteral("0x7e", 0x7en),
  schema: Schema.Literals(["0x7e", "0x7E"]).pipe(
    Schema.decodeTo(
      Schema.Literal(0x7en),
      SchemaTransformation.transform({ decode: () => 0x7en as const, encode: (): "0x7e" | "0x7E" => "0x7e" })
    )
  ),
  decode: (value: unknown) => (value === "0x7e" || value === "0x7E" ? 0x7en : EthWire.fail())
}

const TRUE: ReadonlySet<unknown> = new Set([true, "true", "0x1"])
const FALSE: ReadonlySet<unknown> = new Set([false, "false", "0x0"])

/** A flag in the spellings of all nodes: op-geth writes a boolean, op-reth and anvil a quantity, some proxies a word. */
const flag = {
  schema: Schema.Union([Schema.Boolean, Schema.Literals(["true", "false", "0x0", "0x1"])]).pipe(
    Schema.decodeTo(
      Schema.Boolean,
      SchemaTransformation.transform({ decode: (value) => TRUE.has(value), encode: (value): boolean => value })
    )
  ),
  decode: (value: unknown) => (TRUE.has(value) ? true : FALSE.has(value) ? false : EthWire.fail()),
  encode: (value: unknown) => (typeof value === "boolean" ? value : EthWire.fail())
}

const deposit = EthWire.object(
  "DepositTransaction",
  {
    type: depositType,
    blockHash: common.blockHash,
    blockNumber: common.blockNumber,
    transactionIndex: common.transactionIndex,
    blockTimestamp: common.blockTimestamp,
    hash: EthWire.hash32,
    /** Identifies the origin of the deposit: a log of L1, the attributes of an L1 block, or an upgrade of the chain. */
    sourceHash: EthWire.hash32,
    /** The sender. It is part of the hash, because nobody signs a deposit. */
    from: EthWire.address,
    /** Null when the deposit creates a contract. */
    to: EthWire.nullOr(EthWire.address),
    /** Wei that the deposit creates on the chain for `from`; missing if none. */
    mint: EthWire.missable(EthWire.quantity),
    /** The value in wei. */
    value: EthWire.quantity,
    /** Maximum amount of gas that the deposit may use. */
    gas: EthWire.quantity,
    /** True if the deposit counts for no gas, as those of attributes before Regolith; missing if false. */
    isSystemTx: EthWire.missable(flag),
    input: EthWire.data,
    /** The sender's nonce, by the receipt. The transaction's hash does not cover it. */
    nonce: EthWire.missable(EthWire.quantity),
    /** The version of the receipt's form. The transaction's hash does not cover it. */
    depositReceiptVersion: EthWire.missable(EthWire.quantity),
    /** Zero, if the node sends it, like the parts of a signature. */
    gasPrice: EthWire.missable(EthWire.quantity),
    v: EthWire.missable(EthWire.integer),
    r: EthWire.missable(scalar),
    s: EthWire.missable(scalar),
    yParity: EthWire.missable(EthWire.integer)
  },
  (value) => ({ ...value })
)
/**
 * Type 0x7e of the OP stack: a transaction that comes from L1 or from the chain's own rules, and that nobody signs. Its
 * hash covers its sender.
 *
 * ```ts import.meta.vitest
 * import { Transaction } from "@plumbline/eth-methods"
 * import { Schema } from "effect"
 *
 * const zeros = { hash: `0x${"00".repeat(32)}`, blockHash: null, blockNumber: null, transactionIndex: null }
 * const sent = {
 *   ...zeros,
 *   type: "0x7e",
 *   sourceHash: `0x${"11".repeat(32)}`,
 *   from: "0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001",
 *   to: "0x4200000000000000000000000000000000000015",
 *   mint: "0x2a",
 *   value: "0x0",
 *   gas: "0xf4240",
 *   input: "0x"
 * }
 * const transaction = Schema.decodeUnknownSync(Transaction.Transaction)(sent)
 * transaction.type === 0x7en && transaction.mint // => 42n
 * ```
 */
export const Deposit: Schema.Codec<Deposit, typeof deposit.schema.Encoded> = deposit.schema
/** See the Schema of the same name. */
export interface Deposit extends Schema.Schema.Type<typeof deposit.schema> {}

/**
 * A type that is not known stays text, as the node wrote it, so a comparison with a known type excludes it. Nodes keep a
 * type in 64 bits, and a pattern without a bound could exhaust the engine's stack on a string of megabytes.
 */
const UnknownType: Schema.Codec<Hex.Hex, string> = Schema.String.pipe(
  Schema.check(
    Schema.isPattern(/^0x(?:[5-9a-fA-F]|[1-9a-fA-F][0-9a-fA-F]{1,15})$/u, {
      expected: "a transaction type of 5 or more"
    })
  ),
  Schema.refine((_text): _text is Hex.Hex => true)
)

/** True if the transaction has no part of a signature. */
const isUnsigned = ({ r, s, v }: Readonly<Record<string, unknown>>): boolean => r == null && s == null && v == null

const unknown = EthWire.objectIf(
  "UnknownTransaction",
  {
    /** A message that an early second layer put into its blocks has neither a type nor a signature. */
    type: EthWire.missable(EthWire.bySchema(UnknownType)),
    hash: EthWire.hash32,
    blockHash: EthWire.optional(EthWire.nullOr(EthWire.hash32)),
    blockNumber: EthWire.optional(EthWire.nullOr(EthWire.quantity)),
    transactionIndex: EthWire.optional(EthWire.nullOr(EthWire.quantity)),
    blockTimestamp: EthWire.missable(EthWire.quantity),
    from: EthWire.missable(EthWire.address),
    to: EthWire.optional(EthWire.nullOr(EthWire.address)),
    /** The value in wei. */
    value: EthWire.missable(EthWire.quantity),
    input: EthWire.missable(EthWire.data),
    /** The whole encoding (EIP-2718). `BlockRlp` puts it here; nodes do not send it. */
    raw: EthWire.missable(EthWire.data)
  },
  (value) => {
    const fields = value as Readonly<Record<string, unknown>>
    return fields["type"] != null || isUnsigned(fields)
  },
  "a type, or no signature"
)
/**
 * A transaction of a type that this package does not know, or of another chain. Only the fields that nearly all types
 * share are read, where the node sends them. `isKnown` excludes it, and so does each known `type`. `WireObject.fieldOf`
 * reads its other fields.
 */
export const Unknown: Schema.Codec<Unknown, typeof unknown.schema.Encoded> = unknown.schema
/** See the Schema of the same name. */
export interface Unknown extends Schema.Schema.Type<typeof unknown.schema> {}

/** A transaction with the fields of a signature: of one of the five types of Ethereum. */
export type SignedTransaction = Legacy | AccessList | DynamicFee | Blob | SetCode

/** A transaction whose encoding is known. */
export type KnownTransaction = SignedTransaction | Deposit

/** The known types, by their number. */
const known = new Map<number, EthWire.Wire>([
  [0, legacy],
  [1, accessList],
  [2, dynamicFee],
  [3, blob],
  [4, setCode],
  [0x7e, deposit]
])

/** Returns the form of a transaction without a type: a legacy transaction from before EIP-2718, or a message. */
const untyped = (value: unknown): EthWire.Wire =>
  typeof value === "object" && value !== null && isUnsigned(value as Readonly<Record<string, unknown>>)
    ? unknown
    : legacy

/**
 * True if a transaction of type 0x7e is none of the OP stack: it lacks `sourceHash`, or has the two values that Mantle
 * adds to its deposits and their hashes.
 */
const isOtherDeposit = ({ ethTxValue, ethValue, sourceHash }: Readonly<Record<string, unknown>>): boolean =>
  sourceHash == null || ethTxValue != null || ethValue != null

/**
 * Returns the description that the field `type` selects, in wire form or in domain form. A wrong spelling of a known
 * type selects that type too, so that the error says how to spell it.
 */
const chosen = (value: { readonly type?: unknown } | null | undefined): EthWire.Wire => {
  const type = value?.type
  if (type == null) return untyped(value)
  const form = typeof type === "string" || typeof type === "bigint" ? known.get(Number(type)) : undefined
  if (form === deposit && isOtherDeposit(value as Readonly<Record<string, unknown>>)) return unknown
  return form ?? unknown
}

const byName = makeByName({ ...common, ...typed, ...dynamicFees })

/**
 * A transaction, mined or pending, of any type.
 *
 * ```ts import.meta.vitest
 * import { WireObject } from "@plumbline/codec"
 * import { Transaction } from "@plumbline/eth-methods"
 * import { Schema } from "effect"
 *
 * const message = { type: "0x64", hash: `0x${"00".repeat(32)}`, value: "0x2a", requestId: "0x55" }
 * const decoded = Schema.decodeUnknownSync(Transaction.Transaction)(message)
 * decoded.type // => "0x64"
 * Transaction.typeOf(decoded) // => 100n
 * decoded.value // => 42n
 * WireObject.fieldOf(decoded, "requestId") // => "0x55"
 * ```
 */
export const Transaction = Schema.Union([DynamicFee, Legacy, AccessList, Blob, SetCode, Deposit, Unknown])
/** See the Schema of the same name. */
export type Transaction = typeof Transaction.Type

EthWire.install(
  {
    schema: Transaction,
    decode: (value) => byName(value) ?? chosen(value).decode(value),
    encode: (value) => chosen(value).encode(value)
  },
  (value) => chosen(value as {} | null).schema
)

/** True if this package knows the encoding of the transaction's type. */
export const isKnown = (transaction: Transaction): transaction is KnownTransaction =>
  transaction.type === undefined ? !isUnsigned(transaction) : typeof transaction.type === "bigint"

/** True for a deposit of the OP stack. */
export const isDeposit = (transaction: Transaction): transaction is Deposit => transaction.type === 0x7en

/** Returns the type as a number; 0 for nodes from before EIP-2718, which omit it. */
export const typeOf = ({ type = 0n }: Pick<Transaction, "type">): bigint => BigInt(type)

/** Returns the chain id that the transaction names, in either spelling; `undefined` if it names none. */
export const chainIdOf = (transaction: SignedTransaction): bigint | undefined =>
  transaction.chainId ?? transaction.chainID
