/**
 * The encoding of transactions of every type: the bytes that their hash covers.
 *
 * The writer encodes the fields of the answer unchanged. Only the hash shows if these fields were signed.
 *
 * Sources: Yellow Paper section 4.3, EIP-155, EIP-2718, EIP-2930, EIP-1559, EIP-4844 (the form in blocks, without the
 * blobs), EIP-7702; OP-stack specification (protocol/deposits).
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Hex from "@plumbline/codec/hex/Hex"
import type * as Rlp from "@plumbline/codec/rlp/Rlp"
import type * as RlpWriter from "@plumbline/codec/rlp/RlpWriter"
import * as Address from "@plumbline/codec/value/Address"
import * as Quantity from "@plumbline/codec/value/Quantity"

import type * as Block from "../model/Block.ts"
import type * as Transaction from "../model/Transaction.ts"
import * as SenderRecovery from "../sender/SenderRecovery.ts"
import { chainIdInV, isLegacy, parityOf, payload, putType, recover } from "./signedPayload.ts"
import * as StrictItems from "./strictItems.ts"

/**
 * Appends the bytes that the hash covers: the RLP of a legacy transaction, or `type || RLP` of other types.
 *
 * A typed transaction without a `chainId` is written with 0, so its hash does not match.
 */
export const write = (writer: RlpWriter.RlpWriter, transaction: Transaction.KnownTransaction): void => {
  if (transaction.type === 0x7en) {
    writeDeposit(writer, transaction)
    return
  }
  putType(writer, transaction)
  writeBody(writer, transaction)
}

const DEPOSIT = 0x7e

/**
 * Appends a deposit. `beforeInput` and `last` are further values that another chain puts before the input and at the
 * end.
 */
const writeDeposit = (
  writer: RlpWriter.RlpWriter,
  { from, gas, input, isSystemTx, mint = 0n, sourceHash, to, value }: Transaction.Deposit,
  beforeInput: ReadonlyArray<bigint> = [],
  last: ReadonlyArray<bigint> = []
): void => {
  writer.byte(DEPOSIT)
  const list = writer.beginList()
  writer.data(sourceHash)
  writer.data(from)
  if (to === null) writer.bytes(NOBODY)
  else writer.data(to)
  writer.quantity(mint)
  writer.quantity(value)
  writer.quantity(gas)
  writer.quantity(isSystemTx === true ? 1n : 0n)
  for (const number of beforeInput) writer.quantity(number)
  writer.data(input)
  for (const number of last) writer.quantity(number)
  writer.endList(list)
}

const NOBODY = new Uint8Array(0)

/**
 * True if the fields give the transaction's hash in the form of Mantle, whose deposits have two more values in their
 * encoding. Its nodes leave such a value out if it is nil. Uses the writer as scratch space, after its present content.
 */
export const isOfMantle = (writer: RlpWriter.RlpWriter, deposit: Transaction.Deposit): boolean =>
  [[], [0n]].some((last) => {
    const start = writer.position
    writeDeposit(writer, deposit, [0n], last)
    return Hex.equals(Hash32.fromBytesUnsafe(writer.hash(start)), deposit.hash)
  })

/** Appends the bytes that the hash covers, without the type: the RLP of the signed fields and the signature. */
export const writeBody = (writer: RlpWriter.RlpWriter, transaction: Transaction.SignedTransaction): void => {
  const list = writer.beginList()
  payload(writer, transaction)
  writer.quantity(isLegacy(transaction) ? transaction.v : parityOf(transaction))
  writer.integer(transaction.r)
  writer.integer(transaction.s)
  writer.endList(list)
}

/**
 * Returns the price that a transaction pays per unit of gas in a block with this base fee, in wei (EIP-1559). The gas of
 * a deposit is paid on L1.
 */
export const effectiveGasPrice = (transaction: Transaction.KnownTransaction, baseFee: bigint | undefined): bigint => {
  if (transaction.type === 0x7en) return 0n
  if (transaction.type !== 2n && transaction.type !== 3n && transaction.type !== 4n) return transaction.gasPrice
  const { maxFeePerGas, maxPriorityFeePerGas } = transaction
  const wanted = (baseFee ?? 0n) + maxPriorityFeePerGas
  return wanted < maxFeePerGas ? wanted : maxFeePerGas
}

/** The place of a transaction in a block. */
export interface TransactionPosition {
  readonly header: Block.Header
  /** The index in the block, from 0. */
  readonly index: number
}

/** Facts about a transaction that its encoding lacks. */
export interface TransactionContext {
  /** The place in a block; absent for a pending transaction. */
  readonly place?: TransactionPosition | undefined
  /** The transaction's sender. If absent, it is recovered from the signature. */
  readonly from?: Address.Address | undefined
  /** The engine that recovers the sender. Default: `SenderRecovery.standard`. */
  readonly recovery?: SenderRecovery.RecoveryEngine | undefined
}

