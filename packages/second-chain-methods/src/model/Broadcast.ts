/**
 * Transactions as senders send them, without a hash, because the hash follows from the other fields.
 *
 * Source: starknet-specs (starknet_write_api). Current nodes accept only version 3; version 1 is for nodes up to 0.7,
 * and version 0 for nodes up to 0.2. A version with the query bit is for fee estimates, and every node refuses to admit
 * such a transaction.
 */
import * as Schema from "effect/Schema"

import * as SecondChainWire from "./secondChainWire.ts"
import * as Fields from "./transactionFields.ts"

const invokeV0 = SecondChainWire.object("BroadcastInvokeV0", Fields.invokeV0)
const invokeV1 = SecondChainWire.object("BroadcastInvokeV1", Fields.invokeV1)
const invokeV3 = SecondChainWire.object("BroadcastInvokeV3", Fields.invokeV3)
const deployAccountV1 = SecondChainWire.object("BroadcastDeployAccountV1", Fields.deployAccountV1)
const deployAccountV3 = SecondChainWire.object("BroadcastDeployAccountV3", Fields.deployAccountV3)

/**
 * Returns the last digit of the version, which the query bit does not change. The Schema of version 3 refuses any other
 * value.
 */
const digitOf = (value: { readonly version?: unknown } | undefined | null): unknown =>
  typeof value?.version === "string" ? value.version.at(-1) : undefined

const oldInvokes: ReadonlyMap<unknown, SecondChainWire.Wire> = new Map<unknown, SecondChainWire.Wire>([
  ["0", invokeV0],
  ["1", invokeV1]
])

/** A transaction that calls a contract, or that an account sends. */
export const Invoke = SecondChainWire.oneOf(
  Schema.Union([invokeV3.schema, invokeV1.schema, invokeV0.schema]),
  (value) => oldInvokes.get(digitOf(value)) ?? invokeV3
).schema
/** See the Schema of the same name. */
export type Invoke = typeof Invoke.Type

/** A transaction in which an account deploys itself. */
export const DeployAccount = SecondChainWire.oneOf(
  Schema.Union([deployAccountV3.schema, deployAccountV1.schema]),
  (value) => (digitOf(value) === "1" ? deployAccountV1 : deployAccountV3)
).schema
/** See the Schema of the same name. */
export type DeployAccount = typeof DeployAccount.Type

const invoked = SecondChainWire.object("Invoked", { transaction_hash: SecondChainWire.felt })
/** The answer to an accepted transaction: its hash. */
export const Invoked: Schema.Codec<Invoked, typeof invoked.schema.Encoded> = invoked.schema
/** See the Schema of the same name. */
export interface Invoked extends Schema.Schema.Type<typeof invoked.schema> {}

const accountDeployed = SecondChainWire.object("AccountDeployed", {
  transaction_hash: SecondChainWire.felt,
  contract_address: SecondChainWire.felt
})
/** The answer to an accepted deployment of an account: the transaction's hash, and the address of the account. */
export const AccountDeployed: Schema.Codec<AccountDeployed, typeof accountDeployed.schema.Encoded> =
  accountDeployed.schema
/** See the Schema of the same name. */
export interface AccountDeployed extends Schema.Schema.Type<typeof accountDeployed.schema> {}
