/** Reads the state after a bundle's block: the accounts, slots and code that the bundle has, each with its proof. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Rlp from "@plumbline/codec/rlp/Rlp"
import * as Address from "@plumbline/codec/value/Address"
import * as Quantity from "@plumbline/codec/value/Quantity"
import type * as AccountProof from "@plumbline/eth-methods/model/AccountProof"
import type * as Input from "@plumbline/eth-methods/model/Input"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as TrieProof from "@plumbline/merkle-trie/proof/TrieProof"
import * as Trie from "@plumbline/merkle-trie/trie/Trie"
import * as Result from "effect/Result"

import * as BundleCodecs from "../bundle/bundleCodecs.ts"
import type { ProofBundle } from "../bundle/ProofBundle.ts"
import { NotInBundleError } from "./NotInBundleError.ts"

/** A value, or the error for a missing trie node on the path to the value. A missing node is never read as zero. */
export type BundleRead<A> = Result.Result<A, NotInBundleError>

/** An account, and the trie nodes that prove it. An absent account has empty fields. */
export interface BundleAccount {
  readonly nonce: bigint
  readonly balance: bigint
  readonly storageRoot: Hash32.Hash32
  readonly codeHash: Hash32.Hash32
  readonly nodes: ReadonlyArray<Uint8Array>
}

export const account = (bundle: ProofBundle, address: Input.Address): BundleRead<BundleAccount> => {
  if (!Address.isAddress(address)) {
    return Result.fail(
      new NotInBundleError({ wanted: "account", missing: "account of that name: an address has 20 bytes" })
    )
  }
  const key = Keccak256.hash(Address.toBytes(address))
  const wanted = `account ${address}`
  return Result.flatMap(
    find(bundle, BundleCodecs.STATE_TRIE, bundle.header.stateRoot, key, wanted),
    ({ nodes, value }) => {
      if (value === undefined) {
        return Result.succeed({
          nonce: 0n,
          balance: 0n,
          storageRoot: Trie.EMPTY_ROOT,
          codeHash: Keccak256.EMPTY,
          nodes
        })
      }
      const [nonce, balance, storageRoot, codeHash] = itemsOf(value)
      return storageRoot?.length !== 32 || codeHash?.length !== 32
        ? Result.fail(new NotInBundleError({ wanted, missing: "account in the leaf that is there" }))
        : Result.succeed({
            nonce: integer(nonce),
            balance: integer(balance),
            storageRoot: Hash32.fromBytesUnsafe(storageRoot),
            codeHash: Hash32.fromBytesUnsafe(codeHash),
            nodes
          })
    }
  )
}

/** A word of an account's storage, and the trie nodes that prove it. */
export interface BundleSlot {
  readonly value: bigint
  readonly nodes: ReadonlyArray<Uint8Array>
}

export const slot = (
  bundle: ProofBundle,
  address: Input.Address,
  { storageRoot }: BundleAccount,
  key: Input.StorageKey
): BundleRead<BundleSlot> =>
  Result.map(
    find(
      bundle,
      BundleCodecs.STORAGE_TRIE,
      storageRoot,
      Keccak256.hash(Hex.toBytesUnsafe(key)),
      `slot ${key} of account ${address}`
    ),
    ({ nodes, value }) => ({ value: value === undefined ? 0n : integer(decode(value)), nodes })
  )

/** Returns the answer of eth_getProof. */
export const prove = (
  bundle: ProofBundle,
  address: Input.Address,
  keys: ReadonlyArray<Input.StorageKey>
): BundleRead<AccountProof.AccountProof> =>
  Result.flatMap(account(bundle, address), (found) =>
    Result.map(
      Result.all(keys.map((key) => Result.map(slot(bundle, address, found, key), (word) => ({ key, ...word })))),
      (words) => ({
        // this text is an address, because the account was found by it
        address: address as Address.Address,
        balance: found.balance,
        codeHash: found.codeHash,
        nonce: found.nonce,
        storageHash: found.storageRoot,
        accountProof: found.nodes.map(Hex.fromBytes),
        storageProof: words.map(({ key, nodes, value }) => ({ key, value, proof: nodes.map(Hex.fromBytes) }))
      })
    )
  )

