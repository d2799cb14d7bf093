/** The state after each block of the history chain: accounts, code and storage, with their proofs. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Rlp from "@plumbline/codec/rlp/Rlp"
import type * as Address from "@plumbline/codec/value/Address"
import * as Quantity from "@plumbline/codec/value/Quantity"
import type * as AccountProof from "@plumbline/eth-methods/model/AccountProof"
import type * as Input from "@plumbline/eth-methods/model/Input"
import * as TrieProof from "@plumbline/merkle-trie/proof/TrieProof"
import * as Trie from "@plumbline/merkle-trie/trie/Trie"
import * as Result from "effect/Result"

import * as ArchiveItems from "./archiveItems.ts"
import type { HistoryArchive, StoredBlock } from "./historyArchive.ts"

/** An account, and the trie nodes that prove it. An absent account has empty fields. */
export interface ArchivedAccount {
  readonly nonce: bigint
  readonly balance: bigint
  readonly storageRoot: Hash32.Hash32
  readonly codeHash: Hash32.Hash32
  readonly nodes: ReadonlyArray<Uint8Array>
}

/** Returns the state of an account after a block. */
export const account = (archive: HistoryArchive, block: StoredBlock, address: Input.Address): ArchivedAccount => {
  const key = Keccak256.hash(Hex.toBytesUnsafe(address))
  const { nodes, value } = look(archive, block.header.stateRoot, key)
  if (value === undefined) {
    return { nonce: 0n, balance: 0n, storageRoot: Trie.EMPTY_ROOT, codeHash: Keccak256.EMPTY, nodes }
  }
  const [nonce, balance, storageRoot, codeHash] = ArchiveItems.list(Rlp.decodeUnsafe(value))
  return {
    nonce: Quantity.fromBytesUnsafe(ArchiveItems.bytes(nonce)),
    balance: Quantity.fromBytesUnsafe(ArchiveItems.bytes(balance)),
    storageRoot: ArchiveItems.hash(storageRoot),
    codeHash: ArchiveItems.hash(codeHash),
    nodes
  }
}

/** Returns the code of an account. */
export const code = (archive: HistoryArchive, { codeHash }: ArchivedAccount): Uint8Array => {
  if (codeHash === Keccak256.EMPTY) return NO_CODE
  const found = archive.codes()(Hash32.toBytes(codeHash))
  if (found === undefined) throw new Error(`the archive has no code ${codeHash}`)
  return found
}

/** A word of an account's storage, and the trie nodes that prove it. */
export interface ArchivedSlot {
  readonly value: bigint
  readonly nodes: ReadonlyArray<Uint8Array>
}

export const slot = (
  archive: HistoryArchive,
  { storageRoot }: ArchivedAccount,
  key: Input.StorageKey
): ArchivedSlot => {
  const { nodes, value } = look(archive, storageRoot, Keccak256.hash(Hex.toBytesUnsafe(key)))
  return {
    value: value === undefined ? 0n : Quantity.fromBytesUnsafe(ArchiveItems.bytes(Rlp.decodeUnsafe(value))),
    nodes
  }
}

/** Returns the answer of eth_getProof about an account and its slots. */
export const prove = (
  address: Input.Address,
  account: ArchivedAccount,
  storageProof: AccountProof.AccountProof["storageProof"]
): AccountProof.AccountProof => ({
  // the server has already checked the parameters
  address: address as Address.Address,
  balance: account.balance,
  codeHash: account.codeHash,
  nonce: account.nonce,
  storageHash: account.storageRoot,
  accountProof: account.nodes.map(Hex.fromBytes),
  storageProof
})

/** Returns a slot in the form of eth_getProof. */
export const proveSlot = (
  archive: HistoryArchive,
  account: ArchivedAccount,
  key: Input.StorageKey
): AccountProof.AccountProof["storageProof"][number] => {
  const { nodes, value } = slot(archive, account, key)
  return { key, value, proof: nodes.map(Hex.fromBytes) }
}

const look = (archive: HistoryArchive, root: Hash32.Hash32, key: Uint8Array) => {
  const { nodes, outcome } = Result.getOrThrow(TrieProof.make(archive.nodes(), Hash32.toBytes(root), key))
  return { nodes, value: outcome._tag === "Included" ? outcome.value : undefined }
}

const NO_CODE = new Uint8Array(0)
