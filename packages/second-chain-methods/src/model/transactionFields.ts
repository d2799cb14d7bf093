/**
 * The fields of every kind and version of transaction, except the hash, which only nodes send.
 *
 * Source: starknet-specs 0.1 to 0.10.2, the union of their fields.
 */
import * as SecondChainWire from "./secondChainWire.ts"

/** Schema of a version, plain and with the query bit. */
const version = <const V extends "0x0" | "0x1" | "0x2" | "0x3">(plain: V) =>
  SecondChainWire.literals(plain, `0x10000000000000000000000000000000${plain.slice(2) as Digit<V>}`)
type Digit<V> = V extends `0x${infer D}` ? D : never

/** Fields of transactions that an account sends. */
const signed = {
  /** The signature that the account's code accepts: for most accounts, r and s on the Stark curve. */
  signature: SecondChainWire.felts
}

/** Fields of versions before 3, which pay in wei. */
const maxFee = {
  /** The maximum cost of the transaction, in wei. */
  max_fee: SecondChainWire.felt
}

/** The maximum amount of a resource that a transaction may use, and the maximum price. */
export const resourceBounds = SecondChainWire.object("ResourceBounds", {
  max_amount: SecondChainWire.u64,
  /** The maximum price of a unit in fri, the 10^-18th part of a STRK. */
  max_price_per_unit: SecondChainWire.u128
})

/** The bounds of each resource. */
export const allResourceBounds = SecondChainWire.object("AllResourceBounds", {
  l1_gas: resourceBounds,
  l2_gas: resourceBounds,
  /** The bounds of L1 data gas, since 0.8. The hash of an older transaction does not cover them. */
  l1_data_gas: SecondChainWire.optional(resourceBounds)
})

/** The place where an account's data is published. */
export const dataAvailabilityMode = SecondChainWire.literals("L1", "L2")

/** Fields of version 3, which pays in fri. */
const fees = {
  resource_bounds: allResourceBounds,
  /** Fri per unit of L2 gas, on top of the price. */
  tip: SecondChainWire.u64,
  /** Reserved. Empty in all existing transactions. */
  paymaster_data: SecondChainWire.felts,
  nonce_data_availability_mode: dataAvailabilityMode,
  fee_data_availability_mode: dataAvailabilityMode
}

export const invokeV0 = {
  type: SecondChainWire.literals("INVOKE"),
  version: version("0x0"),
  ...maxFee,
  ...signed,
  contract_address: SecondChainWire.felt,
  entry_point_selector: SecondChainWire.felt,
  calldata: SecondChainWire.felts,
  /** A field of specifications up to 0.3, in which every transaction had a nonce. No hash covers it. */
  nonce: SecondChainWire.optional(SecondChainWire.felt)
}

const invoke = {
  type: SecondChainWire.literals("INVOKE"),
  ...signed,
  nonce: SecondChainWire.felt,
  sender_address: SecondChainWire.felt,
  calldata: SecondChainWire.felts
}
export const invokeV1 = { ...invoke, version: version("0x1"), ...maxFee }
export const invokeV3 = {
  ...invoke,
  version: version("0x3"),
  ...fees,
  account_deployment_data: SecondChainWire.felts,
  /** Facts of proofs, since 0.10.1. The hash covers them unless the list is empty. */
  proof_facts: SecondChainWire.optional(SecondChainWire.felts)
}

const declare = {
  type: SecondChainWire.literals("DECLARE"),
  ...signed,
  sender_address: SecondChainWire.felt,
  class_hash: SecondChainWire.felt
}
export const declareV0 = {
  ...declare,
  version: version("0x0"),
  ...maxFee,
  /** The nonce, in specifications up to 0.2. */
  nonce: SecondChainWire.optional(SecondChainWire.felt)
}
export const declareV1 = { ...declare, version: version("0x1"), ...maxFee, nonce: SecondChainWire.felt }
export const declareV2 = { ...declareV1, version: version("0x2"), compiled_class_hash: SecondChainWire.felt }
export const declareV3 = {
  ...declare,
  version: version("0x3"),
  nonce: SecondChainWire.felt,
  compiled_class_hash: SecondChainWire.felt,
  ...fees,
  account_deployment_data: SecondChainWire.felts
}

const deployment = {
  contract_address_salt: SecondChainWire.felt,
  constructor_calldata: SecondChainWire.felts,
  class_hash: SecondChainWire.felt
}

export const deploy = {
  type: SecondChainWire.literals("DEPLOY"),
  version: SecondChainWire.literals(...version("0x0").schema.literals, ...version("0x1").schema.literals),
  ...deployment,
  /**
   * The address of the contract, which follows from the other fields. Only nodes of version 0.1 and sequencers send it.
   */
  contract_address: SecondChainWire.optional(SecondChainWire.felt)
}

const deployAccount = {
  type: SecondChainWire.literals("DEPLOY_ACCOUNT"),
  ...signed,
  nonce: SecondChainWire.felt,
  ...deployment
}
export const deployAccountV1 = { ...deployAccount, version: version("0x1"), ...maxFee }
export const deployAccountV3 = { ...deployAccount, version: version("0x3"), ...fees }

export const l1Handler = {
  type: SecondChainWire.literals("L1_HANDLER"),
  version: version("0x0"),
  /** The number of the message on the chain below (L1). */
  nonce: SecondChainWire.felt,
  contract_address: SecondChainWire.felt,
  entry_point_selector: SecondChainWire.felt,
  /** The calldata. The first item is the sender's address on the chain below (L1). */
  calldata: SecondChainWire.felts
}
