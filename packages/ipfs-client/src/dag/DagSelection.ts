/**
 * Selects the blocks of a DAG that a trustless gateway sends: one block, an entity such as a file or a range of it, or
 * all.
 *
 * Source: the specification of trustless gateways, `dag-scope` and `entity-bytes`.
 */
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import type { UnprovenError } from "@plumbline/verdict/UnprovenError"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import * as Block from "../block/Block.ts"
import * as BlockSource from "../block/BlockSource.ts"
import { LimitExceeded, type MalformedBlock } from "../block/DagError.ts"
import { linksSteps } from "../block/linksSteps.ts"
import * as Cid from "../cid/Cid.ts"
import * as Multihash from "../cid/Multihash.ts"
import { nodeKey } from "../cid/nodeKey.ts"
import * as HamtDirectory from "../unixfs/hamtDirectory.ts"
import * as UnixFs from "../unixfs/UnixFs.ts"
import * as UnixFsNode from "../unixfs/unixFsNode.ts"
import { STEP, type Steps } from "../work/steps.ts"
import * as WorkScheduler from "../work/WorkScheduler.ts"
import { MAX_HELD_BYTES, WalkStack } from "./WalkStack.ts"

/**
 * The part of a DAG:
 *
 * - `block`: the root alone.
 * - `entity`: all blocks of a file, or all shards of a directory; for anything else, the root alone.
 * - `all`: the root and everything below it.
 */
export type DagScope = "block" | "entity" | "all"

/**
 * A range of the bytes of a file, both ends included. A negative number counts from the end of the file. Default of
 * `to`: the end of the file.
 */
export interface ByteRange {
  readonly from: number
  readonly to?: number | undefined
}

/** The selected part of a DAG, and the limits of reading it. */
export interface DagSelectionOptions {
  /** The part of the DAG. Default: `all`. */
  readonly scope?: DagScope | undefined
  /** The range of a file, for the scope `entity`. A range without bytes selects only the root. Default: all bytes. */
  readonly bytes?: ByteRange | undefined
  /** True to emit a block again at each place that links to it. Default: false. */
  readonly duplicates?: boolean | undefined
  /**
   * CIDs whose blocks were already emitted, such as the blocks of a path. Without `duplicates` they are not emitted
   * again.
   */
  readonly given?: Iterable<Cid.Cid> | undefined
  /** True to also emit blocks inside their own CIDs (identity hash), as Kubo's `dag/export` does. Default: false. */
  readonly inlined?: boolean | undefined
  /** Maximum number of bytes of a block. Default: 2 MiB. */
  readonly maxBlockSize?: number | undefined
  /**
   * Maximum number of blocks, including repeated ones. Default: 4,194,304. Without duplicates, about 200 bytes are kept
   * for each.
   */
  readonly maxBlocks?: number | undefined
  /** Maximum number of blocks on the way to a part of an entity. Default: 32. The scope `all` has no such limit. */
  readonly maxDepth?: number | undefined
}

/** The defaults of the options. */
export const defaults: {
  readonly scope: DagScope
  readonly duplicates: boolean
  readonly inlined: boolean
  readonly maxBlockSize: number
  readonly maxBlocks: number
  readonly maxDepth: number
} = {
  scope: "all",
  duplicates: false,
  inlined: false,
  maxBlockSize: UnixFs.defaults.maxBlockSize,
  maxBlocks: UnixFs.defaults.maxBlocks,
  maxDepth: UnixFs.defaults.maxDepth
}

/** The errors of a selection, in addition to the source's own errors. */
export type SelectionError = RefutedError | UnprovenError | MalformedBlock | LimitExceeded

/**
 * Streams the blocks of a selection, checked against their CIDs, depth first: a block comes before the blocks that it
 * links to, and those come in the order of the links.
 *
 * Blocks inside their own CIDs (identity hash) are followed, but not emitted without `inlined`. A block with a codec that `Block.codecs`
 * lacks is a leaf. At most 16 blocks are loaded before their turn. Fails with `SelectionError`.
 *
 * ```ts import.meta.vitest
 * import { BlockSource, DagSelection, FileCid } from "@plumbline/ipfs-client"
 * import { Effect, Stream } from "effect"
 *
 * // a file of 600,000 bytes: three leaves, and their parent, which is the last
 * const blocks = await Effect.runPromise(Stream.runCollect(FileCid.blocks(Stream.make(new Uint8Array(600_000)))))
 * const source = BlockSource.fromBlocks(blocks)
 * const options = { scope: "entity", bytes: { from: -1 } } as const
 * const last = DagSelection.blocks(source, blocks.at(-1)!.cid, options)
 * const selected = await Effect.runPromise(Stream.runCollect(last))
 * selected.length // => 2
 * ```
 */
