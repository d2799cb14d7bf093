/** Walks a DAG block by block, for programs that show it. */
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import type { UnprovenError } from "@plumbline/verdict/UnprovenError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import * as Block from "../block/Block.ts"
import * as BlockSource from "../block/BlockSource.ts"
import { LimitExceeded, type MalformedBlock } from "../block/DagError.ts"
import { linksSteps } from "../block/linksSteps.ts"
import * as Cid from "../cid/Cid.ts"
import { nodeKey } from "../cid/nodeKey.ts"
import * as DagPb from "../codec/dagPb.ts"
import * as EntryNames from "../codec/entryNames.ts"
import * as OrderedWalk from "../unixfs/orderedWalk.ts"
import * as UnixFs from "../unixfs/UnixFs.ts"
import { STEP, type Steps } from "../work/steps.ts"
import * as WorkScheduler from "../work/WorkScheduler.ts"

/** A link of a block. */
export interface WalkLink {
  readonly cid: Cid.Cid
  /** The name of a link of dag-pb, as text for display; undefined in other codecs, and if the block omits it. */
  readonly name: string | undefined
  /** The size of the linked DAG in bytes, for dag-pb, as the maker of the block wrote it. Nothing proves it. */
  readonly size: number | bigint | undefined
  /**
   * The place of the linked block's digest in the bytes of this block. Null if the codec writes links as text.
   */
  readonly inBlock: { readonly offset: number; readonly length: number } | null
}

/** A block of the DAG, checked against its CID. */
export interface WalkStep {
  readonly cid: Cid.Cid
  /** The name of the block's codec; undefined if this package cannot read the codec, so that the links are unknown. */
  readonly codec: string | undefined
  readonly bytes: Uint8Array
  /** The number of links from the root to this block on the path of the walk. */
  readonly depth: number
  /** The block that linked here, and the index of the link in that block. Null for the root. */
  readonly parent: { readonly cid: Cid.Cid; readonly link: number } | null
  /** All links of the block, in order. */
  readonly links: ReadonlyArray<WalkLink>
}

/** The limits of a walk. */
export type WalkOptions = Pick<UnixFs.UnixFsOptions, "concurrency" | "maxBlocks" | "maxBlockSize" | "maxDepth">

interface Place {
  readonly cid: Cid.Cid
  readonly depth: number
  readonly parent: WalkStep["parent"]
}

export const walk = <E, R>(
  source: BlockSource.BlockSource<E, R>,
  cid: Cid.Cid,
  options: WalkOptions
): Stream.Stream<WalkStep, E | RefutedError | UnprovenError | MalformedBlock | LimitExceeded, R> => {
  const { concurrency = UnixFs.defaults.concurrency } = options
  const { maxBlocks = UnixFs.defaults.maxBlocks, maxDepth = UnixFs.defaults.maxDepth } = options
  return Stream.suspend(() => {
    const seen = new Set([nodeKey(cid)])
    const exceeded = (bound: "maxBlocks" | "maxDepth", limit: number) =>
      Effect.fail(new LimitExceeded({ cid: Cid.toText(cid), bound, limit }))
    const load = Effect.fnUntraced(function* ({ cid, depth, parent }: Place) {
      if (depth >= maxDepth) return yield* exceeded("maxDepth", maxDepth)
      if (seen.size > maxBlocks) return yield* exceeded("maxBlocks", maxBlocks)
      const block = yield* BlockSource.get(source, cid, options)
      const codec = Block.codecs.get(cid.code)
      const entered = yield* WorkScheduler.run(function* (): Steps<
        Result.Result<ReadonlyArray<OrderedWalk.OrderedStep<Place, WalkStep>>, Block.DecodeError>
      > {
        const found = codec === undefined ? Result.succeed([]) : yield* linksOf(block)
        if (Result.isFailure(found)) return Result.fail(found.failure)
        const links = found.success
        const step: WalkStep = { cid, codec, bytes: block.bytes, depth, parent, links }
        const steps: Array<OrderedWalk.OrderedStep<Place, WalkStep>> = [OrderedWalk.out(step)]
        for (const [index, link] of links.entries()) {
          if (index % STEP === STEP - 1) yield
          const count = seen.size
          if (seen.add(nodeKey(link.cid)).size === count) continue
          steps.push(OrderedWalk.below<Place>({ cid: link.cid, depth: depth + 1, parent: { cid, link: index } }))
        }
        return Result.succeed(steps)
      })
      return yield* Effect.fromResult(entered)
    })
    return OrderedWalk.walk<Place, WalkStep, E | RefutedError | UnprovenError | MalformedBlock | LimitExceeded, R>(
      { cid, depth: 0, parent: null },
      load,
      concurrency
    )
  })
}

/** Returns the links of a block that this package can read, in steps. */
function* linksOf(block: Block.Block): Steps<Result.Result<ReadonlyArray<WalkLink>, Block.DecodeError>> {
  const found = yield* linksSteps(block)
  if (Result.isFailure(found)) return Result.fail(found.failure)
  const { at, count, placeOf } = found.success
  const scanned = block.cid.code === Block.DAG_PB ? yield* DagPb.scan(block.bytes) : undefined
  const node = scanned !== undefined && Result.isSuccess(scanned) ? scanned.success : undefined
  const links: Array<WalkLink> = []
  for (let i = 0; i < count; i++) {
    if (i % STEP === STEP - 1) yield
    const name = node === undefined ? undefined : DagPb.nameOf(node, i)
    links.push({
      cid: at(i),
      name: name === undefined ? undefined : EntryNames.shown(name),
      size: node?.sizes[i],
      inBlock: placeOf(i)
    })
  }
  return Result.succeed(links)
}
