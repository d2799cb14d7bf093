/**
 * Returns the preimage of the hash for each kind and version of transaction, from plain felts. The parts have the names
 * of the transaction's fields; `prefix` is the kind, and `chain_id` the chain.
 *
 * No hash covers the signature. `version` is hashed as it is sent, including the query bit (2^128) if it is set. Felts
 * out of range throw a `RangeError` (see `felts.ts`). The parts of a packed felt are checked here for the same reason.
 *
 * Sources: https://docs.starknet.io (transactions: hash calculation); SNIP-8 for version 3; the pathfinder and papyrus
 * nodes, which still verify the forms of Starknet's first months.
 */
import type { Deployment } from "./contractAddress.ts"
import { ascii } from "./felts.ts"
import * as Preimage from "./hashInputs.ts"

type Felts = ReadonlyArray<bigint>

/** The fields that every hash covers, except the hashes of the oldest forms. */
export interface CommonFields {
  readonly version: bigint
  readonly chainId: bigint
}

/** The fields of INVOKE v0 and L1_HANDLER, which call an entry point. */
export interface EntryPointCall {
  readonly contractAddress: bigint
  readonly entryPointSelector: bigint
  readonly calldata: Felts
}

/**
 * The bound of a resource: the maximum amount in the resource's unit (u64), and the maximum price per unit (u128; in
 * fri for version 3).
 */
export interface ResourceBound {
  readonly maxAmount: bigint
  readonly maxPricePerUnit: bigint
}

/** The fee fields of version 3. Without `l1DataGas` the hash has the form before Starknet 0.13.4. */
export interface FeeFields {
  readonly tip: bigint
  readonly l1Gas: ResourceBound
  readonly l2Gas: ResourceBound
  readonly l1DataGas: ResourceBound | undefined
}

/** The fields that all transactions of version 3 have. The modes are 0 for L1 and 1 for L2. */
export interface CommonFields3 extends CommonFields, FeeFields {
  readonly nonce: bigint
  readonly nonceMode: bigint
  readonly feeMode: bigint
  readonly paymasterData: Felts
}

export interface InvokeV0 extends CommonFields, EntryPointCall {
  readonly maxFee: bigint
}

/** The felts of a list, or the hash of the list if it is already known. */
export type ListOrHash = Felts | bigint

export interface InvokeV1 extends CommonFields {
  readonly senderAddress: bigint
  readonly calldata: ListOrHash
  readonly maxFee: bigint
  readonly nonce: bigint
}

/** An INVOKE of version 3. `proofFacts` are hashed unless the list is empty. */
export interface InvokeV3 extends CommonFields3 {
  readonly senderAddress: bigint
  readonly calldata: ListOrHash
  readonly accountDeploymentData: Felts
  readonly proofFacts: Felts
}

export interface DeclareV0 extends CommonFields {
  readonly senderAddress: bigint
  readonly classHash: bigint
  readonly maxFee: bigint
}

export interface DeclareV1 extends DeclareV0 {
  readonly nonce: bigint
}

export interface DeclareV2 extends DeclareV1 {
  readonly compiledClassHash: bigint
}

export interface DeclareV3 extends CommonFields3 {
  readonly senderAddress: bigint
  readonly classHash: bigint
  readonly compiledClassHash: bigint
  readonly accountDeploymentData: Felts
}

/** A DEPLOY. `contractAddress` is the result of `addressOf`. */
export interface Deploy extends CommonFields, Deployment {
  readonly contractAddress: bigint
}

export interface DeployAccountV1 extends Deploy {
  readonly maxFee: bigint
  readonly nonce: bigint
}

export interface DeployAccountV3 extends CommonFields3, Deployment {
  readonly contractAddress: bigint
}

export interface L1Handler extends CommonFields, EntryPointCall {
  readonly nonce: bigint
}

export const invokeV0 = (it: InvokeV0): Preimage.HashInput =>
  pedersens(INVOKE, it, calledAt(it), calldataOf(it.calldata), it.maxFee)

export const invokeV1 = (it: InvokeV1): Preimage.HashInput =>
  pedersens(INVOKE, it, sentBy(it), calldataOf(it.calldata), it.maxFee, [["nonce", it.nonce]])

