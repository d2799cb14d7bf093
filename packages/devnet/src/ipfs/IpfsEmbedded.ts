/**
 * An IPFS node in this process, with its data in a folder: no program, no port, no network.
 *
 * The node computes Kubo's CIDs (IPIP-499, by default `unixfs-v0-2015`), stores blocks in files as Kubo does, and
 * guarantees their integrity:
 *
 * - Every read and write checks the block. A flipped bit on the disk causes the error `Damaged`, and the block is never
 *   returned; adding the content again repairs the block.
 * - A block is stored whole or not at all, and a pin is written after all blocks that it reaches are on the disk. If
 *   the process is killed, the acknowledged pins remain, and the next collection removes blocks without a pin.
 * - A collection runs beside all other work, and does not remove blocks that running work has written or relies on.
 * - Memory does not grow with the size of a file. A directory that is being added is held as names and CIDs, and a walk
 *   of a DAG holds the CIDs that it has seen.
 *
 * Only one node can use a folder at a time; the operating system ensures that, even after a crash.
 *
 * Unlike Kubo, this node refuses with `NotSupported` or `NotFound`: the chunker buzhash, names under `/ipns/`, the tree
 * of `files/*`, and fetching blocks from other nodes.
 */
import * as NodeCrypto from "node:crypto"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"

import {
  type NodeIdentity,
  IpfsNode,
  type IpfsNodeCommands,
  type RepoStat,
  type NodeVersion
} from "@plumbline/ipfs-client/node/IpfsNode"
import type { IpfsNodeError } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as NodePath from "@plumbline/ipfs-client/node/NodePath"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { base58btc } from "multiformats/bases/base58"

import * as Dags from "./dags.ts"
import * as EmbeddedAdd from "./embeddedAdd.ts"
import { attempt, attemptNow, codeOf } from "./embeddedFailure.ts"
import * as EmbeddedReads from "./embeddedReads.ts"
import { source, type EmbeddedStore } from "./embeddedStore.ts"
import * as FlatfsBlocks from "./flatfsBlocks.ts"
import * as GcGuards from "./gcGuards.ts"
import { IpfsFolderError } from "./IpfsFolderError.ts"
import * as PinDatabase from "./pinDatabase.ts"
import * as Pinning from "./pinning.ts"
import { syncFolder } from "./syncFolder.ts"

export { IpfsFolderError } from "./IpfsFolderError.ts"

/** Options of a node. */
export interface IpfsEmbeddedOptions {
  /** The folder with the node's data. It is created if it does not exist. */
  readonly folder: string
}

/**
 * Opens a node on a folder. It closes with the scope.
 *
 * ```ts import.meta.vitest
 * import { IpfsEmbedded } from "@plumbline/devnet"
 * import { Effect, Stream } from "effect"
 * import { mkdtempSync, rmSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 *
 * const folder = mkdtempSync(join(tmpdir(), "ipfs-"))
 * const program = Effect.gen(function* () {
 *   const node = yield* IpfsEmbedded.make({ folder })
 *   const entries = [{ path: "hello.txt", content: new TextEncoder().encode("hello world") }]
 *   const [added] = yield* Stream.runCollect(node.add(entries))
 *   const { bytes } = yield* node.cat(String(added?._tag === "Added" && added.cid), { offset: 6 })
 *   return yield* bytes.pipe(Stream.decodeText(), Stream.mkString)
 * })
 * await Effect.runPromise(Effect.scoped(program)) // => "world"
 * rmSync(folder, { recursive: true })
 * ```
 */
export const make = Effect.fnUntraced(function* ({ folder }: IpfsEmbeddedOptions) {
  const blocks = Path.join(folder, "blocks")
  const temporary = Path.join(folder, "temporary")
  yield* using(() => Fs.mkdir(blocks, { recursive: true }))
  const pins = yield* Effect.acquireRelease(openPins(Path.join(folder, "pins.sqlite")), (pins) =>
    Effect.sync(pins.close)
  )
  // unfinished writes of a killed process; only the process that has opened the pins may remove them
  yield* using(() => Fs.rm(temporary, { recursive: true, force: true }))
  yield* using(() => Fs.mkdir(temporary))
  yield* using(() => syncFolder(folder))
  const store: EmbeddedStore = {
    blocks: FlatfsBlocks.make(blocks, temporary, pins.journal),
    guards: GcGuards.make(),
    pins
  }
  yield* using(store.blocks.recover)
  // Blocks that cannot be flushed stay in the journal.
  yield* Effect.addFinalizer(() => Effect.ignore(attempt(store.blocks.checkpoint)))
  return nodeOf(store)
})

/**
 * Provides a node on a folder as the service `IpfsNode`.
 *
 * ```ts import.meta.vitest
 * import { IpfsEmbedded } from "@plumbline/devnet"
 * import { IpfsNode } from "@plumbline/ipfs-client"
 * import { Effect } from "effect"
 * import { mkdtempSync, rmSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 *
 * const folder = mkdtempSync(join(tmpdir(), "ipfs-"))
 * const program = IpfsNode.IpfsNode.use((node) => node.blockPut(new Uint8Array(3), { format: "v0" }))
 * const { cid } = await Effect.runPromise(Effect.provide(program, IpfsEmbedded.layer({ folder })))
 * cid.version // => 0
 * rmSync(folder, { recursive: true })
 * ```
 */