export const blocks = <E, R>(
  source: BlockSource.BlockSource<E, R>,
  root: Cid.Cid,
  options: DagSelectionOptions = {}
): Stream.Stream<Block.Block, E | SelectionError, R> =>
  Stream.unwrap(
    Effect.map(Effect.scope, (scope) => {
      const selection = new Selection(root, options)
      const loads = new Map<Place, Fiber.Fiber<Block.Block, E | RefutedError | UnprovenError>>()
      const load = (place: Place) => BlockSource.get(source, place.cid, options)
      /** Loads the next place, and some later ones. */
      const ask = Effect.fnUntraced(function* (next: Place) {
        let ahead = 0
        for (const place of selection.coming(next)) {
          if (ahead > 0 && loads.size >= HELD) break
          if (!loads.has(place)) loads.set(place, yield* Effect.forkIn(load(place), scope))
          if (++ahead >= CONCURRENCY) break
        }
      })
      const pull = Effect.gen(function* () {
        for (;;) {
          const { next, unwanted } = yield* WorkScheduler.run(() => selection.next(loads))
          for (const place of unwanted) {
            const early = loads.get(place)!
            loads.delete(place)
            yield* Fiber.interrupt(early)
          }
          if (next === undefined) return yield* Cause.done()
          const flaw = selection.count(next)
          if (flaw !== undefined) return yield* flaw
          yield* ask(next)
          const block = yield* Fiber.join(loads.get(next)!)
          loads.delete(next)
          const isEmitted = yield* WorkScheduler.run(() => selection.enter(next, block))
          if (yield* Effect.fromResult(isEmitted)) return [block] as const
        }
      })
      return Stream.fromPull(Effect.succeed(pull))
    })
  )

/**
 * Number of blocks that are requested at the same time, and number of blocks that are loaded before their turn. A block
 * has at most 2 MiB.
 */
const CONCURRENCY = 4
const HELD = 16

interface Place {
  readonly cid: Cid.Cid
  readonly depth: number
  /** The position of the place's first byte in the file. */
  readonly at: number
  /**
   * The range as positions in the file; undefined at the root, because negative numbers need the size, which is in the
   * root.
   */
  readonly range: { readonly from: number; readonly to: number } | undefined
  /**
   * True if everything below is selected. False if only the parts of a file that have bytes of the range are selected.
   */
  readonly isWhole: boolean
}

/**
 * The places of a walk. Each place is judged in its turn, so that a block is emitted at its first place in this order.
 */
class Selection {
  readonly #options: DagSelectionOptions
  readonly #scope: DagScope
  readonly #duplicates: boolean
  readonly #inlined: boolean
  readonly #maxBlocks: number
  readonly #maxDepth: number
  /** Blocks that were emitted, and blocks below which everything was emitted too. */
  readonly #given = new Set<string>()
  readonly #whole = new Set<string>()
  readonly #rest = new WalkStack<Place>()
  #count = 0

  constructor(root: Cid.Cid, options: DagSelectionOptions) {
    this.#options = options
    this.#scope = options.scope ?? defaults.scope
    this.#duplicates = options.duplicates ?? defaults.duplicates
    this.#inlined = options.inlined ?? defaults.inlined
    this.#maxBlocks = options.maxBlocks ?? defaults.maxBlocks
    this.#maxDepth = options.maxDepth ?? defaults.maxDepth
    for (const cid of options.given ?? []) this.#given.add(nodeKey(cid))
    const first = { cid: root, depth: 0, at: 0, range: undefined, isWhole: options.bytes === undefined }
    this.#rest.push({ count: 1, at: () => first, heldBytes: 0 })
  }

  /**
   * Takes the next wanted place, in steps, and returns the unwanted places before it that are among `loaded`. A block can
   * have 65,536 unwanted links.
   */
  *next(loaded: ReadonlyMap<Place, unknown>): Steps<Next> {
    const unwanted: Array<Place> = []
    for (let count = 1; ; count++) {
      if (count % STEP === 0) yield
      const next = this.#rest.next()
      if (next === undefined || this.isWanted(next)) return { next, unwanted }
      if (loaded.has(next)) unwanted.push(next)
    }
  }

