/**
 * The possible forms of a transaction's hash, with the fields that each form covers.
 *
 * Today each kind and version has one form. Transactions of Starknet's first months, and transactions of version 3 from
 * before bounds for L1 data gas existed, were hashed in other ways. No field of a transaction names its form, so the
 * right form is the one that gives the transaction's hash.
 */
import type * as Broadcast from "../model/Broadcast.ts"
import * as Felt from "../model/Felt.ts"
import * as Transaction from "../model/Transaction.ts"
import * as Uint from "../model/Uint.ts"
import { addressOf } from "./contractAddress.ts"
import * as Hash from "./hashFormulas.ts"
import * as Preimage from "./hashInputs.ts"

/** One way to hash a transaction. */
export interface HashForm {
  /** Returns the hashed felts. Throws a `RangeError` for a number that does not fit a felt, or its part of a felt. */
  readonly preimage: () => Preimage.HashInput
  /**
   * Names of the fields that the hash proves. An old form also proves that the version is 0, because it only existed
   * for version 0.
   */
  readonly covered: ReadonlyArray<string>
}

/** The hash forms, the sender and the deployed address of a transaction. */
export interface HashForms {
  /** The current form comes first; a transaction of an unknown kind has no form. */
  readonly forms: ReadonlyArray<HashForm>
  /** The account that signs; undefined for a DEPLOY or an L1_HANDLER, which no account signs. */
  readonly sender: bigint | undefined
  /** The address of the contract that the transaction deploys. */
  readonly deployed: bigint | undefined
}

/** A transaction in a node's answer, or one that is sent to a node. */
export type HashableTransaction = Transaction.Transaction | Broadcast.Invoke | Broadcast.DeployAccount

/**
 * Returns the forms of a transaction. For an INVOKE v1 or v3, `calldataHash` is the hash of its calldata, if it is
 * already known.
 */
export const formsOf = (hashable: HashableTransaction, chainId: bigint, calldataHash?: bigint): HashForms => {
  // the cast is safe: only `type` and `version` determine the kind, and every `Hashable` has both fields
  const { kind, transaction } = Transaction.caseOf(hashable as Transaction.Transaction)
  if (kind === "UNKNOWN") return { forms: [], sender: undefined, deployed: undefined }
  const common = { version: BigInt(transaction.version), chainId }
  // the forms of the first months are older than the query bit, so only the plain version 0 can have them
  const early = common.version === 0n
  switch (kind) {
    case "INVOKE v0": {
      const it = { ...common, ...callOf(transaction), maxFee: Felt.toBigInt(transaction.max_fee) }
      const forms: Array<HashForm> = [{ preimage: () => Hash.invokeV0(it), covered: [...TOLD, ...CALL, "max_fee"] }]
      if (early) forms.push({ preimage: () => Hash.invokeOld(it), covered: ["version", ...CALL] })
      return sent(it.contractAddress, forms)
    }
    case "INVOKE v1": {
      const it = { ...common, ...paidInWei(transaction), calldata: calldataHash ?? bigints(transaction.calldata) }
      return sent(it.senderAddress, [{ preimage: () => Hash.invokeV1(it), covered: [...TOLD, ...WEI, "calldata"] }])
    }
    case "INVOKE v3": {
      const it = {
        ...common,
        ...version3(transaction),
        senderAddress: Felt.toBigInt(transaction.sender_address),
        calldata: calldataHash ?? bigints(transaction.calldata),
        accountDeploymentData: bigints(transaction.account_deployment_data),
        proofFacts: bigints(transaction.proof_facts ?? [])
      }
      const covered = [...FRI, "sender_address", "calldata", "account_deployment_data", "proof_facts"]
      return sent(it.senderAddress, withBounds(transaction, it, Hash.invokeV3, covered))
    }
    case "DECLARE v0": {
      const it = {
        ...common,
        senderAddress: Felt.toBigInt(transaction.sender_address),
        classHash: Felt.toBigInt(transaction.class_hash),
        maxFee: Felt.toBigInt(transaction.max_fee)
      }
      const covered = [...TOLD, "sender_address", "class_hash", "max_fee"]
      return sent(it.senderAddress, [{ preimage: () => Hash.declareV0(it), covered }])
    }
    case "DECLARE v1": {
      const it = { ...common, ...paidInWei(transaction), classHash: Felt.toBigInt(transaction.class_hash) }
      return sent(it.senderAddress, [{ preimage: () => Hash.declareV1(it), covered: [...TOLD, ...WEI, "class_hash"] }])
    }
    case "DECLARE v2": {
      const it = {
        ...common,
        ...paidInWei(transaction),
        classHash: Felt.toBigInt(transaction.class_hash),
        compiledClassHash: Felt.toBigInt(transaction.compiled_class_hash)
      }
      const covered = [...TOLD, ...WEI, "class_hash", "compiled_class_hash"]
      return sent(it.senderAddress, [{ preimage: () => Hash.declareV2(it), covered }])
    }
    case "DECLARE v3": {
      const it = {
        ...common,
        ...version3(transaction),
        senderAddress: Felt.toBigInt(transaction.sender_address),
        classHash: Felt.toBigInt(transaction.class_hash),
        compiledClassHash: Felt.toBigInt(transaction.compiled_class_hash),
        accountDeploymentData: bigints(transaction.account_deployment_data)
      }
      const covered = [...FRI, "sender_address", "class_hash", "compiled_class_hash", "account_deployment_data"]
      return sent(it.senderAddress, withBounds(transaction, it, Hash.declareV3, covered))
    }
    case "DEPLOY v0":
    case "DEPLOY v1": {
      const it = { ...common, ...deploymentOf(transaction) }
      const covered = [...TOLD, ...DEPLOYMENT]
      const forms: Array<HashForm> = [{ preimage: () => Hash.deploy(it), covered }]
      if (early) forms.push({ preimage: () => Hash.deployOld(it), covered })
      return { forms, sender: undefined, deployed: it.contractAddress }
    }
    case "DEPLOY_ACCOUNT v1": {
      const it = {
        ...common,
        ...deploymentOf(transaction),
        maxFee: Felt.toBigInt(transaction.max_fee),
        nonce: Felt.toBigInt(transaction.nonce)
      }
      const covered = [...TOLD, ...DEPLOYMENT, "max_fee", "nonce"]
      return account(it.contractAddress, [{ preimage: () => Hash.deployAccountV1(it), covered }])
    }
    case "DEPLOY_ACCOUNT v3": {
      const it = { ...common, ...version3(transaction), ...deploymentOf(transaction) }
      return account(it.contractAddress, withBounds(transaction, it, Hash.deployAccountV3, [...FRI, ...DEPLOYMENT]))
    }
    case "L1_HANDLER v0": {
      const it = { ...common, ...callOf(transaction), nonce: Felt.toBigInt(transaction.nonce) }
      const covered = [...TOLD, ...CALL, "nonce"]
      const forms: Array<HashForm> = [{ preimage: () => Hash.l1Handler(it), covered }]
      if (early) {
        forms.push({ preimage: () => Hash.l1HandlerOld(it), covered })
        // the first L1_HANDLERs were hashed like an INVOKE
        forms.push({ preimage: () => Hash.invokeOld(it), covered: ["version", ...CALL] })
      }
      return { forms, sender: undefined, deployed: undefined }
    }
  }
}

