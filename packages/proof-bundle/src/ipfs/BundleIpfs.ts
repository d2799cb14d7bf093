/**
 * Publishes, pins and fetches bundles on IPFS. Fetching is safe even from a dishonest node.
 *
 * A node stores blocks by their hashes, so each block is available under its CID with Ethereum's codec. The pin is on a
 * list of the blocks. The list is a block of dag-cbor, so that every node can follow its links. Most nodes do not know
 * Ethereum's codecs, and cannot pin blocks with these codecs. docs/decisions/bundles.md has the reasons.
 *
 * | CID | names |
 * | --- | --- |
 * | of the block (`eth-block`) | the block of the chain: everything that a node has below it, from any number of
 * bundles |
 * | of the list (`dag-cbor`) | this bundle: exactly these blocks |
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Block from "@plumbline/ipfs-client/block/Block"
import * as BlockSource from "@plumbline/ipfs-client/block/BlockSource"
import * as Car from "@plumbline/ipfs-client/car/Car"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as Multihash from "@plumbline/ipfs-client/cid/Multihash"
import * as IpfsClient from "@plumbline/ipfs-client/client/IpfsClient"
import { RefutedError } from "@plumbline/verdict/RefutedError"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import * as BundleAccounts from "../bundle/bundleAccounts.ts"
import * as BundleCodecs from "../bundle/bundleCodecs.ts"
import { BundleError } from "../bundle/BundleError.ts"
import * as BundleLinks from "../bundle/bundleLinks.ts"
import * as ProofBundle from "../bundle/ProofBundle.ts"
import * as Manifest from "./manifest.ts"
import { PublishError } from "./PublishError.ts"

export { PublishError } from "./PublishError.ts"

/** The CIDs of a published bundle. */
export interface Published {
  /** The CID of the block. Its digest is the block's hash. */
  readonly root: Cid.Cid
  /** The CID of the list of the bundle's blocks. This list is pinned. */
  readonly list: Cid.Cid
  /** Number of blocks, including the list; `bytes` is their total size. */
  readonly blocks: number
  readonly bytes: number
}

/** Returns the list of a bundle's blocks. Its CID is known before anything is published. */
export const listOf = ({ blocks }: ProofBundle.ProofBundle): Block.Block => Manifest.make(blocks)

/**
 * Stores a bundle on a node, and pins it: as one CAR by dag/import, or block by block on nodes without that command.
 *
 * Publishing again changes nothing. Fails with `PublishError` if the node says that it could not pin, and with the
 * errors of the client. That the node keeps the bundle is not proven; a later fetch shows if it does.
 */
export const publish = (
  bundle: ProofBundle.ProofBundle
): Effect.Effect<Published, PublishError | IpfsClient.ReadFailure, IpfsClient.IpfsClient> =>
  IpfsClient.IpfsClient.use((ipfs) => {
    const list = listOf(bundle)
    const blocks = [list, ...bundle.blocks.map(Manifest.rawOf)]
    const published: Published = {
      root: bundle.root,
      list: list.cid,
      blocks: blocks.length,
      bytes: blocks.reduce((sum, { bytes }) => sum + bytes.length, 0)
    }
    return importing(ipfs, list, blocks).pipe(
      Effect.catchTag("IpfsError", (error) =>
        LACKING.has(error.reason._tag) ? putting(ipfs, list, blocks) : Effect.fail(error)
      ),
      Effect.as(published)
    )
  })

/**
 * A CID can claim to name the bundle of a block. Returns the hash of that block, to pass to `fetch`. This proves
 * nothing about the block.
 *
 * The CID of a block contains that hash. The CID of a list names a block of dag-cbor, which is fetched and checked
 * against the CID.
 *
 * Fails with `RefutedError` if the node sends other bytes (`block hash`), with `BundleError` if the CID is of another kind,
 * and with the errors of the client.
 *
 * ```ts import.meta.vitest
 * import { Cid, IpfsClient } from "@plumbline/ipfs-client"
 * import { BundleIpfs } from "@plumbline/proof-bundle"
 * import { Effect } from "effect"
 *
 * const cid = Cid.fromTextUnsafe("bagiacgza2tswoqhyo2xprqaqxbvebvpvm5c2cggqsbvdjzu25sga3molr6rq")
 * const service = IpfsClient.layerFetch({ url: "https://ipfs.example" })
 * const claimed = BundleIpfs.claimedBlock(cid).pipe(Effect.provide(service))
 * // nothing is asked: the hash is in the CID
 * await Effect.runPromise(claimed) // => "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3"
 * ```
 */
