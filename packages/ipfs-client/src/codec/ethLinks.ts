/**
 * The codecs of Ethereum: RLP, hashed with Keccak-256. A hash in a header, a trie node or an account is a link. Its
 * place determines the codec of the link.
 *
 * Source: the multicodec table, 0x90 to 0x98; the specifications of "dag-eth" in ipld/ipld.
 */
import * as Rlp from "@plumbline/codec/rlp/Rlp"
import * as Result from "effect/Result"

import * as Cid from "../cid/Cid.ts"
import { KECCAK_256 } from "../cid/Multihash.ts"
import { Exceeded, type Flaw, MAX_LINKS } from "./blockBounds.ts"

export const BLOCK = 0x90
export const STATE_TRIE = 0x96
export const STORAGE_TRIE = 0x98

const UNCLES = 0x91
const TRANSACTION_TRIE = 0x92
const TRANSACTION = 0x93
const RECEIPT_TRIE = 0x94
const RECEIPT = 0x95
const ACCOUNT = 0x97
const RAW = 0x55

type Links = Result.Result<ReadonlyArray<Cid.Cid>, Flaw>

/** A codec of Ethereum's blocks. */
export interface EthCodec {
  readonly name: string
  readonly links: (item: Rlp.Rlp) => Links
}

/**
 * Decodes RLP. Transactions and receipts of EIP-2718 are not RLP: they are a byte below 0x80 and bytes that depend on
 * their type.
 */
export const decode = (bytes: Uint8Array): Result.Result<Rlp.Rlp, Flaw> => {
  if (bytes.length > 1 && bytes[0]! < 0x80) return Result.succeed(bytes)
  return hasMoreItems(bytes, MAX_LINKS)
    ? Result.fail(new Exceeded("maxLinks"))
    : Result.mapError(Rlp.decode(bytes), ({ message }) => `not RLP: ${message}`)
}

/**
 * True if RLP has more items than this. Each item is an object that is much larger than its bytes, and each can be a
 * hash, which is a link. The items follow each other in the bytes, whatever their nesting.
 */
const hasMoreItems = (bytes: Uint8Array, most: number): boolean => {
  let items = 0
  for (let at = 0; at < bytes.length && items <= most; items++) {
    const head = bytes[at++]!
    const isList = head >= 0xc0
    let size = head < 0x80 ? 0 : head - (isList ? 0xc0 : 0x80)
    if (size > 55) {
      const width = size - 55
      size = 0
      for (let i = 0; i < width; i++) size = size * 256 + (bytes[at + i] ?? 0)
      at += width
    }
    if (!isList) at += size
  }
  return items > most
}

const link = (codec: number, hash: Rlp.Rlp | undefined): Cid.Cid | undefined =>
  hash instanceof Uint8Array && hash.length === 32 ? Cid.make(codec, KECCAK_256, hash) : undefined

/** Returns links to the hashes in these fields. Each field must hold a hash. */
const hashesAt =
  (name: string, size: (items: number) => boolean, fields: ReadonlyArray<readonly [at: number, codec: number]>) =>
  (item: Rlp.Rlp): Links => {
    if (item instanceof Uint8Array || !size(item.length)) return Result.fail(`not ${name}`)
    const found: Array<Cid.Cid> = []
    for (const [at, codec] of fields) {
      const cid = link(codec, item[at])
      if (cid === undefined) return Result.fail(`not ${name}: item ${at} is not a hash`)
      found.push(cid)
    }
    return Result.succeed(found)
  }

const header = hashesAt("an Ethereum header", (items) => items >= 15, [
  [0, BLOCK],
  [1, UNCLES],
  [3, STATE_TRIE],
  [4, TRANSACTION_TRIE],
  [5, RECEIPT_TRIE]
])

const account = hashesAt("an Ethereum account", (items) => items === 4, [
  [2, STORAGE_TRIE],
  [3, RAW]
])

const uncles = (item: Rlp.Rlp): Links => {
  if (item instanceof Uint8Array) return Result.fail("not a list of Ethereum headers")
  return Result.map(Result.all(item.map(header)), (found) => found.flat())
}

const none = (): Links => Result.succeed([])

/**
 * Returns the links of a trie node: the hashes of its children, the links of children that are embedded because they
 * are smaller than a hash, and the links that `ofValue` finds in its value.
 */
const trie =
  (codec: number, ofValue: (value: Uint8Array) => Links) =>
  (node: Rlp.Rlp): Links => {
    const found: Array<Cid.Cid> = []
    const rest = [node]
    while (rest.length > 0) {
      const next = rest.pop()!
      if (next instanceof Uint8Array) {
        // The root of an empty trie is the RLP of no bytes.
        if (next.length === 0) continue
        const cid = link(codec, next)
        if (cid === undefined) return Result.fail("not a trie node: a child is not a hash")
        found.push(cid)
      } else if (next.length === 17) rest.push(...next.slice(0, 16).toReversed())
      else if (next.length === 2 && next[0] instanceof Uint8Array && next[0].length > 0) {
        const leaf = (next[0][0]! & 0x20) !== 0
        if (!leaf) rest.push(next[1]!)
        else if (next[1] instanceof Uint8Array) {
          const value = ofValue(next[1])
          if (Result.isFailure(value)) return value
          found.push(...value.success)
        } else return Result.fail("not a trie node: a leaf's value is a list")
      } else return Result.fail("not a trie node")
    }
    return Result.succeed(found)
  }

const accountOf = (value: Uint8Array): Links => Result.flatMap(decode(value), account)

export const kinds: ReadonlyMap<number, EthCodec> = new Map([
  [BLOCK, { name: "eth-block", links: header }],
  [UNCLES, { name: "eth-block-list", links: uncles }],
  [TRANSACTION_TRIE, { name: "eth-tx-trie", links: trie(TRANSACTION_TRIE, none) }],
  [TRANSACTION, { name: "eth-tx", links: none }],
  [RECEIPT_TRIE, { name: "eth-tx-receipt-trie", links: trie(RECEIPT_TRIE, none) }],
  [RECEIPT, { name: "eth-tx-receipt", links: none }],
  [STATE_TRIE, { name: "eth-state-trie", links: trie(STATE_TRIE, accountOf) }],
  [ACCOUNT, { name: "eth-account-snapshot", links: account }],
  [STORAGE_TRIE, { name: "eth-storage-trie", links: trie(STORAGE_TRIE, none) }]
])
