/** The proven values of one block that calls have read, and codes that are kept across blocks. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import { BoundedMap } from "@plumbline/codec/value/BoundedMap"
import type * as AccountProof from "@plumbline/eth-methods/model/AccountProof"
import type * as Block from "@plumbline/eth-methods/model/Block"
import type { Verified } from "@plumbline/verdict/Verdict"

import type { ProvenAccount } from "./stateView.ts"

/** Values that are kept across blocks: codes by their hash, and the hash of the code that an address had last. */
export interface CodeStore {
  readonly codes: BoundedMap<string, Uint8Array>
  readonly hashes: BoundedMap<string, Hash32.Hash32>
}

/** Codes of at most 64 KiB, so at most 16 MiB. */
const KEPT_CODES = 256

/** Addresses whose code hash is remembered. */
const KEPT_HASHES = 4096

export const makeCodeStore = (): CodeStore => ({
  codes: new BoundedMap(KEPT_CODES),
  hashes: new BoundedMap(KEPT_HASHES)
})

/** Bytes that an account or a slot takes, with its keys. */
const READ_BYTES = 512

export class ProvenValues {
  readonly accounts = new Map<string, ProvenAccount>()
  readonly blockHashes: Map<bigint, Hash32.Hash32>
  readonly #store: CodeStore
  /** The codes that calls about this block need: the store may drop them in the meantime. */
  readonly #codes = new Map<string, Uint8Array>()
  #slots = 0
  #codeBytes = 0

  constructor({ value }: Verified<Block.WithHashes>, store: CodeStore) {
    this.blockHashes = new Map([[value.number! - 1n, value.parentHash]])
    this.#store = store
  }

  /** The memory that is kept, roughly: the bytes of codes, and a fixed number for each account and slot. */
  get bytes(): number {
    return this.#codeBytes + (this.accounts.size + this.#slots) * READ_BYTES
  }

  /** Returns the code with this hash, if it is kept. */
  code(hash: string): Uint8Array | undefined {
    const code = this.#codes.get(hash) ?? this.#store.codes.use(hash)
    if (code !== undefined) this.#useCode(hash, code)
    return code
  }

  keepCode(hash: string, code: Uint8Array): void {
    this.#useCode(hash, code)
    this.#store.codes.set(hash, code)
  }

  #useCode(hash: string, code: Uint8Array): void {
    if (this.#codes.has(hash)) return
    this.#codes.set(hash, code)
    this.#codeBytes += code.length
  }

  /** Returns the hash of an account's code: the proven one, or the one that the account had in another block. */
  codeHash(address: string): Hash32.Hash32 | undefined {
    return this.accounts.get(address)?.codeHash ?? this.#store.hashes.get(address)
  }

  /** Adds a proven account, and the slots that were proven with it, in the order of their keys. */
  keepAccount(
    address: string,
    keys: ReadonlyArray<string>,
    { proven, value }: Verified<AccountProof.AccountProof>
  ): void {
    let account = this.accounts.get(address)
    if (account === undefined) {
      const exists = proven.some(
        (evidence) => evidence._tag === "Account" && "exists" in evidence && evidence.exists === true
      )
      account = {
        exists,
        nonce: value.nonce,
        balance: value.balance,
        codeHash: exists ? lower(value.codeHash) : Keccak256.EMPTY,
        storageRoot: lower(value.storageHash),
        slots: new Map()
      }
      this.accounts.set(address, account)
      this.#store.hashes.set(address, account.codeHash)
    }
    for (const [i, { value: word }] of value.storageProof.entries()) account.slots.set(keys[i]!, word)
    this.#slots += value.storageProof.length
  }
}

const lower = (hash: Hash32.Hash32): Hash32.Hash32 => hash.toLowerCase() as Hash32.Hash32
