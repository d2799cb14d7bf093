/** The storing commands of `IpfsKubo`, sent to a node with Kubo's HTTP API. */
import * as Bytes from "@plumbline/codec/hex/Bytes"
import { RefutedError } from "@plumbline/verdict/RefutedError"
import { UnprovenError } from "@plumbline/verdict/UnprovenError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import * as Block from "../block/Block.ts"
import * as BlockSource from "../block/BlockSource.ts"
import * as Car from "../car/Car.ts"
import { CarError } from "../car/CarError.ts"
import * as Cid from "../cid/Cid.ts"
import type { AnyClient, IpfsFailure } from "../client/IpfsClient.ts"
import * as DagCbor from "../codec/dagCbor.ts"
import * as Protobuf from "../codec/protobuf.ts"
import type * as Command from "../commands/Command.ts"
import type * as IpfsApi from "../commands/IpfsApi.ts"
import * as PinName from "../commands/PinName.ts"
import * as UploadTrees from "../commands/UploadTrees.ts"
import type {
  AddedEntry,
  AddOptions,
  AddProgress,
  BlockPutOptions,
  BlockStat,
  DagPutOptions,
  AddEntry,
  Imported
} from "../node/IpfsNode.ts"
import { Failed, fromBlockError, type IpfsNodeError, NotSupported } from "../node/IpfsNodeError.ts"
import * as ImportProfile from "../proven/importProfile.ts"
import * as ProvenAdds from "../proven/provenAdds.ts"
import * as ProvenPuts from "../proven/provenPuts.ts"
import { failure, invalid, ofFailure, ofSentence } from "./kuboFailure.ts"

/** Wraps a failure of the content's source, to distinguish it from a failure of the upstream. */
class SourceFailed<E> {
  readonly error: E
  constructor(error: E) {
    this.error = error
  }
}

const ofSource = <E>(error: IpfsFailure | IpfsNodeError | SourceFailed<E>): E | IpfsNodeError =>
  error instanceof SourceFailed ? error.error : ofFailure(error)

export const add = <E>(
  ipfs: AnyClient,
  entries: Iterable<AddEntry<E>> | Stream.Stream<AddEntry<E>, E>,
  options: AddOptions
): Stream.Stream<AddedEntry | AddProgress, E | IpfsNodeError> => {
  const flaw = PinName.flawOfAdd(options)
  if (flaw !== undefined) return Stream.fail(invalid("pin-name", flaw))
  const given = optionsOf(options)
  if (Result.isFailure(given)) return Stream.fail(given.failure)
  const asked = given.success
  const names = new Names(UploadTrees.make(options.wrapWithDirectory === true))
  const sent = (Stream.isStream(entries) ? entries : Stream.fromIterable(entries)).pipe(
    Stream.mapError((error) => new SourceFailed(error)),
    Stream.mapEffect((entry) => Effect.fromResult(entryOf(entry, names)))
  )
  // For this profile the CIDs are not computed here, because it shards directories by a rule that this package lacks.
  const isComputed = options.profile !== "unixfs-v1-2025" && Result.isSuccess(ImportProfile.of(asked))
  return (isComputed ? ProvenAdds.make(ipfs) : ipfs)
    .addAll(sent, asked)
    .pipe(Stream.map(outOf), Stream.mapError(ofSource<E>))
}

/** Sets every option that determines the CID, because a node can be configured with other defaults. */
const optionsOf = ({
  profile = "unixfs-v0-2015",
  ...options
}: AddOptions): Result.Result<Command.OptionsOf<(typeof IpfsApi.commands)["add"]>, IpfsNodeError> => {
  const isV1 = profile === "unixfs-v1-2025"
  const hash = options.hash ?? "sha2-256"
  const cidVersion = options.cidVersion ?? (isV1 || hash !== "sha2-256" ? 1 : 0)
  if (cidVersion !== 0 && cidVersion !== 1) {
    return Result.fail(invalid("cid-version", `unknown CID version ${cidVersion}`))
  }
  if (cidVersion === 0 && hash !== "sha2-256") return Result.fail(invalid("hash", "CIDv0 only supports sha2-256"))
  return Result.succeed({
    ...options,
    hash,
    cidVersion,
    // A raw leaf cannot hold a mode or a time. In that case the upstream decides the kind of leaf.
    rawLeaves: options.rawLeaves ?? (hasAttributes(options) ? undefined : cidVersion === 1),
    chunker: options.chunker ?? (isV1 ? "size-1048576" : "size-262144"),
    maxFileLinks: options.maxFileLinks ?? (isV1 ? 1024 : 174)
  })
}

