/** The methods of the pool, on top of its ledger. */
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import type * as JsonRpcServer from "@plumbline/jsonrpc-core/server/JsonRpcServer"
import type * as BlockId from "@plumbline/second-chain-methods/model/BlockId"
import * as Felt from "@plumbline/second-chain-methods/model/Felt"
import type * as Transaction from "@plumbline/second-chain-methods/model/Transaction"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import * as NodeEventLoopScheduler from "../node/eventLoopScheduler.ts"
import * as OrderedScheduler from "./orderedScheduler.ts"
import * as PoolAdmission from "./poolAdmission.ts"
import * as PoolBlocks from "./poolBlocks.ts"
import type { AdmittedTransaction, ChainPoint, PoolLedger, TransactionPosition } from "./poolLedger.ts"
import type { PoolGroup } from "./poolMethods.ts"
import type { SpecDialect } from "./specDialects.ts"
import * as StarknetErrors from "./starknetErrors.ts"
import { classHash } from "./StarknetPoolAccounts.ts"

export type PoolHandlers = JsonRpcServer.Handlers<PoolGroup, never>

export const make = (ledger: PoolLedger, chainId: Felt.Felt, dialect: SpecDialect): PoolHandlers => {
  const at = (block: BlockId.BlockId) => pointAt(ledger, dialect, block)

  const transactionsAt = (at: ChainPoint): ReadonlyArray<Transaction.KnownTransaction> =>
    at === "pending" ? ledger.pending() : at.transactions

  /** Returns a snapshot of a block, with its transactions converted by `as`. */
  const body = <A>(block: BlockId.BlockId, as: (transaction: Transaction.KnownTransaction) => A) =>
    Effect.flatMap(now, (now) =>
      answer(() =>
        Result.map(at(block), (at) => ({
          ...(at === "pending" ? PoolBlocks.unfinished(dialect, ledger.head(), now) : PoolBlocks.written(dialect, at)),
          transactions: transactionsAt(at).map(as)
        }))
      )
    )

  /** Returns the nonce of an existing account. */
  const nonceOf = (block: BlockId.BlockId, address: Felt.Felt): Found<bigint> => {
    const account = PoolAdmission.plain(address)
    return Result.flatMap(at(block), (at) =>
      or(ledger.nonceAt(account, at), "CONTRACT_NOT_FOUND", `it has no account at ${account} then`)
    )
  }

  const find = (hash: Felt.Felt) =>
    or(ledger.find(PoolAdmission.plain(hash)), "TXN_HASH_NOT_FOUND", "it does not know a transaction of this hash")

  /** Checks the flags, which exist since 0.10.1. They request `proof_facts`, which no transaction in the pool has. */
  const withFlags = <A>(flags: unknown, answer: Answer<A>): Answer<A> =>
    flags === undefined || dialect.flags
      ? answer
      : Effect.fail(ErrorObject.invalidParams(`version ${dialect.version} has no response flags`))

  const inOrder = OrderedScheduler.make(ADDED_IN_A_TURN)
  const add = (broadcasted: PoolAdmission.BroadcastedTransaction): Answer<AdmittedTransaction> =>
    inOrder(PoolAdmission.admit(ledger, chainId, dialect, broadcasted))

  // Sending a transaction takes further turns to check its signature.
  return NodeEventLoopScheduler.inTurns<PoolHandlers>(NodeEventLoopScheduler.make(), WEIGHTS, {
    starknet_chainId: () => Effect.succeed(chainId),
    starknet_specVersion: () => Effect.succeed(dialect.version),
    starknet_syncing: () => Effect.succeed(false),
    starknet_blockNumber: () => Effect.sync(() => ledger.head().number),
    starknet_blockHashAndNumber: () => Effect.sync(() => placeOf(ledger.head())),

    starknet_pendingTransactions: () => Effect.sync(ledger.pending),
    starknet_getBlockWithTxHashes: (block) => body(block, ({ transaction_hash }) => transaction_hash),
    starknet_getBlockWithTxs: (block, flags) =>
      withFlags(
        flags,
        body(block, (transaction) => transaction)
      ),
    starknet_getTransactionByHash: (hash, flags) =>
      withFlags(
        flags,
        answer(() => Result.map(find(hash), ({ transaction }) => transaction))
      ),
    starknet_getTransactionByBlockIdAndIndex: (block, index, flags) =>
      withFlags(
        flags,
        answer(() =>
          Result.flatMap(at(block), (at) =>
            or(transactionsAt(at)[Number(index)], "INVALID_TXN_INDEX", `the block has ${transactionsAt(at).length}`)
          )
        )
      ),
    starknet_getTransactionReceipt: (hash) =>
      Effect.flatMap(
        answer(() => find(hash)),
        withoutReceipt
      ),

    starknet_getNonce: (block, address) => answer(() => Result.map(nonceOf(block, address), Felt.fromBigIntUnsafe)),
    starknet_getClassHashAt: (block, address) => answer(() => Result.map(nonceOf(block, address), () => classHash)),

    starknet_addInvokeTransaction: (invoke) =>
      Effect.map(add(invoke), ({ transaction }) => ({ transaction_hash: transaction.transaction_hash })),
    starknet_addDeployAccountTransaction: (deployAccount) =>
      Effect.map(add(deployAccount), ({ sender, transaction }) => ({
        transaction_hash: transaction.transaction_hash,
        contract_address: sender
      })),

    starknet_call: withoutCode,
    starknet_getStorageAt: withoutCode,
    starknet_estimateFee: withoutCode,
    starknet_simulateTransactions: withoutCode,
    starknet_addDeclareTransaction: withoutCode,
    starknet_getClass: withoutCode,
    starknet_getClassAt: withoutCode,

    pool_seal: () => seal(ledger)
  })
}

