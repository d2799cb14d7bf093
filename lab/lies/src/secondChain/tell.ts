/** Reads transactions of the second chain in every possible way from a node that lies, and judges the results. */
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import {
  Felt,
  type OmittedField,
  SecondChainClient,
  type Transaction,
  verifyPending,
  verifyTransaction
} from "@plumbline/second-chain-methods"
import type { RefutedError, Verdict } from "@plumbline/verdict"
import { Effect, Result } from "effect"

import type { Outcome } from "../fuzzTarget.ts"
import type * as Json from "../json.ts"
import * as Made from "./madeTransactions.ts"
import { judge } from "./secondChainJudge.ts"
import * as Node from "./secondChainNode.ts"

/**
 * The facts that are known without the node: the chain, the transactions of honest senders, the keys of some accounts.
 */
export interface Known {
  /** The true transactions, keyed by their hash as a number. */
  readonly truths: ReadonlyMap<bigint, Json.JsonObject>
  readonly publicKeyOf: (account: Felt.Felt) => Felt.Felt | undefined
}

/** One reading: its outcome for each transaction in the answer, or the error that ended it. */
export interface Reading {
  readonly method: string
  readonly outcomes: ReadonlyArray<Outcome>
}

type Judgement = Result.Result<Verdict.Verdict<Transaction.Transaction>, RefutedError>

/** Fields that nodes of this version leave out although a hash covers them. */
const omittedBy = (version: string): ReadonlyArray<OmittedField> => [
  ...(/^v?0\.[5-7]\./u.test(version) ? (["l1_data_gas"] as const) : []),
  ...(/^v?0\.(?:[5-9]\.|10\.0)/u.test(version) ? (["proof_facts"] as const) : [])
]

/**
 * Remembers verdicts, because most transactions of most worlds are the same, and one verdict takes milliseconds. The
 * verifiers are pure, so a repeated call would give the same verdict.
 */
const verdicts = new Map<string, Judgement>()

const remembered = (
  transaction: Transaction.Transaction,
  hash: string,
  omits: string,
  verify: () => Judgement
): Judgement => {
  const key = `${hash} ${omits} ${JSON.stringify(transaction, (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : value))}`
  const verdict = verdicts.get(key) ?? verify()
  verdicts.set(key, verdict)
  return verdict
}

/**
 * Reads the world in every way that applies to one hash. Pending transactions are judged by the hash that they name.
 */
export const readings = (
  world: Node.World,
  asked: string,
  { publicKeyOf, truths }: Known
): Effect.Effect<ReadonlyArray<Reading>> =>
  Effect.gen(function* () {
    const client = yield* Effect.provideService(SecondChainClient.make(), Transport, Node.make(world))
    const chainId = Felt.fromHexUnsafe(Made.CHAIN)
    const hash = Felt.fromHexUnsafe(asked)
    const omits = omittedBy(world.version)
    const options = { chainId, publicKeyOf, omits }
    const tag = /^v?0\.[0-8]\./u.test(world.version) ? "pending" : "pre_confirmed"
    const facts = { proofFacts: /^v?0\.10\.[1-9]/u.test(world.version) }
    const judged = (verdict: Judgement, of: string) => judge(verdict, truths.get(BigInt(of)))
    const byHash = (one: Transaction.Transaction) =>
      judged(
        remembered(one, hash, omits.join(), () => verifyTransaction(one, hash, options)),
        asked
      )
    const listed = (list: ReadonlyArray<Transaction.Transaction>) =>
      list.map((one) =>
        judged(
          remembered(one, "pending", omits.join(), () => verifyPending(one, options)),
          one.transaction_hash
        )
      )
    const reading = <A>(
      method: string,
      read: Effect.Effect<A, JsonRpcError>,
      outcomes: (value: A) => ReadonlyArray<Outcome>
    ): Effect.Effect<Reading> =>
      Effect.map(Effect.result(read), (result) => ({
        method,
        outcomes: Result.isSuccess(result)
          ? outcomes(result.success)
          : [{ _tag: "Refused", check: result.failure.reason._tag }]
      }))
    return [
      yield* reading("pendingTransactions", client.pendingTransactions, listed),
      yield* reading("getBlockWithTxs", client.getBlockWithTxs(tag, facts), (block) =>
        block === null ? [] : listed(block.transactions)
      ),
      yield* reading("getTransactionByHash", client.getTransactionByHash(hash, facts), (one) =>
        one === null ? [] : [byHash(one)]
      ),
      yield* reading("getTransactionByBlockIdAndIndex", client.getTransactionByBlockIdAndIndex(tag, 0n, facts), (one) =>
        one === null ? [] : [byHash(one)]
      )
    ]
  })
