/**
 * Blocks and transactions made by ethereumjs, in the form in which a node (geth) returns them. ethereumjs computes the
 * hashes and roots, so it is an independent oracle for the verifiers.
 */
import {
  type BlockHeader,
  createBlock,
  createBlockHeader,
  type HeaderData,
  genTransactionsTrieRoot,
  genWithdrawalsTrieRoot
} from "@ethereumjs/block"
import { Common, Hardfork, Mainnet } from "@ethereumjs/common"
import { RLP } from "@ethereumjs/rlp"
import { createBlob4844Tx, createTx, type TypedTransaction } from "@ethereumjs/tx"
import {
  bytesToHex,
  createAddressFromPrivateKey,
  createWithdrawal,
  eoaCode7702SignAuthorization,
  hexToBytes,
  type KZG,
  setLengthLeft,
  bigIntToBytes
} from "@ethereumjs/util"
import { Keccak256 } from "@plumbline/codec"
import { Schema } from "effect"

import { Block, Transaction } from "../../src/index.ts"

export type Json = null | boolean | number | string | Array<Json> | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/** Returns the value of a field. Throws unless the value is an object. */
export const object = (json: Json | undefined): JsonObject => {
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw new Error("not an object")
  return json
}

/** Returns the value of a field. Throws unless the value is a list. */
export const list = (json: Json | undefined): Array<Json> => {
  if (!Array.isArray(json)) throw new Error("not a list")
  return json
}

/** Returns the value of a field. Throws unless the value is text. */
export const string = (json: Json | undefined): string => {
  if (typeof json !== "string") throw new Error("not text")
  return json
}

const key = hexToBytes("0x45a915e4d060149eb4365960e6a7a45f334393093061116b197e3240065ff2d8")
const from = createAddressFromPrivateKey(key).toString()
const to = "0x1111111111111111111111111111111111111111" as const
const slot = `0x${"ab".repeat(32)}` as const
const accessList = [
  { address: "0x2222222222222222222222222222222222222222", storageKeys: [slot, `0x${"00".repeat(32)}`] },
  { address: "0x3333333333333333333333333333333333333333", storageKeys: [] }
]
/** Returns the quantity for a number from ethereumjs, which writes numbers as whole bytes, and zero as no bytes. */
const quantity = (bytes: string): string => hex(bytes === "0x" ? 0n : BigInt(bytes))
/** Returns a number as a quantity of JSON-RPC: `0x` and hex digits. */
export const hex = (value: bigint | number): string => `0x${value.toString(16)}`
/** ethereumjs requires this library for a blob transaction, but does not call it if the blobs are absent. */
const kzg = {} as KZG
/** Returns the rules of a fork for ethereumjs. */
export const common = (hardfork: Hardfork): Common => new Common({ chain: Mainnet, hardfork, customCrypto: { kzg } })

const NO_COMMITMENT = `0xc0${"00".repeat(47)}` as const

/** Makes a signed transaction with one empty blob, and its encoding in the network form, which has the blob. */
export const withBlob = (
  hardfork: Hardfork
): { readonly transaction: TypedTransaction; readonly sidecar: JsonObject; readonly network: Uint8Array } => {
  const cells = hardfork === Hardfork.Osaka
  const blobs = [`0x${"00".repeat(131_072)}` as const]
  const kzgProofs = Array.from({ length: cells ? 128 : 1 }, () => NO_COMMITMENT)
  const transaction = createBlob4844Tx(
    {
      chainId: 1n,
      gasLimit: 100_000n,
      maxFeePerGas: 40_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_001n,
      maxFeePerBlobGas: 9n,
      to,
      blobVersionedHashes: ["0x010657f37554c781402a22917dee2f75def7ab966d7b770905398eba3c444014"],
      blobs,
      kzgCommitments: [NO_COMMITMENT],
      kzgProofs,
      networkWrapperVersion: cells ? 1 : 0
    },
    { common: common(hardfork) }
  ).sign(key)
  const sidecar: JsonObject = {
    blobs: [...blobs],
    commitments: [NO_COMMITMENT],
    [cells ? "cellProofs" : "proofs"]: kzgProofs
  }
  return { transaction, sidecar, network: transaction.serializeNetworkWrapper() }
}

