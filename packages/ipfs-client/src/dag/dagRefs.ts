/** Lists the links of a DAG in the order of Kubo's `refs`. */
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import * as Block from "../block/Block.ts"
import * as BlockSource from "../block/BlockSource.ts"
import { LimitExceeded } from "../block/DagError.ts"
import { linksSteps } from "../block/linksSteps.ts"
import { flawed } from "../block/malformedBlock.ts"
import * as Cid from "../cid/Cid.ts"
import * as DagPb from "../codec/dagPb.ts"
import * as EntryNames from "../codec/entryNames.ts"
import { STEP, type Steps } from "../work/steps.ts"
import * as WorkScheduler from "../work/WorkScheduler.ts"
import { MAX_HELD_BYTES, WalkStack } from "./WalkStack.ts"

/** A link from one block to another. */
export interface Ref {
  readonly from: Cid.Cid
  readonly to: Cid.Cid
  readonly name: string
}

/** The links to list, and the limits of reading. */
export interface RefsOptions extends Block.BlockOptions {
  readonly unique?: boolean | undefined
  readonly maxDepth?: number | undefined
  /** Maximum number of blocks to read, including repeated ones. Default: 1,048,576. */
  readonly maxBlocks?: number | undefined
}

const MAX_BLOCKS = 1_048_576

/** A link that the walk has not visited yet. */
interface Place extends Ref {
  /** The number of links from the root to the target. */
  readonly depth: number
}

/** A link to visit. */
interface Wanted {
  readonly place: Place
  readonly isDeeper: boolean
  readonly isListed: boolean
}

/**
 * Streams the links depth first. A link is emitted after its block was read and checked, so that only links to blocks
 * that exist are listed. A tree of links that repeats blocks is as long as all its paths, so `maxBlocks` bounds it.
 */
export const refs = <E, R>(
  source: BlockSource.BlockSource<E, R>,
  root: Cid.Cid,
  { maxBlocks = MAX_BLOCKS, maxBlockSize, maxDepth = 1, unique = false }: RefsOptions = {}
): Stream.Stream<Ref, E | RefutedError | Block.DecodeError, R> =>
  Stream.suspend(() => {
    const rest = new WalkStack<Place>()
    const seen = new Map<string, number>()
    let count = 0
    let isBegun = false

    const exceeded = (bound: "maxBlocks" | "maxHeldBytes", limit: number) =>
      new LimitExceeded({ cid: Cid.toText(root), bound, limit })

    const enter = Effect.fnUntraced(function* (cid: Cid.Cid, depth: number, isNeeded: boolean) {
      if (count++ >= maxBlocks) return yield* exceeded("maxBlocks", maxBlocks)
      const block = yield* BlockSource.get(source, cid, { maxBlockSize })
      if (!isNeeded) return
      const below = yield* Effect.fromResult(yield* WorkScheduler.run(() => linksOf(block, depth + 1)))
      if (!rest.push(below)) return yield* exceeded("maxHeldBytes", MAX_HELD_BYTES)
    })

    /** Returns whether a link leads on, and whether it is listed. Source: kubo `core/commands/refs.go`. */
    const visit = (cid: Cid.Cid, depth: number): readonly [isDeeper: boolean, isListed: boolean] => {
      if (depth > maxDepth) return [false, false]
      const isDeeper = depth < maxDepth
      if (!unique) return [isDeeper, true]
      const key = `${cid.version} ${cid.code} ${Cid.key(cid)}`
      const before = seen.get(key)
      if (before !== undefined && (maxDepth === Infinity || before <= depth)) return [false, false]
      seen.set(key, depth)
      return [isDeeper, before === undefined]
    }

    /** Takes the next link to visit, in steps, because a block can have 65,536 links that were seen before. */
    const next = function* (): Steps<Wanted | undefined> {
      for (let count = 1; ; count++) {
        if (count % STEP === 0) yield
        const place = rest.next()
        if (place === undefined) return undefined
        const [isDeeper, isListed] = visit(place.to, place.depth)
        if (isDeeper || isListed) return { place, isDeeper, isListed }
      }
    }

    const pull = Effect.gen(function* () {
      if (!isBegun) {
        isBegun = true
        yield* enter(root, 0, true)
      }
      for (;;) {
        const wanted = yield* WorkScheduler.run(next)
        if (wanted === undefined) return yield* Cause.done()
        const { isDeeper, isListed, place } = wanted
        yield* enter(place.to, place.depth, isDeeper)
        if (isListed) return [{ from: place.from, to: place.to, name: place.name }] as const
      }
    })
    return Stream.fromPull(Effect.succeed(pull))
  })

/** Returns the links of a block as places at this depth, in steps. */
function* linksOf(
  block: Block.Block,
  depth: number
): Steps<Result.Result<Parameters<WalkStack<Place>["push"]>[0], Block.DecodeError>> {
  const { bytes, cid: from } = block
  if (from.code !== Block.DAG_PB) {
    return Result.map(yield* linksSteps(block), ({ at, count, heldBytes }) => ({
      count,
      heldBytes,
      at: (index) => ({ from, to: at(index), name: "", depth })
    }))
  }
  return Result.mapBoth(yield* DagPb.scan(bytes), {
    onFailure: flawed(from),
    onSuccess: (node) => ({
      count: node.count,
      heldBytes: bytes.length,
      at: (index) => {
        const name = DagPb.nameOf(node, index)
        return { from, to: DagPb.cidOf(node, index), name: name === undefined ? "" : EntryNames.shown(name), depth }
      }
    })
  })
}

/** Returns the depth that options of the command `refs` mean. */
export const depthOf = ({
  maxDepth = -1,
  recursive
}: {
  readonly recursive?: boolean | undefined
  readonly maxDepth?: number | undefined
}): number => (recursive !== true ? 1 : maxDepth < 0 ? Infinity : maxDepth)

/** Returns a link in the form of the option `format`. Each mark is replaced wherever it stands, as in Kubo. */
export const written = ({ from, name, to }: Ref, format: string, textOf: (cid: Cid.Cid) => string): string =>
  format.replaceAll(/<(src|dst|linkname)>/g, (_, mark: string) =>
    mark === "src" ? textOf(from) : mark === "dst" ? textOf(to) : name
  )
