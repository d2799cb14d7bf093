/** The pins of one project as a client asks for them: its own, and the blocks that they reach. */
import * as Block from "@plumbline/ipfs-client/block/Block"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as Multihash from "@plumbline/ipfs-client/cid/Multihash"
import * as PinName from "@plumbline/ipfs-client/commands/PinName"
import { MAX_HELD_BYTES, WalkStack } from "@plumbline/ipfs-client/dag/WalkStack"
import type { IpfsNodeCommands, Pin, PinLsOptions } from "@plumbline/ipfs-client/node/IpfsNode"
import { fromBlockError, type IpfsNodeError, Malformed } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as WorkScheduler from "@plumbline/ipfs-client/work/WorkScheduler"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

import { failure, invalid, refused } from "./ledgerErrors.ts"
import type { OwnedPin } from "./ledgerRows.ts"
import type { PinLedger } from "./pinLedger.ts"
import { keyOf } from "./pinSize.ts"

/** The node that has the blocks, and the ledger that says whose pins they are. */
export interface PinSources {
  readonly node: IpfsNodeCommands
  readonly ledger: PinLedger
}

/** Streams the pins of a project: all, or those that paths name. */
export const list = (
  { ledger, node }: PinSources,
  project: string,
  blockAt: (path: string) => Effect.Effect<Cid.Cid, IpfsNodeError>,
  paths: ReadonlyArray<string>,
  { name, type = "all" }: PinLsOptions = {}
): Stream.Stream<Pin, IpfsNodeError> => {
  const find = (cid: Cid.Cid) => ledger.find(project, cid)
  const ownedOf = (recursive: boolean) => owned({ ledger }, project, recursive)
  /**
   * Returns all CIDs that recursive pins reach, each once, with the first pin that reaches it. The CID of a pin does
   * not count as reached by the same pin.
   */
  const reached = (
    but?: Cid.Cid,
    concurrency = 1
  ): Stream.Stream<{ readonly cid: Cid.Cid; readonly through: Cid.Cid }, IpfsNodeError> =>
    Stream.suspend(() => {
      const seen = new Set<string>()
      return ownedOf(true).pipe(
        Stream.filter(({ cid }) => but === undefined || !Cid.equals(cid, but)),
        Stream.flatMap(({ cid: through }) => Stream.map(walk(node, through, seen), (cid) => ({ cid, through })), {
          concurrency
        })
      )
    })
  const indirect = reached().pipe(
    Stream.grouped(ASKED_AT_ONCE),
    Stream.mapEffect((some) =>
      Effect.map(
        ledger.pinnedOf(
          project,
          some.map(({ cid }) => cid)
        ),
        (pinned) => {
          const own = new Set(pinned.map(String))
          return some.flatMap(({ cid, through }) => (own.has(String(cid)) ? [] : [indirectOf(cid, through)]))
        }
      )
    ),
    Stream.flattenIterable
  )
  const every: Record<NonNullable<typeof type>, () => Stream.Stream<Pin, IpfsNodeError>> = {
    recursive: () => Stream.map(ownedOf(true), pinOf),
    direct: () => Stream.map(ownedOf(false), pinOf),
    indirect: () => indirect,
    all: () => Stream.concat(Stream.concat(every.recursive(), every.direct()), indirect)
  }
  /** Returns a map from each given CID to a recursive pin that reaches it. */
  const reaching = Effect.fnUntraced(function* (wanted: ReadonlyArray<RequestedPath>) {
    const found = new Map<string, Cid.Cid>()
    const search = (cids: ReadonlyArray<Cid.Cid>, but?: Cid.Cid) =>
      Effect.suspend(() => {
        const missing = new Set(cids.map(String))
        return reached(but, WALKS_AT_ONCE).pipe(
          Stream.map(({ cid, through }) => {
            if (missing.delete(String(cid))) found.set(String(cid), through)
            return missing.size
          }),
          Stream.takeUntil((missing) => missing === 0),
          Stream.runDrain
        )
      })
    const others = wanted.filter(({ own }) => own?.recursive !== true).map(({ cid }) => cid)
    if (others.length > 0) yield* search(others)
    for (const { cid, own } of wanted) if (own?.recursive === true) yield* search([cid], cid)
    return found
  })
  /** Returns the requested pins in the requested order. One search finds all indirect pins. */
  const those = Effect.gen(function* () {
    const asked = yield* Effect.forEach(paths, (path) =>
      Effect.flatMap(blockAt(path), (cid) => Effect.map(find(cid), (own): RequestedPath => ({ path, cid, own })))
    )
    const isAsked = (own: OwnedPin | undefined): own is OwnedPin =>
      own !== undefined && (type === "all" || type === pinOf(own).type)
    const mayBeIndirect = type === "all" || type === "indirect"
    const wanted = asked.filter(({ own }) => mayBeIndirect && !isAsked(own))
    // the search runs only if an answer needs it, and only once
    const search = yield* Effect.cached(reaching(wanted))
    return Stream.mapEffect(
      Stream.fromIterable(asked),
      Effect.fnUntraced(function* ({ cid, own, path }) {
        if (isAsked(own)) return pinOf(own)
        const through = mayBeIndirect ? (yield* search).get(String(cid)) : undefined
        return through === undefined ? yield* refused(path, "NotPinned") : indirectOf(cid, through)
      })
    )
  })
  const pins = paths.length === 0 ? every[type]() : Stream.unwrap(those)
  if (name === undefined) return pins
  const named = Stream.filter(pins, (pin) => pin.name !== "" && pin.name.includes(name))
  return Stream.unwrap(Effect.as(checkName(name), named))
}