/** Makes signed transactions of every type of a fork, starting with legacy ones with and without a chain id. */
export const signed = (hardfork: Hardfork): ReadonlyArray<TypedTransaction> => {
  const rules = common(hardfork)
  const out: Array<TypedTransaction> = []
  const add = (type: number, data: object, signer: Common = rules): void => {
    const transaction = createTx(
      { type, nonce: out.length, gasLimit: 100_000n + BigInt(out.length), ...data },
      { common: signer }
    )
    out.push(transaction.sign(key))
  }
  const fees = { maxFeePerGas: 40_000_000_000n, maxPriorityFeePerGas: 1_000_000_001n }
  add(0, { to, gasPrice: 20_000_000_000n, value: 10n ** 18n }, common(Hardfork.Homestead))
  if (!rules.gteHardfork(Hardfork.SpuriousDragon)) return out
  add(0, { gasPrice: 30_000_000_000n, value: 0n, data: `0x${"60".repeat(300)}` })
  add(0, { to, gasPrice: 127n, value: 128n, data: "0x7f" })
  if (!rules.gteHardfork(Hardfork.Berlin)) return out
  add(1, { to, gasPrice: 25_000_000_000n, value: 1n, data: "0x80", accessList, chainId: 1n })
  if (!rules.gteHardfork(Hardfork.London)) return out
  add(2, { ...fees, to, value: 5n, data: "0x", accessList, chainId: 1n })
  add(2, { ...fees, maxFeePerGas: 1_000_000_001n, value: 0n, data: "0x00ff", accessList: [], chainId: 1n })
  if (rules.gteHardfork(Hardfork.Cancun)) {
    const blobVersionedHashes = [`0x01${"cd".repeat(31)}`, `0x01${"ef".repeat(31)}`]
    add(3, {
      ...fees,
      to,
      value: 6n,
      data: "0x1234",
      accessList,
      chainId: 1n,
      maxFeePerBlobGas: 9n,
      blobVersionedHashes
    })
  }
  if (rules.gteHardfork(Hardfork.Prague)) {
    const authorizationList = [0n, 1n].map((nonce) =>
      eoaCode7702SignAuthorization(
        { chainId: hex(nonce) as `0x${string}`, address: to, nonce: hex(nonce) as `0x${string}` },
        key
      )
    )
    add(4, { ...fees, to, value: 7n, data: "0xdeadbeef", accessList, chainId: 1n, authorizationList })
  }
  return out
}

/** Makes a transaction whose `r` or `s` has leading zeros, so that its quantity is shorter than 64 hex digits. */
export const shortSignature = (): TypedTransaction => {
  for (let nonce = 0n; ; nonce++) {
    const { r, s } = sign(nonce)
    if (hex(r!).length < 66 || hex(s!).length < 66) return sign(nonce)
  }
}

const sign = (nonce: bigint): TypedTransaction =>
  createTx({ type: 0, nonce, gasLimit: 21_000n, gasPrice: 1n, to }, { common: common(Hardfork.London) }).sign(key)

/** The fields that a node adds to a transaction in a block. */
interface Place {
  readonly blockHash: string
  readonly blockNumber: bigint
  readonly index: number
  readonly timestamp: bigint
  readonly baseFee: bigint | undefined
}

/** Returns a transaction as a node returns it; as a pending one if no place is given. */
export const answerOf = (transaction: TypedTransaction, place?: Place): JsonObject => {
  const json = transaction.toJSON()
  const { r, s, v } = transaction
  const typed = transaction.type !== 0
  const maxFee = BigInt(json.maxFeePerGas ?? 0)
  const wanted = (place?.baseFee ?? 0n) + BigInt(json.maxPriorityFeePerGas ?? 0)
  const effective = place === undefined || wanted > maxFee ? maxFee : wanted
  return {
    blockHash: place?.blockHash ?? null,
    blockNumber: place === undefined ? null : hex(place.blockNumber),
    ...(place === undefined ? {} : { blockTimestamp: hex(place.timestamp) }),
    from,
    gas: json.gasLimit!,
    gasPrice: json.maxFeePerGas === undefined ? json.gasPrice! : hex(effective),
    ...(json.maxFeePerGas === undefined
      ? {}
      : { maxFeePerGas: json.maxFeePerGas, maxPriorityFeePerGas: json.maxPriorityFeePerGas! }),
    ...(json.maxFeePerBlobGas === undefined
      ? {}
      : { maxFeePerBlobGas: json.maxFeePerBlobGas, blobVersionedHashes: json.blobVersionedHashes! }),
    hash: bytesToHex(transaction.hash()),
    input: json.data!,
    nonce: json.nonce!,
    to: json.to ?? null,
    transactionIndex: place === undefined ? null : hex(place.index),
    value: json.value!,
    type: hex(transaction.type),
    ...(typed
      ? {
          accessList: (json.accessList ?? []).map((item) => ({
            address: item.address,
            storageKeys: [...item.storageKeys]
          }))
        }
      : {}),
    ...(typed ? { chainId: "0x1", yParity: hex(v!) } : v! >= 35n ? { chainId: "0x1" } : {}),
    ...(json.authorizationList === undefined
      ? {}
      : {
          authorizationList: json.authorizationList.map((authorization) => ({
            ...authorization,
            chainId: quantity(authorization.chainId),
            nonce: quantity(authorization.nonce),
            yParity: quantity(authorization.yParity)
          }))
        }),
    v: hex(v!),
    r: hex(r!),
    s: hex(s!)
  }
}