export const declareV0 = (it: DeclareV0): Preimage.HashInput =>
  pedersens(DECLARE, it, sentBy(it), ["calldata", Preimage.list(PEDERSEN, "calldata", [])], it.maxFee, [
    ["class_hash", it.classHash]
  ])

export const declareV1 = (it: DeclareV1): Preimage.HashInput =>
  pedersens(DECLARE, it, sentBy(it), classOf(it), it.maxFee, [["nonce", it.nonce]])

export const declareV2 = (it: DeclareV2): Preimage.HashInput =>
  pedersens(DECLARE, it, sentBy(it), classOf(it), it.maxFee, [
    ["nonce", it.nonce],
    ["compiled_class_hash", it.compiledClassHash]
  ])

export const deploy = (it: Deploy): Preimage.HashInput =>
  pedersens(DEPLOY, it, constructedAt(it), constructedWith(it), 0n)

export const deployAccountV1 = (it: DeployAccountV1): Preimage.HashInput => {
  const calldata = Preimage.list(PEDERSEN, "constructor_calldata", it.constructorCalldata)
  const data: Preimage.HashInput = {
    algorithm: PEDERSEN,
    parts: [
      { name: "class_hash", value: it.classHash },
      { name: "contract_address_salt", value: it.salt },
      ...calldata.parts
    ]
  }
  const address: Address = [
    ["contract_address", it.contractAddress],
    ["entry_point_selector", 0n]
  ]
  return pedersens(DEPLOY_ACCOUNT, it, address, ["constructor_calldata", data], it.maxFee, [["nonce", it.nonce]])
}

export const l1Handler = (it: L1Handler): Preimage.HashInput =>
  pedersens(L1_HANDLER, it, calledAt(it), calldataOf(it.calldata), 0n, [["nonce", it.nonce]])

/** INVOKE v0 before Starknet 0.8: its hash covers neither the version nor the fee. */
export const invokeOld = (it: EntryPointCall & { readonly chainId: bigint }): Preimage.HashInput =>
  oldPedersens(INVOKE, it.chainId, calledAt(it), calldataOf(it.calldata))

/** DEPLOY before Starknet 0.8: its hash does not cover the version. */
export const deployOld = (it: Omit<Deploy, "version">): Preimage.HashInput =>
  oldPedersens(DEPLOY, it.chainId, constructedAt(it), constructedWith(it))

/** L1_HANDLER in Starknet 0.7: its hash does not cover the version. */
export const l1HandlerOld = (it: Omit<L1Handler, "version">): Preimage.HashInput =>
  oldPedersens(L1_HANDLER, it.chainId, calledAt(it), calldataOf(it.calldata), [["nonce", it.nonce]])

export const invokeV3 = (it: InvokeV3): Preimage.HashInput => {
  const data: Array<Named> = [
    poseidonList("account_deployment_data", it.accountDeploymentData),
    typeof it.calldata === "bigint" ? ["calldata", it.calldata] : poseidonList("calldata", it.calldata)
  ]
  if (it.proofFacts.length > 0) data.push(poseidonList("proof_facts", it.proofFacts))
  return poseidons(INVOKE, it, ["sender_address", it.senderAddress], data)
}

export const declareV3 = (it: DeclareV3): Preimage.HashInput =>
  poseidons(
    DECLARE,
    it,
    ["sender_address", it.senderAddress],
    [
      poseidonList("account_deployment_data", it.accountDeploymentData),
      ["class_hash", it.classHash],
      ["compiled_class_hash", it.compiledClassHash]
    ]
  )

// The parts are in the order of SNIP-8. The sequencer puts the nonce after the modes, but computes the same hash: it
// accepts a DEPLOY_ACCOUNT of version 3 only if the nonce and the modes are 0.
export const deployAccountV3 = (it: DeployAccountV3): Preimage.HashInput =>
  poseidons(
    DEPLOY_ACCOUNT,
    it,
    ["contract_address", it.contractAddress],
    [
      poseidonList("constructor_calldata", it.constructorCalldata),
      ["class_hash", it.classHash],
      ["contract_address_salt", it.salt]
    ]
  )

const PEDERSEN = "pedersen"
const POSEIDON = "poseidon"

