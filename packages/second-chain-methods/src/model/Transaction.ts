/**
 * Transactions in nodes' answers: every kind and version that the chain has had, and kinds that are still unknown.
 *
 * The wire form and the domain form differ only in their types. Numbers stay hex text as sent, unknown fields are kept,
 * and fields keep their order. The fields `type` and `version` distinguish the kinds; `caseOf` reads both: `const {
 * kind, transaction } = ...; if (kind === "INVOKE v3") transaction.tip`.
 *
 * Source: starknet-specs 0.1 to 0.10.2, the union of their fields.
 */
import * as Schema from "effect/Schema"

import * as Fields from "./transactionFields.ts"
import * as Wire from "./wire.ts"

/**
 * The maximum amount of a resource that a transaction may use (`max_amount`), and the maximum price in fri per unit.
 */
export const ResourceBounds = Fields.resourceBounds.schema
/** See the Schema of the same name. */
export type ResourceBounds = typeof ResourceBounds.Type

/** The bounds of each resource. `l1_data_gas` exists since 0.8. The hash of an older transaction does not cover it. */
export const AllResourceBounds = Fields.allResourceBounds.schema
/** See the Schema of the same name. */
export type AllResourceBounds = typeof AllResourceBounds.Type

/** The place where an account's data is published. */
export const DataAvailabilityMode = Fields.dataAvailabilityMode.schema
/** See the Schema of the same name. */
export type DataAvailabilityMode = typeof DataAvailabilityMode.Type

const hash = { transaction_hash: Wire.felt }

const invokeV0 = Wire.object("InvokeV0", { ...hash, ...Fields.invokeV0 })
/** A call of a contract, from before accounts sent transactions. */
export const InvokeV0 = invokeV0.schema
/** See the Schema of the same name. */
export type InvokeV0 = typeof InvokeV0.Type

const invokeV1 = Wire.object("InvokeV1", { ...hash, ...Fields.invokeV1 })
/** A transaction of an account, with its fee in wei. */
export const InvokeV1 = invokeV1.schema
/** See the Schema of the same name. */
export type InvokeV1 = typeof InvokeV1.Type

const invokeV3 = Wire.object("InvokeV3", { ...hash, ...Fields.invokeV3 })
/** A transaction of an account, with its fee in fri. */
export const InvokeV3 = invokeV3.schema
/** See the Schema of the same name. */
export type InvokeV3 = typeof InvokeV3.Type

const declareV0 = Wire.object("DeclareV0", { ...hash, ...Fields.declareV0 })
/** A declaration of a class of Cairo 0, without a sender and without a fee. */
export const DeclareV0 = declareV0.schema
/** See the Schema of the same name. */
export type DeclareV0 = typeof DeclareV0.Type

const declareV1 = Wire.object("DeclareV1", { ...hash, ...Fields.declareV1 })
/** A declaration of a class of Cairo 0. */
export const DeclareV1 = declareV1.schema
/** See the Schema of the same name. */
export type DeclareV1 = typeof DeclareV1.Type

const declareV2 = Wire.object("DeclareV2", { ...hash, ...Fields.declareV2 })
/** A declaration of a class of Cairo 1, with its fee in wei. */
export const DeclareV2 = declareV2.schema
/** See the Schema of the same name. */
export type DeclareV2 = typeof DeclareV2.Type

const declareV3 = Wire.object("DeclareV3", { ...hash, ...Fields.declareV3 })
/** A declaration of a class of Cairo 1, with its fee in fri. */
export const DeclareV3 = declareV3.schema
/** See the Schema of the same name. */
export type DeclareV3 = typeof DeclareV3.Type

const deploy = Wire.object("Deploy", { ...hash, ...Fields.deploy })
/** A deployment of a contract, without a sender. Accepted until 2022. */
export const Deploy = deploy.schema
/** See the Schema of the same name. */
export type Deploy = typeof Deploy.Type

const deployAccountV1 = Wire.object("DeployAccountV1", { ...hash, ...Fields.deployAccountV1 })
/** An account that deploys itself, with its fee in wei. */
export const DeployAccountV1 = deployAccountV1.schema
/** See the Schema of the same name. */
export type DeployAccountV1 = typeof DeployAccountV1.Type

const deployAccountV3 = Wire.object("DeployAccountV3", { ...hash, ...Fields.deployAccountV3 })
/** An account that deploys itself, with its fee in fri. */
export const DeployAccountV3 = deployAccountV3.schema
/** See the Schema of the same name. */
export type DeployAccountV3 = typeof DeployAccountV3.Type

const l1Handler = Wire.object("L1Handler", { ...hash, ...Fields.l1Handler })
/** A message of the chain below (L1), delivered to a contract. */
export const L1Handler = l1Handler.schema
/** See the Schema of the same name. */
export type L1Handler = typeof L1Handler.Type

