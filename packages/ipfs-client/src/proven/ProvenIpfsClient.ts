/**
 * The `IpfsClient` service, backed by proofs: code that uses `IpfsClient` gains verification by providing this layer
 * instead.
 *
 * It answers as `IpfsClient` does. Wrong bytes fail with `Refuted`, which holds the CID, the expected value and the
 * received one. Content that no CID names fails with `Unproven`.
 *
 * | commands | here |
 * | --- | --- |
 * | `cat`, `ls`, `filesStat`, `blockGet`, `blockStat`, `dagGet`, `dagResolve` | read from blocks, each checked against its CID |
 * | a whole file by `cat` | the blocks of one `dag/export` in their order, each checked; one by one from a node that has none |
 * | `get` | a tar archive made here of such blocks |
 * | `dagExport` | each block checked as it arrives; no block is missing, and no other block comes; with `localOnly` blocks may be missing, but not the root |
 * | `objectGet`, `objectData`, `objectStat` | made here of the checked block, on every node |
 * | `add`, `addAll` | the CID and the size of every file and directory are computed while they are sent; the reported progress is the node's word |
 * | `blockPut`, `dagPut`, `objectPut` | the CID must be the one that follows from what was sent and asked |
 * | `dagImport` | the roots and the sums must be those of what was sent; why a root is not pinned is the node's word |
 * | `pinAdd`, `pinRm`, `pinLs`, `pinUpdate` | the answer must be about the requested CIDs; its content is the node's word |
 * | `version`, `id` | the node's word about itself |
 *
 * Names are bytes: a path leads only to the same ones. A name or a target that is not UTF-8 is shown by `ls` with
 * U+FFFD, as Kubo shows it, and its bytes are in `nameBytes` and `targetBytes`. No path leads to it; use its CID or
 * `UnixFs.resolve`.
 *
 * Paths are followed by reading the directories on the way; each request for a block passes on `offline` and `timeout`.
 * Reading writes CIDs of version 1 in base32, and ignores `cidBase`. Names of IPNS and paths in the node's own tree are
 * `Unproven`. Adding with options whose effect on the CID is not computed here is `Unproven` too, and fails before
 * anything is sent.
 *
 * A module of its own, so that a program with the plain client does not bundle the verifiers.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

import { type Client, type Failure, IpfsClient } from "../client/IpfsClient.ts"
import * as UnixFs from "../unixfs/UnixFs.ts"
import * as Adds from "./adds.ts"
import * as Imports from "./imports.ts"
import * as Pins from "./pins.ts"
import * as Puts from "./puts.ts"
import * as Reads from "./reads.ts"

/** Limits for reading, and the number of blocks that are requested at once. */
export type Options = UnixFs.Options

/** The options that a caller leaves out. */
export const defaults = UnixFs.defaults

/**
 * The `IpfsClient` service with proofs, as a layer over a plain one.
 *
 * ```ts import.meta.vitest
 * import { Cid, IpfsClient, ProvenIpfsClient } from "@plumbline/ipfs-client"
 * import { Effect, Layer, Stream } from "effect"
 *
 * // a node that answers every question with these bytes
 * const node: typeof fetch = async () => new Response("evil")
 * const plain = IpfsClient.layerFetch({ url: "http://node.example", fetch: node })
 * const verified = ProvenIpfsClient.layer().pipe(Layer.provide(plain))
 *
 * const hello = Cid.fromTextUnsafe("bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq")
 * const read = IpfsClient.IpfsClient.use((ipfs) => ipfs.cat(hello).pipe(Stream.decodeText(), Stream.mkString))
 * await Effect.runPromise(Effect.provide(read, plain)) // => "evil"
 * const error = await Effect.runPromise(Effect.flip(Effect.provide(read, verified)))
 * error._tag // => "Refuted"
 * ```
 */
export const layer = (options: Options = {}): Layer.Layer<IpfsClient, never, IpfsClient> =>
  Layer.effect(
    IpfsClient,
    Effect.map(IpfsClient, (ipfs) => make(ipfs, options))
  )

/** The same as a value. */
export const make = (ipfs: Client<Failure>, options: Options = {}): Client<Failure> => ({
  ...ipfs,
  ...Reads.make(ipfs, options),
  ...Puts.make(ipfs, options),
  ...Adds.make(ipfs),
  ...Imports.make(ipfs),
  ...Pins.make(ipfs, options)
})