/** The forks with different headers, with the number of header fields of each. */
export const forks: ReadonlyArray<readonly [Hardfork, number]> = [
  [Hardfork.Chainstart, 15],
  [Hardfork.Istanbul, 15],
  [Hardfork.Berlin, 15],
  [Hardfork.London, 16],
  [Hardfork.Paris, 16],
  [Hardfork.Shanghai, 17],
  [Hardfork.Cancun, 20],
  [Hardfork.Prague, 21],
  [Hardfork.Osaka, 21],
  [Hardfork.Amsterdam, 23]
]

/** Header fields that a test can set. */
export type HeaderFields = Pick<
  HeaderData,
  | "blockAccessListHash"
  | "extraData"
  | "gasUsed"
  | "logsBloom"
  | "number"
  | "parentHash"
  | "receiptTrie"
  | "stateRoot"
  | "timestamp"
  | "transactionsTrie"
>

/** Makes a block of a fork with these transactions (by default all types), as a node returns it. */
export const block = async (
  hardfork: Hardfork,
  transactions: ReadonlyArray<TypedTransaction> = signed(hardfork),
  uncles: ReadonlyArray<BlockHeader> = [],
  fields: HeaderFields = {}
): Promise<JsonObject> => {
  const rules = common(hardfork)
  const since = (fork: Hardfork): boolean => rules.gteHardfork(fork)
  const withdrawals = since(Hardfork.Shanghai)
    ? [1n, 128n].map((index) =>
        createWithdrawal({ index, validatorIndex: index + 300n, address: hexToBytes(to), amount: index * 10n ** 9n })
      )
    : undefined
  const bytes = (fill: number, length = 32): Uint8Array => new Uint8Array(length).fill(fill)
  const header = {
    parentHash: bytes(1),
    uncleHash: Keccak256.hash(RLP.encode(uncles.map((uncle) => uncle.raw()))),
    coinbase: to,
    stateRoot: bytes(2),
    transactionsTrie: await genTransactionsTrieRoot([...transactions]),
    receiptTrie: bytes(3),
    logsBloom: bytes(4, 256),
    difficulty: since(Hardfork.Paris) ? 0n : 0x20000n,
    number: 20_000_000n,
    gasLimit: 30_000_000n,
    gasUsed: 21_000n,
    timestamp: 1_700_000_000n,
    extraData: hexToBytes("0x706c756d626c696e65"),
    mixHash: bytes(5),
    nonce: since(Hardfork.Paris) ? bytes(0, 8) : bytes(6, 8),
    ...(since(Hardfork.London) ? { baseFeePerGas: 1_000_000_007n } : {}),
    ...(withdrawals === undefined ? {} : { withdrawalsRoot: await genWithdrawalsTrieRoot(withdrawals) }),
    ...(since(Hardfork.Cancun) ? { blobGasUsed: 262_144n, excessBlobGas: 0n, parentBeaconBlockRoot: bytes(7) } : {}),
    ...(since(Hardfork.Prague) ? { requestsHash: bytes(8) } : {}),
    ...(since(Hardfork.Amsterdam) ? { blockAccessListHash: bytes(9), slotNumber: 10n } : {}),
    ...fields
  }
  const made = createBlock(
    {
      header,
      transactions: [...transactions],
      uncleHeaders: [...uncles],
      ...(withdrawals === undefined ? {} : { withdrawals })
    },
    { common: rules, skipConsensusFormatValidation: true }
  )
  const hash = bytesToHex(made.hash())
  const json = made.header.toJSON()
  const place = (index: number): Place => ({
    blockHash: hash,
    blockNumber: made.header.number,
    index,
    timestamp: made.header.timestamp,
    baseFee: made.header.baseFeePerGas
  })
  const optional = (name: string, value: string | undefined): JsonObject =>
    value === undefined ? {} : { [name]: value }
  return {
    ...optional("baseFeePerGas", json.baseFeePerGas),
    ...optional("blobGasUsed", json.blobGasUsed),
    difficulty: json.difficulty!,
    ...optional("excessBlobGas", json.excessBlobGas),
    extraData: json.extraData!,
    gasLimit: json.gasLimit!,
    gasUsed: json.gasUsed!,
    hash,
    logsBloom: json.logsBloom!,
    miner: json.coinbase!,
    mixHash: json.mixHash!,
    nonce: json.nonce!,
    number: json.number!,
    ...optional("parentBeaconBlockRoot", json.parentBeaconBlockRoot),
    parentHash: json.parentHash!,
    receiptsRoot: json.receiptTrie!,
    ...optional("requestsHash", json.requestsHash),
    ...(since(Hardfork.Amsterdam)
      ? { blockAccessListHash: bytesToHex(made.header.blockAccessListHash!), slotNumber: "0xa" }
      : {}),
    sha3Uncles: json.uncleHash!,
    size: hex(made.serialize().length),
    stateRoot: json.stateRoot!,
    timestamp: json.timestamp!,
    transactions: transactions.map((transaction, index) => answerOf(transaction, place(index))),
    transactionsRoot: json.transactionsTrie!,
    uncles: uncles.map((uncle) => bytesToHex(uncle.hash())),
    ...(withdrawals === undefined
      ? {}
      : {
          withdrawals: withdrawals.map((withdrawal) => ({
            index: hex(withdrawal.index),
            validatorIndex: hex(withdrawal.validatorIndex),
            address: withdrawal.address.toString(),
            amount: hex(withdrawal.amount)
          }))
        }),
    ...optional("withdrawalsRoot", json.withdrawalsRoot)
  }
}

