/**
 * Hashes a transaction of each kind and version, from plain felts.
 *
 * No hash covers the signature. `version` is hashed as it is sent, with the query bit (2^128) if it is set. Felts out
 * of range throw a `RangeError` (see `felts.ts`); the parts of a packed felt are checked here for the same reason.
 *
 * Sources: https://docs.starknet.io (transactions: hash calculation), SNIP-8 for version 3, and for the forms of
 * Starknet's first months the pathfinder and papyrus nodes, which still verify them.
 */
import type { Deployment } from "./address.ts"
import { ascii } from "./felts.ts"
import { pedersenOf } from "./pedersen.ts"
import { poseidonOf } from "./poseidon.ts"

type Felts = ReadonlyArray<bigint>

/** The fields that every hash covers, except the oldest. */
export interface Common {
  readonly version: bigint
  readonly chainId: bigint
}

/** INVOKE v0 and L1_HANDLER: a call of one entry point. */
export interface EntryPointCall {
  readonly contractAddress: bigint
  readonly entryPointSelector: bigint
  readonly calldata: Felts
}

/**
 * The bound of a resource: its largest amount, in its unit (u64), and its largest price per unit (u128; in fri for
 * version 3).
 */
export interface ResourceBound {
  readonly maxAmount: bigint
  readonly maxPricePerUnit: bigint
}

/** The fee fields of version 3. Without `l1DataGas` the hash has the form before Starknet 0.13.4. */
export interface Fees {
  readonly tip: bigint
  readonly l1Gas: ResourceBound
  readonly l2Gas: ResourceBound
  readonly l1DataGas: ResourceBound | undefined
}

/** The fields that all transactions of version 3 have. The modes are 0 for L1 and 1 for L2. */
export interface Common3 extends Common, Fees {
  readonly nonce: bigint
  readonly nonceMode: bigint
  readonly feeMode: bigint
  readonly paymasterData: Felts
}

export interface InvokeV0 extends Common, EntryPointCall {
  readonly maxFee: bigint
}

/** The felts of a list, or the hash of the list if it is known already. */
export type Listed = Felts | bigint

export interface InvokeV1 extends Common {
  readonly senderAddress: bigint
  readonly calldata: Listed
  readonly maxFee: bigint
  readonly nonce: bigint
}

/** An INVOKE of version 3. `proofFacts` are hashed unless the list is empty. */
export interface InvokeV3 extends Common3 {
  readonly senderAddress: bigint
  readonly calldata: Listed
  readonly accountDeploymentData: Felts
  readonly proofFacts: Felts
}