/** Returns the code of an account. */
export const code = (bundle: ProofBundle, address: Input.Address): BundleRead<Hex.Hex> =>
  Result.flatMap(account(bundle, address), ({ codeHash }) => {
    if (codeHash === Keccak256.EMPTY) return Result.succeed("0x")
    const bytes = bundle.nodes(Hash32.toBytes(codeHash))
    return bytes === undefined
      ? Result.fail(
          new NotInBundleError({
            wanted: `the code of account ${address}`,
            missing: nameOf(BundleCodecs.RAW, codeHash)
          })
        )
      : Result.succeed(Hex.fromBytes(bytes))
  })

/**
 * Maximum number of items of a list. An item costs 21,000 gas at least, so no block has that many. In a trie that is
 * made for it, a dozen nodes hold millions of items, because equal nodes are one block.
 */
const MAX_ITEMS = 65_536

/**
 * Returns the items of a block from their trie, which holds them under rlp(0), rlp(1) and so on. Returns none for the
 * empty root.
 */
export const list = (
  bundle: ProofBundle,
  codec: number,
  root: Hash32.Hash32,
  wanted: string
): BundleRead<ReadonlyArray<Uint8Array>> => {
  const items: Array<Uint8Array> = []
  for (;;) {
    const next = find(bundle, codec, root, Rlp.encode(Quantity.toBytes(BigInt(items.length))), wanted)
    if (Result.isFailure(next)) return Result.fail(next.failure)
    // a list has no holes, so it ends before the first item that is proven absent
    if (next.success.value === undefined) return Result.succeed(items)
    if (items.length === MAX_ITEMS) {
      return Result.fail(new NotInBundleError({ wanted, missing: `list of at most ${MAX_ITEMS} of them` }))
    }
    items.push(next.success.value)
  }
}

/** Returns the name of a missing block. */
export const nameOf = (codec: number, hash: Hash32.Hash32): string =>
  `${BundleCodecs.names.get(codec)} ${Cid.toText(BundleCodecs.cidOf(codec, Hash32.toBytes(hash)))}`

const find = (
  { nodes }: ProofBundle,
  codec: number,
  root: Hash32.Hash32,
  key: Uint8Array,
  wanted: string
): BundleRead<{ readonly nodes: ReadonlyArray<Uint8Array>; readonly value: Uint8Array | undefined }> => {
  const made = TrieProof.make(nodes, Hash32.toBytes(root), key)
  if (Result.isFailure(made)) {
    const missing =
      made.failure._tag === "NotInStore"
        ? nameOf(codec, Hash32.fromHexUnsafe(made.failure.hash))
        : `canonical trie node there: ${made.failure.detail}`
    return Result.fail(new NotInBundleError({ wanted, missing }))
  }
  const { nodes: way, outcome } = made.success
  return Result.succeed({ nodes: way, value: outcome._tag === "Included" ? outcome.value : undefined })
}

/** Decodes the RLP in a leaf of a chain's trie. If it is invalid, the verifier that reads the proof reports it. */
const decode = (bytes: Uint8Array): Uint8Array | undefined => {
  const item = Rlp.decode(bytes)
  return Result.isSuccess(item) && item.success instanceof Uint8Array ? item.success : undefined
}

const itemsOf = (leaf: Uint8Array): ReadonlyArray<Uint8Array | undefined> => {
  const item = Rlp.decode(leaf)
  return Result.isFailure(item) || item.success instanceof Uint8Array
    ? []
    : item.success.map((field) => (field instanceof Uint8Array ? field : undefined))
}

const integer = (bytes: Uint8Array | undefined): bigint =>
  bytes === undefined || bytes.length === 0 ? 0n : BigInt(Hex.fromBytes(bytes))