/** Reads a transaction from its bytes: the RLP list of a legacy transaction, `type || RLP` of other types. */
export const read = (bytes: Uint8Array, path: string, context: TransactionContext): Transaction.Transaction => {
  const type = bytes[0]
  if (type === undefined) return StrictItems.refuse(path, "a transaction", "no bytes")
  if (type >= 0xc0) return complete(legacy(StrictItems.decode(bytes, path), path), bytes, path, context)
  if (type === 0 || type > 0x7f)
    return StrictItems.refuse(path, "a type from 0x01 to 0x7f", Hex.fromBytes(bytes.subarray(0, 1)))
  if (type === DEPOSIT) {
    const item = StrictItems.decode(bytes.subarray(1), path)
    return isItemOfMantle(item) ? unknown(type, bytes, context) : deposit(item, bytes, path, context)
  }
  const read = typed[type]
  if (read === undefined) return unknown(type, bytes, context)
  return complete(read(StrictItems.decode(bytes.subarray(1), path), path), bytes, path, context)
}

/** The fields that the encoding holds. */
interface Own extends Readonly<Record<string, unknown>> {
  readonly type: bigint
}

const legacy = (item: Rlp.Rlp, path: string): Own => {
  const items = StrictItems.list(item, path, [9])
  const [nonce, gasPrice, gas, to, value, input, v, r, s] = items as Tuple
  const parity = StrictItems.integer(v, `${path}.v`)
  const chainId = chainIdInV(parity)
  return {
    type: 0n,
    ...(chainId === undefined ? {} : { chainId }),
    nonce: StrictItems.integer(nonce, `${path}.nonce`),
    gasPrice: StrictItems.integer(gasPrice, `${path}.gasPrice`),
    ...call(gas, to, value, input, path),
    v: parity,
    r: StrictItems.scalar(r, `${path}.r`),
    s: StrictItems.scalar(s, `${path}.s`)
  }
}

const accessListTransaction = (item: Rlp.Rlp, path: string): Own => {
  const items = StrictItems.list(item, path, [11])
  const [chainId, nonce, gasPrice, gas, to, value, input, accessList, ...signed] = items as Tuple
  return {
    type: 1n,
    chainId: StrictItems.integer(chainId, `${path}.chainId`),
    nonce: StrictItems.integer(nonce, `${path}.nonce`),
    gasPrice: StrictItems.integer(gasPrice, `${path}.gasPrice`),
    ...call(gas, to, value, input, path),
    accessList: accessListOf(accessList, `${path}.accessList`),
    ...signature(signed, path)
  }
}

const dynamicFee = (item: Rlp.Rlp, path: string): Own => {
  const items = StrictItems.list(item, path, [12])
  return { type: 2n, ...withFees(items, path), ...signature(items.slice(9), path) }
}

const blob = (item: Rlp.Rlp, path: string): Own => {
  const items = StrictItems.list(item, path, [14])
  const hashes = StrictItems.list(items[10]!, `${path}.blobVersionedHashes`)
  return {
    type: 3n,
    ...withFees(items, path),
    maxFeePerBlobGas: StrictItems.integer(items[9]!, `${path}.maxFeePerBlobGas`),
    blobVersionedHashes: hashes.map((hash, i) => StrictItems.hash(hash, `${path}.blobVersionedHashes[${i}]`)),
    ...signature(items.slice(11), path)
  }
}

const setCode = (item: Rlp.Rlp, path: string): Own => {
  const items = StrictItems.list(item, path, [13])
  const authorizations = StrictItems.list(items[9]!, `${path}.authorizationList`)
  return {
    type: 4n,
    ...withFees(items, path),
    authorizationList: authorizations.map((one, i) => authorization(one, `${path}.authorizationList[${i}]`)),
    ...signature(items.slice(10), path)
  }
}

/** True if the list has as many items as a deposit of Mantle, of which the last may be left out. */
const isItemOfMantle = (item: Rlp.Rlp): boolean =>
  !(item instanceof Uint8Array) && (item.length === 9 || item.length === 10)

/** Reads a deposit. A value that is zero, and so has no bytes, is left out of the answer like in those of op-geth. */
const deposit = (
  item: Rlp.Rlp,
  bytes: Uint8Array,
  path: string,
  { place }: TransactionContext
): Transaction.Deposit => {
  const items = StrictItems.list(item, path, [8])
  const [sourceHash, from, to, mint, value, gas, isSystemTx, input] = items as Tuple
  const minted = StrictItems.integer(mint, `${path}.mint`)
  const system = StrictItems.integer(isSystemTx, `${path}.isSystemTx`)
  if (system > 1n) return StrictItems.refuse(`${path}.isSystemTx`, "0 or 1", `${system}`)
  return {
    ...(place === undefined ? PENDING : placeOf(place)),
    type: 0x7en,
    hash: Keccak256.hashHex(bytes),
    sourceHash: StrictItems.hash(sourceHash, `${path}.sourceHash`),
    from: StrictItems.address(from, `${path}.from`),
    ...call(gas, to, value, input, path),
    ...(minted === 0n ? {} : { mint: minted }),
    ...(system === 0n ? {} : { isSystemTx: true }),
    gasPrice: 0n,
    v: 0n,
    r: "0x0",
    s: "0x0"
  }
}

/** The readers of the typed transactions of Ethereum, by type. */
const typed = [undefined, accessListTransaction, dynamicFee, blob, setCode] as const

