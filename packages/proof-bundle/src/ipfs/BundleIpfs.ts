/**
 * Bundles on IPFS: published, pinned, and fetched again from a node that need not be honest.
 *
 * A node keeps the blocks by their hashes, so each can be had under the CID that Ethereum's codecs give it. Pinned is a
 * list of them, a block of dag-cbor whose links every node can follow: most nodes know no codec of Ethereum, and can
 * pin nothing that is written in one. Decision 15 has the reasons.
 *
 * | CID | names |
 * | --- | --- |
 * | of the block (`eth-block`) | the block of the chain: what a node has below it, of however many bundles |
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
import { Refuted } from "@plumbline/verdict/Refuted"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import * as Accounts from "../bundle/accounts.ts"
import { BundleError } from "../bundle/BundleError.ts"
import * as Codecs from "../bundle/codecs.ts"
import * as Links from "../bundle/links.ts"
import * as ProofBundle from "../bundle/ProofBundle.ts"
import * as Manifest from "./manifest.ts"
import { PublishError } from "./PublishError.ts"

/** Where a bundle is. */
export interface Published {
  /** The CID of the block: its hash. */
  readonly root: Cid.Cid
  /** The CID of the list of the bundle's blocks, which is pinned. */
  readonly list: Cid.Cid
  /** How many blocks there are, the list included, and their bytes. */
  readonly blocks: number
  readonly bytes: number
}

/** The list of a bundle's blocks, whose CID is known before anything is published. */
export const listOf = ({ blocks }: ProofBundle.ProofBundle): Block.Block => Manifest.make(blocks)

/**
 * Stores a bundle on a node, and pins it: as one CAR by dag/import, or block by block on nodes without that command.
 *
 * Done again, it changes nothing. Fails with `PublishError` when the node says that it could not pin, and as the client
 * does. That a node keeps what it says it keeps is its word, until somebody fetches it.
 */
export const publish = (
  bundle: ProofBundle.ProofBundle
): Effect.Effect<Published, PublishError | IpfsClient.Failure, IpfsClient.IpfsClient> =>
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

/** How much is fetched, and how long one waits. */
export interface FetchOptions extends ProofBundle.Limits {
  /**
   * How long a node may take to say whether it has a block that another links to: 3 seconds unless given. js-ipfs waits
   * for those that it has not got.
   */
  readonly patience?: Duration.Input | undefined
}

/**
 * Fetches a bundle and checks it, given the hash of the block that is trusted.
 *
 * By the CID of a list it is exactly that bundle, and a missing block is an error. By the CID of the block it is all
 * that the node has of the block at this moment, which may be more than one bundle, or less. Nothing else is asked of
 * the network: the node looks only at what it has itself.
 *
 * Fails with `Refuted` when the CID is of another block (`root CID`), or when the node gives other bytes than a CID
 * names (`block hash`); with `BundleError` when what it gives is no bundle or more than the bounds; and as the client
 * does.
 */