export interface DeclareV0 extends Common {
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

export interface DeclareV3 extends Common3 {
  readonly senderAddress: bigint
  readonly classHash: bigint
  readonly compiledClassHash: bigint
  readonly accountDeploymentData: Felts
}

/** A DEPLOY. `contractAddress` is the result of `addressOf`. */
export interface Deploy extends Common, Deployment {
  readonly contractAddress: bigint
}

export interface DeployAccountV1 extends Deploy {
  readonly maxFee: bigint
  readonly nonce: bigint
}

export interface DeployAccountV3 extends Common3, Deployment {
  readonly contractAddress: bigint
}

export interface L1Handler extends Common, EntryPointCall {
  readonly nonce: bigint
}

export const invokeV0 = (it: InvokeV0): bigint =>
  pedersens(INVOKE, it, it.contractAddress, it.entryPointSelector, it.calldata, it.maxFee)

export const invokeV1 = (it: InvokeV1): bigint =>
  pedersens(INVOKE, it, it.senderAddress, 0n, it.calldata, it.maxFee, it.nonce)

export const declareV0 = (it: DeclareV0): bigint =>
  pedersens(DECLARE, it, it.senderAddress, 0n, [], it.maxFee, it.classHash)

export const declareV1 = (it: DeclareV1): bigint =>
  pedersens(DECLARE, it, it.senderAddress, 0n, [it.classHash], it.maxFee, it.nonce)

export const declareV2 = (it: DeclareV2): bigint =>
  pedersens(DECLARE, it, it.senderAddress, 0n, [it.classHash], it.maxFee, it.nonce, it.compiledClassHash)

export const deploy = (it: Deploy): bigint =>
  pedersens(DEPLOY, it, it.contractAddress, CONSTRUCTOR, it.constructorCalldata, 0n)

export const deployAccountV1 = (it: DeployAccountV1): bigint => {
  const data = [it.classHash, it.salt, ...it.constructorCalldata]
  return pedersens(DEPLOY_ACCOUNT, it, it.contractAddress, 0n, data, it.maxFee, it.nonce)
}

export const l1Handler = (it: L1Handler): bigint =>
  pedersens(L1_HANDLER, it, it.contractAddress, it.entryPointSelector, it.calldata, 0n, it.nonce)

/** Returns the hash of INVOKE v0 before Starknet 0.8: it covers neither the version nor the fee. */
export const invokeOld = (it: EntryPointCall & { readonly chainId: bigint }): bigint => oldPedersens(INVOKE, it)

/** Returns the hash of DEPLOY before Starknet 0.8: it does not cover the version. */
export const deployOld = ({ chainId, constructorCalldata, contractAddress }: Omit<Deploy, "version">): bigint =>
  oldPedersens(DEPLOY, { contractAddress, entryPointSelector: CONSTRUCTOR, calldata: constructorCalldata, chainId })

/** Returns the hash of L1_HANDLER in Starknet 0.7: it does not cover the version. */
export const l1HandlerOld = (it: Omit<L1Handler, "version">): bigint => oldPedersens(L1_HANDLER, it, it.nonce)

export const invokeV3 = (it: InvokeV3): bigint => {
  const calldata = typeof it.calldata === "bigint" ? it.calldata : poseidonOf(it.calldata)
  const data = [poseidonOf(it.accountDeploymentData), calldata]
  if (it.proofFacts.length > 0) data.push(poseidonOf(it.proofFacts))
  return poseidons(INVOKE, it, it.senderAddress, data)
}

export const declareV3 = (it: DeclareV3): bigint =>
  poseidons(DECLARE, it, it.senderAddress, [poseidonOf(it.accountDeploymentData), it.classHash, it.compiledClassHash])

// in the order of SNIP-8; the sequencer puts the nonce after the modes here, and accepts none in which either is not 0
export const deployAccountV3 = (it: DeployAccountV3): bigint =>
  poseidons(DEPLOY_ACCOUNT, it, it.contractAddress, [poseidonOf(it.constructorCalldata), it.classHash, it.salt])

const INVOKE = ascii("invoke")
const DECLARE = ascii("declare")
const DEPLOY = ascii("deploy")
const DEPLOY_ACCOUNT = ascii("deploy_account")
const L1_HANDLER = ascii("l1_handler")
/** The selector of `constructor`: its Keccak-256 without the highest 6 bits. */
const CONSTRUCTOR = 0x28ffe4ff0f226a9107253e17a904099aa4f63a02a5621de0576e5aa71bc5194n

const pedersens = (
  prefix: bigint,
  { chainId, version }: Common,
  address: bigint,
  selector: bigint,
  data: Listed,
  maxFee: bigint,
  ...rest: Felts
): bigint => {
  const hashed = typeof data === "bigint" ? data : pedersenOf(data)
  return pedersenOf([prefix, version, address, selector, hashed, maxFee, chainId, ...rest])
}

const oldPedersens = (prefix: bigint, it: EntryPointCall & { readonly chainId: bigint }, ...rest: Felts): bigint =>
  pedersenOf([prefix, it.contractAddress, it.entryPointSelector, pedersenOf(it.calldata), it.chainId, ...rest])

const poseidons = (prefix: bigint, it: Common3, address: bigint, rest: Felts): bigint =>
  poseidonOf([
    prefix,
    it.version,
    address,
    feesHash(it),
    poseidonOf(it.paymasterData),
    it.chainId,
    it.nonce,
    (bounded(it.nonceMode, 32n) << 32n) | bounded(it.feeMode, 32n),
    ...rest
  ])

const feesHash = ({ l1DataGas, l1Gas, l2Gas, tip }: Fees): bigint => {
  const fees = [bounded(tip, 64n), packed(L1_GAS, l1Gas), packed(L2_GAS, l2Gas)]
  if (l1DataGas !== undefined) fees.push(packed(L1_DATA, l1DataGas))
  return poseidonOf(fees)
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
