/**
 * Implements `IpfsNode` with a node behind a URL: Kubo, or any other node with Kubo's HTTP API.
 *
 * This module uses the plain client, and checks every answer that a CID can prove. The answers of reading commands
 * (`cat`, `get`, `ls`, `stat`, `block/*`, `dag/*`) are built here from blocks, each checked against its CID. A CAR is
 * checked block by block while it streams. `ProvenIpfsClient` works in a similar way, but it fails if content cannot be
 * proven in advance (such as adding with `mode`), and it answers with texts where a node needs sizes and CIDs. So this
 * module uses parts of `ProvenIpfsClient` instead of its layer. A block that does not match its CID fails with
 * `Damaged`, and is never returned.
 *
 * Added content is hashed while it is sent, if this package computes CIDs with the given options (see
 * `ProvenIpfsClient`). With other options, the upstream's CID is not checked. The upstream writes blocks
 * of dag-jose, which are checked against their CIDs. Answers about pins and about the upstream itself cannot be
 * checked.
 *
 * A refusal of the upstream becomes a reason of `IpfsNodeError`; an unknown sentence becomes `Failed`, without
 * addresses and folders. If the upstream refuses the service's credentials, that is `Failed` too, because the caller is
 * not at fault. The following fails with `NotSupported`: `gc`, because the operator of a shared node maintains it; storing with codecs and hash functions for which this package computes no CIDs; and commands that the
 * upstream does not know.
 *
 * An answer that fails in the middle never counts as complete. The reason is known if the client reads trailers, as the
 * clients of `@effect/platform-node` do, and sends `headers: { te: "trailers" }`. Otherwise the reason is `Failed`.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

import * as Car from "../car/Car.ts"
import * as Cid from "../cid/Cid.ts"
import { type AnyClient, defaults, type IpfsFailure, IpfsClient } from "../client/IpfsClient.ts"
import type * as IpfsApi from "../commands/IpfsApi.ts"
import * as PinName from "../commands/PinName.ts"
import { IpfsNode, type IpfsNodeCommands, type Pin, type PinLsOptions } from "../node/IpfsNode.ts"
import { Failed, type IpfsNodeError, NotSupported, PinRefused } from "../node/IpfsNodeError.ts"
import * as NodePath from "../node/NodePath.ts"
import * as NodeReads from "../node/NodeReads.ts"
import { failure, invalid, ofFailure, ofSentence } from "./kuboFailure.ts"
import * as KuboWrites from "./kuboWrites.ts"

/**
 * Provides the node over an `IpfsClient`.
 *
 * ```ts import.meta.vitest
 * import { IpfsClient, IpfsKubo, IpfsNode } from "@plumbline/ipfs-client"
 * import { Effect, Layer } from "effect"
 *
 * // an upstream that answers every question with these bytes
 * const liar: typeof fetch = async () => new Response("evil")
 * const layer = IpfsKubo.layer().pipe(
 *   Layer.provide(IpfsClient.layerFetch({ url: "http://node.example", fetch: liar }))
 * )
 * const hello = "bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq"
 * const read = IpfsNode.IpfsNode.use((node) => node.blockGet(hello))
 * const { reason } = await Effect.runPromise(Effect.flip(Effect.provide(read, layer)))
 * reason._tag // => "Damaged"
 * ```
 */
export const layer = (): Layer.Layer<IpfsNode, never, IpfsClient> =>
  Layer.effect(IpfsNode, Effect.map(IpfsClient, make))

/** Makes the node as a plain value. */
export const make = (ipfs: AnyClient): IpfsNodeCommands => {
  const source: NodePath.NodeBlocks = (cid) => Effect.mapError(ipfs.blockGet(cid), ofFailure)
  const blockAt = (path: string) => NodePath.resolveBlock(source, path)
  const reads = NodeReads.make(source)

  return {
    ...reads,
    add: (entries, options = {}) => KuboWrites.add(ipfs, entries, options),
    blockPut: (bytes, options = {}) => KuboWrites.blockPut(ipfs, bytes, options),
    dagPut: (data, options = {}) => KuboWrites.dagPut(ipfs, data, options),
    dagExport: (path) =>
      Stream.unwrap(
        Effect.map(blockAt(path), (cid) =>
          Car.encode(
            [cid],
            Stream.mapError(Car.dag(ipfs.dagExport(cid), cid, { maxBlockSize: MAX_BLOCK_SIZE }), ofFailure)
          )
        )
      ),
    dagImport: (car, options) => KuboWrites.dagImport(ipfs, car, options),
    // The command asks for progress, so that a long pinning does not look like a silent node.
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
    blockRm: (path, options) =>
      Effect.gen(function* () {
        const cid = yield* blockAt(path)
        const [removed] = yield* said(Stream.runCollect(Stream.take(ipfs.blockRm(cid, options), 1)))
        if (removed?.error !== undefined) return yield* failure(ofSentence("removing a block", removed.error))
        return cid
      }),
    refsLocal: Stream.mapBoth(ipfs.refsLocal(), { onElement: Cid.fromTextUnsafe, onError: ofFailure }),
    pinVerify: Stream.mapError(ipfs.pinVerify({ verbose: true }), ofFailure).pipe(
      Stream.mapEffect(({ bad = [], cid, error }) =>
        cid === undefined
          ? Effect.fail(failure(ofSentence("checking pins", error ?? "the answer has no CID")))
          : Effect.succeed({
              cid: Cid.fromTextUnsafe(cid),
              bad: bad.map((block) => ({
                cid: block.cid,
                error: ofSentence("checking a pin", block.error).message
              }))
            })
      )
    ),
    gc: Stream.fail(failure(new NotSupported({ what: "repo/gc at an upstream" }))),
    repoStat: Effect.map(said(ipfs.repoStat()), ({ blocks, bytes, limit }) => ({ blocks, bytes, limit })),
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

/** Maximum number of bytes of a block in a CAR: the client's default limit of memory. */
const MAX_BLOCK_SIZE = defaults.maxBytes

const said = <A>(asked: Effect.Effect<A, IpfsFailure>): Effect.Effect<A, IpfsNodeError> =>
  Effect.mapError(asked, ofFailure)

/** Checks the length of a name, because older upstreams accept any length. */
const checkName = (name: string | undefined): Effect.Effect<void, IpfsNodeError> => {
  const flaw = PinName.flaw(name)
  return flaw === undefined ? Effect.void : Effect.fail(invalid("name", flaw))
}

/** Asks about one path at a time, so that each answer is known to be about its path. */
const pinLs = (
  ipfs: AnyClient,
  blockAt: (path: string) => Effect.Effect<Cid.Cid, IpfsNodeError>,
  paths: ReadonlyArray<string>,
  { name, type = "all" }: PinLsOptions
): Stream.Stream<Pin, IpfsNodeError> => {
  const ask = (only: ReadonlyArray<Cid.Cid>): Stream.Stream<Pin, IpfsNodeError> =>
    ipfs.pinLs({ type, names: true, ...(only.length > 0 ? { paths: only } : { name }) }).pipe(
      Stream.map(pinOf),
      // older upstreams do not know the option `name`, and send all pins
      Stream.filter((pin) => name === undefined || (pin.name !== "" && pin.name.includes(name))),
      Stream.mapError(ofFailure)
    )
  if (paths.length === 0) return ask([])
  return Stream.flatMap(Stream.fromIterable(paths), (path) =>
    Stream.unwrap(
      Effect.map(blockAt(path), (cid) =>
        ask([cid]).pipe(
          // One request has one answer, which is about the requested path.
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
