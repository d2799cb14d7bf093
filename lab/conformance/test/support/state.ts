/** Builds the trie of a state that a fixture lists account by account, and proves all of it. */
import { assert } from "@effect/vitest"
import { Address, Hash32, Hex, Keccak256, Quantity, Rlp } from "@plumbline/codec"
import { type AccountProof, type Block, StorageKey, Verify } from "@plumbline/eth-methods"
import { NodeStore, Trie, TrieProof } from "@plumbline/merkle-trie"
import type { Verdict } from "@plumbline/verdict"
import { Result } from "effect"

/** An account as fixtures write it. Numbers are hex or decimal. */
export interface Account {
  readonly balance: string
  readonly nonce?: string
  readonly code?: string
  readonly storage?: Readonly<Record<string, string>>
}

interface Kept {
  readonly address: Address.Address
  readonly account: Account
  readonly storageRoot: Uint8Array
  readonly slots: ReadonlyArray<readonly [key: Uint8Array, word: bigint]>
}

/** A state with its tries. */
export interface State {
  readonly root: Hash32.Hash32
  readonly accounts: ReadonlyArray<Kept>
  readonly store: NodeStore.NodeStore
}

const prefixed = (text: string): string => (text.startsWith("0x") ? text : `0x${text}`)
const codeOf = ({ code = "0x" }: Account): Hex.Hex =>
  code === "" ? "0x" : Hex.fromBytes(Hex.toBytesUnsafe(prefixed(code)))

/** Makes the state of these accounts. */
export const make = (alloc: Readonly<Record<string, Account>>): State => {
  const nodes: Array<Uint8Array> = []
  const trieOf = (entries: Trie.TrieEntries): Uint8Array => {
    const trie = Result.getOrThrow(Trie.nodesOfMap(entries))
    nodes.push(...trie.nodes)
    return trie.root
  }
  const accounts = Object.entries(alloc).map(([address, account]): Kept => {
    const slots = Object.entries(account.storage ?? {})
      .map(
        ([key, word]) => [Hash32.toBytes(StorageKey.fromSlot(BigInt(prefixed(key)))), BigInt(prefixed(word))] as const
      )
      .filter(([, word]) => word !== 0n)
    const storageRoot = trieOf(
      slots.map(([key, word]) => [Keccak256.hash(key), Rlp.encode(Quantity.toBytes(word))] as const)
    )
    return { address: Address.fromHexUnsafe(prefixed(address)), account, storageRoot, slots }
  })
  const root = trieOf(accounts.map((kept) => [Keccak256.hash(Address.toBytes(kept.address)), leafOf(kept)] as const))
  return { root: Hash32.fromBytesUnsafe(root), accounts, store: NodeStore.make(nodes) }
}

const leafOf = ({ account, storageRoot }: Kept): Uint8Array =>
  Rlp.encode([
    Quantity.toBytes(BigInt(account.nonce ?? "0x0")),
    Quantity.toBytes(BigInt(account.balance)),
    storageRoot,
    Keccak256.hash(Hex.toBytesUnsafe(codeOf(account)))
  ])

/** Proves each account, all its slots, one absent slot, and its code. Returns the number of accounts. */
export const proveAll = ({ accounts, root, store }: State, block: Verdict.Verified<Block.Block>): number => {
  const rootBytes = Hash32.toBytes(root)
  for (const { account, address, slots, storageRoot } of accounts) {
    const keys = [...slots.map(([key]) => Hash32.fromBytesUnsafe(key)), NEVER]
    const made = Result.getOrThrow(TrieProof.make(store, rootBytes, Keccak256.hash(Address.toBytes(address))))
    const answer: AccountProof.AccountProof = {
      address,
      balance: BigInt(account.balance),
      nonce: BigInt(account.nonce ?? "0x0"),
      codeHash: Keccak256.hashHex(Hex.toBytesUnsafe(codeOf(account))),
      storageHash: Hash32.fromBytesUnsafe(storageRoot),
      accountProof: made.nodes.map(Hex.fromBytes),
      storageProof: keys.map((key, i) => ({
        key,
        value: slots[i]?.[1] ?? 0n,
        proof: Result.getOrThrow(TrieProof.make(store, storageRoot, Keccak256.hash(Hash32.toBytes(key)))).nodes.map(
          Hex.fromBytes
        )
      }))
    }
    const proven = Result.getOrThrow(Verify.account(answer, { address, storageKeys: keys }, block))
    Result.getOrThrow(Verify.code(codeOf(account), proven))
    // the same proof does not prove another balance
    const other = { ...answer, balance: answer.balance + 1n }
    assert.isTrue(Result.isFailure(Verify.account(other, { address, storageKeys: keys }, block)))
  }
  return accounts.length
}

/** A slot that no contract of the fixtures has set. */
const NEVER = StorageKey.fromSlot(2n ** 255n + 977n)
