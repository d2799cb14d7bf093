/** The pending transactions of the second chain, with a verdict on each transaction and one on the whole list. */
import * as StarknetPool from "@plumbline/devnet/pool/StarknetPool"
import * as StarknetPoolAccounts from "@plumbline/devnet/pool/StarknetPoolAccounts"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type * as Transport from "@plumbline/jsonrpc-core/transport/Transport"
import * as SecondChainClient from "@plumbline/second-chain-methods/client/SecondChainClient"
import * as Felt from "@plumbline/second-chain-methods/model/Felt"
import * as Transaction from "@plumbline/second-chain-methods/model/Transaction"
import {
  type OmittedField,
  verifyPending,
  type VerifyTransactionOptions
} from "@plumbline/second-chain-methods/proof/Verify"
import * as Claim from "@plumbline/verdict/Claim"
import type * as Evidence from "@plumbline/verdict/Evidence"
import * as Reason from "@plumbline/verdict/Reason"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import * as ReadAnswer from "../answer/ReadAnswer.ts"
import * as PendingReasons from "./PendingReasons.ts"

/** A transaction and its verdict. A refuted transaction has no claims, because its content does not match its hash. */
export interface JudgedTransaction {
  readonly transaction: Transaction.Transaction
  readonly verdict: ReadAnswer.ReadAnswer["verdict"]
  readonly claimed: ReadonlyArray<Claim.Claim>
  readonly refuted?: ReadAnswer.FailedCheck
}

/** The chain id, which is part of every hash. The caller gives the id; otherwise the node gives it. */
export interface ChainChoice {
  readonly id: Felt.Felt
  readonly isClaimed: boolean
}

/** The list of a node, read and checked. */
export interface PendingList {
  readonly chain: ChainChoice
  readonly list: ReadonlyArray<JudgedTransaction>
}

/** Reads the list of a node of any version, and checks it. Without an id, the node names the chain. */
export const read = (chainId: Felt.Felt | undefined): Effect.Effect<PendingList, JsonRpcError, Transport.Transport> =>
  Effect.gen(function* () {
    const client = yield* SecondChainClient.make()
    const transactions = yield* client.pendingTransactions
    const chain: ChainChoice =
      chainId === undefined ? { id: yield* client.chainId, isClaimed: true } : { id: chainId, isClaimed: false }
    // The client asked for this version before it read the list. A node that refuses the question has version 0.4 or
    // earlier.
    const specVersion = yield* Effect.catchIf(
      client.specVersion,
      ({ reason }) => reason._tag === "RemoteError",
      () => Effect.succeed(undefined)
    )
    const options: VerifyTransactionOptions = {
      chainId: chain.id,
      omits: omittedBy(specVersion),
      // On another chain, an account may have changed its key after its address was made, so keys are known only for
      // the pool.
      publicKeyOf: Felt.equals(chain.id, StarknetPool.CHAIN_ID) ? StarknetPoolAccounts.publicKeyOf : () => undefined
    }
    // A list can be long. The pause between two transactions lets the process handle Ctrl-C.
    const list = yield* Effect.forEach(transactions, (transaction) =>
      Effect.map(Effect.yieldNow, () => judge(transaction, options))
    )
    return { chain, list }
  })

/** Checks a single transaction, because a lie about one transaction does not affect the others. */
export const judge = (transaction: Transaction.Transaction, options: VerifyTransactionOptions): JudgedTransaction => {
  const result = verifyPending(transaction, options)
  return Result.isSuccess(result)
    ? { transaction, verdict: result.success._tag, claimed: result.success.claimed }
    : { transaction, verdict: "REFUTED", claimed: [], refuted: checkOf(result.failure) }
}

/**
 * Returns the answer for the whole list. Its verdict is the worst verdict in the list.
 *
 * An empty list is CLAIMED: nothing in it can be checked, and a node that leaves out every transaction gives the same
 * answer.
 */
