/**
 * Blocks and uncles as nodes return them, from Frontier to Osaka, with Amsterdam's two new header fields.
 *
 * Wire and domain form are the two sides of one Schema. Fields that a fork added are optional here. The fields of a
 * block determine its fork, and `rlp/header` checks that they fit together.
 *
 * Sources: execution-apis (schemas/block.yaml); the interface's tables; EIP-1559, 4895, 4844, 4788, 7685, 7928, 7843.
 */
import * as Schema from "effect/Schema"

import * as Transaction from "./Transaction.ts"
import * as Wire from "./wire.ts"

const transaction = Wire.of(Transaction.Transaction)

const withdrawal = Wire.object(
  "Withdrawal",
  {
    index: Wire.quantity,
    validatorIndex: Wire.quantity,
    address: Wire.address,
    amount: Wire.quantity
  },
  (value) => ({ ...value })
)
/** A validator's withdrawal (EIP-4895). `amount` is in gwei. */
export const Withdrawal: Schema.Codec<Withdrawal, typeof withdrawal.schema.Encoded> = withdrawal.schema
/** See the Schema of the same name. */
export interface Withdrawal extends Schema.Schema.Type<typeof withdrawal.schema> {}

const header = {
  /** Null for the pending block. `hash`, `nonce`, `logsBloom` and, from some nodes, `miner` are then null too. */
  number: Wire.nullOr(Wire.quantity),
  hash: Wire.nullOr(Wire.hash32),
  parentHash: Wire.hash32,
  /** Part of the proof of work; zero since the Merge (EIP-3675). Chains with other seals may lack it. */
  nonce: Wire.optional(Wire.nullOr(Wire.bytes(8))),
  /** The randomness of the beacon chain since the Merge (EIP-4399). */
  mixHash: Wire.missable(Wire.hash32),
  sha3Uncles: Wire.hash32,
  /** Bloom filter of the block's logs (Yellow Paper, section 4.3.1). */
  logsBloom: Wire.nullOr(Wire.bytes(256)),
  transactionsRoot: Wire.hash32,
  stateRoot: Wire.hash32,
  receiptsRoot: Wire.hash32,
  miner: Wire.nullOr(Wire.address),
  /** Zero since the Merge, where some nodes omit it. */
  difficulty: Wire.missable(Wire.quantity),
  extraData: Wire.data,
  gasLimit: Wire.quantity,
  gasUsed: Wire.quantity,
  /** Unix time in seconds. */
  timestamp: Wire.quantity,
  /** Wei per unit of gas, since London (EIP-1559). */
  baseFeePerGas: Wire.missable(Wire.quantity),
  /** Since Shanghai (EIP-4895). */
  withdrawalsRoot: Wire.missable(Wire.hash32),
  /** Since Cancun (EIP-4844). */
  blobGasUsed: Wire.missable(Wire.quantity),
  /** Since Cancun (EIP-4844). */
  excessBlobGas: Wire.missable(Wire.quantity),
  /** Since Cancun (EIP-4788). */
  parentBeaconBlockRoot: Wire.missable(Wire.hash32),
  /** Since Prague (EIP-7685): SHA-256, not Keccak-256. */
  requestsHash: Wire.missable(Wire.hash32),
  /** Since Amsterdam (EIP-7928). */
  blockAccessListHash: Wire.missable(Wire.hash32),
  /** Since Amsterdam (EIP-7843). */
  slotNumber: Wire.missable(Wire.quantity)
}

/** Fields that nodes add to the header. No hash covers them, or only a hash whose check needs the block's bodies. */
const beside = {
  /** Sum of the difficulties up to this block. Most current nodes omit it, and no header proves it. */
  totalDifficulty: Wire.missable(Wire.quantity),
  /** Size of the RLP of the whole block, in bytes. */
  size: Wire.missable(Wire.quantity),
  /** Hashes of the uncles' headers, at most two. */
  uncles: Wire.missable(Wire.array(Wire.hash32))
}

const block = { ...header, ...beside, withdrawals: Wire.missable(Wire.array(withdrawal)) }

const withHashes = Wire.object("BlockWithHashes", { ...block, transactions: Wire.array(Wire.hash32) })
/** A block with the hashes of its transactions, as nodes return it if the details flag is `false`. */
export const WithHashes: Schema.Codec<WithHashes, typeof withHashes.schema.Encoded> = withHashes.schema
/** See the Schema of the same name. */
export interface WithHashes extends Schema.Schema.Type<typeof withHashes.schema> {}

const withTransactions = Wire.object("BlockWithTransactions", {
  ...block,
  transactions: Wire.array(transaction)
})
/** A block with whole transactions, as nodes return it if the details flag is `true`. */
export const WithTransactions: Schema.Codec<WithTransactions, typeof withTransactions.schema.Encoded> =
  withTransactions.schema
/** See the Schema of the same name. */
export interface WithTransactions extends Schema.Schema.Type<typeof withTransactions.schema> {}

const hashes = Wire.array(Wire.hash32)
const whole = Wire.array(transaction)
/** The first transaction decides. An empty list matches both forms. */
const eitherForm = Wire.oneOf(Schema.Union([hashes.schema, whole.schema]), (values) =>
  Array.isArray(values) && typeof values[0] === "string" ? hashes : whole
)

const either = Wire.object("Block", { ...block, transactions: eitherForm })
/** A block with hashes or with whole transactions. A block without transactions matches both forms. */
export const Block: Schema.Codec<Block, typeof either.schema.Encoded> = either.schema
/** See the Schema of the same name. */
export interface Block extends Schema.Schema.Type<typeof either.schema> {}

const uncle = Wire.object("Uncle", { ...header, ...beside })
/** An uncle: a header that is not on the chain, but that a later block names. Its transactions are not available. */
export const Uncle: Schema.Codec<Uncle, typeof uncle.schema.Encoded> = uncle.schema
/** See the Schema of the same name. */
export interface Uncle extends Schema.Schema.Type<typeof uncle.schema> {}

const onlyHeader = Wire.object("Header", { ...header, ...beside })
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
