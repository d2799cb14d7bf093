/**
 * Transactions as senders send them, without a hash, because the hash follows from the other fields.
 *
 * Source: starknet-specs (starknet_write_api). Current nodes accept only version 3; version 1 is for nodes up to 0.7,
 * and version 0 for nodes up to 0.2. A version with the query bit is for fee estimates, and every node refuses to admit
 * such a transaction.
 */
import * as Schema from "effect/Schema"

import * as Fields from "./transactionFields.ts"
import * as Wire from "./wire.ts"

const invokeV0 = Wire.object("BroadcastInvokeV0", Fields.invokeV0)
const invokeV1 = Wire.object("BroadcastInvokeV1", Fields.invokeV1)
const invokeV3 = Wire.object("BroadcastInvokeV3", Fields.invokeV3)
const deployAccountV1 = Wire.object("BroadcastDeployAccountV1", Fields.deployAccountV1)
const deployAccountV3 = Wire.object("BroadcastDeployAccountV3", Fields.deployAccountV3)

/**
 * Returns the last digit of the version, which the query bit does not change. The Schema of version 3 refuses any other
 * value.
 */
const digitOf = (value: { readonly version?: unknown } | undefined | null): unknown =>
  typeof value?.version === "string" ? value.version.at(-1) : undefined

const oldInvokes: ReadonlyMap<unknown, Wire.Wire> = new Map<unknown, Wire.Wire>([
  ["0", invokeV0],
  ["1", invokeV1]
])

/** A transaction that calls a contract, or that an account sends. */
export const Invoke = Wire.oneOf(
  Schema.Union([invokeV3.schema, invokeV1.schema, invokeV0.schema]),
  (value) => oldInvokes.get(digitOf(value)) ?? invokeV3
).schema
/** See the Schema of the same name. */
export type Invoke = typeof Invoke.Type

/** A transaction in which an account deploys itself. */
export const DeployAccount = Wire.oneOf(Schema.Union([deployAccountV3.schema, deployAccountV1.schema]), (value) =>
  digitOf(value) === "1" ? deployAccountV1 : deployAccountV3
).schema
/** See the Schema of the same name. */
export type DeployAccount = typeof DeployAccount.Type

const invoked = Wire.object("Invoked", { transaction_hash: Wire.felt })
/** The answer to an accepted transaction: its hash. */
export const Invoked: Schema.Codec<Invoked, typeof invoked.schema.Encoded> = invoked.schema
/** See the Schema of the same name. */
export interface Invoked extends Schema.Schema.Type<typeof invoked.schema> {}

const accountDeployed = Wire.object("AccountDeployed", { transaction_hash: Wire.felt, contract_address: Wire.felt })
/** The answer to an accepted deployment of an account: the transaction's hash, and the address of the account. */
export const AccountDeployed: Schema.Codec<AccountDeployed, typeof accountDeployed.schema.Encoded> =
  accountDeployed.schema
/** See the Schema of the same name. */
export interface AccountDeployed extends Schema.Schema.Type<typeof accountDeployed.schema> {}
