/**
 * Blocks and uncles as nodes return them, from Frontier to Osaka, with Amsterdam's two new header fields.
 *
 * Wire and domain form are the two sides of one Schema. Fields that a fork added are optional here. The fields of a
 * block determine its fork, and `rlp/header` checks that they fit together.
 *
 * Sources: execution-apis (schemas/block.yaml); the interface's tables; EIP-1559, 4895, 4844, 4788, 7685, 7928, 7843.
 */
import * as Schema from "effect/Schema"

import * as EthWire from "./ethWire.ts"
import * as Transaction from "./Transaction.ts"

const transaction = EthWire.of(Transaction.Transaction)

const withdrawal = EthWire.object(
  "Withdrawal",
  {
    index: EthWire.quantity,
    validatorIndex: EthWire.quantity,
    address: EthWire.address,
    amount: EthWire.quantity
  },
  (value) => ({ ...value })
)
/** A validator's withdrawal (EIP-4895). `amount` is in gwei. */
export const Withdrawal: Schema.Codec<Withdrawal, typeof withdrawal.schema.Encoded> = withdrawal.schema
/** See the Schema of the same name. */
export interface Withdrawal extends Schema.Schema.Type<typeof withdrawal.schema> {}

const header = {
  /** Null for the pending block. `hash`, `nonce`, `logsBloom` and, from some nodes, `miner` are then null too. */
  number: EthWire.nullOr(EthWire.quantity),
  hash: EthWire.nullOr(EthWire.hash32),
  parentHash: EthWire.hash32,
  /** Part of the proof of work; zero since the Merge (EIP-3675). Chains with other seals may lack it. */
  nonce: EthWire.optional(EthWire.nullOr(EthWire.bytes(8))),
  /** The randomness of the beacon chain since the Merge (EIP-4399). */
  mixHash: EthWire.missable(EthWire.hash32),
  sha3Uncles: EthWire.hash32,
  /** Bloom filter of the block's logs (Yellow Paper, section 4.3.1). */
  logsBloom: EthWire.nullOr(EthWire.bytes(256)),
  transactionsRoot: EthWire.hash32,
  stateRoot: EthWire.hash32,
  receiptsRoot: EthWire.hash32,
  miner: EthWire.nullOr(EthWire.address),
  /** Zero since the Merge, where some nodes omit it. */
  difficulty: EthWire.missable(EthWire.quantity),
  extraData: EthWire.data,
  gasLimit: EthWire.quantity,
  gasUsed: EthWire.quantity,
  /** Unix time in seconds. */
  timestamp: EthWire.quantity,
  /** Wei per unit of gas, since London (EIP-1559). */
  baseFeePerGas: EthWire.missable(EthWire.quantity),
  /** Since Shanghai (EIP-4895). */
  withdrawalsRoot: EthWire.missable(EthWire.hash32),
  /** Since Cancun (EIP-4844). */
  blobGasUsed: EthWire.missable(EthWire.quantity),
  /** Since Cancun (EIP-4844). */
  excessBlobGas: EthWire.missable(EthWire.quantity),
  /** Since Cancun (EIP-4788). */
  parentBeaconBlockRoot: EthWire.missable(EthWire.hash32),
  /** Since Prague (EIP-7685): SHA-256, not Keccak-256. */
  requestsHash: EthWire.missable(EthWire.hash32),
  /** Since Amsterdam (EIP-7928). */
  blockAccessListHash: EthWire.missable(EthWire.hash32),
  /** Since Amsterdam (EIP-7843). */
  slotNumber: EthWire.missable(EthWire.quantity)
}

/** Fields that nodes add to the header. No hash covers them, or only a hash whose check needs the block's bodies. */
const beside = {
  /** Sum of the difficulties up to this block. Most current nodes omit it, and no header proves it. */
  totalDifficulty: EthWire.missable(EthWire.quantity),
  /** Size of the RLP of the whole block, in bytes. */
  size: EthWire.missable(EthWire.quantity),
  /** Hashes of the uncles' headers, at most two. */
  uncles: EthWire.missable(EthWire.array(EthWire.hash32))
}

const block = { ...header, ...beside, withdrawals: EthWire.missable(EthWire.array(withdrawal)) }

const withHashes = EthWire.object("BlockWithHashes", { ...block, transactions: EthWire.array(EthWire.hash32) })
/** A block with the hashes of its transactions, as nodes return it if the details flag is `false`. */
export const WithHashes: Schema.Codec<WithHashes, typeof withHashes.schema.Encoded> = withHashes.schema
/** See the Schema of the same name. */
export interface WithHashes extends Schema.Schema.Type<typeof withHashes.schema> {}

const withTransactions = EthWire.object("BlockWithTransactions", {
  ...block,
  transactions: EthWire.array(transaction)
})
/** A block with whole transactions, as nodes return it if the details flag is `true`. */
export const WithTransactions: Schema.Codec<WithTransactions, typeof withTransactions.schema.Encoded> =
  withTransactions.schema
/** See the Schema of the same name. */
export interface WithTransactions extends Schema.Schema.Type<typeof withTransactions.schema> {}

const hashes = EthWire.array(EthWire.hash32)
const whole = EthWire.array(transaction)
/** The first transaction decides. An empty list matches both forms. */
const eitherForm = EthWire.oneOf(Schema.Union([hashes.schema, whole.schema]), (values) =>
  Array.isArray(values) && typeof values[0] === "string" ? hashes : whole
)

const either = EthWire.object("Block", { ...block, transactions: eitherForm })
/** A block with hashes or with whole transactions. A block without transactions matches both forms. */
export const Block: Schema.Codec<Block, typeof either.schema.Encoded> = either.schema
/** See the Schema of the same name. */
export interface Block extends Schema.Schema.Type<typeof either.schema> {}

const uncle = EthWire.object("Uncle", { ...header, ...beside })
/** An uncle: a header that is not on the chain, but that a later block names. Its transactions are not available. */
export const Uncle: Schema.Codec<Uncle, typeof uncle.schema.Encoded> = uncle.schema
/** See the Schema of the same name. */
export interface Uncle extends Schema.Schema.Type<typeof uncle.schema> {}

const onlyHeader = EthWire.object("Header", { ...header, ...beside })
/** A header without its block, as a subscription sends it. It has the fields that a block and an uncle share. */
export const Header: Schema.Codec<Header, typeof onlyHeader.schema.Encoded> = onlyHeader.schema
/** See the Schema of the same name. */
export interface Header extends Schema.Schema.Type<typeof onlyHeader.schema> {}

/** Names of the fields that a header may have, and of the further fields that nodes add to it. */
export const headerFields: ReadonlySet<string> = new Set([...Object.keys(header), ...Object.keys(beside)])

/** The names in `headerFields`, and the names of the parts of a block's body. */
export const knownFields: ReadonlySet<string> = new Set([...headerFields, "withdrawals", "transactions"])

/** Returns the block with only the hashes of its transactions. */
export const onlyHashes = (block: Block): Block => ({
  ...block,
  transactions: block.transactions.map((transaction) =>
    typeof transaction === "string" ? transaction : transaction.hash
  )
})
