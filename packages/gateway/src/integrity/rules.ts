/**
 * Checks of answers that need no further call: by their own hashes, and by the question.
 *
 * | method | refuted if | VERIFIED |
 * | --- | --- | --- |
 * | `eth_getBlockByHash` | the header does not hash to the given hash, or a list in the answer not to its root | yes |
 * | `eth_getBlockByNumber` | the same, for the hash in the answer; another number | no: the chain of that block is not known |
 * | `eth_getTransactionByHash` | the transaction does not hash to the given hash, or another key signed it | no: its place is not known |
 * | `eth_getTransactionByBlock...AndIndex` | the same, for the hash in the answer; another block or index | no |
 * | `eth_getTransactionReceipt`, `eth_getBlockReceipts` | another transaction or block; a bloom that is not that of the logs | no |
 * | `eth_getLogs` | a log that the filter does not select | no |
 * | `eth_getProof` | another account | no |
 * | `eth_sendRawTransaction` | the hash is not that of the sent bytes | no: acceptance is the node's word |
 *
 * Answers of other methods pass as they are, CLAIMED.
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
import type { Engine } from "@plumbline/eth-methods/sender/SenderRecovery"
import * as ProviderReason from "@plumbline/provider/node/ProviderReason"
import { type Refuted, refute } from "@plumbline/verdict/Refuted"
import { claim, type Verdict, weaken } from "@plumbline/verdict/Verdict"
import * as Result from "effect/Result"

/** The context of a rule: the method of the call, and the engine that recovers senders. */
export interface About {
  readonly method: string
  readonly recovery: Engine
}

/** Checks a result in domain form, that is not null, with the arguments of its method. */
export type Rule = (args: ReadonlyArray<any>, value: any, about: About) => Result.Result<Verdict<unknown>, Refuted>

const word = (value: unknown, { method }: About): Result.Result<Verdict<unknown>, Refuted> =>
  Result.succeed(claim(value, ProviderReason.NodesWord({ method })))

/** Fails with the first contradiction; an answer without one is the node's word. */
const unless = (wrong: Refuted | undefined, value: unknown, about: About): Result.Result<Verdict<unknown>, Refuted> =>
  wrong === undefined ? word(value, about) : Result.fail(wrong)

const blockByHash: Rule = ([hash], block: Block.Block, { recovery }) => Verify.block(block, hash, { recovery })

const blockByNumber: Rule = ([asked], block: Block.Block, about) => {
  const number = asked === "earliest" ? 0n : asked
  if (typeof number === "bigint" && block.number !== number) {
    return Result.fail(refute("block.number", number, block.number))
  }
  if (block.hash === null) return word(block, about)
  const { method, recovery } = about
  return Result.map(Verify.block(block, block.hash, { recovery }), (verdict) =>
    weaken(verdict, ProviderReason.NodesWord({ method }))
  )
}

const transactionByHash: Rule = ([hash], transaction: Transaction.Transaction, { recovery }) =>
  Verify.transaction(transaction, hash, { recovery })

const transactionByPlace: Rule = ([block, index], transaction: Transaction.Transaction, about) => {
  // a type that is not known here
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

/** Refutes a thing in another block than the one that was asked for. */
const placeOf = (
  block: unknown,
  { blockHash, blockNumber }: { readonly blockHash: Hex.Hex | null; readonly blockNumber: bigint | null },
  name: string
): Refuted | undefined => {
  if (Hash32.isHash32(block)) {
    return blockHash !== null && Hex.equals(block, blockHash)
      ? undefined
      : refute(`${name}.blockHash`, block, blockHash)
  }
  return typeof block === "bigint" && block !== blockNumber
    ? refute(`${name}.blockNumber`, block, blockNumber)
    : undefined
}

const receipt: Rule = ([hash], found: Receipt.Receipt, about) =>
  unless(
    Hex.equals(found.transactionHash, hash)
      ? wrongReceipt(found, "receipt")
      : refute("receipt.transactionHash", hash, found.transactionHash),
    found,
    about
  )

const receipts: Rule = ([block], all: ReadonlyArray<Receipt.Receipt>, about) => {
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

/** Refutes a receipt that contradicts itself: its bloom is made of its logs, and its logs are of its transaction. */
const wrongReceipt = (
  { blockHash, logs, logsBloom, transactionHash }: Receipt.Receipt,
  name: string
): Refuted | undefined => {
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

const logs: Rule = ([filter], all: ReadonlyArray<Log.Log>, about) => {
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

const proof: Rule = ([address], found: AccountProof.AccountProof, about) =>
  unless(
    Hex.equals(found.address, address) ? undefined : refute("account.address", address, found.address),
    found,
    about
  )

const sent: Rule = ([raw], said: Hex.Hex) => {
  const hash = SentTransaction.hash(Hex.toBytesUnsafe(raw))
  return Hex.equals(said, hash)
    ? Result.succeed(claim(said, ProviderReason.Accepted({})))
    : Result.fail(refute("transaction hash", hash, said))
}

/** The rules, by the names of their methods. */
export const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["eth_getBlockByHash", blockByHash],
  ["eth_getBlockByNumber", blockByNumber],
  ["eth_getTransactionByHash", transactionByHash],
  ["eth_getTransactionByBlockHashAndIndex", transactionByPlace],
  ["eth_getTransactionByBlockNumberAndIndex", transactionByPlace],
  ["eth_getTransactionReceipt", receipt],
  ["eth_getBlockReceipts", receipts],
  ["eth_getLogs", logs],
  ["eth_getProof", proof],
  ["eth_sendRawTransaction", sent]
])
