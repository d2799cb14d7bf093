/**
 * Checks answers without further calls: by the hashes in the answer, and by the parameters of the call.
 *
 * - `eth_getBlockByHash`: refuted if the header does not have the given hash, or if a list does not have the root that
 *   the header states. Otherwise VERIFIED.
 * - `eth_getBlockByNumber`: refuted if the block does not have the hash in the answer, if a list does not have the root
 *   that the header states, or if the number is not the requested number. Never VERIFIED: the block may be of another
 *   chain.
 * - `eth_getTransactionByHash`: refuted if the transaction does not have the given hash, or if the sender did not sign
 *   it. Never VERIFIED: the block of the transaction is not proven.
 * - `eth_getTransactionByBlock...AndIndex`: refuted if the transaction does not have the hash in the answer, if the
 *   sender did not sign it, or if the block or the index is not the requested one. Never VERIFIED.
 * - `eth_getTransactionReceipt`, `eth_getBlockReceipts`: refuted if the transaction or the block is not the requested
 *   one, or if the bloom does not match the logs. Never VERIFIED.
 * - `eth_getLogs`: refuted if a log does not match the filter. Never VERIFIED.
 * - `eth_getProof`: refuted if the account is not the requested account. Never VERIFIED.
 * - `eth_sendRawTransaction`: refuted if the hash in the answer is not the hash of the sent bytes. Never VERIFIED: only
 *   the node says that it accepted the transaction.
 *
 * Answers of other methods are passed on unchecked, as CLAIMED. So are answers in the form of another chain, such as a
 * block of QBFT, unless the network's chain is known to follow the rules of Ethereum: nothing shows that they are lies.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import type * as AccountProof from "@plumbline/eth-methods/model/AccountProof"
import type * as Block from "@plumbline/eth-methods/model/Block"
import type * as Log from "@plumbline/eth-methods/model/Log"
import * as LogFilter from "@plumbline/eth-methods/model/LogFilter"
import * as LogsBloom from "@plumbline/eth-methods/model/LogsBloom"
import type * as Receipt from "@plumbline/eth-methods/model/Receipt"
import * as SentTransaction from "@plumbline/eth-methods/model/SentTransaction"
import * as Transaction from "@plumbline/eth-methods/model/Transaction"
import * as Verify from "@plumbline/eth-methods/proof/Verify"
import type { RecoveryEngine } from "@plumbline/eth-methods/sender/SenderRecovery"
import * as ProviderReason from "@plumbline/provider/node/ProviderReason"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import { claim, type Verdict, weaken } from "@plumbline/verdict/Verdict"
import * as Result from "effect/Result"

/** The context of a rule: the method of the call, the chain of the network, and the engine that recovers senders. */
export interface RuleContext {
  readonly method: string
  readonly chain: Verify.OfChain
  readonly recovery: RecoveryEngine
}

/** Checks a decoded result against the arguments of its method. The result is not null. */
export type AnswerRule = (
  args: ReadonlyArray<any>,
  value: any,
  about: RuleContext
) => Result.Result<Verdict<unknown>, RefutedError>

const word = (value: unknown, { method }: RuleContext): Result.Result<Verdict<unknown>, RefutedError> =>
  Result.succeed(claim(value, ProviderReason.NodesWord({ method })))

/** Fails with `wrong` if it is defined. Otherwise the answer is CLAIMED, because nothing proves it. */
const unless = (
  wrong: RefutedError | undefined,
  value: unknown,
  about: RuleContext
): Result.Result<Verdict<unknown>, RefutedError> => (wrong === undefined ? word(value, about) : Result.fail(wrong))

const blockByHash: AnswerRule = ([hash], block: Block.Block, { chain, recovery }) =>
  Verify.block(block, hash, { ...chain, recovery })

/** A tag names no number: geth and reth answer `earliest` with a later block if they have deleted the first ones. */
const blockByNumber: AnswerRule = ([asked], block: Block.Block, about) => {
  if (typeof asked === "bigint" && block.number !== asked) {
    return Result.fail(refute("block.number", asked, block.number))
  }
  if (block.hash === null) return word(block, about)
  const { chain, method, recovery } = about
  return Result.map(Verify.block(block, block.hash, { ...chain, recovery }), (verdict) =>
    weaken(verdict, ProviderReason.NodesWord({ method }))
  )
}

const transactionByHash: AnswerRule = ([hash], transaction: Transaction.Transaction, { chain, recovery }) =>
  Verify.transaction(transaction, hash, { forks: chain.forks, recovery })

const transactionByPlace: AnswerRule = ([block, index], transaction: Transaction.Transaction, about) => {
  // the type of the transaction is unknown, so its hash cannot be computed
  if (!Transaction.isKnown(transaction)) return word(transaction, about)
  const wrong =
    placeOf(block, transaction, "transaction") ??
    (transaction.transactionIndex === index
      ? undefined
      : refute("transaction.transactionIndex", index, transaction.transactionIndex))
  if (wrong !== undefined) return Result.fail(wrong)
  const { method, recovery } = about
  return Result.map(Verify.transaction(transaction, transaction.hash, { recovery }), (verdict) =>
    weaken(verdict, ProviderReason.NodesWord({ method }))
  )
}

