/**
 * Proves an account and its slots together: hashes all nodes and keys at once, and compares them in the memory of the
 * batch.
 *
 * This module handles ordinary answers. `accountProof` proves all others step by step, or explains why they are wrong.
 */
import * as BatchHash from "@plumbline/codec/hash/BatchHash"
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as HexBatch from "@plumbline/codec/hex/HexBatch"
import * as BatchProof from "@plumbline/merkle-trie/proof/BatchProof"

import type * as AccountProof from "../model/AccountProof.ts"
import type * as StorageKey from "../model/StorageKey.ts"

/**
 * True if the account exists under the state root with the fields of the answer, and its slots have the words of the
 * answer. The answer must be about these keys, in the same order. False is not a verdict: it only means that this fast
 * check did not prove the answer.
 */
export const holds = (
  answer: AccountProof.AccountProof,
  keys: ReadonlyArray<StorageKey.StorageKey>,
  stateRoot: Hash32.Hash32
): boolean => {
  const batch = HexBatch.get()
  if (batch === undefined) return false
  // the decoder has put the texts into the batch, where they stay until it decodes another answer
  let items = load(batch, answer, keys, stateRoot)
  if (items === undefined) {
    batch.clear()
    items = load(batch, answer, keys, stateRoot)
  }
  if (items === undefined) return false
  return BatchHash.hash(batch, items.hashed) && isProven(batch, answer, items)
}

/** The texts of an answer, as items of the batch. */
interface Items {
  readonly stateRoot: number
  readonly storageHash: number
  readonly codeHash: number
  readonly nodes: ReadonlyArray<number>
  readonly slots: ReadonlyArray<ReadonlyArray<number>>
  /** The address and the keys. Their hashes are the paths in the tries. */
  readonly paths: ReadonlyArray<number>
  /** All nodes and paths. */
  readonly hashed: ReadonlyArray<number>
}

const load = (
  batch: HexBatch.HexBatch,
  answer: AccountProof.AccountProof,
  keys: ReadonlyArray<StorageKey.StorageKey>,
  stateRoot: Hash32.Hash32
): Items | undefined => {
  const nodes = batch.addAll(answer.accountProof)
  if (nodes === undefined) return undefined
  const hashed = nodes.slice()
  const slots: Array<ReadonlyArray<number>> = []
  for (const { proof } of answer.storageProof) {
    const slot = batch.addAll(proof)
    if (slot === undefined) return undefined
    slots.push(slot)
    for (let i = 0; i < slot.length; i++) hashed.push(slot[i]!)
  }
  const paths = [batch.add(answer.address)]
  for (const key of keys) paths.push(batch.add(key))
  for (const path of paths) hashed.push(path)
  const root = batch.add(stateRoot)
  const storageHash = batch.add(answer.storageHash)
  const codeHash = batch.add(answer.codeHash)
  if (root < 0 || storageHash < 0 || codeHash < 0 || paths.includes(-1)) return undefined
  return { stateRoot: root, storageHash, codeHash, nodes, slots, paths, hashed }
}

const found: BatchProof.ValuePosition = { from: 0, to: 0 }

const isProven = (
  batch: HexBatch.HexBatch,
  { nonce, balance, storageProof }: AccountProof.AccountProof,
  { codeHash, nodes, paths, slots, stateRoot, storageHash }: Items
): boolean => {
  const { memory, starts, view } = batch
  const isHash = (at: number, item: number): boolean => {
    if (memory[at] !== HASH) return false
    const start = starts[item]!
    for (let i = 0; i < 32; i += 4) if (view.getInt32(at + 1 + i) !== view.getInt32(start + i)) return false
    return true
  }
  const path = (i: number): number => starts[paths[i]!]! - 32
  if (!BatchProof.walk(batch, starts[stateRoot]!, path(0), nodes, found)) return false
  // the list [nonce, balance, storageRoot, codeHash] has 68 to 108 bytes, so its head is 0xf8 and one byte of length
  const { from, to } = found
  if (memory[from] !== 0xf8 || from + 2 + memory[from + 1]! !== to) return false
  const afterNonce = afterNumber(memory, view, from + 2, nonce)
  if (afterNonce === WRONG) return false
  const roots = afterNumber(memory, view, afterNonce, balance)
  if (roots === WRONG || roots + 66 !== to) return false
  if (!isHash(roots, storageHash) || !isHash(roots + 33, codeHash)) return false
  for (let i = 0; i < slots.length; i++) {
    if (!BatchProof.walk(batch, roots + 1, path(i + 1), slots[i]!, found)) return false
    const { value } = storageProof[i]!
    if (found.from === found.to) {
      if (value !== 0n) return false
    } else if (afterNumber(memory, view, found.from, value) !== found.to) return false
  }
  return true
}

const WRONG = -1
/** The RLP head of the empty string. `HASH` is the head of a string of 32 bytes. */
const EMPTY = 0x80
const HASH = 0xa0

/** Returns the end of the RLP string at `at` if the string is the number in its canonical form, otherwise `WRONG`. */
const afterNumber = (memory: Uint8Array, view: DataView, at: number, number: bigint): number => {
  const head = memory[at]!
  if (head < EMPTY) return head !== 0 && BigInt(head) === number ? at + 1 : WRONG
  const size = head - EMPTY
  const from = at + 1
  const to = from + size
  if (size > 32) return WRONG
  if (size === 0) return number === 0n ? to : WRONG
  const first = memory[from]!
  if (first === 0 || (size === 1 && first < EMPTY)) return WRONG
  let rest = number
  let end = to
  for (; end - from >= 8; end -= 8) {
    if (BigInt.asUintN(64, rest) !== view.getBigUint64(end - 8)) return WRONG
    rest >>= 64n
  }
  // up to 7 bytes are left: compare the last 4 and those before them with the two halves of the number
  let high = 0
  for (let i = from; i < end - 4; i++) high = high * 256 + memory[i]!
  let low = 0
  for (let i = Math.max(from, end - 4); i < end; i++) low = low * 256 + memory[i]!
  return rest >> 32n === BigInt(high) && BigInt.asUintN(32, rest) === BigInt(low) ? to : WRONG
}
