/**
 * The IPFS node for one project. It shows only the project's pins, and counts all bytes that the project uploads and
 * downloads.
 */
import type { IpfsQuotaLimits } from "@plumbline/gateway/limits/IpfsQuota"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as IpfsPath from "@plumbline/ipfs-client/cid/IpfsPath"
import type { IpfsNodeCommands, VerifiedPin } from "@plumbline/ipfs-client/node/IpfsNode"
import { type IpfsNodeError, NoLink, NotSupported } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import { failure, refused } from "./ledgerErrors.ts"
import { type ProjectAccess, type SharedServices, take, written } from "./projectAccess.ts"
import * as PinList from "./projectPinList.ts"
import type { PinOwner } from "./projectPins.ts"
import * as Uploads from "./projectUploads.ts"

/** Makes the node of a project. */
export const make = (shared: SharedServices, project: string, limits: IpfsQuotaLimits): IpfsNodeCommands => {
  const { node, pins, room } = shared
  const owner: PinOwner = { id: project, limit: limits.stored ?? Number.MAX_SAFE_INTEGER }
  const access: ProjectAccess = { ...shared, project, limits, owner }
  const resolved = (path: string) => blockAt(access, path)
  return {
    add: (entries, options) => Uploads.add(access, entries, options),
    cat: (path, range) =>
      Effect.flatMap(node.cat(path, range), ({ bytes, size }) =>
        Effect.as(begin(access, size), { size, bytes: read(access, bytes) })
      ),
    get: (path) =>
      // the counts are written once for all files, not after each file
      written(
        access,
        Stream.mapEffect(node.get(path), (found) =>
          Effect.as(begin(access, found.size), { ...found, content: handedOut(access, found.content) })
        )
      ),
    ls: node.ls,
    stat: node.stat,
    blockGet: (path) => readWhole(access, node.blockGet(path)),
    blockPut: (bytes, options) =>
      sent(
        access,
        bytes.length,
        stored(access, node.blockPut(bytes, { ...options, pin: false }), options?.pin, ({ cid }) => cid)
      ),
    blockStat: node.blockStat,
    blockRm: (path, { force = false } = {}) => removeBlock(access, path, force),
    refs: node.refs,
    refsLocal: PinList.localOf(PinList.list(shared, project, resolved, [])),
    dagBlocks: node.dagBlocks,
    pinVerify: Stream.mapEffect(PinList.owned(shared, project, true), ({ cid }) =>
      Effect.map(Effect.result(Stream.runDrain(node.dagBlocks(String(cid)))), (walked): VerifiedPin => ({
        cid,
        bad: Result.isFailure(walked) ? [{ cid: brokenOf(walked.failure, cid), error: walked.failure.message }] : []
      }))
    ),
    dagGet: (path, outputCodec) => readWhole(access, node.dagGet(path, outputCodec)),
    dagPut: (data, options) =>
      sent(
        access,
        data.length,
        stored(access, node.dagPut(data, { ...options, pin: false }), options?.pin, (cid) => cid)
      ),
    dagResolve: node.dagResolve,
    dagExport: (path) => Stream.unwrap(Effect.as(begin(access, 1), read(access, node.dagExport(path)))),
    dagImport: (car, { pinRoots = true } = {}) => Uploads.importCar(access, car, pinRoots),
    pinAdd: (path, { name = "", recursive = true } = {}) =>
      Effect.andThen(
        Effect.andThen(PinList.checkName(name), room.check),
        Effect.tap(blockAt(access, path), (cid) => pins.add(owner, { cid, recursive, name }))
      ),
    pinRm: (path, { recursive = true } = {}) =>
      Effect.tap(blockAt(access, path), (cid) => pins.remove(owner, cid, recursive)),
    pinLs: (paths, options) => PinList.list(shared, project, resolved, paths, options),
    pinUpdate: (from, to, { unpin = true } = {}) =>
      Effect.gen(function* () {
        yield* room.check
        const pair = [yield* blockAt(access, from), yield* blockAt(access, to)] as const
        yield* pins.update(owner, pair[0], pair[1], unpin)
        return pair
      }),
    gc: Stream.fail(failure(new NotSupported({ what: "repo/gc for projects" }))),
    // the project's own figures, because those of the node would tell what other projects store
    repoStat: Effect.map(shared.ledger.stored(project), ({ bytes, pins }) => ({
      bytes,
      blocks: pins,
      limit: limits.stored
    })),
    version: node.version,
    id: node.id
  }
}

