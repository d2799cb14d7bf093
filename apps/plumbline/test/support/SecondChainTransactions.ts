/**
 * Transactions of the second chain, in the form in which nodes send them. starknet.js computes the hashes, without code
 * of ours.
 */
import { type constants, hash, v2hash, v3hash } from "starknet"

/** A transaction or another value, in the form in which nodes write it. */
export type Json = Readonly<Record<string, unknown>>

/** A transaction in wire form. */
export type Transaction = Json & { readonly transaction_hash: string }

/** SN_MAIN, the chain id that the hashes include. */
export const CHAIN_ID = "0x534e5f4d41494e"
const chainId = CHAIN_ID as constants.StarknetChainId

const SENDER = "0x69c0f9bcd79697bdceaf7748e3ff8f34aa39e4063ce44896af664c0c96f6c10"
const CONTRACT = "0x4c0a5193d58f74fbace4b74dcf65481e734ed1714121bdc571da345540efa05"
const SELECTOR = hash.getSelectorFromName("transfer")
const CLASS = "0x4dae654c7b6707667a178729b512d61494fe590ab4accc46923d6409b97e617"
const COMPILED = "0x3c1296b5f7e6a30bc0167bf30e0700eebb2e9a06228e24cc3ad386502125bcf"
const FEE = "0x892a33adefe4"
const calldata = ["0x1", CONTRACT, SELECTOR, "0x2", "0x49d36570d4e46f4", "0x16345785d8a0000"]
const signed = { signature: ["0x5c0948fd21318046fe19f04938d3f25078ee570a", "0xc31e4ff0334d988d23e97233768a6a90"] }

const ascii = (text: string): string => `0x${Buffer.from(text).toString("hex")}`

/** Computes the hash of the fields of versions 0 to 2. starknet.js does not export the prefixes as values. */
const common = v2hash.calculateTransactionHashCommon as (
  prefix: string,
  ...rest: ReadonlyArray<string | number | ReadonlyArray<string>>
) => string

const bound = (amount: bigint, price: bigint) => ({
  wire: { max_amount: `0x${amount.toString(16)}`, max_price_per_unit: `0x${price.toString(16)}` },
  domain: { max_amount: amount, max_price_per_unit: price }
})
const [l1, l2, data] = [bound(0xa9en, 0x7f2a1ad4f2f1n), bound(0xf4240n, 0x2540be400n), bound(0x80n, 0x3b9aca00n)]
const resource_bounds = { l1_gas: l1.wire, l2_gas: l2.wire, l1_data_gas: data.wire }
const bounds = { l1_gas: l1.domain, l2_gas: l2.domain, l1_data_gas: data.domain }

const fri = {
  resource_bounds,
  tip: "0x5",
  paymaster_data: [],
  nonce_data_availability_mode: "L1",
  fee_data_availability_mode: "L1"
}

const [salt, constructor_calldata] = ["0x5a17", ["0x1", "0x2"]]
const deployment = { contract_address_salt: salt, constructor_calldata, class_hash: CLASS }
const deployed = hash.calculateContractAddressFromHash(salt, CLASS, constructor_calldata, 0)

const invokeV3 = (nonce: string, proof_facts: Array<string> = []): Transaction => ({
  transaction_hash: v3hash.calculateInvokeTransactionHash(
    SENDER,
    "0x3",
    calldata,
    chainId,
    nonce,
    [],
    0,
    0,
    bounds,
    5n,
    [],
    proof_facts
  ),
  type: "INVOKE",
  version: "0x3",
  ...signed,
  nonce,
  sender_address: SENDER,
  calldata,
  ...fri,
  account_deployment_data: [],
  ...(proof_facts.length === 0 ? {} : { proof_facts })
})