export const answer = ({ chain, list }: PendingList): ReadAnswer.ReadAnswer => {
  const at = list.findIndex(({ verdict }) => verdict === "REFUTED")
  if (at !== -1) return ReadAnswer.refused(inList(list[at]!.refuted!, at), null)
  const isVerified = list.length > 0 && list.every(({ verdict }) => verdict === "VERIFIED")
  return {
    verdict: isVerified ? "VERIFIED" : "CLAIMED",
    value: list.map(wire),
    anchor: null,
    proven: provenOf(list, chain),
    claimed: list.length === 0 ? [Claim.whole(PendingReasons.Empty({}))] : claimsOf(list, chain)
  }
}

/** Returns the list in its JSON form. Each transaction has its own verdict, even in a refuted list. */
export const beside = ({ list }: PendingList): { readonly value: unknown } => ({ value: list.map(wire) })

/**
 * Returns the hashed fields that a node of this version of the specification leaves out.
 *
 * `l1_data_gas` came with 0.8, and the hashes of the chain's transactions cover it since Starknet 0.13.4. A node of 0.5
 * to 0.7 shows such a transaction without this field. So the hash of the transaction cannot be recomputed, and a lie
 * about another field cannot be detected. Older nodes know no transactions of version 3.
 *
 * `proof_facts` came with 0.10.1, but this function does not return it, because few transactions have proof facts. If
 * the function returned it, every lie of an older node about an INVOKE of version 3 would pass as CLAIMED. So a
 * transaction with proof facts is REFUTED if it comes from such a node.
 */
export const omittedBy = (specVersion: string | undefined): ReadonlyArray<OmittedField> =>
  specVersion !== undefined && /^v?0\.[5-7](?!\d)/u.test(specVersion) ? ["l1_data_gas"] : []

// Private: the parts of the answer.

const checkOf = ({ check, expected, got }: ReadAnswer.FailedCheck): ReadAnswer.FailedCheck => ({ check, expected, got })

/** The checks of a transaction are named `transaction hash`, `transaction.signature`, ... */
const inList = (refuted: ReadAnswer.FailedCheck, at: number): ReadAnswer.FailedCheck => ({
  ...refuted,
  check: refuted.check.replace(/^transaction\b/u, `transactions[${at}]`)
})

const encode = Schema.encodeSync(Transaction.Transaction)

const wire = ({ claimed, refuted, transaction, verdict }: JudgedTransaction): unknown => ({
  transaction: encode(transaction),
  verdict,
  claimed: claimed.map(Claim.toSentence),
  ...(refuted === undefined ? {} : { refuted })
})

const provenOf = (list: ReadonlyArray<JudgedTransaction>, chain: ChainChoice): ReadonlyArray<Evidence.Evidence> => {
  const verified = list.filter(({ verdict }) => verdict === "VERIFIED")
  const signed = verified.filter(
    ({ claimed, transaction }) => "signature" in transaction && !claimed.some(({ field }) => field === "signature")
  )
  const all = list.length
  return [
    ...(verified.length === 0 ? [] : [PendingReasons.Hashes({ some: verified.length, all, chain: chain.id })]),
    ...(signed.length === 0 ? [] : [PendingReasons.Signatures({ some: signed.length, all })])
  ]
}

/** Returns the claims of the transactions and of the list. Each pair of path and reason is listed once. */
const claimsOf = (list: ReadonlyArray<JudgedTransaction>, chain: ChainChoice): ReadonlyArray<Claim.Claim> => {
  const claims: Array<Claim.Claim> = []
  const reasons = new Map<string, Array<Reason.Reason>>()
  for (const { about, field, reason } of list.flatMap(({ claimed }) => claimed)) {
    const path = about === "Value" ? "[]" : `[].${field}`
    const known = reasons.get(path) ?? []
    reasons.set(path, known)
    if (known.some((other) => Reason.equals(other, reason))) continue
    known.push(reason)
    claims.push(Claim.of(path, reason))
  }
  if (chain.isClaimed) claims.push(Claim.question("chain", PendingReasons.ChainOfNode({})))
  return [...claims, Claim.question("others", PendingReasons.Others({}))]
}