/** Fails before the first byte if the quota of downloads is used up. An empty answer is always permitted. */
const begin = ({ counters, limits, project }: ProjectAccess, bytes: number): Effect.Effect<void, IpfsNodeError> =>
  counters.check({ project, way: "downloaded", bytes: Math.min(bytes, 1), limit: limits.downloaded })

/** Counts the bytes of a download before they are passed on. */
const handedOut = <E>(
  access: ProjectAccess,
  bytes: Stream.Stream<Uint8Array, E>
): Stream.Stream<Uint8Array, E | IpfsNodeError> => Stream.tap(bytes, ({ length }) => take(access, "downloaded", length))

const read = <E>(
  access: ProjectAccess,
  bytes: Stream.Stream<Uint8Array, E>
): Stream.Stream<Uint8Array, E | IpfsNodeError> => written(access, handedOut(access, bytes))

const readWhole = (
  access: ProjectAccess,
  bytes: Effect.Effect<Uint8Array, IpfsNodeError>
): Effect.Effect<Uint8Array, IpfsNodeError> =>
  Effect.tap(bytes, ({ length }) => Effect.andThen(take(access, "downloaded", length), access.counters.written))

const sent = <A, E>(
  access: ProjectAccess,
  length: number,
  storing: Effect.Effect<A, E>
): Effect.Effect<A, E | IpfsNodeError> =>
  Effect.andThen(
    Effect.andThen(Effect.andThen(access.room.check, take(access, "uploaded", length)), access.counters.written),
    storing
  )

/** Stores content, then pins it. If a collection removes the content before it is pinned, repeats both steps once. */
const stored = <A>(
  { owner, pins }: ProjectAccess,
  store: Effect.Effect<A, IpfsNodeError>,
  pin: boolean | undefined,
  cidOf: (stored: A) => Cid.Cid
): Effect.Effect<A, IpfsNodeError> =>
  pin === true
    ? Effect.retry(
        Effect.tap(store, (stored) => pins.add(owner, { cid: cidOf(stored), recursive: true, name: "" })),
        { times: 1, while: ({ reason }) => reason._tag === "NotFound" }
      )
    : store

const blockAt = ({ node }: ProjectAccess, path: string): Effect.Effect<Cid.Cid, IpfsNodeError> => {
  const parts = Result.getOrUndefined(IpfsPath.split(path))
  if (parts?.namespace === "ipfs" && parts.names.length === 0) return Effect.succeed(Cid.fromTextUnsafe(parts.root))
  return Effect.flatMap(node.dagResolve(path), ({ cid, remainder }) =>
    remainder === ""
      ? Effect.succeed(cid)
      : Effect.fail(failure(new NoLink({ cid: Cid.toText(cid), name: remainder.split("/")[0]! })))
  )
}

/** Removes a block that no pin needs. A block that the project has not pinned is shared, and stays. */
const removeBlock = Effect.fnUntraced(function* (
  access: ProjectAccess,
  path: string,
  force: boolean
): Effect.fn.Return<Cid.Cid, IpfsNodeError> {
  const { ledger, node, project } = access
  const resolved = (path: string) => blockAt(access, path)
  const cid = yield* blockAt(access, path)
  const own = yield* ledger.find(project, cid)
  if (own !== undefined) return yield* refused(own.recursive ? "recursive" : "direct", "Pinned")
  const there = yield* Effect.result(node.blockStat(String(cid)))
  if (Result.isFailure(there)) {
    return force && there.failure.reason._tag === "NotFound" ? cid : yield* Effect.fail(there.failure)
  }
  const [through] = yield* Stream.runCollect(
    PinList.list(access, project, resolved, [String(cid)], { type: "indirect" }).pipe(
      Stream.catchIf(
        ({ reason }) => reason._tag === "PinRefused",
        () => Stream.empty
      )
    )
  )
  if (through?.through !== undefined) return yield* refused(Cid.toText(through.through), "PinnedThrough")
  // another project may be about to pin the block, and must not learn of it by its loss
  return yield* failure(
    new NotSupported({ what: "block/rm for projects: blocks are shared, and go when no pin reaches them" })
  )
})

/** Returns the block that an error names, or else the pin. */
const brokenOf = ({ reason }: IpfsNodeError, pin: Cid.Cid): string => ("cid" in reason ? reason.cid : String(pin))