  /**
   * Returns this place and the next few places, without the places that are already known to be unwanted. Only a few
   * are checked, because a block can have 65,536 unwanted links.
   */
  coming(next: Place): ReadonlyArray<Place> {
    return [next, ...this.#rest.coming(HELD).filter((place) => this.isWanted(place))]
  }

  /** False if the block and everything below it were emitted before. */
  isWanted({ cid, isWhole }: Place): boolean {
    return this.#duplicates || !isWhole || !this.#whole.has(nodeKey(cid))
  }

  /** Counts a place. Returns an error if the place is beyond a limit. */
  count({ cid, depth }: Place): LimitExceeded | undefined {
    if (this.#count++ >= this.#maxBlocks) return exceeded(cid, "maxBlocks", this.#maxBlocks)
    return this.#scope === "entity" && depth >= this.#maxDepth ? exceeded(cid, "maxDepth", this.#maxDepth) : undefined
  }

  /** Queues the places below a block, in steps. Returns true if the block itself must be emitted. */
  *enter(place: Place, block: Block.Block): Steps<Result.Result<boolean, SelectionError>> {
    const below = yield* this.#below(place, block)
    if (Result.isFailure(below)) return Result.fail(below.failure)
    if (!this.#rest.push(below.success)) return Result.fail(exceeded(place.cid, "maxHeldBytes", MAX_HELD_BYTES))
    const key = nodeKey(place.cid)
    if (place.isWhole) this.#whole.add(key)
    const before = this.#given.size
    const isNew = this.#given.add(key).size > before
    const isEmitted = this.#inlined || Multihash.inlined(place.cid) === undefined
    return Result.succeed(isEmitted && (isNew || this.#duplicates))
  }

  *#below(place: Place, block: Block.Block): Steps<Result.Result<Below, SelectionError>> {
    if (this.#scope === "block") return NONE
    if (this.#scope === "all") {
      if (!Block.codecs.has(block.cid.code)) return NONE
      return Result.map(yield* linksSteps(block), ({ at, count, heldBytes }) => ({
        count,
        heldBytes,
        at: (index) => wholly(at(index), place)
      }))
    }
    const node = yield* UnixFsNode.read(block, UnixFs.defaults.maxWidth)
    // Only the root may have content that is not UnixFS.
    if (Result.isFailure(node)) return place.depth === 0 ? NONE : Result.fail(node.failure)
    if (node.success.kind === "file") {
      return Result.succeed(listed(yield* partsOfFile(node.success, place, this.#options.bytes)))
    }
    if (node.success.kind !== "hamt-shard") return NONE
    return Result.map(HamtDirectory.hamtShardOf(block.cid, node.success), ({ links }) =>
      listed(links.flatMap((link) => (link._tag === "Shard" ? [wholly(link.cid, place)] : [])))
    )
  }
}

/** The next place, and places before it whose blocks need not be loaded any more. */
interface Next {
  readonly next: Place | undefined
  readonly unwanted: ReadonlyArray<Place>
}

/** The places below a block. */
interface Below {
  readonly count: number
  readonly at: (index: number) => Place
  readonly heldBytes: number
}

const listed = (places: ReadonlyArray<Place>): Below => ({
  count: places.length,
  at: (index) => places[index]!,
  heldBytes: places.length * 256
})

const wholly = (cid: Cid.Cid, { depth }: Place): Place => ({
  cid,
  depth: depth + 1,
  at: 0,
  range: undefined,
  isWhole: true
})

const NONE: Result.Result<Below> = Result.succeed(listed([]))

/** Returns the parts of a file that hold bytes of the range. An empty part within the range belongs to it. */
function* partsOfFile(
  { cidAt, data, size, sizes }: UnixFsNode.FilePart,
  place: Place,
  bytes: ByteRange | undefined
): Steps<ReadonlyArray<Place>> {
  const range = place.range ?? rangeOf(bytes, size)
  const found: Array<Place> = []
  let at = place.at + data.length
  for (const [index, size] of sizes.entries()) {
    if (index % STEP === STEP - 1) yield
    const isWithin = size > 0 ? at <= range.to && at + size > range.from : at >= range.from && at <= range.to + 1
    if (isWithin && range.from <= range.to) {
      const isWhole = at >= range.from && at + size <= range.to + 1
      found.push({ cid: cidAt(index), depth: place.depth + 1, at, range, isWhole })
    }
    at += size
  }
  return found
}

/** Returns a range as positions in a file of this size. The returned range is empty if `from` is beyond `to`. */
const rangeOf = (
  { from, to }: ByteRange = { from: 0 },
  size: number
): { readonly from: number; readonly to: number } => ({
  from: from < 0 ? Math.max(0, size + from) : from,
  // In an empty file the range ends at byte 0, so that it includes the empty parts there.
  to: Math.min(to === undefined ? Number.MAX_SAFE_INTEGER : to < 0 ? size + to : to, Math.max(0, size - 1))
})

const exceeded = (cid: Cid.Cid, bound: string, limit: number): LimitExceeded =>
  new LimitExceeded({ cid: Cid.toText(cid), bound, limit })
