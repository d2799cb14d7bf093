/**
 * One transaction of every kind and version, in the form of nodes, with all fields of all versions of the
 * specification, and one unknown field.
 */

type Json = Readonly<Record<string, unknown>>

const hash = { transaction_hash: "0x0a11ce" }
const extra = { later_field: { deep: ["kept"] } }
const signed = { signature: ["0x1", "0x0002"] }
const maxFee = { max_fee: "0x2386f26fc10000" }
const bounds = { max_amount: "0xffffffffffffffff", max_price_per_unit: "0xffffffffffffffffffffffffffffffff" }
const fees = {
  resource_bounds: { l1_gas: bounds, l2_gas: bounds, l1_data_gas: bounds },
  tip: "0x0",
  paymaster_data: [],
  nonce_data_availability_mode: "L1",
  fee_data_availability_mode: "L2"
}
const call = { contract_address: "0x31", entry_point_selector: "0x5e1ec7", calldata: ["0x1", "0x2"] }
const invoke = { ...signed, nonce: "0x7", sender_address: "0xacc0", calldata: ["0x1"] }
const declare = { ...signed, sender_address: "0xacc0", class_hash: "0xc1a55" }
const deployment = { contract_address_salt: "0x5a17", constructor_calldata: ["0x1"], class_hash: "0xc1a55" }

/** The transactions by kind, named as in `Transaction`. */
export const wire = {
  "INVOKE v0": { ...hash, type: "INVOKE", version: "0x0", ...maxFee, ...signed, nonce: "0x0", ...call, ...extra },
  "INVOKE v1": { type: "INVOKE", ...extra, ...hash, version: "0x1", ...maxFee, ...invoke },
  "INVOKE v3": {
    ...hash,
    type: "INVOKE",
    version: "0x3",
    ...invoke,
    ...fees,
    account_deployment_data: [],
    proof_facts: ["0x9"]
  },
  "DECLARE v0": { ...extra, type: "DECLARE", version: "0x0", ...declare, ...maxFee, nonce: "0x0", ...hash },
  "DECLARE v1": { type: "DECLARE", version: "0x1", ...declare, ...maxFee, nonce: "0x1", ...hash },
  "DECLARE v2": {
    type: "DECLARE",
    version: "0x2",
    ...declare,
    ...maxFee,
    nonce: "0x1",
    compiled_class_hash: "0xca",
    ...hash
  },
  "DECLARE v3": {
    ...hash,
    type: "DECLARE",
    version: "0x3",
    ...declare,
    nonce: "0x1",
    compiled_class_hash: "0xca",
    ...fees,
    account_deployment_data: []
  },
  "DEPLOY v0": { type: "DEPLOY", version: "0x0", ...deployment, contract_address: "0xadd7", ...hash },
  "DEPLOY v1": { type: "DEPLOY", version: "0x1", ...deployment, ...hash },
  "DEPLOY_ACCOUNT v1": {
    type: "DEPLOY_ACCOUNT",
    version: "0x1",
    ...signed,
    ...maxFee,
    nonce: "0x0",
    ...deployment,
    ...hash
  },
  "DEPLOY_ACCOUNT v3": {
    type: "DEPLOY_ACCOUNT",
    version: "0x3",
    ...signed,
    ...fees,
    nonce: "0x0",
    ...deployment,
    ...hash
  },
  "L1_HANDLER v0": { type: "L1_HANDLER", version: "0x0", nonce: "0x5", ...call, ...hash }
} satisfies Readonly<Record<string, Json>>

/** Fields that some version of the specification lacks. All other fields are required. */
export const optional: Readonly<Record<string, ReadonlyArray<string>>> = {
  "INVOKE v0": ["nonce"],
  "INVOKE v3": ["proof_facts"],
  "DECLARE v0": ["nonce"],
  "DEPLOY v0": ["contract_address"]
}

/** Returns the same transaction with the query bit. */
export const asQuery = <T extends { readonly version: string }>(transaction: T): T => ({
  ...transaction,
  version: `0x1${"0".repeat(31)}${transaction.version.at(-1)}`
})
