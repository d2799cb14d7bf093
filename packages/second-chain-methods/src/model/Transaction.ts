/**
 * Transactions in nodes' answers: every kind and version that the chain has had, and kinds that are still unknown.
 *
 * The wire form and the domain form of a known kind differ only in their types. Numbers stay hex text as sent, unknown
 * fields are kept, and fields keep their order. The fields `type` and `version` distinguish the kinds; `caseOf` reads
 * both: `const { kind, transaction } = ...; if (kind === "INVOKE v3") transaction.tip`.
 *
 * Source: starknet-specs 0.1 to 0.10.2, the union of their fields.
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

import * as Felt from "./Felt.ts"
import * as SecondChainWire from "./secondChainWire.ts"
import * as Fields from "./transactionFields.ts"

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

const hash = { transaction_hash: SecondChainWire.felt }

const invokeV0 = SecondChainWire.object("InvokeV0", { ...hash, ...Fields.invokeV0 })
/** A call of a contract, from before accounts sent transactions. */
export const InvokeV0: Schema.Codec<InvokeV0, typeof invokeV0.schema.Encoded> = invokeV0.schema
/** See the Schema of the same name. */
export interface InvokeV0 extends Schema.Schema.Type<typeof invokeV0.schema> {}

const invokeV1 = SecondChainWire.object("InvokeV1", { ...hash, ...Fields.invokeV1 })
/** A transaction of an account, with its fee in wei. */
export const InvokeV1: Schema.Codec<InvokeV1, typeof invokeV1.schema.Encoded> = invokeV1.schema
/** See the Schema of the same name. */
export interface InvokeV1 extends Schema.Schema.Type<typeof invokeV1.schema> {}

const invokeV3 = SecondChainWire.object("InvokeV3", { ...hash, ...Fields.invokeV3 })
/** A transaction of an account, with its fee in fri. */
export const InvokeV3: Schema.Codec<InvokeV3, typeof invokeV3.schema.Encoded> = invokeV3.schema
/** See the Schema of the same name. */
export interface InvokeV3 extends Schema.Schema.Type<typeof invokeV3.schema> {}

const declareV0 = SecondChainWire.object("DeclareV0", { ...hash, ...Fields.declareV0 })
/** A declaration of a class of Cairo 0, without a sender and without a fee. */
export const DeclareV0: Schema.Codec<DeclareV0, typeof declareV0.schema.Encoded> = declareV0.schema
/** See the Schema of the same name. */
export interface DeclareV0 extends Schema.Schema.Type<typeof declareV0.schema> {}

const declareV1 = SecondChainWire.object("DeclareV1", { ...hash, ...Fields.declareV1 })
/** A declaration of a class of Cairo 0. */
export const DeclareV1: Schema.Codec<DeclareV1, typeof declareV1.schema.Encoded> = declareV1.schema
/** See the Schema of the same name. */
export interface DeclareV1 extends Schema.Schema.Type<typeof declareV1.schema> {}

const declareV2 = SecondChainWire.object("DeclareV2", { ...hash, ...Fields.declareV2 })
/** A declaration of a class of Cairo 1, with its fee in wei. */
export const DeclareV2: Schema.Codec<DeclareV2, typeof declareV2.schema.Encoded> = declareV2.schema
/** See the Schema of the same name. */
export interface DeclareV2 extends Schema.Schema.Type<typeof declareV2.schema> {}

const declareV3 = SecondChainWire.object("DeclareV3", { ...hash, ...Fields.declareV3 })
/** A declaration of a class of Cairo 1, with its fee in fri. */
export const DeclareV3: Schema.Codec<DeclareV3, typeof declareV3.schema.Encoded> = declareV3.schema
/** See the Schema of the same name. */
export interface DeclareV3 extends Schema.Schema.Type<typeof declareV3.schema> {}

const deploy = SecondChainWire.object("Deploy", { ...hash, ...Fields.deploy })
/** A deployment of a contract, without a sender. Accepted until 2022. */
export const Deploy: Schema.Codec<Deploy, typeof deploy.schema.Encoded> = deploy.schema
/** See the Schema of the same name. */
export interface Deploy extends Schema.Schema.Type<typeof deploy.schema> {}

