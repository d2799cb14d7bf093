/**
 * Proofs of one block, kept in a file: a CAR whose root CID is the block's own hash.
 *
 * Its blocks are the chain's data in its original encoding: the header, nodes of the state's and the storage's tries,
 * code, and if wanted the transactions, the receipts, the uncles and the block access list, each under the CID that IPLD gives it. One check
 * therefore proves that the bytes match their CID and that the Merkle proof is valid, so a reader that knows the hash
 * of the block can trust the bundle.
 *
 * The same contents always give the same file. First come the blocks, each once, in the order of a depth-first walk
 * from the root along each block's links, and headers of older blocks. Then come the addresses of the accounts, and
 * then the names of mappings' entries, each in the order of their hashes. A call is last. Caller, time and order of
 * requests make no difference.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Hex from "@plumbline/codec/hex/Hex"
import type * as Address from "@plumbline/codec/value/Address"
import type * as EthBlock from "@plumbline/eth-methods/model/Block"
import type * as BlockParameter from "@plumbline/eth-methods/model/BlockParameter"
import { NoBlockError } from "@plumbline/eth-methods/model/NoBlockError"
import * as EthEvidence from "@plumbline/eth-methods/proof/EthEvidence"
import * as VerdictEthClient from "@plumbline/eth-methods/verified/VerdictEthClient"
import * as Block from "@plumbline/ipfs-client/block/Block"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import type * as NodeStore from "@plumbline/merkle-trie/proof/NodeStore"
import * as Proven from "@plumbline/verdict/prove/Proven"
import { RefutedError } from "@plumbline/verdict/RefutedError"
import { UnprovenError } from "@plumbline/verdict/UnprovenError"
import * as Verdict from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import * as Assemble from "./assemble.ts"
import * as BundleAccounts from "./bundleAccounts.ts"
import type { BundleCall } from "./BundleCall.ts"
import * as BundleCodecs from "./bundleCodecs.ts"
import { BundleError } from "./BundleError.ts"
import * as BundleEvidence from "./BundleEvidence.ts"
import * as CarBytes from "./carBytes.ts"
import * as Collect from "./collect.ts"
import type { WantedContents } from "./wantedContents.ts"
import * as WordNames from "./wordNames.ts"

export { BundleError } from "./BundleError.ts"
export type { WantedContents, WantedAccount, WantedCall, WantedContract } from "./wantedContents.ts"

/** Proofs of one block. All of them were checked from the hash of the block down. */
export interface ProofBundle {
  /** The hash of the block, in lower case. A reader has to trust only this hash. */
  readonly blockHash: Hash32.Hash32
  /** The block's hash as a CID. */
  readonly root: Cid.Cid
  readonly header: EthBlock.Header
  /** The blocks of the CAR in order, the header first. */
  readonly blocks: ReadonlyArray<Block.Block>
  /** Addresses of the accounts that exist. The bundle holds the addresses, because the trie has only their hashes. */
  readonly accounts: ReadonlyArray<Address.Address>
  /**
   * The names of the mapping entries in the bundle. A name is one of three: the bytes that a contract hashes to the
   * slot of an entry (in Solidity, the key and the mapping's slot); a slot number in 32 bytes; or a text that is a key
   * in Vyper. `ProvenStorage.find` reads the names.
   */
  readonly preimages: ReadonlyArray<Uint8Array>
  /** Headers of older blocks, from parent to parent, for calls that read the hashes of these blocks. */
  readonly ancestors: ReadonlyArray<EthBlock.Header>
  /** The call that the bundle keeps. `CallReplay` runs it. */
  readonly call: BundleCall | undefined
  /** Finds the bytes of a block by its hash, in the form that `TrieProof.make` needs for trie nodes. */
  readonly nodes: NodeStore.NodeStore
}

/**
 * Makes a bundle from a node's proofs. Every proof is verified under the hash of the block before it is added.
 *
 * A number or a tag is resolved to a hash first. The verdict is about that hash: VERIFIED if the caller gave the hash
 * or a trusted block proves it, CLAIMED if only the node says that the number or tag means this block. The bundle
 * proves the same in both cases. Give the reader the file (`encode`) and the hash, which is `verdict.value.blockHash`.
 *
 * Fails with `UnprovenError` if the node gives no proof or the header has fields of a later fork, with `NoBlockError` if
 * the node does not know the block, and with the errors of reading.
 *
 * ```ts import.meta.vitest
 * import { Hash32 } from "@plumbline/codec"
 * import { TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
 * import { Transport } from "@plumbline/jsonrpc-core"
 * import { ProofBundle } from "@plumbline/proof-bundle"
 * import { Effect, Layer } from "effect"
 *
 * const node = Layer.succeed(Transport.Transport, {
 *   call: () => Effect.succeed(null),
 *   callAll: () => Effect.succeed([])
 * })
 * const eth = VerdictEthClient.layer().pipe(Layer.provide([node, TrustedBlock.layerNone()]))
 * const making = ProofBundle.make({ block: Hash32.ZERO, accounts: [] }).pipe(Effect.provide(eth))
 * const failed = await Effect.runPromise(Effect.flip(making))
 * failed.message // => "the node knows no such block"
 * ```
 */