export const claimedBlock = Effect.fnUntraced(function* (
  cid: Cid.Cid
): Effect.fn.Return<Hash32.Hash32, BundleError | IpfsClient.CheckFailure, IpfsClient.IpfsClient> {
  const { code, digest } = cid.multihash
  if (cid.code === BundleCodecs.BLOCK && code === Multihash.KECCAK_256) return Hash32.fromBytesUnsafe(digest)
  if (cid.code !== Block.DAG_CBOR) return yield* notAList
  const ipfs = yield* IpfsClient.IpfsClient
  const list = yield* BlockSource.get((asked: Cid.Cid) => ipfs.blockGet(asked, { offline: true }), cid)
  const [first] = Manifest.hashesOf(list) ?? []
  return first === undefined ? yield* notAList : Hash32.fromBytesUnsafe(first)
})

/** The limits of a fetch, and its timeout. */
export interface FetchOptions extends ProofBundle.BundleLimits {
  /**
   * Time within which a node must say if it has a linked block. Default: 3 seconds. js-ipfs never answers for a block
   * that it does not have.
   */
  readonly timeout?: Duration.Input | undefined
}

/** The defaults of the options. */
export const defaults: typeof ProofBundle.defaults & { readonly timeout: Duration.Input } = {
  ...ProofBundle.defaults,
  timeout: "3 seconds"
}

/**
 * Fetches a bundle and checks it against the trusted hash of its block.
 *
 * The CID of a list fetches exactly that bundle, and a missing block is an error. The CID of the block fetches
 * everything that the node has of the block at this moment, which may be more or less than one bundle. The node reads
 * only its own blocks, and does not search the network.
 *
 * Fails with `RefutedError` if the CID is of another block (`root CID`), or if the node sends bytes that do not match a CID
 * (`block hash`); with `BundleError` if the blocks are not a bundle or exceed the limits; and with the errors of the
 * client.
 */
export const fetch = Effect.fnUntraced(function* (
  cid: Cid.Cid,
  trusted: Hash32.Hash32,
  options: FetchOptions = {}
): Effect.fn.Return<ProofBundle.ProofBundle, BundleError | IpfsClient.CheckFailure, IpfsClient.IpfsClient> {
  const ipfs = yield* IpfsClient.IpfsClient
  const { maxBlocks = defaults.maxBlocks, maxBytes = defaults.maxBytes, timeout = defaults.timeout } = options
  let size = 0
  /** Fetches a block and checks it; counts the bytes that the node sends. */
  const get = (wanted: Cid.Cid) =>
    Effect.flatMap(
      BlockSource.get((asked: Cid.Cid) => ipfs.blockGet(asked, { offline: true }), wanted),
      (block) => {
        size += block.bytes.length
        return size > maxBytes ? tooLarge(`more than ${maxBytes} bytes`) : Effect.succeed(block)
      }
    )

  /**
   * Fetches a block if the node has it. No node has all of a chain's data, so a missing block, or no answer, is not an
   * error.
   */
  const getIfThere = (wanted: Cid.Cid) =>
    get(wanted).pipe(
      Effect.catchTag("IpfsError", (error) =>
        error.reason._tag === "FailedError" && !error.retryable ? Effect.succeed(undefined) : Effect.fail(error)
      ),
      Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.succeed(undefined) })
    )

  if (cid.code === Block.DAG_CBOR) {
    const hashes = Manifest.hashesOf(yield* get(cid))
    if (hashes === undefined) return yield* notAList
    if (hashes.length > maxBlocks) return yield* tooLarge(`more than ${maxBlocks} blocks`)
    yield* Effect.fromResult(sameRoot(trusted, hashes[0]!))
    const raw = yield* Effect.forEach(hashes, (hash) => get(BundleCodecs.cidOf(BundleCodecs.RAW, hash)), {
      concurrency: AT_ONCE
    })
    return yield* Effect.fromResult(ofRaw(trusted, raw))
  }

  yield* Effect.fromResult(sameRoot(trusted, cid.multihash.code === Multihash.KECCAK_256 ? cid.multihash.digest : NONE))
  const found = new Map<string, Block.Block>()
  const root = yield* get(rootOf(trusted))
  let level: ReadonlyArray<Block.Block> = [root]
  found.set(root.cid.toString(), root)
  while (level.length > 0) {
    const links = new Map<string, Cid.Cid>()
    for (const block of level) {
      for (const { codec, hash } of BundleLinks.linksOf(block.cid.code, block.bytes) ?? []) {
        const link = BundleCodecs.cidOf(codec, hash)
        if (!found.has(link.toString())) links.set(link.toString(), link)
      }
    }
    const answers = yield* Effect.forEach(links.values(), getIfThere, { concurrency: AT_ONCE })
    level = answers.filter((block) => block !== undefined)
    for (const block of level) found.set(block.cid.toString(), block)
    if (found.size > maxBlocks) return yield* tooLarge(`more than ${maxBlocks} blocks`)
  }
  const withoutNames = yield* Effect.fromResult(ProofBundle.fromBlocks(trusted, found.values()))
  const names = BundleAccounts.keysOf(withoutNames.header.stateRoot, withoutNames.nodes).map((key) =>
    BundleCodecs.cidOf(BundleCodecs.RAW, key)
  )
  const addresses = yield* Effect.forEach(names, getIfThere, { concurrency: AT_ONCE })
  for (const block of addresses) if (block !== undefined) found.set(block.cid.toString(), block)
  if (found.size > maxBlocks) return yield* tooLarge(`more than ${maxBlocks} blocks`)
  return yield* Effect.fromResult(ProofBundle.fromBlocks(trusted, found.values()))
})