const INVOKE = ascii("invoke")
const DECLARE = ascii("declare")
const DEPLOY = ascii("deploy")
const DEPLOY_ACCOUNT = ascii("deploy_account")
const L1_HANDLER = ascii("l1_handler")
/** The selector of `constructor`: its Keccak-256 without the highest 6 bits. */
const CONSTRUCTOR = 0x28ffe4ff0f226a9107253e17a904099aa4f63a02a5621de0576e5aa71bc5194n

/** A part with its name. */
type Named = readonly [name: string, value: bigint | Preimage.HashInput]

/** The contract and its entry point. */
type Address = readonly [Named, Named]

const calledAt = ({ contractAddress, entryPointSelector }: EntryPointCall): Address => [
  ["contract_address", contractAddress],
  ["entry_point_selector", entryPointSelector]
]

/** The account and the entry point of a sent transaction. An account has only one such entry point, written as 0. */
const sentBy = ({ senderAddress }: { readonly senderAddress: bigint }): Address => [
  ["sender_address", senderAddress],
  ["entry_point_selector", 0n]
]

const constructedAt = ({ contractAddress }: { readonly contractAddress: bigint }): Address => [
  ["contract_address", contractAddress],
  ["entry_point_selector", CONSTRUCTOR]
]

const calldataOf = (calldata: ListOrHash): Named => [
  "calldata",
  typeof calldata === "bigint" ? calldata : Preimage.list(PEDERSEN, "calldata", calldata)
]

const constructedWith = ({ constructorCalldata }: Deployment): Named => [
  "constructor_calldata",
  Preimage.list(PEDERSEN, "constructor_calldata", constructorCalldata)
]

/** The declared class, which takes the place of an INVOKE's calldata. */
const classOf = ({ classHash }: DeclareV0): Named => ["class_hash", Preimage.of(PEDERSEN, [["class_hash", classHash]])]

const pedersens = (
  prefix: bigint,
  { chainId, version }: CommonFields,
  address: Address,
  data: Named,
  maxFee: bigint,
  rest: ReadonlyArray<Named> = []
): Preimage.HashInput =>
  Preimage.of(PEDERSEN, [
    ["prefix", prefix],
    ["version", version],
    ...address,
    data,
    ["max_fee", maxFee],
    ["chain_id", chainId],
    ...rest
  ])

const oldPedersens = (
  prefix: bigint,
  chainId: bigint,
  address: Address,
  data: Named,
  rest: ReadonlyArray<Named> = []
): Preimage.HashInput => Preimage.of(PEDERSEN, [["prefix", prefix], ...address, data, ["chain_id", chainId], ...rest])

const poseidonList = (name: string, felts: Felts): Named => [name, Preimage.list(POSEIDON, name, felts)]

const poseidons = (prefix: bigint, it: CommonFields3, address: Named, rest: ReadonlyArray<Named>): Preimage.HashInput =>
  Preimage.of(POSEIDON, [
    ["prefix", prefix],
    ["version", it.version],
    address,
    ["resource_bounds", feesOf(it)],
    poseidonList("paymaster_data", it.paymasterData),
    ["chain_id", it.chainId],
    ["nonce", it.nonce],
    ["data_availability_modes", (bounded(it.nonceMode, 32n) << 32n) | bounded(it.feeMode, 32n)],
    ...rest
  ])

const feesOf = ({ l1DataGas, l1Gas, l2Gas, tip }: FeeFields): Preimage.HashInput => {
  const fees: Array<Named> = [
    ["tip", bounded(tip, 64n)],
    ["resource_bounds.l1_gas", packed(L1_GAS, l1Gas)],
    ["resource_bounds.l2_gas", packed(L2_GAS, l2Gas)]
  ]
  if (l1DataGas !== undefined) fees.push(["resource_bounds.l1_data_gas", packed(L1_DATA, l1DataGas)])
  return Preimage.of(POSEIDON, fees)
}

const L1_GAS = ascii("L1_GAS")
const L2_GAS = ascii("L2_GAS")
const L1_DATA = ascii("L1_DATA")

const packed = (resource: bigint, { maxAmount, maxPricePerUnit }: ResourceBound): bigint =>
  (resource << 192n) | (bounded(maxAmount, 64n) << 128n) | bounded(maxPricePerUnit, 128n)

const bounded = (value: bigint, bits: bigint): bigint => {
  if (value < 0n || value >> bits !== 0n) throw new RangeError(`a number must be below 2^${bits}`)
  return value
}