/** The items of a list whose length was checked, so that each item is defined. */
type Tuple = readonly [
  Rlp.Rlp,
  Rlp.Rlp,
  Rlp.Rlp,
  Rlp.Rlp,
  Rlp.Rlp,
  Rlp.Rlp,
  Rlp.Rlp,
  Rlp.Rlp,
  Rlp.Rlp,
  ...Array<Rlp.Rlp>
]

/** Reads the first nine fields, which types 2, 3 and 4 share. */
const withFees = (items: ReadonlyArray<Rlp.Rlp>, path: string) => {
  const [chainId, nonce, tip, fee, gas, to, value, input, accessList] = items as Tuple
  return {
    chainId: StrictItems.integer(chainId, `${path}.chainId`),
    nonce: StrictItems.integer(nonce, `${path}.nonce`),
    maxPriorityFeePerGas: StrictItems.integer(tip, `${path}.maxPriorityFeePerGas`),
    maxFeePerGas: StrictItems.integer(fee, `${path}.maxFeePerGas`),
    ...call(gas, to, value, input, path),
    accessList: accessListOf(accessList, `${path}.accessList`)
  }
}

const call = (gas: Rlp.Rlp, to: Rlp.Rlp, value: Rlp.Rlp, input: Rlp.Rlp, path: string) => ({
  gas: StrictItems.integer(gas, `${path}.gas`),
  to: to instanceof Uint8Array && to.length === 0 ? null : StrictItems.address(to, `${path}.to`),
  value: StrictItems.integer(value, `${path}.value`),
  input: StrictItems.data(input, `${path}.input`)
})

const accessListOf = (item: Rlp.Rlp, path: string): ReadonlyArray<Transaction.AccessListItem> =>
  StrictItems.list(item, path).map((entry, i) => {
    const [address, keys] = StrictItems.list(entry, `${path}[${i}]`, [2]) as readonly [Rlp.Rlp, Rlp.Rlp]
    const at = `${path}[${i}].storageKeys`
    return {
      address: StrictItems.address(address, `${path}[${i}].address`),
      storageKeys: StrictItems.list(keys, at).map((key, j) => StrictItems.hash(key, `${at}[${j}]`))
    }
  })

const authorization = (item: Rlp.Rlp, path: string): Transaction.Authorization => {
  const [chainId, address, nonce, yParity, r, s] = StrictItems.list(item, path, [6]) as Tuple
  return {
    chainId: StrictItems.integer(chainId, `${path}.chainId`),
    address: StrictItems.address(address, `${path}.address`),
    nonce: StrictItems.integer(nonce, `${path}.nonce`),
    yParity: StrictItems.integer(yParity, `${path}.yParity`),
    r: StrictItems.scalar(r, `${path}.r`),
    s: StrictItems.scalar(s, `${path}.s`)
  }
}

const signature = (items: ReadonlyArray<Rlp.Rlp>, path: string) => {
  const [yParity, r, s] = items as readonly [Rlp.Rlp, Rlp.Rlp, Rlp.Rlp]
  const parity = StrictItems.integer(yParity, `${path}.yParity`)
  return {
    v: parity,
    yParity: parity,
    r: StrictItems.scalar(r, `${path}.r`),
    s: StrictItems.scalar(s, `${path}.s`)
  }
}

/** Adds the fields that follow from the transaction's encoding and from its place in a block. */
const complete = (
  own: Own,
  bytes: Uint8Array,
  path: string,
  { from, place, recovery }: TransactionContext
): Transaction.SignedTransaction => {
  // the reader of this type has read all its fields
  const transaction = {
    ...(place === undefined ? PENDING : placeOf(place)),
    hash: Keccak256.hashHex(bytes),
    from: from ?? NO_SENDER,
    ...own
  } as Transaction.SignedTransaction
  const sender = from ?? recover(transaction, recovery ?? SenderRecovery.standard)
  if (sender === undefined) return StrictItems.refuse(`${path}.signature`, "one that some key can make", "none")
  return place === undefined
    ? { ...transaction, from: sender }
    : { ...transaction, from: sender, gasPrice: effectiveGasPrice(transaction, place.header.baseFeePerGas) }
}

const NO_SENDER: Address.Address = /* @__PURE__ */ Address.fromHexUnsafe(`0x${"00".repeat(20)}`)

const PENDING = { blockHash: null, blockNumber: null, transactionIndex: null }

const placeOf = ({ header, index }: TransactionPosition) => ({
  blockHash: header.hash,
  blockNumber: header.number,
  blockTimestamp: header.timestamp,
  transactionIndex: BigInt(index)
})

/** Makes a transaction of an unknown type. */
const unknown = (type: number, bytes: Uint8Array, { place }: TransactionContext): Transaction.Unknown => ({
  ...(place === undefined
    ? PENDING
    : {
        blockHash: place.header.hash,
        blockNumber: place.header.number,
        transactionIndex: BigInt(place.index)
      }),
  hash: Keccak256.hashHex(bytes),
  type: Quantity.toHex(BigInt(type)),
  raw: Hex.fromBytes(bytes)
})