/**
 * Weights of the calls that answer with all transactions of a block. Any other call weighs 1. One turn takes calls with
 * a total weight of 16.
 */
const WEIGHTS: Partial<Readonly<Record<keyof PoolHandlers, number>>> = {
  starknet_pendingTransactions: NodeEventLoopScheduler.TURN,
  starknet_getBlockWithTxs: NodeEventLoopScheduler.TURN,
  starknet_getBlockWithTxHashes: 4
}

/** Number of transactions that are checked before other work runs. A hash and a signature take about 8 ms. */
const ADDED_IN_A_TURN = 4

/** Seals the pending transactions into a block, and returns its hash and number. */
export const seal = (ledger: PoolLedger) => Effect.map(now, (now) => placeOf(ledger.seal(now)))

/** The time in seconds since 1970. */
export const now: Effect.Effect<bigint> = Effect.map(Clock.currentTimeMillis, (millis) =>
  BigInt(Math.floor(millis / 1000))
)

type Found<A> = Result.Result<A, ErrorObject.ErrorObject>
type Answer<A> = Effect.Effect<A, ErrorObject.ErrorObject>

/** Finds the point of the chain that a block id names in a version of the specification. */
const pointAt = (ledger: PoolLedger, dialect: SpecDialect, block: BlockId.BlockId): Found<ChainPoint> => {
  if (typeof block === "bigint") return or(ledger.byNumber(block), "BLOCK_NOT_FOUND", `there is no block ${block}`)
  if (isHash(block)) {
    return or(ledger.byHash(PoolAdmission.plain(block)), "BLOCK_NOT_FOUND", "it does not know a block of this hash")
  }
  if (block === "latest") return Result.succeed(ledger.head())
  if (block === dialect.tag) return Result.succeed("pending")
  return block === "l1_accepted" && dialect.tag === "pre_confirmed"
    ? fail("BLOCK_NOT_FOUND", "no chain below has taken any of its blocks")
    : Result.fail(ErrorObject.invalidParams(`version ${dialect.version} has no block ${block}`))
}

/** Makes an answer that is looked up when the effect runs. */
const answer = <A>(find: () => Found<A>): Answer<A> => Effect.suspend(() => Effect.fromResult(find()))

const fail = (name: StarknetErrors.StarknetErrorName, detail: string): Found<never> =>
  Result.fail(StarknetErrors.refusal(name, detail))

const or = <A>(found: A | undefined, name: StarknetErrors.StarknetErrorName, detail: string): Found<A> =>
  found === undefined ? fail(name, detail) : Result.succeed(found)

const WITHOUT_CODE = StarknetErrors.unsupported("it has neither code nor state")

const withoutCode = (): Answer<never> => Effect.fail(WITHOUT_CODE)

const withoutReceipt = ({ block }: TransactionPosition): Answer<never> => {
  const where = block === undefined ? "pending" : `in block ${block.number}`
  return Effect.fail(
    StarknetErrors.unsupported(`so there are no receipts: the transaction is ${where}, and was not run`)
  )
}

const placeOf = ({ hash, number }: PoolBlocks.SealedBlock) => ({ block_hash: hash, block_number: number })

const isHash = (block: BlockId.Tag | Felt.Felt): block is Felt.Felt => block.startsWith("0x")
