/** The proven state that one run reads, and the reads that are still missing. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"

/** An account under a proven state root. An absent account has the values of an empty one. */
export interface ProvenAccount {
  readonly exists: boolean
  readonly nonce: bigint
  readonly balance: bigint
  readonly codeHash: Hash32.Hash32
  readonly storageRoot: Hash32.Hash32
  /** The proven words, by key. */
  readonly slots: Map<string, bigint>
}

/** The state that is proven so far under one header. Addresses and keys are `0x` text in lower case. */
export interface StateView {
  readonly account: (address: string) => ProvenAccount | undefined
  readonly code: (hash: string) => Uint8Array | undefined
  readonly blockHash: (number: bigint) => Hash32.Hash32 | undefined
}

/** Accounts, slots, codes and block hashes. */
export interface Reads {
  /** The slots of each account. */
  readonly accounts: Map<string, Set<string>>
  /** The accounts whose code is needed. */
  readonly codes: Set<string>
  readonly blockHashes: Set<bigint>
}

export const noReads = (): Reads => ({ accounts: new Map(), codes: new Set(), blockHashes: new Set() })

export const isNone = ({ accounts, blockHashes, codes }: Reads): boolean =>
  accounts.size === 0 && codes.size === 0 && blockHashes.size === 0

/** Adds an account, and its slot if there is one. */
export const addAccount = ({ accounts }: Reads, address: string, slot?: string): void => {
  let slots = accounts.get(address)
  if (slots === undefined) accounts.set(address, (slots = new Set()))
  if (slot !== undefined) slots.add(slot)
}

export const countSlots = ({ accounts }: Reads): number => {
  let count = 0
  for (const slots of accounts.values()) count += slots.size
  return count
}