/** The Schemas of the known kinds and versions. */
const known = {
  "INVOKE v0": invokeV0,
  "INVOKE v1": invokeV1,
  "INVOKE v3": invokeV3,
  "DECLARE v0": declareV0,
  "DECLARE v1": declareV1,
  "DECLARE v2": declareV2,
  "DECLARE v3": declareV3,
  "DEPLOY v0": deploy,
  "DEPLOY v1": deploy,
  "DEPLOY_ACCOUNT v1": deployAccountV1,
  "DEPLOY_ACCOUNT v3": deployAccountV3,
  "L1_HANDLER v0": l1Handler
}

/** The name of a known kind and version. */
export type KnownKind = keyof typeof known

/** The known kinds, each found by the text of its type and version. The version may be plain or have the query bit. */
const kinds: ReadonlyMap<string, KnownKind> = new Map(
  Object.keys(known).flatMap((name) => {
    const kind = name as KnownKind
    const [type, version] = kind.split(" v")
    return [`0x${version}`, `0x1${"0".repeat(31)}${version}`].map((wire) => [`${type} ${wire}`, kind] as const)
  })
)

/**
 * Returns the kind that the fields `type` and `version` name, in wire form or in domain form. 0.4 allows a DECLARE with
 * a class instead of the class's hash. No node is known to send that form, so it is treated as an unknown kind.
 */
const knownKindOf = (value: unknown): KnownKind | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  const { class_hash, contract_class, type, version } = value as Readonly<Record<string, unknown>>
  if (typeof type !== "string" || typeof version !== "string") return undefined
  if (type === "DECLARE" && class_hash === undefined && contract_class !== undefined) return undefined
  return kinds.get(`${type} ${version}`)
}

const unknown = Wire.objectIf(
  "UnknownTransaction",
  hash,
  (value) => knownKindOf(value) === undefined,
  "a type and version that are not known"
)
/** A transaction of an unknown type or version. It is kept whole, and only its hash is read. */
export const Unknown = unknown.schema
/** See the Schema of the same name. */
export type Unknown = typeof Unknown.Type

/** A transaction of a known kind and version. */
export type Known = KnownSchemas[KnownKind]["Type"]
type KnownSchemas = { readonly [K in KnownKind]: (typeof known)[K]["schema"] }

/**
 * A pending or included transaction of any kind and version.
 *
 * ```ts import.meta.vitest
 * import { Transaction } from "@plumbline/second-chain-methods"
 * import { Schema } from "effect"
 *
 * const future = { type: "INVOKE", version: "0x4", gift: true, transaction_hash: "0x01" }
 * const decoded = Schema.decodeUnknownSync(Transaction.Transaction)(future)
 * Transaction.caseOf(decoded).kind // => "UNKNOWN"
 * JSON.stringify(decoded) === JSON.stringify(future) // => true
 * ```
 */
export const Transaction = Wire.oneOf(
  Schema.Union([
    InvokeV3,
    InvokeV1,
    InvokeV0,
    DeclareV0,
    DeclareV1,
    DeclareV2,
    DeclareV3,
    Deploy,
    DeployAccountV1,
    DeployAccountV3,
    L1Handler,
    Unknown
  ]),
  (value) => {
    const kind = knownKindOf(value)
    return kind === undefined ? unknown : known[kind]
  }
).schema
/** See the Schema of the same name. */
export type Transaction = typeof Transaction.Type

/** A transaction with its kind. */
export type Case =
  | { readonly [K in KnownKind]: { readonly kind: K; readonly transaction: KnownSchemas[K]["Type"] } }[KnownKind]
  | { readonly kind: "UNKNOWN"; readonly transaction: Unknown }

/** The kind of a transaction. */
export type Kind = Case["kind"]

/**
 * Returns a transaction with its kind, by its type and version; the query bit makes no difference.
 *
 * ```ts import.meta.vitest
 * import { Transaction } from "@plumbline/second-chain-methods"
 * import { Schema } from "effect"
 *
 * const handler = Schema.decodeUnknownSync(Transaction.Transaction)({
 *   type: "L1_HANDLER",
 *   version: "0x0",
 *   nonce: "0x5",
 *   contract_address: "0x1",
 *   entry_point_selector: "0x2",
 *   calldata: ["0x3"],
 *   transaction_hash: "0x4"
 * })
 * const { kind, transaction } = Transaction.caseOf(handler)
 * kind === "L1_HANDLER v0" && transaction.nonce // => "0x5"
 * ```
 */
export const caseOf = (transaction: Transaction): Case => {
  const kind = knownKindOf(transaction) ?? "UNKNOWN"
  // The cast is safe: `kind` comes from the two fields that the Schema of this kind has checked.
  return { kind, transaction } as Case
}

/** True if the version has the query bit, which marks a transaction for simulation or fee estimation only. */
export const isQuery = (transaction: Known): boolean => transaction.version.length > "0x0".length