/** Transactions by kind and version. */
export const made = {
  "INVOKE v0": {
    transaction_hash: common(ascii("invoke"), "0x0", CONTRACT, SELECTOR, ["0x7"], FEE, CHAIN_ID),
    type: "INVOKE",
    version: "0x0",
    max_fee: FEE,
    ...signed,
    contract_address: CONTRACT,
    entry_point_selector: SELECTOR,
    calldata: ["0x7"]
  },
  "INVOKE v1": {
    transaction_hash: v2hash.calculateTransactionHash(SENDER, "0x1", calldata, FEE, chainId, "0x9d"),
    type: "INVOKE",
    version: "0x1",
    max_fee: FEE,
    ...signed,
    nonce: "0x9d",
    sender_address: SENDER,
    calldata
  },
  "INVOKE v3": invokeV3("0x9e"),
  "INVOKE v3 with facts": invokeV3("0x9f", ["0x1", "0x2", "0x3"]),
  "DECLARE v2": {
    transaction_hash: v2hash.calculateDeclareTransactionHash(CLASS, SENDER, "0x2", FEE, chainId, "0x1f9", COMPILED),
    type: "DECLARE",
    version: "0x2",
    max_fee: FEE,
    ...signed,
    nonce: "0x1f9",
    class_hash: CLASS,
    compiled_class_hash: COMPILED,
    sender_address: SENDER
  },
  "DECLARE v3": {
    transaction_hash: v3hash.calculateDeclareTransactionHash(
      CLASS,
      COMPILED,
      SENDER,
      "0x3",
      chainId,
      "0x1fa",
      [],
      0,
      0,
      bounds,
      5n,
      []
    ),
    type: "DECLARE",
    version: "0x3",
    ...signed,
    nonce: "0x1fa",
    class_hash: CLASS,
    compiled_class_hash: COMPILED,
    sender_address: SENDER,
    ...fri,
    account_deployment_data: []
  },
  "DEPLOY_ACCOUNT v1": {
    transaction_hash: v2hash.calculateDeployAccountTransactionHash(
      deployed,
      CLASS,
      constructor_calldata,
      salt,
      "0x1",
      FEE,
      chainId,
      "0x0"
    ),
    type: "DEPLOY_ACCOUNT",
    version: "0x1",
    max_fee: FEE,
    ...signed,
    nonce: "0x0",
    ...deployment
  },
  "DEPLOY_ACCOUNT v3": {
    transaction_hash: v3hash.calculateDeployAccountTransactionHash(
      deployed,
      CLASS,
      constructor_calldata,
      salt,
      "0x3",
      chainId,
      "0x0",
      0,
      0,
      bounds,
      5n,
      []
    ),
    type: "DEPLOY_ACCOUNT",
    version: "0x3",
    ...signed,
    nonce: "0x0",
    ...deployment,
    ...fri
  },
  "L1_HANDLER v0": {
    transaction_hash: common(ascii("l1_handler"), "0x0", CONTRACT, SELECTOR, ["0x3"], 0, CHAIN_ID, ["0x1a2"]),
    type: "L1_HANDLER",
    version: "0x0",
    nonce: "0x1a2",
    contract_address: CONTRACT,
    entry_point_selector: SELECTOR,
    calldata: ["0x3"]
  }
} satisfies Readonly<Record<string, Transaction>>

/** Returns the sender of a transaction, computed by starknet.js; undefined for a message from L1. */
export const senderOf = (transaction: Json): string | undefined => {
  if (transaction["type"] === "DEPLOY_ACCOUNT") return deployed
  return (transaction["sender_address"] ?? (transaction["type"] === "INVOKE" ? CONTRACT : undefined)) as
    | string
    | undefined
}

/**
 * A transaction of version 3 without data gas, from before data gas existed: block 636864 of mainnet.
 *
 * Source: starkware-libs/sequencer, crates/starknet_api/resources/transaction_hash.json.
 */
export const early: Transaction = {
  transaction_hash: "0x1d4735f4ba73a67be2f648d9b21cab3783383b8c229566b46b027c46012219",
  type: "INVOKE",
  version: "0x3",
  signature: [],
  nonce: "0x9d",
  sender_address: SENDER,
  calldata: [
    "0x1",
    CONTRACT,
    "0x3943907ef0ef6f9d2e2408b05e520a66daaf74293dbf665e5a20b117676170e",
    "0x2",
    "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7",
    "0x16345785d8a0000"
  ],
  resource_bounds: {
    l1_gas: { max_amount: "0xa9e", max_price_per_unit: "0x7f2a1ad4f2f1" },
    l2_gas: { max_amount: "0x0", max_price_per_unit: "0x0" }
  },
  tip: "0x0",
  paymaster_data: [],
  nonce_data_availability_mode: "L1",
  fee_data_availability_mode: "L1",
  account_deployment_data: []
}

/** Returns a transaction in the form of nodes of 0.5 to 0.7: without the bounds that these specifications lack. */
export const withoutDataGas = (transaction: Json): Json => {
  const { l1_gas, l2_gas } = transaction["resource_bounds"] as Json
  return { ...transaction, resource_bounds: { l1_gas, l2_gas } }
}

/** Returns the transaction without its facts, in the form of a node that was not asked for them. */
export const withoutFacts = (transaction: Json): Json => {
  const { proof_facts: _, ...rest } = transaction
  return rest
}