/** Returns the hash of a form. */
export const hashOf = ({ preimage }: HashForm): bigint => Preimage.digest(preimage())

const sent = (sender: bigint, forms: ReadonlyArray<HashForm>): HashForms => ({ forms, sender, deployed: undefined })

const account = (address: bigint, forms: ReadonlyArray<HashForm>): HashForms => ({
  forms,
  sender: address,
  deployed: address
})

/** Returns both forms of version 3 if the transaction does not show which one it has. */
const withBounds = <A extends object>(
  transaction: Version3,
  it: A,
  hash: (it: A & { readonly l1DataGas: Hash.ResourceBound | undefined }) => Preimage.HashInput,
  covered: ReadonlyArray<string>
): ReadonlyArray<HashForm> => {
  const said = transaction.resource_bounds.l1_data_gas
  const l1DataGas = said === undefined ? NOTHING : boundOf(said)
  const all = { preimage: () => hash({ ...it, l1DataGas }), covered }
  // a nonzero bound is hashed; for transactions without a bound, current nodes show a zero bound and old nodes omit it
  if (l1DataGas.maxAmount !== 0n || l1DataGas.maxPricePerUnit !== 0n) return [all]
  const two = { preimage: () => hash({ ...it, l1DataGas: undefined }), covered }
  return said === undefined ? [two, all] : [all, two]
}

const NOTHING: Hash.ResourceBound = { maxAmount: 0n, maxPricePerUnit: 0n }

const TOLD = ["type", "version"]
const CALL = ["contract_address", "entry_point_selector", "calldata"]
const DEPLOYMENT = ["class_hash", "contract_address_salt", "constructor_calldata"]
const WEI = ["sender_address", "nonce", "max_fee"]
const FRI = [
  ...TOLD,
  "nonce",
  "resource_bounds",
  "tip",
  "paymaster_data",
  "nonce_data_availability_mode",
  "fee_data_availability_mode"
]

const bigints = (felts: ReadonlyArray<Felt.Felt>): ReadonlyArray<bigint> => felts.map(Felt.toBigInt)

const callOf = (transaction: Transaction.InvokeV0 | Transaction.L1Handler) => ({
  contractAddress: Felt.toBigInt(transaction.contract_address),
  entryPointSelector: Felt.toBigInt(transaction.entry_point_selector),
  calldata: bigints(transaction.calldata)
})

const paidInWei = (transaction: Transaction.InvokeV1 | Transaction.DeclareV1 | Transaction.DeclareV2) => ({
  senderAddress: Felt.toBigInt(transaction.sender_address),
  nonce: Felt.toBigInt(transaction.nonce),
  maxFee: Felt.toBigInt(transaction.max_fee)
})

const deploymentOf = (transaction: Transaction.Deploy | Transaction.DeployAccountV1 | Transaction.DeployAccountV3) => {
  const deployment = {
    classHash: Felt.toBigInt(transaction.class_hash),
    salt: Felt.toBigInt(transaction.contract_address_salt),
    constructorCalldata: bigints(transaction.constructor_calldata)
  }
  return { ...deployment, contractAddress: addressOf(deployment) }
}

type Version3 = Transaction.InvokeV3 | Transaction.DeclareV3 | Transaction.DeployAccountV3

const version3 = (transaction: Version3) => ({
  nonce: Felt.toBigInt(transaction.nonce),
  tip: Uint.toBigInt(transaction.tip),
  l1Gas: boundOf(transaction.resource_bounds.l1_gas),
  l2Gas: boundOf(transaction.resource_bounds.l2_gas),
  paymasterData: bigints(transaction.paymaster_data),
  nonceMode: modeOf(transaction.nonce_data_availability_mode),
  feeMode: modeOf(transaction.fee_data_availability_mode)
})

const boundOf = (bounds: Transaction.ResourceBounds): Hash.ResourceBound => ({
  maxAmount: Uint.toBigInt(bounds.max_amount),
  maxPricePerUnit: Uint.toBigInt(bounds.max_price_per_unit)
})

const modeOf = (mode: Transaction.DataAvailabilityMode): bigint => (mode === "L1" ? 0n : 1n)