/** Number of blocks that are requested at once. */
const AT_ONCE = 16

const NONE = new Uint8Array(0)

/** Tags of the errors of nodes that lack a command. */
const LACKING: ReadonlySet<string> = new Set(["UnknownCommandError", "NotAllowedError", "ForbiddenError"])

type Ipfs = IpfsClient.AnyClient

const importing = (ipfs: Ipfs, list: Block.Block, blocks: ReadonlyArray<Block.Block>) =>
  Effect.flatMap(
    Stream.runCollect(ipfs.dagImport(Car.encode([list.cid], Stream.fromIterable(blocks)), { pinRoots: true })),
    (answers) => {
      const said = answers.find(({ root }) => root !== undefined && root.cid === Cid.toText(list.cid))
      if (said?.root === undefined) return Effect.fail(notPinned("it does not name the list among the roots"))
      return said.root.pinError === "" ? Effect.void : Effect.fail(notPinned(said.root.pinError))
    }
  )

const putting = Effect.fnUntraced(function* (ipfs: Ipfs, list: Block.Block, blocks: ReadonlyArray<Block.Block>) {
  yield* Effect.forEach(
    blocks,
    ({ bytes, cid }) =>
      Effect.flatMap(
        ipfs.blockPut(bytes, cid === list.cid ? { cidCodec: "dag-cbor" } : { cidCodec: "raw", mhtype: "keccak-256" }),
        (stat) =>
          String(stat.cid) === Cid.toText(cid)
            ? Effect.void
            : Effect.fail(new PublishError({ reason: "OtherBlock", detail: `${stat.cid} for ${Cid.toText(cid)}` }))
      ),
    { concurrency: AT_ONCE, discard: true }
  )
  const pinned = yield* ipfs.pinAdd(list.cid, { recursive: true })
  if (!pinned.includes(Cid.toText(list.cid))) return yield* notPinned("it does not name the list among the pins")
})

const notPinned = (detail: string): PublishError =>
  new PublishError({ reason: "NotPinned", detail: detail.slice(0, 200) })

const rootOf = (trusted: Hash32.Hash32): Cid.Cid => BundleCodecs.cidOf(BundleCodecs.BLOCK, Hash32.toBytes(trusted))

const sameRoot = (trusted: Hash32.Hash32, hash: Uint8Array): Result.Result<void, RefutedError> => {
  const root = rootOf(trusted)
  if (Bytes.equals(root.multihash.digest, hash)) return Result.void
  const got = hash.length === 0 ? "a CID of no block" : Cid.toText(BundleCodecs.cidOf(BundleCodecs.BLOCK, hash))
  return Result.fail(new RefutedError({ check: "root CID", expected: Cid.toText(root), got }))
}

/**
 * Returns raw blocks under the codecs that follow from the links to them, and from each header to its parent. Opening
 * the bundle reports a block without a link to it.
 */
const ofRaw = (trusted: Hash32.Hash32, raw: ReadonlyArray<Block.Block>) => {
  const rest = new Map(raw.map((block) => [Hex.fromBytes(block.cid.multihash.digest), block]))
  const placed: Array<Block.Block> = []
  const links: Array<BundleLinks.BundleLink> = [{ codec: BundleCodecs.BLOCK, hash: Hash32.toBytes(trusted) }]
  for (let link = links.pop(); link !== undefined; link = links.pop()) {
    const { codec, hash } = link
    const key = Hex.fromBytes(hash)
    const bytes = rest.get(key)?.bytes
    if (bytes === undefined) continue
    rest.delete(key)
    placed.push({ cid: BundleCodecs.cidOf(codec, hash), bytes })
    links.push(...(BundleLinks.linksOf(codec, bytes) ?? []))
  }
  let hash = placed[0] === undefined ? undefined : BundleLinks.parentOf(placed[0].bytes)
  while (hash !== undefined) {
    const key = Hex.fromBytes(hash)
    const bytes = rest.get(key)?.bytes
    if (bytes === undefined) break
    rest.delete(key)
    placed.push({ cid: BundleCodecs.cidOf(BundleCodecs.BLOCK, hash), bytes })
    hash = BundleLinks.parentOf(bytes)
  }
  return ProofBundle.fromBlocks(trusted, [...placed, ...rest.values()])
}

const tooLarge = (detail: string): Effect.Effect<never, BundleError> =>
  Effect.fail(new BundleError({ reason: "TooLarge", offset: 0, detail: `it has ${detail}` }))

const notAList: Effect.Effect<never, BundleError> = Effect.fail(
  new BundleError({ reason: "BadHeader", offset: 0, detail: "the CID is not that of a list of blocks" })
)
