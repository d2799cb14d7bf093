/**
 * The `IpfsClient` service with proofs. Code that uses `IpfsClient` becomes verified if you provide this layer instead.
 *
 * The answers have the same form as those of `IpfsClient`. Wrong bytes fail with `RefutedError`, which contains the CID, the
 * expected value and the received value. Content that no CID names fails with `UnprovenError`.
 *
 * | commands | here |
 * | --- | --- |
 * | `cat`, `ls`, `filesStat`, `blockGet`, `blockStat`, `dagGet`, `dagResolve` | read from blocks, each checked against its CID |
 * | a whole file by `cat` | the blocks of one `dag/export` in order, each checked; from a node without this command, one request per block |
 * | `get` | a tar archive that the client makes of such blocks |
 * | `dagExport` | each block is checked as it arrives; missing blocks and blocks outside the DAG are errors; with `localOnly`, every block except the root may be missing |
 * | `objectGet`, `objectData`, `objectStat` | the client makes the answer from the checked block, whatever the node supports |
 * | `add`, `addAll` | the CID and the size of every file and directory are computed while they are sent; the reported progress is not proven |
 * | `blockPut`, `dagPut`, `objectPut` | the CID must follow from the sent data and the options |
 * | `dagImport` | the roots and the totals must be those of the sent CAR; the reason why a root is not pinned is not proven |
 * | `pinAdd`, `pinRm`, `pinLs`, `pinUpdate` | the answer must be about the requested CIDs; its content is not proven |
 * | `version`, `id` | not proven: the node describes itself |
 *
 * Names are bytes: a path matches only a name with the same bytes. `ls` shows a name or a target that is not UTF-8 with
 * U+FFFD, as Kubo does, and returns the bytes in `nameBytes` and `targetBytes`. No path leads to such an entry; use its
 * CID or `UnixFs.resolve`.
 *
 * The client resolves paths by reading the directories on the way. Each request for a block passes on `offline` and
 * `timeout`. Reading commands write CIDs of version 1 in base32, and ignore `cidBase`. Names of IPNS and paths in the
 * node's own file tree are `UnprovenError`. If the client cannot compute how an option of `add` changes the CID, the call
 * fails with `UnprovenError` before anything is sent.
 *
 * This is a separate module, so that a program with the plain client does not bundle the verifiers.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

import { type AnyClient, IpfsClient } from "../client/IpfsClient.ts"
import * as UnixFs from "../unixfs/UnixFs.ts"
import * as ProvenAdds from "./provenAdds.ts"
import * as ProvenBlocks from "./provenBlocks.ts"
import * as ProvenDags from "./provenDags.ts"
import * as ProvenFiles from "./provenFiles.ts"
import * as ProvenImports from "./provenImports.ts"
import * as ProvenPins from "./provenPins.ts"
import * as ProvenPuts from "./provenPuts.ts"

/** Limits of reading, and the number of blocks that are requested at the same time. */
export type ProvenIpfsClientOptions = UnixFs.UnixFsOptions

/** Defaults for options that a caller omits. */
export const defaults = UnixFs.defaults

/**
 * Provides the `IpfsClient` service with proofs, over a plain `IpfsClient`.
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
 * error._tag // => "RefutedError"
 * ```
 */
export const layer = (options: ProvenIpfsClientOptions = {}): Layer.Layer<IpfsClient, never, IpfsClient> =>
  Layer.effect(
    IpfsClient,
    Effect.map(IpfsClient, (ipfs) => make(ipfs, options))
  )

/** Makes the proven client as a plain value. */
export const make = (ipfs: AnyClient, options: ProvenIpfsClientOptions = {}): AnyClient => ({
  ...ipfs,
  ...ProvenFiles.make(ipfs, options),
  ...ProvenBlocks.make(ipfs, options),
  ...ProvenDags.make(ipfs, options),
  ...ProvenPuts.make(ipfs, options),
  ...ProvenAdds.make(ipfs),
  ...ProvenImports.make(ipfs),
  ...ProvenPins.make(ipfs, options)
})