export const make: (
  wanted: WantedContents
) => Effect.Effect<Verdict.Verdict<ProofBundle>, MakeFailure, VerdictEthClient.VerdictEthClient> = Effect.fnUntraced(
  function* (wanted) {
    const eth = yield* VerdictEthClient.VerdictEthClient
    const { block: asked = "latest" } = wanted
    const named = typeof asked === "object" ? ("blockHash" in asked ? asked.blockHash : asked.blockNumber) : asked
    const verdict: Verdict.Verdict<EthBlock.WithHashes | null> = yield* Hash32.isHash32(named)
      ? eth.getBlockByHash(named)
      : eth.getBlockByNumber(named as BlockParameter.NumberOrTag)
    const { value: block } = verdict
    if (block === null) return yield* new NoBlockError({ reason: "Unknown" })
    // some nodes give the pending block a hash, but no block will have that hash
    if (block.hash === null || named === "pending") return yield* new NoBlockError({ reason: "Pending" })
    // a header that gives no hash here may be of another chain or a later fork: the claims say why
    if (verdict._tag === "CLAIMED" && !verdict.proven.some(EthEvidence.HeaderHash.is))
      return yield* new UnprovenError({ subject: "eth_getBlockByHash", claims: verdict.claimed })
    const hash = Hash32.fromBytesUnsafe(Hash32.toBytes(block.hash))
    const { addresses, blocks, names } = yield* Collect.collect(eth, block, hash, wanted)
    const unnamed = yield* Effect.fromResult(fromBlocks(hash, blocks))
    const accounts = BundleAccounts.named(addresses, unnamed.header.stateRoot, unnamed.nodes)
    const bundle = yield* Effect.fromResult(
      fromBlocks(hash, [...blocks, ...accounts, ...thatHang(unnamed, accounts, names)])
    )
    const proven = [BundleEvidence.BundleBlocks({ block: hash, count: bundle.blocks.length })]
    // a claim about a field of the block does not concern the bundle, which contains only hashed data
    const claimed = verdict.claimed.filter(({ about }) => about !== "Field")
    return Verdict.match(verdict, {
      onVerified: ({ anchor }) => Proven.make({ value: bundle, anchor, proven, claimed }),
      onClaimed: ({ anchor }) => Verdict.claimAll(bundle, claimed, proven, anchor)
    })
  }
)

/** Drops the names of entries in accounts that do not exist, because such entries are in no storage. */
const thatHang = (
  { header, nodes }: ProofBundle,
  accounts: ReadonlyArray<Block.Block>,
  names: ReadonlyArray<Block.Block>
): ReadonlyArray<Block.Block> => {
  const hashOf = ({ cid }: Block.Block): Uint8Array => cid.multihash.digest
  const candidates = names.map((block) => ({ block, bytes: block.bytes, hash: hashOf(block) }))
  const roots = BundleAccounts.storageRootsOf(accounts.map(hashOf), header.stateRoot, nodes)
  return WordNames.among(candidates, roots, nodes)?.map(({ block }) => block) ?? []
}

/** The errors of making a bundle. */
export type MakeFailure = Collect.CollectFailure | BundleError

/** The limits of reading a bundle. */
export interface BundleLimits {
  /** Maximum number of bytes of a file. Default: 64 MiB. */
  readonly maxBytes?: number | undefined
  /** Maximum number of blocks. Default: 32,768. */
  readonly maxBlocks?: number | undefined
}

/** The default limits. */
export const defaults: { readonly maxBytes: number; readonly maxBlocks: number } = {
  maxBytes: 64 * 1024 * 1024,
  maxBlocks: 32_768
}

/**
 * Reads a bundle of the block with a trusted hash. Needs only the bytes.
 *
 * Blocks may come in any order. Each must hash to its CID, and something in the bundle must link to it: a block that
 * the trusted hash does not prove is an error, and is not skipped. The bytes are copied, so later changes to the array
 * have no effect.
 *
 * Fails with `RefutedError` if the root is another block (`root CID`) or if a block does not hash to its CID
 * (`block <codec>`), and with `BundleError` if the bytes are not a bundle.
 *
 * ```ts import.meta.vitest
 * import { Hash32 } from "@plumbline/codec"
 * import { ProofBundle } from "@plumbline/proof-bundle"
 * import { Result } from "effect"
 *
 * const opened = ProofBundle.open(new TextEncoder().encode("no bundle"), Hash32.ZERO)
 * Result.isFailure(opened) && opened.failure._tag // => "BundleError"
 * ```
 */