const hasAttributes = ({ mode, mtime, preserveMode, preserveMtime }: AddOptions): boolean =>
  mode !== undefined || mtime !== undefined || preserveMode === true || preserveMtime === true

/**
 * Returns the entry if its name is valid. Upstreams treat `..`, an empty name and a repeated name in different ways, so
 * such names are refused here.
 */
const entryOf = <E>(entry: AddEntry<E>, names: Names): Result.Result<AddEntry<SourceFailed<E>>, IpfsNodeError> => {
  const { path = "" } = entry
  const isBad = path !== "" && path.split("/").some((name) => ["", ".", ".."].includes(name) || name.includes("\0"))
  if (isBad || path.length > 4096) return Result.fail(invalid("name", JSON.stringify(path.slice(0, 80))))
  if (!names.take(path, entry.type === "directory")) {
    return Result.fail(invalid("name", `${JSON.stringify(path.slice(0, 80))} is there twice`))
  }
  if (entry.type === "directory" || entry.type === "symlink") {
    return path === "" ? Result.fail(invalid("entry", "only files may be without a name")) : Result.succeed(entry)
  }
  const { content } = entry
  return Result.succeed({
    ...entry,
    content: content instanceof Uint8Array ? content : Stream.mapError(content, (error) => new SourceFailed(error))
  })
}

/**
 * The names of the sent entries. No name may be sent twice in one tree, because upstreams treat repeated names in
 * different ways.
 */
class Names {
  readonly #begins: UploadTrees.BeginsTree
  readonly #folders = new Set<string>()
  readonly #others = new Set<string>()

  constructor(begins: UploadTrees.BeginsTree) {
    this.#begins = begins
  }

