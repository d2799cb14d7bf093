/** Builds a bundle from blocks. Each block must be linked from the root, and occurs once, in the order of the links. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Address from "@plumbline/codec/value/Address"
import type * as EthBlock from "@plumbline/eth-methods/model/Block"
import * as BlockRlp from "@plumbline/eth-methods/rlp/BlockRlp"
import type * as NodeStore from "@plumbline/merkle-trie/proof/NodeStore"
import * as Result from "effect/Result"

import { BlockTable, type BlockTableEntry, type HashedBlock } from "./blockTable.ts"
import * as BundleAccounts from "./bundleAccounts.ts"
import type { BundleCall } from "./BundleCall.ts"
import * as BundleCodecs from "./bundleCodecs.ts"
import { BundleError } from "./BundleError.ts"
import * as BundleLinks from "./bundleLinks.ts"
import * as CallBlock from "./callBlock.ts"
import * as WordNames from "./wordNames.ts"

/** The parts of a bundle. */
export interface AssembledBundle {
  readonly header: EthBlock.Header
  /** The blocks in the order of the bundle. */
  readonly placed: ReadonlyArray<HashedBlock>
  readonly nodes: NodeStore.NodeStore
  readonly accounts: ReadonlyArray<Address.Address>
  readonly preimages: ReadonlyArray<Uint8Array>
  readonly ancestors: ReadonlyArray<EthBlock.Header>
  readonly call: BundleCall | undefined
}

/** Maximum number of older headers. Code can read the hashes of as many blocks. */
export const MAX_ANCESTORS = 256

/**
 * Places the blocks. Fails if a block occurs twice, if nothing links to a block, or if a block does not fit its codec.
 *
 * The order is that of a depth-first walk from the root along the links of each block, so it depends only on the set of
 * blocks. Links to missing blocks are skipped, because a bundle has only a part of the chain's data. In a bundle with a
 * call, headers of older blocks follow, from parent to parent. Then come the addresses of accounts, and then the names of
 * mappings' entries, each in the order of their hashes. A call is last.
 */
export const assemble = (
  root: Uint8Array,
  hashed: ReadonlyArray<HashedBlock>
): Result.Result<AssembledBundle, BundleError> => {
  const table = new BlockTable()
  for (const block of hashed) {
    if (!table.add(block)) return fail("Duplicate", block, `${nameOf(block)} ${Hex.fromBytes(block.hash)} comes twice`)
  }
  const first = table.find(root, BundleCodecs.BLOCK)
  if (first === undefined) return fail("NoRoot", { offset: 0 }, "the block that it is of is not in it")
  const header = BlockRlp.decodeHeader(first.block.bytes)
  if (Result.isFailure(header)) return fail("Malformed", first.block, `not a header: ${header.failure.message}`)

  const placed: Array<HashedBlock> = []
  const place = (entry: BlockTableEntry): void => {
    entry.isPlaced = true
    placed.push(entry.block)
  }
  const ways: Array<BundleLinks.BundleLink> = [{ codec: BundleCodecs.BLOCK, hash: root }]
  for (let way = ways.pop(); way !== undefined; way = ways.pop()) {
    const found = table.find(way.hash, way.codec)
    if (found === undefined || found.isPlaced) continue
    const links = BundleLinks.linksOf(way.codec, found.block.bytes)
    if (links === undefined) return fail("Malformed", found.block, `not a ${nameOf(found.block)}`)
    place(found)
    for (let i = links.length - 1; i >= 0; i--) ways.push(links[i]!)
  }
  // a trie that proves an absence gives a name to any bytes, so a call is found before the names
  const calls = looseOf(hashed, table).flatMap((block) => {
    const call = CallBlock.decode(Hash32.fromBytesUnsafe(root), block.bytes)
    return call === undefined ? [] : [{ block, call }]
  })
  if (calls.length > 1) return fail("Duplicate", calls[1]!.block, "it keeps two calls")
  const [kept] = calls
  const ancestors: Array<EthBlock.Header> = []
  const most = kept === undefined ? 0 : MAX_ANCESTORS
  for (let child = first.block; ancestors.length < most;) {
    const parent = table.find(BundleLinks.parentOf(child.bytes)!, BundleCodecs.BLOCK)
    if (parent === undefined) break
    const older = BlockRlp.decodeHeader(parent.block.bytes)
    if (Result.isFailure(older)) return fail("Malformed", parent.block, `not a header: ${older.failure.message}`)
    ancestors.push(older.success)
    place(parent)
    child = parent.block
  }
  const nodes: NodeStore.NodeStore = (hash) => table.find(hash)?.block.bytes
  const accounts: Array<Address.Address> = []
  const { stateRoot } = header.success
  const named = BundleAccounts.among(hashed, stateRoot, nodes)
  for (const { bytes, hash } of named) {
    accounts.push(Address.fromBytesUnsafe(bytes))
    const entry = table.find(hash, BundleCodecs.RAW)!
    // if a contract's code equals the bytes of an address, both are one block, which already has its place
    if (!entry.isPlaced) place(entry)
  }
  const preimages: Array<Uint8Array> = []
  if (placed.length < hashed.length) {
    const loose = looseOf(hashed, table).filter((block) => block !== kept?.block)
    const hashes = named.map(({ hash }) => hash)
    const names = WordNames.among(loose, BundleAccounts.storageRootsOf(hashes, stateRoot, nodes), nodes)
    if (names === undefined) {
      return fail("TooLarge", loose[0]!, `${loose.length} blocks may name words of too many accounts`)
    }
    for (const { bytes, hash } of names) {
      preimages.push(bytes)
      place(table.find(hash, BundleCodecs.RAW)!)
    }
    if (kept !== undefined) place(table.find(kept.block.hash, BundleCodecs.RAW)!)
  }
  if (placed.length < hashed.length) {
    const stray = hashed.find(({ codec, hash }) => !table.find(hash, codec)!.isPlaced)!
    return fail("Unreached", stray, `nothing in it links to the ${nameOf(stray)} ${Hex.fromBytes(stray.hash)}`)
  }
  return Result.succeed({ header: header.success, placed, nodes, accounts, preimages, ancestors, call: kept?.call })
}

/** Returns the raw blocks that have no place yet. */
const looseOf = (hashed: ReadonlyArray<HashedBlock>, table: BlockTable): ReadonlyArray<HashedBlock> =>
  hashed.filter(({ codec, hash }) => codec === BundleCodecs.RAW && !table.find(hash, codec)!.isPlaced)

const nameOf = ({ codec }: HashedBlock): string => BundleCodecs.names.get(codec) ?? "block"

const fail = (
  reason: BundleError["reason"],
  { offset }: Pick<HashedBlock, "offset">,
  detail: string
): Result.Result<never, BundleError> => Result.fail(new BundleError({ reason, offset, detail }))