/** Makes the header of an uncle, with every field of its fork set, so that no field has its default value. */
export const uncleHeader = (fork: Hardfork, n: number, number = 1000n + BigInt(n)): BlockHeader => {
  const bytes = (fill: number, length = 32): Uint8Array => new Uint8Array(length).fill(fill)
  const chain = common(fork)
  return createBlockHeader(
    {
      parentHash: bytes(n),
      coinbase: bytes(n + 1, 20),
      stateRoot: bytes(n + 2),
      transactionsTrie: bytes(n + 3),
      receiptTrie: bytes(n + 4),
      logsBloom: bytes(n + 5, 256),
      difficulty: 0x20000n + BigInt(n),
      number,
      gasLimit: 8_000_000n,
      gasUsed: 21_000n,
      timestamp: 1_500_000_000n,
      extraData: bytes(n, 5),
      mixHash: bytes(n + 6),
      nonce: bytes(n + 7, 8),
      ...(chain.gteHardfork(Hardfork.London) ? { baseFeePerGas: 7n } : {})
    },
    { common: chain, skipConsensusFormatValidation: true }
  )
}

/** Returns a header as a node (geth) returns an uncle: as a block with an empty body. */
export const uncleOf = (header: BlockHeader): JsonObject => {
  const { coinbase, receiptTrie, transactionsTrie, uncleHash, withdrawalsRoot: _, ...json } = header.toJSON()
  return {
    ...(json as JsonObject),
    hash: bytesToHex(header.hash()),
    miner: coinbase!,
    receiptsRoot: receiptTrie!,
    sha3Uncles: uncleHash!,
    transactionsRoot: transactionsTrie!,
    size: hex(RLP.encode([header.raw(), [], []]).length),
    uncles: []
  }
}

/** Returns the 32 bytes of a number. */
export const word = (n: bigint): Uint8Array => setLengthLeft(bigIntToBytes(n), 32)

export const decodeBlock = Schema.decodeUnknownSync(Block.Block)
export const decodeBlockResult = Schema.decodeUnknownResult(Block.Block)
export const encodeBlock = Schema.encodeSync(Block.Block)
export const decodeTransaction = Schema.decodeUnknownSync(Transaction.Transaction)
export const decodeTransactionResult = Schema.decodeUnknownResult(Transaction.Transaction)
export const encodeTransaction = Schema.encodeSync(Transaction.Transaction)
