/**
 * The state that the virtual machine sees: proven values below, and the writes of the run above.
 *
 * A value that is not proven yet is noted as missing, and reads as absent or zero, so that the run can go on and show
 * what else it needs. Such a run is a probe: nobody sees its outcome.
 */
import type { AccountFields, StateManagerInterface } from "@ethereumjs/common"
import { Account, type Address, bytesToHex, KECCAK256_NULL, KECCAK256_RLP } from "@ethereumjs/util"
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Quantity from "@plumbline/codec/value/Quantity"
import * as Trie from "@plumbline/merkle-trie/trie/Trie"

import { unsupported } from "../rules/callFailures.ts"
import { addAccount, noReads, type ProvenAccount, type Reads, type StateView } from "../state/stateView.ts"

/** An account as the machine has it. */
type Fields = Pick<Account, "nonce" | "balance" | "codeHash" | "storageRoot">

const NOTHING = new Uint8Array(0)

/** Stands for a sender whose account nothing depends on. */
const UNREAD: Fields = { nonce: 0n, balance: 0n, codeHash: KECCAK256_NULL, storageRoot: KECCAK256_RLP }

export class ProvenStateManager implements StateManagerInterface {
  /** The proven values that the run read. */
  readonly reads: Reads = noReads()
  /** The values that the run needed and that are not proven yet. */
  readonly missing: Reads = noReads()
  readonly #view: StateView
  /** Accounts that the run wrote: null for a deleted one. */
  readonly #accounts = new Map<string, Fields | null>()
  /** Proven accounts that the run read: null for an absent one. */
  readonly #provenAccounts = new Map<string, Fields | null>()
  readonly #codes = new Map<string, Uint8Array>()
  /** Written words by address and key. A word that was set to zero is an entry too: it hides the proven one. */
  readonly #words = new Map<string, Uint8Array>()
  /** The written words of earlier transactions of the run. */
  #earlier: ReadonlyMap<string, Uint8Array> = new Map()
  /** The thing at each account that no run may use, by address. */
  readonly #refused = new Map<string, string>()
  /** Accounts whose proven storage is gone: created or deleted by the run. */
  readonly #cleared = new Map<string, true>()
  /** The steps that take back the writes, newest last. */
  readonly #undo: Array<() => void> = []
  readonly #checkpoints: Array<number> = []

  /** The word before the transaction, by which SSTORE is priced (EIP-2200). */
  readonly originalStorageCache = {
    get: (address: Address, key: Uint8Array): Promise<Uint8Array> =>
      Promise.resolve(
        this.#earlier.get(address.toString() + bytesToHex(key)) ?? this.#proven(address.toString(), bytesToHex(key))
      ),
    clear: (): void => {}
  }

  /**
   * The sender, if the call's outcome does not depend on its account. The machine reads and writes every sender before
   * the code begins; this one's account is then not proven, unless the code itself reads it.
   */
  readonly #sender: string | undefined
  #isBefore: boolean
  #isUnused = false

  constructor(view: StateView, sender?: string) {
    this.#view = view
    this.#sender = sender
    this.#isBefore = sender !== undefined
  }

  /**
   * Says that the machine reads the sender next, and does not use what it gets: it does so in each DELEGATECALL of which
   * the sender is the caller.
   */
  expectUnusedRead(caller: string): void {
    this.#isUnused = caller === this.#sender
  }

  /** Ends a transaction, or the caller's changes before the first: what is written so far is the state before the next. */
  settle(): void {
    this.#earlier = new Map(this.#words)
    this.#undo.length = 0
    this.#checkpoints.length = 0
  }

  /** True if the run wrote a slot of this account. */
  hasWords(address: string): boolean {
    for (const key of this.#words.keys()) if (key.startsWith(address)) return true
    return false
  }

  #set<V>(map: Map<string, V>, key: string, value: V): void {
    const had = map.has(key)
    const old = map.get(key)
    this.#undo.push(() => (had ? map.set(key, old as V) : map.delete(key)))
    map.set(key, value)
  }

  #account(address: string): Fields | undefined {
    const refused = this.#refused.get(address)
    if (refused !== undefined) throw unsupported(refused)
    const isUnused = this.#isUnused
    this.#isUnused = false
    const own = this.#accounts.get(address)
    if (own !== undefined) return own ?? undefined
    if ((isUnused || this.#isBefore) && address === this.#sender) return UNREAD
    let proven = this.#provenAccounts.get(address)
    if (proven === undefined) {
      const found = this.#view.account(address)
      if (found === undefined) {
        addAccount(this.missing, address)
        return undefined
      }
      addAccount(this.reads, address)
      proven = this.#fieldsOf(address, found)
      this.#provenAccounts.set(address, proven)
    }
    return proven ?? undefined
  }

  #fieldsOf(address: string, { balance, codeHash, exists, nonce, storageRoot }: ProvenAccount): Fields | null {
    const isSender = address === this.#sender
    // an absent account is none: EIP-161 makes a difference
    if (!exists && !isSender) return null
    return {
      // a transaction raises its sender's nonce, by which the account exists
      nonce: isSender ? nonce + 1n : nonce,
      balance,
      codeHash: Hash32.toBytes(codeHash),
      storageRoot: Hash32.toBytes(storageRoot)
    }
  }