/** Returns the contradiction if a transaction, log or receipt is not in the block that the caller named. */
const placeOf = (
  block: unknown,
  { blockHash, blockNumber }: { readonly blockHash: Hex.Hex | null; readonly blockNumber: bigint | null },
  name: string
): RefutedError | undefined => {
  if (Hash32.isHash32(block)) {
    return blockHash !== null && Hex.equals(block, blockHash)
      ? undefined
      : refute(`${name}.blockHash`, block, blockHash)
  }
  return typeof block === "bigint" && block !== blockNumber
    ? refute(`${name}.blockNumber`, block, blockNumber)
    : undefined
}

const receipt: AnswerRule = ([hash], found: Receipt.Receipt, about) =>
  unless(
    Hex.equals(found.transactionHash, hash)
      ? wrongReceipt(found, "receipt")
      : refute("receipt.transactionHash", hash, found.transactionHash),
    found,
    about
  )

const receipts: AnswerRule = ([block], all: ReadonlyArray<Receipt.Receipt>, about) => {
  for (const [at, one] of all.entries()) {
    const name = `receipts[${at}]`
    const wrong =
      placeOf(block, one, name) ??
      (one.transactionIndex === BigInt(at)
        ? undefined
        : refute(`${name}.transactionIndex`, BigInt(at), one.transactionIndex)) ??
      wrongReceipt(one, name)
    if (wrong !== undefined) return Result.fail(wrong)
  }
  return word(all, about)
}

/**
 * Returns the contradiction within a receipt: a log of another transaction, or a bloom that does not match the logs.
 */
const wrongReceipt = (
  { blockHash, logs, logsBloom, transactionHash }: Receipt.Receipt,
  name: string
): RefutedError | undefined => {
  for (const [at, log] of logs.entries()) {
    if (log.transactionHash === null || !Hex.equals(log.transactionHash, transactionHash)) {
      return refute(`${name}.logs[${at}].transactionHash`, transactionHash, log.transactionHash)
    }
    if (log.blockHash === null || !Hex.equals(log.blockHash, blockHash)) {
      return refute(`${name}.logs[${at}].blockHash`, blockHash, log.blockHash)
    }
  }
  const bloom = Hex.fromBytes(LogsBloom.ofEach([logs])[0]!)
  return Hex.equals(bloom, logsBloom) ? undefined : refute(`${name}.logsBloom`, bloom, logsBloom)
}

const logs: AnswerRule = ([filter], all: ReadonlyArray<Log.Log>, about) => {
  const selects = LogFilter.selector(LogFilter.trimmed(filter))
  const { blockHash, fromBlock, toBlock } = filter
  for (const [at, log] of all.entries()) {
    const name = `logs[${at}]`
    const wrong = !selects(log)
      ? refute(name, "a log that the filter selects", log.address)
      : blockHash !== undefined
        ? placeOf(blockHash, log, name)
        : (typeof fromBlock === "bigint" && (log.blockNumber === null || log.blockNumber < fromBlock)) ||
            (typeof toBlock === "bigint" && (log.blockNumber === null || log.blockNumber > toBlock))
          ? refute(`${name}.blockNumber`, "a block of the range", log.blockNumber)
          : undefined
    if (wrong !== undefined) return Result.fail(wrong)
  }
  return word(all, about)
}

const proof: AnswerRule = ([address], found: AccountProof.AccountProof, about) =>
  unless(
    Hex.equals(found.address, address) ? undefined : refute("account.address", address, found.address),
    found,
    about
  )

const sent: AnswerRule = ([raw], said: Hex.Hex) => {
  const hash = SentTransaction.hash(Hex.toBytesUnsafe(raw))
  return Hex.equals(said, hash)
    ? Result.succeed(claim(said, ProviderReason.Accepted({})))
    : Result.fail(refute("transaction hash", hash, said))
}

/** The receipt of a sent transaction is about its own hash. */
const sentSync: AnswerRule = ([raw], found: Receipt.Receipt, about) =>
  receipt([SentTransaction.hash(Hex.toBytesUnsafe(raw))], found, about)

/** The rules by method name. */
export const rules: ReadonlyMap<string, AnswerRule> = new Map<string, AnswerRule>([
  ["eth_getBlockByHash", blockByHash],
  ["eth_getBlockByNumber", blockByNumber],
  ["eth_getTransactionByHash", transactionByHash],
  ["eth_getTransactionByBlockHashAndIndex", transactionByPlace],
  ["eth_getTransactionByBlockNumberAndIndex", transactionByPlace],
  ["eth_getTransactionReceipt", receipt],
  ["eth_getBlockReceipts", receipts],
  ["eth_getLogs", logs],
  ["eth_getProof", proof],
  ["eth_sendRawTransaction", sent],
  ["eth_sendRawTransactionSync", sentSync]
])
