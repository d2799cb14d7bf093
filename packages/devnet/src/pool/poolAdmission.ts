/**
 * Admits transactions after all checks. The expensive checks run last.
 *
 * Hashing long calldata takes a second, and anyone can send an unsigned transaction with long calldata. Therefore all
 * checks that need no hash run first, including the check for repetitions, and the hash is computed in turns with the
 * other work of the process.
 *
 * The checks and their errors are those of a sequencer's gateway, except checks that run the code of an account. For
 * the only class that the pool knows, that code just checks a signature.
 *
 * Sources: starkware-libs/sequencer, apollo_gateway (stateless_transaction_validator.rs, errors.rs, the default
 * configuration) and blockifier; pathfinder's add_invoke_transaction.rs for the error codes that follow from them.
 */
import { isDeepStrictEqual } from "node:util"

import { fieldOf } from "@plumbline/codec/wire/WireObject"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import { contractAddress, isSignedBy } from "@plumbline/second-chain-methods/hash/TransactionHash"
import { transactionHashInTurns } from "@plumbline/second-chain-methods/hash/TransactionHashInTurns"
import type * as Broadcast from "@plumbline/second-chain-methods/model/Broadcast"
import * as Felt from "@plumbline/second-chain-methods/model/Felt"
import * as Transaction from "@plumbline/second-chain-methods/model/Transaction"
import * as Uint from "@plumbline/second-chain-methods/model/Uint"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import type { AdmittedTransaction, PoolLedger } from "./poolLedger.ts"
import type { SpecDialect } from "./specDialects.ts"
import * as StarknetErrors from "./starknetErrors.ts"
import { classHash } from "./StarknetPoolAccounts.ts"

/** A transaction in the form in which callers send it. */
export type BroadcastedTransaction = Broadcast.Invoke | Broadcast.DeployAccount

/** Maximum number of felts of calldata, as in a sequencer's gateway. */
const MAX_CALLDATA = 5000

/** A transaction that passed all checks that need no hash. */
interface Candidate extends Omit<AdmittedTransaction, "transaction"> {
  readonly bare: BroadcastedTransaction
  readonly publicKey: Felt.Felt
}

/**
 * Admits a transaction, or returns the error that refuses it. Other work runs while the transaction is hashed; the
 * caller ensures that no other transaction is admitted in the meantime. A block may be sealed in the meantime, because
 * that does not affect the checks.
 */
export const admit = (
  ledger: PoolLedger,
  chainId: Felt.Felt,
  dialect: SpecDialect,
  broadcasted: BroadcastedTransaction
): Effect.Effect<AdmittedTransaction, ErrorObject.ErrorObject> =>
  Effect.gen(function* () {
    const { bare, deployed, publicKey, sender } = yield* Effect.fromResult(candidate(ledger, dialect, broadcasted))
    const hash = yield* transactionHashInTurns(bare, chainId)
    if (!isSignedBy(hash, bare.signature, publicKey)) {
      const wrong = `the key ${publicKey} of ${sender} did not sign ${hash} on the chain ${chainId}`
      return yield* Effect.fail(StarknetErrors.refusal("VALIDATION_FAILURE", wrong))
    }
    const admitted = { transaction: { transaction_hash: hash, ...bare }, sender, deployed }
    ledger.add(admitted)
    return admitted
  })

