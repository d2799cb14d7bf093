/** Uploads of a project: files and CARs, counted against its quotas, with pins that go if an upload fails. */
import * as Car from "@plumbline/ipfs-client/car/Car"
import * as PinName from "@plumbline/ipfs-client/commands/PinName"
import type {
  AddedEntry,
  AddEntry,
  AddOptions,
  AddProgress,
  FileEntry,
  Imported
} from "@plumbline/ipfs-client/node/IpfsNode"
import { type IpfsNodeError, QuotaExceeded } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"

import { failure, invalid } from "./ledgerErrors.ts"
import { type ProjectAccess, written } from "./projectAccess.ts"

/** Adds files, and pins their roots. */
export const add = <E = never>(
  access: ProjectAccess,
  entries: Iterable<AddEntry<E>> | Stream.Stream<AddEntry<E>, E>,
  options: AddOptions = {}
): Stream.Stream<AddedEntry | AddProgress, E | IpfsNodeError> =>
  Stream.suspend(() => {
    const flaw = PinName.flawOfAdd(options)
    if (flaw !== undefined) return Stream.fail(invalid("pin-name", flaw))
    const upload = access.counters.upload(access.project, access.limits.uploaded)
    const fits = roots(options, access.owner.limit)
    const isStored = options.onlyHash !== true
    const taken = (bytes: number) =>
      isStored ? Effect.andThen(access.room.take(bytes), upload.take(bytes)) : upload.take(bytes)
    const countedEntry = (entry: AddEntry<E>): Effect.Effect<AddEntry<E | IpfsNodeError>, IpfsNodeError> => {
      if (entry.type === "directory" || entry.type === "symlink") return Effect.succeed(entry)
      const fit = fits(entry)
      const { content } = entry
      if (content instanceof Uint8Array) {
        return Effect.as(Effect.andThen(taken(content.length), fit(content.length)), entry)
      }
      return Effect.succeed({
        ...entry,
        content: Stream.tap(content, ({ length }) => Effect.andThen(taken(length), fit(length)))
      })
    }
    const trial = access.pins.trial(access.owner)
    const pinRoot = (out: AddedEntry | AddProgress): Effect.Effect<void, IpfsNodeError> =>
      out._tag === "Added" && isPinnedRoot(out, options)
        ? trial.add({ cid: out.cid, recursive: true, name: options.pinName ?? "", size: out.held })
        : Effect.void
    let isWhole = false
    const counted = Stream.mapEffect(asStream(entries), countedEntry).pipe(
      Stream.onEnd(
        Effect.sync(() => {
          isWhole = true
        })
      )
    )
    const { pinName: _, ...others } = options
    const added = access.node.add(counted, { ...others, pin: false })
    return (isStored ? Stream.unwrap(Effect.as(access.room.check, added)) : added).pipe(
      Stream.tap(pinRoot),
      // After a failed add, all pins of the add are removed, even those that the client already knows. If the client
      // disconnects after it has sent everything, the pins stay.
      Stream.onExit((exit) => trial.end(Exit.isSuccess(exit) || (isWhole && Cause.hasInterruptsOnly(exit.cause)))),
      (stream) => written(access, stream),
      Stream.ensuring(upload.end)
    )
  })

/** Imports a CAR, and pins its roots for the project. */
export const importCar = Effect.fnUntraced(function* <E>(
  access: ProjectAccess,
  car: Stream.Stream<Uint8Array, E>,
  pinRoots: boolean
): Effect.fn.Return<Imported, E | IpfsNodeError> {
  const { counters, limits, node, owner, pins, project, room } = access
  yield* room.check
  const upload = counters.upload(project, limits.uploaded)
  let length = 0
  const counted = Stream.tap(car, (piece) => {
    length += piece.length
    // A CAR that is larger than the quota as a whole is refused before it is kept.
    if (pinRoots && length > owner.limit + Car.defaults.maxHeaderSize) {
      return Effect.fail(failure(new QuotaExceeded({ quota: "stored", limit: owner.limit, used: 0 })))
    }
    return Effect.andThen(room.take(piece.length), upload.take(piece.length))
  })
  const imported = yield* node
    .dagImport(counted, { pinRoots: false })
    .pipe(Effect.ensuring(Effect.ignore(counters.written)), Effect.ensuring(upload.end))
  const trial = pins.trial(owner)
  const roots = yield* Effect.forEach(imported.roots, ({ cid }) =>
    pinRoots
      ? Effect.matchEffect(trial.add({ cid, recursive: true, name: "" }), {
          onSuccess: () => Effect.succeed({ cid, pinError: "" }),
          onFailure: (error) =>
            isTooMuch(error) ? Effect.fail(error) : Effect.succeed({ cid, pinError: error.message })
        })
      : Effect.succeed({ cid, pinError: "" })
  ).pipe(Effect.onExit((exit) => trial.end(Exit.isSuccess(exit))))
  return { ...imported, roots }
})

const asStream = <A, E>(entries: Iterable<A> | Stream.Stream<A, E>): Stream.Stream<A, E> =>
  Stream.isStream(entries) ? entries : Stream.fromIterable(entries)

const isTooMuch = ({ reason }: IpfsNodeError): boolean => reason._tag === "QuotaExceeded"

const isPinnedRoot = ({ name }: AddedEntry, { onlyHash, pin, wrapWithDirectory }: AddOptions): boolean =>
  pin !== false && onlyHash !== true && (wrapWithDirectory === true ? name === "" : !name.includes("/"))

/**
 * Fails as soon as the files under one root exceed the limit of the project, because that root can never be pinned. The
 * remaining quota is checked only when the root is complete, because the root may be pinned already.
 */
const roots = ({ onlyHash, pin, wrapWithDirectory }: AddOptions, limit: number) => {
  const sizes = new Map<string, number>()
  let nameless = 0
  return ({ path = "" }: Pick<FileEntry, "path">): ((bytes: number) => Effect.Effect<void, IpfsNodeError>) => {
    if (pin === false || onlyHash === true) return () => Effect.void
    const root = wrapWithDirectory === true ? "" : path === "" ? `/${nameless++}` : path.split("/")[0]!
    return (bytes) => {
      const size = (sizes.get(root) ?? 0) + bytes
      sizes.set(root, size)
      return size > limit ? Effect.fail(failure(new QuotaExceeded({ quota: "stored", limit, used: 0 }))) : Effect.void
    }
  }
}
