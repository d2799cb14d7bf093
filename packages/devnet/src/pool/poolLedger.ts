/** The data of the pool: accounts, pending transactions and blocks. All of it is in memory and limited in size. */
import type * as Felt from "@plumbline/second-chain-methods/model/Felt"
import type * as Transaction from "@plumbline/second-chain-methods/model/Transaction"

import * as PoolBlocks from "./poolBlocks.ts"
import { accounts as predeployed } from "./StarknetPoolAccounts.ts"

/** An account with one key. */
export interface LedgerAccount {
  readonly publicKey: Felt.Felt
  /** The number of transactions that the account has sent, including pending ones. */
  readonly nonce: bigint
  /** The first block with the account; `undefined` while its deployment is pending. */
  readonly since: bigint | undefined
}

/** A transaction that the pool may accept. */
export interface AdmittedTransaction {
  /** The transaction with only the fields of its kind, with its hash, and with felts without leading zeros. */
  readonly transaction: Transaction.KnownTransaction
  readonly sender: Felt.Felt
  /** The key of the account that the transaction deploys. */
  readonly deployed: Felt.Felt | undefined
}

/** The place of a transaction: in a block, or in the pending block. */
export interface TransactionPosition {
  readonly transaction: Transaction.KnownTransaction
  readonly block: PoolBlocks.SealedBlock | undefined
}

/** The limits of the ledger. */
export interface LedgerBounds {
  /** Maximum number of pending transactions. */
  readonly pending: number
  /** Maximum number of blocks. The newest blocks are kept. */
  readonly blocks: number
  /** Maximum number of deployed accounts, including pending ones. */
  readonly deployed: number
  /** Maximum number of felts of calldata in all pending transactions, and also in all blocks. */
  readonly felts: number
}

/** A point in the chain: after a block, or after the pending transactions. */
export type ChainPoint = PoolBlocks.SealedBlock | "pending"

export interface PoolLedger {
  /** The newest block. */
  readonly head: () => PoolBlocks.SealedBlock
  readonly byNumber: (number: bigint) => PoolBlocks.SealedBlock | undefined
  readonly byHash: (hash: Felt.Felt) => PoolBlocks.SealedBlock | undefined
  /** The pending transactions, in order. */
  readonly pending: () => ReadonlyArray<Transaction.KnownTransaction>
  readonly find: (hash: Felt.Felt) => TransactionPosition | undefined
  /** Returns the account at an address, including its pending transactions. */
  readonly account: (address: Felt.Felt) => LedgerAccount | undefined
  /** Returns the number of transactions that the account has sent; `undefined` if it does not exist. */
  readonly nonceAt: (address: Felt.Felt, at: ChainPoint) => bigint | undefined
  /** Returns the reason for refusing a transaction with this much calldata; undefined if the pool has space for it. */
  readonly isFull: (felts: number, deploys: boolean) => string | undefined
  readonly add: (admitted: AdmittedTransaction) => void
  /** Seals the pending transactions into a block. */
  readonly seal: (now: bigint) => PoolBlocks.SealedBlock
}

/** Makes a ledger. All hashes and addresses in its arguments and results have no leading zeros. */
export const make = (bounds: LedgerBounds, now: bigint): PoolLedger => {
  const accounts = new Map<Felt.Felt, LedgerAccount>(
    predeployed.map(({ address, publicKey }) => [address, { publicKey, nonce: 0n, since: 0n }])
  )
  const sealed = new Map<Felt.Felt, TransactionPosition>()
  const genesis = PoolBlocks.seal(
    { number: 0n, timestamp: now, parentHash: PoolBlocks.ZERO, transactions: [] },
    new Map()
  )
  const blocks = [genesis]
  let pending = new Map<Felt.Felt, AdmittedTransaction>()
  let pendingFelts = 0
  let sealedFelts = 0

  const head = (): PoolBlocks.SealedBlock => blocks[blocks.length - 1]!

  return {
    head,
    byNumber: (number) => blocks[Number(number - blocks[0]!.number)],
    byHash: (hash) => blocks.find((block) => block.hash === hash),
    pending: () => [...pending.values()].map(({ transaction }) => transaction),
    find: (hash) => {
      const waiting = pending.get(hash)
      return waiting === undefined ? sealed.get(hash) : { transaction: waiting.transaction, block: undefined }
    },
    account: (address) => accounts.get(address),
    nonceAt: (address, at) => {
      const account = accounts.get(address)
      if (account === undefined || at === "pending") return account?.nonce
      if (account.since === undefined || account.since > at.number) return undefined
      // transactions that were sent after the block are in the pool or in a later block, and all later blocks are kept
      const later = blocks.slice(Number(at.number - blocks[0]!.number) + 1)
      return later.reduce(
        (nonce, { sent }) => nonce - (sent.get(address) ?? 0n),
        account.nonce - sentIn(pending, address)
      )
    },
    isFull: (felts, deploys) => {
      if (pending.size >= bounds.pending) return `it is full: ${bounds.pending} transactions are pending`
      if (pendingFelts + felts > bounds.felts) return `it is full: ${pendingFelts} felts of calldata are pending`
      return deploys && accounts.size - predeployed.length >= bounds.deployed
        ? `it is full: ${bounds.deployed} accounts were deployed`
        : undefined
    },
    add: (admitted) => {
      const { deployed, sender, transaction } = admitted
      const { nonce, publicKey, since } = accounts.get(sender) ?? { publicKey: deployed!, nonce: 0n, since: undefined }
      accounts.set(sender, { publicKey, nonce: nonce + 1n, since })
      pending.set(transaction.transaction_hash, admitted)
      pendingFelts += feltsOf(transaction)
    },
    seal: (now) => {
      const parent = head()
      const all = [...pending.values()]
      const sent = new Map<Felt.Felt, bigint>()
      for (const { sender } of all) sent.set(sender, (sent.get(sender) ?? 0n) + 1n)
      const block = PoolBlocks.seal(
        {
          number: parent.number + 1n,
          timestamp: PoolBlocks.timeAfter(parent, now),
          parentHash: parent.hash,
          transactions: all.map(({ transaction }) => transaction)
        },
        sent
      )
      for (const { sender, transaction } of all) {
        const account = accounts.get(sender)!
        accounts.set(sender, { ...account, since: account.since ?? block.number })
        sealed.set(transaction.transaction_hash, { transaction, block })
      }
      sealedFelts += pendingFelts
      pendingFelts = 0
      pending = new Map()
      blocks.push(block)
      while (blocks.length > bounds.blocks || (sealedFelts > bounds.felts && blocks.length > 1)) {
        for (const transaction of blocks.shift()!.transactions) {
          sealed.delete(transaction.transaction_hash)
          sealedFelts -= feltsOf(transaction)
        }
      }
      return block
    }
  }
}

const sentIn = (pending: ReadonlyMap<Felt.Felt, AdmittedTransaction>, address: Felt.Felt): bigint => {
  let sent = 0n
  for (const { sender } of pending.values()) if (sender === address) sent++
  return sent
}

/** Returns the length of a transaction's calldata, the only list that may be long. */
const feltsOf = (transaction: Transaction.KnownTransaction): number =>
  ("calldata" in transaction
    ? transaction.calldata
    : "constructor_calldata" in transaction
      ? transaction.constructor_calldata
      : []
  ).length