export const fetch = Effect.fnUntraced(function* (
  cid: Cid.Cid,
  trusted: Hash32.Hash32,
  options: FetchOptions = {}
): Effect.fn.Return<ProofBundle.ProofBundle, BundleError | Refuted | IpfsClient.Failure, IpfsClient.IpfsClient> {
  const ipfs = yield* IpfsClient.IpfsClient
  const {
    maxBlocks = ProofBundle.DEFAULT_MAX_BLOCKS,
    maxBytes = ProofBundle.DEFAULT_MAX_BYTES,
    patience = "3 seconds"
  } = options
  let size = 0
  /** A block of the node, checked; what it sends is counted. */
  const get = (wanted: Cid.Cid) =>
    Effect.flatMap(
      BlockSource.get((asked: Cid.Cid) => ipfs.blockGet(asked, { offline: true }), wanted),
      (block) => {
        size += block.bytes.length
        return size > maxBytes ? tooLarge(`more than ${maxBytes} bytes`) : Effect.succeed(block)
      }
    )

  /** Nobody has all of a chain's data: that a node says it has not got a block, or says nothing, is no fault. */
  const getIfThere = (wanted: Cid.Cid) =>
    get(wanted).pipe(
      Effect.catchTag("IpfsError", (error) =>
        error.reason._tag === "FailedError" && !error.retryable ? Effect.succeed(undefined) : Effect.fail(error)
      ),
      Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.succeed(undefined) })
    )

  if (cid.code === Block.DAG_CBOR) {
    const hashes = Manifest.hashesOf(yield* get(cid))
    if (hashes === undefined) return yield* notAList
    if (hashes.length > maxBlocks) return yield* tooLarge(`more than ${maxBlocks} blocks`)
    yield* Effect.fromResult(sameRoot(trusted, hashes[0]!))
    const raw = yield* Effect.forEach(hashes, (hash) => get(Codecs.cidOf(Codecs.RAW, hash)), { concurrency: AT_ONCE })
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
      for (const { codec, hash } of Links.linksOf(block.cid.code, block.bytes) ?? []) {
        const link = Codecs.cidOf(codec, hash)
        if (!found.has(link.toString())) links.set(link.toString(), link)
      }
    }
    const answers = yield* Effect.forEach(links.values(), getIfThere, { concurrency: AT_ONCE })
    level = answers.filter((block) => block !== undefined)
    for (const block of level) found.set(block.cid.toString(), block)
    if (found.size > maxBlocks) return yield* tooLarge(`more than ${maxBlocks} blocks`)
  }
  const withoutNames = yield* Effect.fromResult(ProofBundle.fromBlocks(trusted, found.values()))
  const names = Accounts.keysOf(withoutNames.header.stateRoot, withoutNames.nodes).map((key) =>
    Codecs.cidOf(Codecs.RAW, key)
  )
  const addresses = yield* Effect.forEach(names, getIfThere, { concurrency: AT_ONCE })
  for (const block of addresses) if (block !== undefined) found.set(block.cid.toString(), block)
  if (found.size > maxBlocks) return yield* tooLarge(`more than ${maxBlocks} blocks`)
  return yield* Effect.fromResult(ProofBundle.fromBlocks(trusted, found.values()))
})

/** Blocks that are asked for at once. */
const AT_ONCE = 16

const NONE = new Uint8Array(0)

/** Answers of a node that has not got a command. */
const LACKING: ReadonlySet<string> = new Set(["UnknownCommandError", "NotAllowedError", "ForbiddenError"])

type Ipfs = IpfsClient.Client<IpfsClient.Failure>

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

const rootOf = (trusted: Hash32.Hash32): Cid.Cid => Codecs.cidOf(Codecs.BLOCK, Hash32.toBytes(trusted))

const sameRoot = (trusted: Hash32.Hash32, hash: Uint8Array): Result.Result<void, Refuted> => {
  const root = rootOf(trusted)
  if (Bytes.equals(root.multihash.digest, hash)) return Result.void
  const got = hash.length === 0 ? "a CID of no block" : Cid.toText(Codecs.cidOf(Codecs.BLOCK, hash))
  return Result.fail(new Refuted({ check: "root CID", expected: Cid.toText(root), got }))
}

/** Raw blocks under the codecs that their places give them. One that has no place is told by the bundle. */
const ofRaw = (trusted: Hash32.Hash32, raw: ReadonlyArray<Block.Block>) => {
  const rest = new Map(raw.map((block) => [Hex.fromBytes(block.cid.multihash.digest), block]))
  const placed: Array<Block.Block> = []
  const links: Array<Links.Link> = [{ codec: Codecs.BLOCK, hash: Hash32.toBytes(trusted) }]
  for (let link = links.pop(); link !== undefined; link = links.pop()) {
    const { codec, hash } = link
    const key = Hex.fromBytes(hash)
    const bytes = rest.get(key)?.bytes
    if (bytes === undefined) continue
    rest.delete(key)
    placed.push({ cid: Codecs.cidOf(codec, hash), bytes })
    links.push(...(Links.linksOf(codec, bytes) ?? []))
  }
  return ProofBundle.fromBlocks(trusted, [...placed, ...rest.values()])
}

const tooLarge = (detail: string): Effect.Effect<never, BundleError> =>
  Effect.fail(new BundleError({ reason: "TooLarge", offset: 0, detail: `it has ${detail}` }))

const notAList: Effect.Effect<never, BundleError> = Effect.fail(
  new BundleError({ reason: "BadHeader", offset: 0, detail: "the CID is not that of a list of blocks" })
)
