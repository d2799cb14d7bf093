/**
 * An IPFS node behind a URL as `IpfsNode`: Kubo, or any other with its HTTP API.
 *
 * It uses the plain client, and checks every answer that a CID can prove. Everything that is read (`cat`, `get`, `ls`,
 * `stat`, `block/*`, `dag/*`) is put together here from blocks, each checked against its CID; a CAR is checked block by
 * block while it passes. `ProvenIpfsClient` works in a similar way. But it fails if content cannot be proven in advance
 * (such as adding with `mode`), and it answers with texts where a node needs sizes and CIDs. So this module uses its
 * parts instead of its layer. A block that does not match its CID is `Damaged`, and never returned.
 *
 * Added content is hashed on its way with options whose CIDs are computed in this package (see `ProvenIpfsClient`);
 * with other options its CID is the upstream's word. Answers about pins and about the upstream itself are its word too.
 *
 * A refusal of the upstream is turned back into a reason of `IpfsNodeError`; unknown sentences are `Failed`, without
 * addresses and folders. If the upstream refuses the service's credentials, that is `Failed` too, never a fault of the
 * caller. These are `NotSupported`: `gc` and `repoStat`, because the operator of a shared node maintains it; storing
 * with codecs and hash functions whose CIDs are not computed here; and commands that the upstream does not know.
 *
 * An answer that fails in the middle never counts as complete. With a client that reads trailers, as those of
 * `@effect/platform-node` do, and `headers: { te: "trailers" }` the reason is known; else it is `Failed`.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

import * as Car from "../car/Car.ts"
import * as Cid from "../cid/Cid.ts"
import { type Client, defaults, type Failure, IpfsClient } from "../client/IpfsClient.ts"
import type * as IpfsApi from "../commands/IpfsApi.ts"
import * as PinName from "../commands/PinName.ts"
import { IpfsNode, type Node, type Pin, type PinLsOptions } from "../node/IpfsNode.ts"
import { Failed, type IpfsNodeError, NotSupported, PinRefused } from "../node/IpfsNodeError.ts"
import * as NodePath from "../node/NodePath.ts"
import * as NodeReads from "../node/NodeReads.ts"
import { failure, invalid, ofFailure } from "./failure.ts"
import * as Writing from "./writing.ts"

/**
 * The node as a layer over an `IpfsClient`.
 *
 * ```ts import.meta.vitest
 * import { IpfsClient, IpfsKubo, IpfsNode } from "@plumbline/ipfs-client"
 * import { Effect, Layer } from "effect"
 *
 * // an upstream that answers every question with these bytes
 * const liar: typeof fetch = async () => new Response("evil")
 * const layer = IpfsKubo.layer.pipe(
 *   Layer.provide(IpfsClient.layerFetch({ url: "http://node.example", fetch: liar }))
 * )
 * const hello = "bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq"
 * const read = IpfsNode.IpfsNode.use((node) => node.blockGet(hello))
 * const { reason } = await Effect.runPromise(Effect.flip(Effect.provide(read, layer)))
 * reason._tag // => "Damaged"
 * ```
 */
export const layer: Layer.Layer<IpfsNode, never, IpfsClient> = /* @__PURE__ */ Layer.effect(
  IpfsNode,
  /* @__PURE__ */ Effect.map(IpfsClient, (ipfs) => make(ipfs))
)