const candidate = (
  ledger: PoolLedger,
  dialect: SpecDialect,
  broadcasted: BroadcastedTransaction
): Result.Result<Candidate, ErrorObject.ErrorObject> => {
  const it = taken(broadcasted)
  if (it === undefined) return refuse("UNSUPPORTED_TX_VERSION", "it takes versions 1 and 3, without the query bit")
  const wrong = sizes(it) ?? reserved(broadcasted) ?? fees(it, dialect)
  if (wrong !== undefined) return Result.fail(wrong)

  const parties = partiesOf(it)
  if (Result.isFailure(parties)) return Result.fail(parties.failure)
  const { deployed, sender } = parties.success
  const account = ledger.account(sender)
  const publicKey = account?.publicKey ?? deployed
  if (publicKey === undefined) {
    return refuse("VALIDATION_FAILURE", `there is no account at ${sender} whose key it knows`)
  }

  // A sequencer's gateway keeps transactions with nonces up to 200 ahead until their turn comes. The pool refuses them.
  const next = Felt.fromBigIntUnsafe(account?.nonce ?? 0n)
  const bare = canonical(it)
  const { nonce } = it.transaction
  if (!Felt.equals(nonce, next)) {
    const same = ledger.pending().find((one) => isSame(one, bare))
    return same === undefined
      ? refuse("INVALID_TRANSACTION_NONCE", `the next nonce of ${sender} is ${next}, not ${plain(nonce)}`)
      : refuse("DUPLICATE_TX", `${same.transaction_hash} is pending`)
  }
  const deploys = deployed !== undefined
  if (deploys && account !== undefined) return refuse("VALIDATION_FAILURE", `there is a contract at ${sender} already`)
  const full = ledger.isFull(calldataOf(it).length, deploys)
  if (full !== undefined) return refuse("UNEXPECTED_ERROR", full)
  return Result.succeed({ bare, sender, deployed, publicKey })
}

/** True if both transactions have the same hash, which covers every kept field except the signature. */
const isSame = (pending: Transaction.KnownTransaction, bare: BroadcastedTransaction): boolean =>
  Object.entries(bare).every(
    ([field, value]) => field === "signature" || isDeepStrictEqual(fieldOf(pending, field), value)
  )

const refuse = (
  name: StarknetErrors.StarknetErrorName,
  detail: string
): Result.Result<never, ErrorObject.ErrorObject> => Result.fail(StarknetErrors.refusal(name, detail))

type TakenKind = "INVOKE v1" | "INVOKE v3" | "DEPLOY_ACCOUNT v1" | "DEPLOY_ACCOUNT v3"
type Taken = Extract<Transaction.TransactionCase, { readonly kind: TakenKind }>

/** Returns the transaction with its kind; undefined if the pool does not accept that kind. */
const taken = (broadcasted: BroadcastedTransaction): Taken | undefined => {
  // two fields determine the kind, and a transaction without a hash has them too
  const it = Transaction.caseOf(broadcasted as Transaction.Transaction)
  return it.kind in KEPT && !Transaction.isQuery((it as Taken).transaction) ? (it as Taken) : undefined
}

const calldataOf = (it: Taken): ReadonlyArray<Felt.Felt> =>
  it.kind === "INVOKE v1" || it.kind === "INVOKE v3" ? it.transaction.calldata : it.transaction.constructor_calldata

const sizes = (it: Taken): ErrorObject.ErrorObject | undefined => {
  const { length } = calldataOf(it)
  if (length > MAX_CALLDATA) {
    return StarknetErrors.refusal("VALIDATION_FAILURE", `${length} felts of calldata are more than ${MAX_CALLDATA}`)
  }
  const { signature } = it.transaction
  return signature.length === 2
    ? undefined
    : StarknetErrors.refusal("VALIDATION_FAILURE", `a signature is r and s, and not ${signature.length} felts`)
}

/**
 * Refuses reserved fields, which the chain does not accept yet. Proofs are among them, unless a sequencer is configured
 * to accept them.
 */
const reserved = (fields: Readonly<Record<string, unknown>>): ErrorObject.ErrorObject | undefined => {
  for (const field of ["paymaster_data", "account_deployment_data", "proof_facts", "proof"]) {
    if (!isEmpty(fields[field])) {
      return StarknetErrors.refusal("VALIDATION_FAILURE", `the field ${field} should be empty`)
    }
  }
  for (const field of ["nonce_data_availability_mode", "fee_data_availability_mode"]) {
    if (fields[field] === "L2") return StarknetErrors.refusal("VALIDATION_FAILURE", `the field ${field} should be L1`)
  }
  return undefined
}

/** True for an empty `proof`. No Schema defines its type. */
const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0)

/**
 * Refuses fees that are too low to pay for anything, although the pool charges nothing. The Schema checks the ranges of
 * the bounds.
 */