  /**
   * Records a name. Returns false if another entry already has the name, or if a sent file has the name of a folder in
   * the path.
   */
  take(path: string, isFolder: boolean): boolean {
    if (this.#begins(path)) {
      this.#folders.clear()
      this.#others.clear()
    }
    if (path === "") return true
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const folder = path.slice(0, at)
      if (this.#others.has(folder)) return false
      this.#folders.add(folder)
    }
    if (this.#others.has(path) || (!isFolder && this.#folders.has(path))) return false
    ;(isFolder ? this.#folders : this.#others).add(path)
    return true
  }
}

/**
 * `held` stays undefined, although this package computes the CIDs. To count each block once, it would have to keep the
 * hash of every block of every tree until the end of the add, also for callers that do not pin. The computation of CIDs
 * keeps only unfinished nodes. So a pin measures what the node holds.
 */
const outOf = (event: IpfsApi.AddedEntry | IpfsApi.AddProgress): AddedEntry | AddProgress =>
  event.cid === undefined
    ? { _tag: "Progress", name: event.name, bytes: event.bytes }
    : { _tag: "Added", ...event, cid: Cid.fromTextUnsafe(event.cid) }

/** Stores a block. The upstream must return the CID that the caller requested. */
export const blockPut = (
  ipfs: AnyClient,
  bytes: Uint8Array,
  options: BlockPutOptions
): Effect.Effect<BlockStat, IpfsNodeError> =>
  Effect.mapBoth(ProvenPuts.make(ipfs, { maxBlockSize: Number.MAX_SAFE_INTEGER }).blockPut(bytes, options), {
    onSuccess: ({ cid, size }) => ({ cid: Cid.fromTextUnsafe(cid), size }),
    onFailure: notComputed
  })

const notComputed = (error: IpfsFailure): IpfsNodeError =>
  error._tag === "UnprovenError" ? failure(new NotSupported({ what: "this codec or hash function" })) : ofFailure(error)

/** Reads a block of any size, and checks it against its CID. */
export const checked = (ipfs: AnyClient, cid: Cid.Cid): Effect.Effect<Uint8Array, IpfsNodeError> =>
  Effect.mapBoth(
    BlockSource.get((cid) => Effect.mapError(ipfs.blockGet(cid), ofFailure), cid, {
      maxBlockSize: Number.MAX_SAFE_INTEGER
    }),
    { onSuccess: ({ bytes }) => bytes, onFailure: fromBlockError }
  )

/**
 * Stores data. Data of dag-jose is stored as the upstream writes it: the block is then read again and checked against
 * the upstream's CID.
 */
export const dagPut = (
  ipfs: AnyClient,
  data: Uint8Array,
  options: DagPutOptions
): Effect.Effect<Cid.Cid, IpfsNodeError> =>
  options.storeCodec === "dag-jose"
    ? Effect.gen(function* () {
        const cid = Cid.fromTextUnsafe(yield* Effect.mapError(ipfs.dagPut(data, options), ofFailure))
        if (cid.code !== Block.DAG_JOSE) {
          return yield* failure(
            new Failed({ doing: "asking the upstream for dag/put", detail: "it stored another codec" })
          )
        }
        yield* checked(ipfs, cid)
        return cid
      })
    : computed(ipfs, data, options)

const computed = (ipfs: AnyClient, data: Uint8Array, options: DagPutOptions): Effect.Effect<Cid.Cid, IpfsNodeError> =>
  Effect.mapBoth(ProvenPuts.make(ipfs, {}).dagPut(data, options), {
    onSuccess: Cid.fromTextUnsafe,
    onFailure: notComputed
  })

/**
 * Imports a CAR. Each block is checked before it is sent to the node. So a faulty CAR is refused here with its exact
 * fault, and its roots are known even if Kubo does not report roots that it does not pin.
 */
export const dagImport = Effect.fnUntraced(function* <E>(
  ipfs: AnyClient,
  car: Stream.Stream<Uint8Array, E>,
  { pinRoots = true }: { readonly pinRoots?: boolean | undefined } = {}
) {
  let roots: ReadonlyArray<Cid.Cid> = []
  let blocks = 0
  let bytes = 0
  const checked = Car.read(Stream.mapError(car, (error) => new SourceFailed(error))).pipe(
    Stream.mapError((error) => (isReadError(error) ? new SourceFailed(invalid("CAR", error.message)) : error)),
    Stream.map((item) => {
      if (item._tag === "Roots") {
        roots = item.roots
        return framed([Result.getOrThrow(DagCbor.encode({ version: 1, roots }))])
      }
      blocks++
      bytes += item.bytes.length
      return framed([item.cid.bytes, item.bytes])
    })
  )
  const answered = yield* ipfs
    .dagImport<SourceFailed<E | IpfsNodeError>>(checked, { pinRoots })
    .pipe(Stream.runCollect, Effect.mapError(ofSource<E | IpfsNodeError>))
  const said = new Map(answered.flatMap(({ root }) => (root === undefined ? [] : [[root.cid, root.pinError]])))
  const pinErrorOf = (cid: Cid.Cid): string => {
    if (!pinRoots) return ""
    const error = said.get(Cid.toText(cid))
    if (error === undefined) return "the upstream does not say that it is pinned"
    return error === "" ? "" : ofSentence("pinning at the upstream", error).message
  }
  const imported: Imported = { roots: roots.map((cid) => ({ cid, pinError: pinErrorOf(cid) })), blocks, bytes }
  return imported
})

const framed = (parts: ReadonlyArray<Uint8Array>): Uint8Array =>
  Bytes.join([Protobuf.varint(parts.reduce((sum, part) => sum + part.length, 0)), ...parts])

const isReadError = (error: unknown): error is Car.CarReadError =>
  error instanceof CarError || error instanceof RefutedError || error instanceof UnprovenError
