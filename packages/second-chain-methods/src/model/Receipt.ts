/**
 * Receipts: the results of transactions.
 *
 * Source: starknet-specs 0.1 to 0.10.2. Up to 0.5 the fee is a plain number, in wei. Up to 0.3 one field `status`
 * replaces `finality_status` and `execution_status`. The receipt of a transaction in the unfinished block lacks
 * `block_hash` and, before 0.9, `block_number`.
 */
import * as Schema from "effect/Schema"

import * as SecondChainWire from "./secondChainWire.ts"

const event = SecondChainWire.object("Event", {
  from_address: SecondChainWire.felt,
  keys: SecondChainWire.felts,
  data: SecondChainWire.felts
})
/** An event that a contract emitted. */
export const ContractEvent: Schema.Codec<ContractEvent, typeof event.schema.Encoded> = event.schema
/** See the Schema of the same name. */
export interface ContractEvent extends Schema.Schema.Type<typeof event.schema> {}

const message = SecondChainWire.object("MessageToL1", {
  /** The contract that sent the message, since 0.3. */
  from_address: SecondChainWire.optional(SecondChainWire.felt),
  /** An address of 20 bytes on the chain below (L1). Some nodes pad it. */
  to_address: SecondChainWire.felt,
  payload: SecondChainWire.felts
})
/** A message to the chain below (L1). */
export const MessageToL1: Schema.Codec<MessageToL1, typeof message.schema.Encoded> = message.schema
/** See the Schema of the same name. */
export interface MessageToL1 extends Schema.Schema.Type<typeof message.schema> {}

const payment = SecondChainWire.object("FeePayment", {
  amount: SecondChainWire.felt,
  unit: SecondChainWire.literals("WEI", "FRI")
})
/** A fee and its unit: wei, or fri, the 10^-18th part of a STRK. */
export const FeePayment: Schema.Codec<FeePayment, typeof payment.schema.Encoded> = payment.schema
/** See the Schema of the same name. */
export interface FeePayment extends Schema.Schema.Type<typeof payment.schema> {}

/** Since 0.6, a fee is an object with a unit. Before, it is a plain number. */
const fee = SecondChainWire.oneOf(Schema.Union([FeePayment, SecondChainWire.felt.schema]), (value) =>
  typeof value === "string" ? SecondChainWire.felt : payment
)

const receipt = SecondChainWire.object("Receipt", {
  transaction_hash: SecondChainWire.felt,
  /** The kind of the transaction. Some answers up to 0.3 omit it. */
  type: SecondChainWire.optional(SecondChainWire.string),
  actual_fee: fee,
  /** The result of the execution, since 0.4. */
  execution_status: SecondChainWire.optional(SecondChainWire.literals("SUCCEEDED", "REVERTED")),
  /** The finality of the transaction's block, since 0.4. */
  finality_status: SecondChainWire.optional(
    SecondChainWire.literals("PRE_CONFIRMED", "ACCEPTED_ON_L2", "ACCEPTED_ON_L1")
  ),
  /** Execution and finality in one field, up to 0.3. */
  status: SecondChainWire.optional(SecondChainWire.literals("PENDING", "ACCEPTED_ON_L2", "ACCEPTED_ON_L1", "REJECTED")),
  revert_reason: SecondChainWire.optional(SecondChainWire.string),
  block_hash: SecondChainWire.optional(SecondChainWire.felt),
  block_number: SecondChainWire.optional(SecondChainWire.count),
  messages_sent: SecondChainWire.array(message),
  events: SecondChainWire.array(event),
  /** For DEPLOY and DEPLOY_ACCOUNT: the address of the new contract. */
  contract_address: SecondChainWire.optional(SecondChainWire.felt),
  /** For L1_HANDLER, since 0.6: the hash of the message. A 32-byte hash from L1 may not fit in a felt. */
  message_hash: SecondChainWire.optional(SecondChainWire.string)
})
/**
 * A receipt. The used resources (`execution_resources`) are kept as sent, because their form differs in every version.
 */
export const Receipt: Schema.Codec<Receipt, typeof receipt.schema.Encoded> = receipt.schema
/** See the Schema of the same name. */
export interface Receipt extends Schema.Schema.Type<typeof receipt.schema> {}