/** The same as a value. */
export const make = (ipfs: Client<Failure>): Node => {
  const source: NodePath.Source = (cid) => Effect.mapError(ipfs.blockGet(cid), ofFailure)
  const blockAt = (path: string) => NodePath.resolveBlock(source, path)

  return {
    ...NodeReads.make(source),
    add: (entries, options = {}) => Writing.add(ipfs, entries, options),
    blockPut: (bytes, options = {}) => Writing.blockPut(ipfs, bytes, options),
    dagPut: (data, options = {}) => Writing.dagPut(ipfs, data, options),
    dagExport: (path) =>
      Stream.unwrap(
        Effect.map(blockAt(path), (cid) =>
          Car.encode(
            [cid],
            Stream.mapError(Car.dag(ipfs.dagExport(cid), cid, { maxBlockSize: MAX_BLOCK_SIZE }), ofFailure)
          )
        )
      ),
    dagImport: (car, options) => Writing.dagImport(ipfs, car, options),
    // The command asks for progress, so that a node that works for a long time is not considered silent.
    pinAdd: (path, options) =>
      Effect.andThen(
        checkName(options?.name),
        Effect.tap(blockAt(path), (cid) => said(ipfs.pinAdd(cid, { ...options, progress: true })))
      ),
    pinRm: (path, options) => Effect.tap(blockAt(path), (cid) => said(ipfs.pinRm(cid, options))),
    pinLs: (paths, options = {}) =>
      Stream.unwrap(Effect.as(checkName(options.name), pinLs(ipfs, blockAt, paths, options))),
    pinUpdate: (from, to, options) =>
      Effect.gen(function* () {
        const pair = [yield* blockAt(from), yield* blockAt(to)] as const
        yield* said(ipfs.pinUpdate(pair[0], pair[1], options))
        return pair
      }),
    gc: Stream.fail(failure(new NotSupported({ what: "repo/gc at an upstream" }))),
    repoStat: Effect.fail(failure(new NotSupported({ what: "repo/stat of an upstream" }))),
    version: Effect.map(said(ipfs.version()), ({ commit = "", golang = "", repo = "", system = "", version }) => ({
      version,
      commit,
      repo,
      system,
      golang
    })),
    id: said(ipfs.id())
  }
}

/** Maximum number of bytes of a block in a CAR: the client's default for what it holds in memory. */
const MAX_BLOCK_SIZE = defaults.maxBytes

const said = <A>(asked: Effect.Effect<A, Failure>): Effect.Effect<A, IpfsNodeError> => Effect.mapError(asked, ofFailure)

/** Checks the length of a name, because an older upstream accepts any. */
const checkName = (name: string | undefined): Effect.Effect<void, IpfsNodeError> => {
  const flaw = PinName.flaw(name)
  return flaw === undefined ? Effect.void : Effect.fail(invalid("name", flaw))
}

/** Paths are asked about one by one, so that each answer is known to be about its path. */
const pinLs = (
  ipfs: Client<Failure>,
  blockAt: (path: string) => Effect.Effect<Cid.Cid, IpfsNodeError>,
  paths: ReadonlyArray<string>,
  { name, type = "all" }: PinLsOptions
): Stream.Stream<Pin, IpfsNodeError> => {
  const ask = (only: ReadonlyArray<Cid.Cid>): Stream.Stream<Pin, IpfsNodeError> =>
    ipfs.pinLs({ type, names: true, ...(only.length > 0 ? { paths: only } : { name }) }).pipe(
      Stream.map(pinOf),
      // older upstreams do not know the option
      Stream.filter((pin) => name === undefined || (pin.name !== "" && pin.name.includes(name))),
      Stream.mapError(ofFailure)
    )
  if (paths.length === 0) return ask([])
  return Stream.flatMap(Stream.fromIterable(paths), (path) =>
    Stream.unwrap(
      Effect.map(blockAt(path), (cid) =>
        ask([cid]).pipe(
          // One question has one answer, which is about the requested path.
          Stream.take(1),
          Stream.mapEffect((pin) =>
            Cid.equals(Cid.toV1(pin.cid), Cid.toV1(cid))
              ? Effect.succeed({ ...pin, cid })
              : Effect.fail(
                  failure(
                    new Failed({ doing: "asking the upstream for pin/ls", detail: "it answers about another CID" })
                  )
                )
          ),
          Stream.mapError((error) =>
            error.reason._tag === "PinRefused" && error.reason.problem === "NotPinned"
              ? failure(new PinRefused({ subject: path, problem: "NotPinned" }))
              : error
          )
        )
      )
    )
  )
}

const pinOf = ({ cid, name = "", type }: IpfsApi.Pin): Pin => {
  const [kind, through] = type.split(" through ")
  return {
    cid: Cid.fromTextUnsafe(cid),
    type: kind === "recursive" || kind === "direct" ? kind : "indirect",
    name,
    ...(through !== undefined && Cid.isCidText(through) ? { through: Cid.fromTextUnsafe(through) } : {})
  }
}