export const layer = (options: IpfsEmbeddedOptions): Layer.Layer<IpfsNode, IpfsFolderError> =>
  Layer.effect(IpfsNode, make(options))

const nodeOf = (store: EmbeddedStore): IpfsNodeCommands => {
  const collections = Semaphore.makeUnsafe(1)
  return {
    add: (entries, options = {}) => EmbeddedAdd.add(store, entries, options),
    cat: (path, range) => EmbeddedReads.cat(store, path, range),
    get: (path) => EmbeddedReads.get(store, path),
    ls: (path, options) => EmbeddedReads.ls(store, path, options),
    stat: (path) => EmbeddedReads.stat(store, path),
    blockGet: (path) => Dags.blockGet(store, path),
    blockPut: (bytes, options) => Dags.blockPut(store, bytes, options),
    blockStat: (path) => Dags.blockStat(store, path),
    blockRm: (path, options) => Semaphore.withPermit(collections, Pinning.removeBlock(store, path, options)),
    refs: (path, options) => NodePath.refs(source(store), path, options),
    refsLocal: Stream.unwrap(
      // the files of new small blocks are written first
      Effect.map(attempt(store.blocks.checkpoint), () =>
        Stream.map(
          Stream.fromAsyncIterable(store.blocks.list(), (error) => error as IpfsNodeError),
          ({ cid }) => cid
        )
      )
    ),
    dagBlocks: (path) => Dags.dagBlocks(store, path),
    dagGet: (path, outputCodec) => Dags.dagGet(store, path, outputCodec),
    dagPut: (data, options) => Dags.dagPut(store, data, options),
    dagResolve: (path) => Dags.dagResolve(store, path),
    dagExport: (path) => Dags.dagExport(store, path),
    dagImport: (car, options) => Dags.dagImport(store, car, options),
    pinAdd: (path, options) => Pinning.add(store, path, options),
    pinRm: (path, options) => Pinning.remove(store, path, options),
    pinLs: (paths, options) => Pinning.list(store, paths, options),
    pinUpdate: (from, to, options) => Pinning.update(store, from, to, options),
    pinVerify: Pinning.verify(store),
    gc: Stream.unwrap(Effect.as(Semaphore.takeScoped(collections, 1), Pinning.collect(store))),
    repoStat: repoStat(store),
    version: Effect.map(version, versionOf),
    id: Effect.flatMap(version, (version) =>
      attemptNow(() => identityOf(store.pins.keep("public key", publicKey), version))
    )
  }
}

const openPins = (file: string): Effect.Effect<PinDatabase.PinDatabase, IpfsFolderError> =>
  Effect.callback((resume) => {
    PinDatabase.open(file).then(
      (pins) => resume(Effect.succeed(pins)),
      (error: unknown) => resume(error instanceof IpfsFolderError ? Effect.fail(error) : Effect.die(error))
    )
  })

const using = <A>(work: () => Promise<A>): Effect.Effect<A, IpfsFolderError> =>
  Effect.tryPromise({
    try: work,
    catch: (error) => new IpfsFolderError({ problem: "Unusable", detail: codeOf(error) })
  })

const repoStat = (store: EmbeddedStore): Effect.Effect<RepoStat, IpfsNodeError> =>
  attempt(async () => {
    let blocks = 0
    let bytes = 0
    for await (const { size } of store.blocks.list()) {
      blocks++
      bytes += size
    }
    return { blocks, bytes, recursivePins: store.pins.count(true), directPins: store.pins.count(false) }
  })

/** The version of this package. */
const version: Effect.Effect<string> = Effect.promise(async () => {
  const manifest: { readonly version: string } = JSON.parse(
    await Fs.readFile(new URL("../../package.json", import.meta.url), "utf8")
  )
  return manifest.version
})

/** Returns the version. The layout of the blocks is that of Kubo's repository version 18. */
const versionOf = (version: string): NodeVersion => ({
  version,
  commit: "",
  repo: "18",
  system: `${process.arch === "x64" ? "amd64" : process.arch}/${process.platform}`,
  golang: `node${process.versions.node}`
})

/**
 * Makes a new public key, so that each node has a different id. The private key is dropped, because the node connects
 * to no peer.
 */
const publicKey = (): Uint8Array =>
  Buffer.from(NodeCrypto.generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" }).x ?? "", "base64url")

/** Returns the id of a libp2p peer: the key in its protobuf frame, as an identity multihash. */
const identityOf = (key: Uint8Array, version: string): NodeIdentity => {
  const framed = Uint8Array.of(8, 1, 18, key.length, ...key)
  return {
    id: base58btc.baseEncode(Uint8Array.of(0, framed.length, ...framed)),
    publicKey: Buffer.from(framed).toString("base64"),
    addresses: [],
    agentVersion: `plumbline/${version}`,
    protocols: []
  }
}