export const open = (
  file: Uint8Array,
  trusted: Hash32.Hash32,
  limits: BundleLimits = {}
): Result.Result<ProofBundle, BundleError | RefutedError> => {
  const { maxBlocks = defaults.maxBlocks, maxBytes = defaults.maxBytes } = limits
  if (file.length > maxBytes) {
    const detail = `it has ${file.length} bytes, more than ${maxBytes}`
    return Result.fail(new BundleError({ reason: "TooLarge", offset: maxBytes, detail }))
  }
  const said = CarBytes.rootOf(file)
  if (Result.isFailure(said)) return Result.fail(said.failure)
  const root = Hash32.toBytes(trusted)
  if (!Bytes.equals(said.success, root)) {
    const [expected, got] = [root, said.success].map((hash) => Cid.toText(BundleCodecs.cidOf(BundleCodecs.BLOCK, hash)))
    return Result.fail(new RefutedError({ check: "root CID", expected: expected!, got: got! }))
  }
  const own = file.slice()
  return Result.flatMap(CarBytes.sections(own, { maxBlockSize: Block.defaults.maxBlockSize, maxBlocks }), (sections) =>
    build(root, sections)
  )
}

/**
 * The header of a file names a block. Returns the hash of this block, to pass to `open`. The hash is only a claim of
 * the file.
 *
 * Fails with `BundleError`.
 */
export const claimedBlock = (file: Uint8Array): Result.Result<Hash32.Hash32, BundleError> =>
  Result.map(CarBytes.rootOf(file), Hash32.fromBytesUnsafe)

/** Returns the file of a bundle, a CAR of version 1. The same bundle gives the same bytes. */
export const encode = ({ blocks, root }: ProofBundle): Uint8Array<ArrayBuffer> => CarBytes.write(root, blocks)

/**
 * Makes a bundle from blocks whose hashes are not checked yet, such as those from an IPFS node.
 *
 * Blocks that occur twice count once. Fails as `open` does.
 */
export const fromBlocks = (
  trusted: Hash32.Hash32,
  blocks: Iterable<Block.Block>
): Result.Result<ProofBundle, BundleError | RefutedError> => {
  const unique = new Map(Array.from(blocks, (block) => [block.cid.toString(), block]))
  const sections = Array.from(unique.values(), ({ bytes, cid }) => ({
    codec: cid.code,
    hash: cid.multihash.digest,
    bytes,
    offset: 0
  }))
  return build(Hash32.toBytes(trusted), sections)
}

/** The blocks of one codec: their number, and their bytes. */
export interface BundlePart {
  /** The codec's name, such as `eth-state-trie`. */
  readonly codec: string
  readonly blocks: number
  readonly bytes: number
}

/** Returns the parts of a bundle, codec by codec, in the order in which they occur. */
export const parts = ({ blocks }: ProofBundle): ReadonlyArray<BundlePart> => {
  const found = new Map<string, BundlePart>()
  for (const { bytes, cid } of blocks) {
    const codec = Block.codecs.get(cid.code)!
    const before = found.get(codec) ?? { codec, blocks: 0, bytes: 0 }
    found.set(codec, { codec, blocks: before.blocks + 1, bytes: before.bytes + bytes.length })
  }
  return [...found.values()]
}

/**
 * Makes a bundle whose CIDs are computed on first use. A reader of variables needs no CIDs, and computing fifty CIDs
 * takes as long as all other work.
 */
const bundleOf = (
  blockHash: Hash32.Hash32,
  { accounts, ancestors, call, header, nodes, placed, preimages }: Assemble.AssembledBundle
): ProofBundle => {
  let blocks: ReadonlyArray<Block.Block> | undefined
  return {
    blockHash,
    root: BundleCodecs.cidOf(BundleCodecs.BLOCK, Hash32.toBytes(blockHash)),
    header,
    get blocks() {
      blocks ??= placed.map(({ bytes, codec, hash }) => ({ cid: BundleCodecs.cidOf(codec, hash), bytes }))
      return blocks
    },
    accounts,
    preimages,
    ancestors,
    call,
    nodes
  }
}

/** Hashes the blocks and builds the bundle; `root` is the hash of the block. */
const build = (
  root: Uint8Array,
  sections: ReadonlyArray<CarBytes.CarSection>
): Result.Result<ProofBundle, BundleError | RefutedError> =>
  checked(sections).pipe(
    Result.flatMap((hashed) => Assemble.assemble(root, hashed)),
    Result.map((assembled) => bundleOf(Hash32.fromBytesUnsafe(root), assembled))
  )

/** Hashes all blocks in one call. */
const checked = (
  sections: ReadonlyArray<CarBytes.CarSection>
): Result.Result<ReadonlyArray<CarBytes.CarSection>, RefutedError> => {
  const hashes = Keccak256.hashMany(sections.map(({ bytes }) => bytes))
  const wrong = sections.findIndex(({ hash }, i) => !Bytes.equals(hash, hashes[i]!))
  if (wrong < 0) return Result.succeed(sections)
  const { codec, hash } = sections[wrong]!
  return Result.fail(
    new RefutedError({
      check: `block ${Block.codecs.get(codec)}`,
      expected: Hex.fromBytes(hash),
      got: Hex.fromBytes(hashes[wrong]!)
    })
  )
}