const deployAccountV1 = SecondChainWire.object("DeployAccountV1", { ...hash, ...Fields.deployAccountV1 })
/** An account that deploys itself, with its fee in wei. */
export const DeployAccountV1: Schema.Codec<DeployAccountV1, typeof deployAccountV1.schema.Encoded> =
  deployAccountV1.schema
/** See the Schema of the same name. */
export interface DeployAccountV1 extends Schema.Schema.Type<typeof deployAccountV1.schema> {}

const deployAccountV3 = SecondChainWire.object("DeployAccountV3", { ...hash, ...Fields.deployAccountV3 })
/** An account that deploys itself, with its fee in fri. */
export const DeployAccountV3: Schema.Codec<DeployAccountV3, typeof deployAccountV3.schema.Encoded> =
  deployAccountV3.schema
/** See the Schema of the same name. */
export interface DeployAccountV3 extends Schema.Schema.Type<typeof deployAccountV3.schema> {}

const l1Handler = SecondChainWire.object("L1Handler", { ...hash, ...Fields.l1Handler })
/** A message of the chain below (L1), delivered to a contract. */
export const L1Handler: Schema.Codec<L1Handler, typeof l1Handler.schema.Encoded> = l1Handler.schema
/** See the Schema of the same name. */
export interface L1Handler extends Schema.Schema.Type<typeof l1Handler.schema> {}

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

/** A node's object of an unknown kind: any object with a hash. */
export interface Sent extends Schema.Schema.Type<typeof stranger.schema> {
  readonly [field: string]: unknown
}
const stranger = SecondChainWire.objectIf(
  "UnknownTransaction",
  hash,
  (value) => knownKindOf(value) === undefined,
  "a type and version that are not known"
)
const sentSchema = stranger.schema as Schema.Codec<Sent, typeof stranger.schema.Encoded>

/**
 * A transaction of an unknown type or version. `sent` is the node's own object, and `type` tells it from every known
 * kind, also where the node sent a known type with a new version.
 */
export interface Unknown {
  readonly type: "UNKNOWN"
  readonly transaction_hash: Felt.Felt
  readonly sent: Sent
}
const makeUnknown = (): Schema.Codec<Unknown, typeof stranger.schema.Encoded> =>
  sentSchema.pipe(
    Schema.decodeTo(
      Schema.toType(Schema.Struct({ type: Schema.Literal("UNKNOWN"), transaction_hash: Felt.Felt, sent: sentSchema })),
      SchemaTransformation.transform({ decode: withKind, encode: ({ sent }) => sent })
    )
  )
const withKind = (sent: Sent): Unknown => ({ type: "UNKNOWN", transaction_hash: sent.transaction_hash, sent })
const interpretedUnknown = makeUnknown()
const unknown = SecondChainWire.install(
  {
    schema: makeUnknown(),
    decode: (value) => withKind(stranger.decode(value) as Sent),
    encode: (value) =>
      value?.type === "UNKNOWN" && value.transaction_hash === value.sent?.transaction_hash
        ? stranger.encode(value.sent)
        : SecondChainWire.fail()
  },
  () => interpretedUnknown
)
/** See the type of the same name. It encodes to `sent`. */
export const Unknown = unknown.schema

/** A transaction of a known kind and version. */
export type KnownTransaction = KnownSchemas[KnownKind]["Type"]
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
 * decoded.type === "UNKNOWN" && decoded.sent["gift"] // => true
 * JSON.stringify(Schema.encodeSync(Transaction.Transaction)(decoded)) === JSON.stringify(future) // => true
 * ```
 */
export const Transaction = SecondChainWire.oneOf(
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
export type TransactionCase =
  | { readonly [K in KnownKind]: { readonly kind: K; readonly transaction: KnownSchemas[K]["Type"] } }[KnownKind]
  | { readonly kind: "UNKNOWN"; readonly transaction: Unknown }

/** The kind of a transaction. */
export type TransactionKind = TransactionCase["kind"]

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
export const caseOf = (transaction: Transaction): TransactionCase => {
  const kind = knownKindOf(transaction) ?? "UNKNOWN"
  // The cast is safe: `kind` comes from the two fields that the Schema of this kind has checked.
  return { kind, transaction } as TransactionCase
}

/** True if the version has the query bit, which marks a transaction for simulation or fee estimation only. */
export const isQuery = (transaction: KnownTransaction): boolean => transaction.version.length > "0x0".length