  /** The account's word under the proven storage root. */
  #proven(address: string, key: string): Uint8Array {
    if (this.#cleared.has(address)) return NOTHING
    const account = this.#view.account(address)
    if (account === undefined) {
      addAccount(this.missing, address, key)
      return NOTHING
    }
    addAccount(this.reads, address)
    if (!account.exists || account.storageRoot === Trie.EMPTY_ROOT) return NOTHING
    const word = account.slots.get(key)
    if (word === undefined) {
      addAccount(this.missing, address, key)
      return NOTHING
    }
    addAccount(this.reads, address, key)
    return Quantity.toBytes(word)
  }

  /** Refuses each use of an account from now on: what is at the address, and so the outcome, is not known. */
  refuse(address: string, what: string): void {
    this.#refused.set(address, what)
  }

  async getAccount(address: Address): Promise<Account | undefined> {
    const account = this.#account(address.toString())
    // the machine changes the object that it gets, but none of its bytes
    return account === undefined
      ? undefined
      : new Account(account.nonce, account.balance, account.storageRoot, account.codeHash)
  }

  async putAccount(address: Address, account?: Account): Promise<void> {
    if (this.#isBefore && address.toString() === this.#sender) return
    this.#set(this.#accounts, address.toString(), account === undefined ? null : fieldsOf(account))
  }

  async deleteAccount(address: Address): Promise<void> {
    this.#set(this.#accounts, address.toString(), null)
    await this.clearStorage(address)
  }

  async modifyAccountFields(address: Address, fields: AccountFields): Promise<void> {
    const account = (await this.getAccount(address)) ?? new Account(0n, 0n, KECCAK256_RLP)
    await this.putAccount(address, Object.assign(account, fields))
  }

  async putCode(address: Address, code: Uint8Array): Promise<void> {
    const hash = Keccak256.hash(code)
    this.#codes.set(bytesToHex(hash), code)
    await this.modifyAccountFields(address, { codeHash: hash })
  }

  async getCode(address: Address): Promise<Uint8Array> {
    // the machine reads code after the sender
    this.#isBefore = false
    const at = address.toString()
    const account = this.#account(at)
    if (account === undefined) {
      if (this.missing.accounts.has(at)) this.missing.codes.add(at)
      return NOTHING
    }
    const hash = bytesToHex(account.codeHash)
    if (hash === Keccak256.EMPTY) return NOTHING
    const own = this.#codes.get(hash)
    if (own !== undefined) return own
    const code = this.#view.code(hash)
    if (code === undefined) {
      this.missing.codes.add(at)
      return NOTHING
    }
    this.reads.codes.add(at)
    return code
  }

  async getCodeSize(address: Address): Promise<number> {
    return (await this.getCode(address)).length
  }

  async getStorage(address: Address, key: Uint8Array): Promise<Uint8Array> {
    return this.word(address, key)
  }

  /** Returns the bytes of a word, without leading zeros. */
  word(address: Address, key: Uint8Array): Uint8Array {
    const at = address.toString()
    const slot = bytesToHex(key)
    return this.#words.get(at + slot) ?? this.#proven(at, slot)
  }

  async putStorage(address: Address, key: Uint8Array, value: Uint8Array): Promise<void> {
    const first = value.findIndex((byte) => byte !== 0)
    this.#set(this.#words, address.toString() + bytesToHex(key), first === -1 ? NOTHING : value.slice(first))
  }

  async clearStorage(address: Address): Promise<void> {
    const at = address.toString()
    this.#set(this.#cleared, at, true)
    for (const key of this.#words.keys()) if (key.startsWith(at)) this.#set(this.#words, key, NOTHING)
  }

  async checkpoint(): Promise<void> {
    this.#checkpoints.push(this.#undo.length)
  }

  async commit(): Promise<void> {
    this.#checkpoints.pop()
  }

  async revert(): Promise<void> {
    const length = this.#checkpoints.pop() ?? 0
    while (this.#undo.length > length) this.#undo.pop()!()
  }

  /** Notes that the run needs the hash of an older block; zeros if it is not proven yet. */
  blockHash(number: bigint): Uint8Array {
    const hash = this.#view.blockHash(number)
    if (hash === undefined) {
      this.missing.blockHashes.add(number)
      return new Uint8Array(32)
    }
    this.reads.blockHashes.add(number)
    return Hash32.toBytes(hash)
  }

  /** Nothing reads the root of a state that is never written back. */
  async getStateRoot(): Promise<Uint8Array> {
    return new Uint8Array(32)
  }

  async setStateRoot(): Promise<void> {}

  async hasStateRoot(): Promise<boolean> {
    return false
  }

  clearCaches(): void {}

  shallowCopy(): StateManagerInterface {
    return new ProvenStateManager(this.#view)
  }
}

const fieldsOf = ({ balance, codeHash, nonce, storageRoot }: Account): Fields => ({
  nonce,
  balance,
  codeHash,
  storageRoot
})