const fees = (it: Taken, dialect: SpecDialect): ErrorObject.ErrorObject | undefined => {
  if (it.kind === "INVOKE v1" || it.kind === "DEPLOY_ACCOUNT v1") {
    const fee = Felt.toBigInt(it.transaction.max_fee)
    if (fee >> 128n !== 0n) return StarknetErrors.refusal("VALIDATION_FAILURE", "max_fee should be below 2^128")
    return fee === 0n ? StarknetErrors.refusal(dialect.noFee, "max_fee is zero") : undefined
  }
  const { l1_data_gas, l1_gas, l2_gas } = it.transaction.resource_bounds
  if (l1_data_gas === undefined && dialect.l2Gas) {
    return ErrorObject.invalidParams(
      `invalid argument 0: resource_bounds.l1_data_gas: version ${dialect.version} has it`
    )
  }
  return [l1_gas, l2_gas, l1_data_gas].every((bound) => bound === undefined || isNothing(bound))
    ? StarknetErrors.refusal(dialect.noFee, "its resource bounds allow for no fee at all")
    : undefined
}

const isNothing = ({ max_amount, max_price_per_unit }: Transaction.ResourceBounds): boolean =>
  Uint.toBigInt(max_amount) * Uint.toBigInt(max_price_per_unit) === 0n

/**
 * Returns the sender and, for a deployment, the key of the new account. Hashes an address only if the calldata can
 * belong to the constructor.
 */
const partiesOf = (it: Taken): Result.Result<Omit<AdmittedTransaction, "transaction">, ErrorObject.ErrorObject> => {
  if (it.kind === "INVOKE v1" || it.kind === "INVOKE v3") {
    return Result.succeed({ sender: plain(it.transaction.sender_address), deployed: undefined })
  }
  const { class_hash, constructor_calldata } = it.transaction
  if (!Felt.equals(class_hash, classHash)) {
    return refuse("CLASS_HASH_NOT_FOUND", `the one class that it knows is ${classHash}`)
  }
  const [key, ...others] = constructor_calldata
  if (key === undefined || others.length > 0) {
    return refuse("VALIDATION_FAILURE", "the constructor of the class has one argument, the public key")
  }
  return Result.succeed({ sender: contractAddress(it.transaction), deployed: plain(key) })
}

const signed = ["signature", "nonce"]
const invoke = ["type", "version", ...signed, "sender_address", "calldata"]
const deployAccount = ["type", "version", ...signed, "contract_address_salt", "constructor_calldata", "class_hash"]
const fri = ["resource_bounds", "tip", "paymaster_data", "nonce_data_availability_mode", "fee_data_availability_mode"]

/** The fields of each kind that are kept. */
const KEPT: { readonly [K in TakenKind]: ReadonlyArray<string> } = {
  "INVOKE v1": [...invoke, "max_fee"],
  "INVOKE v3": [...invoke, ...fri, "account_deployment_data"],
  "DEPLOY_ACCOUNT v1": [...deployAccount, "max_fee"],
  "DEPLOY_ACCOUNT v3": [...deployAccount, ...fri]
}

/**
 * Returns the transaction with only the fields of its kind, because no hash covers other fields, and these could have
 * any size.
 */
const canonical = ({ kind, transaction }: Taken): BroadcastedTransaction =>
  picked(transaction, KEPT[kind], (field, value) =>
    field === "resource_bounds"
      ? picked(value as Fields, RESOURCES, (_, bound) => picked(bound as Fields, BOUND, plainer))
      : plainer(field, value)
  ) as BroadcastedTransaction

const RESOURCES = ["l1_gas", "l1_data_gas", "l2_gas"]
const BOUND = ["max_amount", "max_price_per_unit"]

type Fields = Readonly<Record<string, unknown>>

const picked = (from: Fields, names: ReadonlyArray<string>, as: (name: string, value: unknown) => unknown): Fields =>
  Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, as(name, from[name])]))

/** Returns numbers without leading zeros, also in lists, and words unchanged. */
const plainer = (_: string, value: unknown): unknown =>
  Array.isArray(value) ? value.map(plain) : (value as string).startsWith("0x") ? plain(value as Felt.Felt) : value

/** Returns a number without leading zeros. */
export const plain = (felt: Felt.Felt): Felt.Felt => Felt.fromBigIntUnsafe(Felt.toBigInt(felt))