/** Streams the project's pins of one kind, a page at a time. */
export const owned = (
  { ledger }: Pick<PinSources, "ledger">,
  project: string,
  recursive: boolean
): Stream.Stream<OwnedPin, IpfsNodeError> =>
  Stream.paginate(undefined as Cid.Cid | undefined, (after) =>
    Effect.map(
      ledger.page(project, recursive, after),
      (page) => [page, Option.map(Option.fromUndefinedOr(page.at(-1)), ({ cid }) => cid)] as const
    )
  )

/** Returns the blocks of pins as raw CIDs of version 1, each once. Blocks inside their CIDs are not stored. */
export const localOf = (pins: Stream.Stream<Pin, IpfsNodeError>): Stream.Stream<Cid.Cid, IpfsNodeError> =>
  Stream.suspend(() => {
    const seen = new Set<string>()
    return Stream.filter(pins, ({ cid }) => {
      const count = seen.size
      return Multihash.inlined(cid) === undefined && seen.add(Cid.key(cid)).size > count
    }).pipe(Stream.map(({ cid }) => Cid.make(Block.RAW, cid.multihash.code, cid.multihash.digest)))
  })

/** A requested path, its CID, and the project's own pin of the CID. */
interface RequestedPath {
  readonly path: string
  readonly cid: Cid.Cid
  readonly own: OwnedPin | undefined
}

/** Number of DAGs that are searched at the same time. Most have one block, and the search mostly waits for the node. */
const WALKS_AT_ONCE = 16

/** Maximum number of CIDs in one query of the ledger. */
const ASKED_AT_ONCE = 500

const pinOf = ({ cid, name, recursive }: OwnedPin): Pin => ({ cid, type: recursive ? "recursive" : "direct", name })

const indirectOf = (cid: Cid.Cid, through: Cid.Cid): Pin => ({ cid, type: "indirect", name: "", through })

/** Streams the CIDs of a root and all blocks below it, except those in `seen`. Blocks are not kept in memory. */
const walk = (node: IpfsNodeCommands, root: Cid.Cid, seen: Set<string>): Stream.Stream<Cid.Cid, IpfsNodeError> =>
  Stream.suspend(() => {
    const rest = new WalkStack<Cid.Cid>()
    rest.push({ count: 1, at: () => root, heldBytes: 0 })
    /** Returns the next CID that was not visited, in steps, because a block can repeat a link 65,536 times. */
    function* unseen(): WorkScheduler.Steps<{ readonly next: Cid.Cid | undefined }> {
      for (let count = 1; ; count++) {
        if (count % LINKS_AT_ONCE === 0) yield
        const next = rest.next()
        if (next === undefined || !seen.has(keyOf(next))) return { next }
      }
    }
    return Stream.unfold(undefined, () =>
      Effect.gen(function* () {
        const { next: cid } = yield* WorkScheduler.run(unseen)
        if (cid === undefined) return undefined
        seen.add(keyOf(cid))
        if (cid.code !== Block.RAW) {
          const bytes = Multihash.inlined(cid) ?? (yield* node.blockGet(String(cid)))
          const links = yield* Effect.mapError(Block.linksEffect({ cid, bytes }), fromBlockError)
          if (!rest.pushLinks(links, (link) => link)) {
            const detail = `the blocks above it have more than ${MAX_HELD_BYTES} bytes of links`
            return yield* failure(new Malformed({ cid: Cid.toText(cid), detail }))
          }
        }
        return [cid, undefined] as const
      })
    )
  })

/** Number of links that are passed in one step. */
const LINKS_AT_ONCE = 512

/** Fails if a name cannot be that of a pin. */
export const checkName = (name: string): Effect.Effect<void, IpfsNodeError> => {
  const flaw = PinName.flaw(name)
  return flaw === undefined ? Effect.void : Effect.fail(invalid("name", flaw))
}
