/** The data of the pool: accounts, pending transactions and blocks. All of it is in memory and limited in size. */
import type * as Felt from "@plumbline/second-chain-methods/model/Felt"
import type * as Transaction from "@plumbline/second-chain-methods/model/Transaction"

import * as Blocks from "./blocks.ts"
import { accounts as predeployed } from "./StarknetPoolAccounts.ts"

/** An account with one key. */
export interface Account {
  readonly publicKey: Felt.Felt
  /** The number of transactions that the account has sent, including pending ones. */
  readonly nonce: bigint
  /** The first block with the account; `undefined` while its deployment is pending. */
  readonly since: bigint | undefined
}

/** A transaction that the pool may accept. */
export interface Admitted {
  /** The transaction with only the fields of its kind, with its hash, and with felts without leading zeros. */
  readonly transaction: Transaction.Known
  readonly sender: Felt.Felt
  /** The key of the account that the transaction deploys. */
  readonly deployed: Felt.Felt | undefined
}

/** The place of a transaction: in a block, or in the pending block. */
export interface Place {
  readonly transaction: Transaction.Known
  readonly block: Blocks.Sealed | undefined
}

/** The limits of the ledger. */
export interface Bounds {
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
export type At = Blocks.Sealed | "pending"

export interface Ledger {
  /** The newest block. */
  readonly head: () => Blocks.Sealed
  readonly byNumber: (number: bigint) => Blocks.Sealed | undefined
  readonly byHash: (hash: Felt.Felt) => Blocks.Sealed | undefined
  /** The pending transactions, in order. */
  readonly pending: () => ReadonlyArray<Transaction.Known>
  readonly find: (hash: Felt.Felt) => Place | undefined
  /** Returns the account at an address, including its pending transactions. */
  readonly account: (address: Felt.Felt) => Account | undefined
  /** Returns the number of transactions that the account has sent; `undefined` if it does not exist. */
  readonly nonceAt: (address: Felt.Felt, at: At) => bigint | undefined
  /** Returns the reason for refusing a transaction with this much calldata; undefined if the pool has space for it. */
  readonly isFull: (felts: number, deploys: boolean) => string | undefined
  readonly add: (admitted: Admitted) => void
  /** Seals the pending transactions into a block. */
  readonly seal: (now: bigint) => Blocks.Sealed
}

/** Makes a ledger. All hashes and addresses in its arguments and results have no leading zeros. */
export const make = (bounds: Bounds, now: bigint): Ledger => {
  const accounts = new Map<Felt.Felt, Account>(
    predeployed.map(({ address, publicKey }) => [address, { publicKey, nonce: 0n, since: 0n }])
  )
  const sealed = new Map<Felt.Felt, Place>()
  const genesis = Blocks.seal({ number: 0n, timestamp: now, parentHash: Blocks.ZERO, transactions: [] }, new Map())
  const blocks = [genesis]
  let pending = new Map<Felt.Felt, Admitted>()
  let pendingFelts = 0
  let sealedFelts = 0

  const head = (): Blocks.Sealed => blocks[blocks.length - 1]!

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
      const block = Blocks.seal(
        {
          number: parent.number + 1n,
          timestamp: Blocks.timeAfter(parent, now),
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

const sentIn = (pending: ReadonlyMap<Felt.Felt, Admitted>, address: Felt.Felt): bigint => {
  let sent = 0n
  for (const { sender } of pending.values()) if (sender === address) sent++
  return sent
}

/** Returns the length of a transaction's calldata, the only list that may be long. */
const feltsOf = (transaction: Transaction.Known): number =>
  ("calldata" in transaction
    ? transaction.calldata
    : "constructor_calldata" in transaction
      ? transaction.constructor_calldata
      : []
  ).length
