/** Lists the links of a DAG in the order of Kubo's `refs`. */
import type { Refuted } from "@plumbline/verdict/Refuted"
import type { Unproven } from "@plumbline/verdict/Unproven"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import * as Block from "../block/Block.ts"
import * as BlockSource from "../block/BlockSource.ts"
import { LimitExceeded, MalformedBlock } from "../block/DagError.ts"
import * as Cid from "../cid/Cid.ts"
import * as Names from "../codec/names.ts"
import * as DagPb from "../codec/pb.ts"

/** A link from one block to another. */
export interface Ref {
  readonly from: Cid.Cid
  readonly to: Cid.Cid
  readonly name: string
}

/** The links to list, and the limits of reading. */
export interface Options extends Block.Options {
  readonly unique?: boolean | undefined
  readonly maxDepth?: number | undefined
  /** Maximum number of blocks to read, including repeated ones. Default: 1,048,576. */
  readonly maxBlocks?: number | undefined
}

const MAX_BLOCKS = 1_048_576

interface Open {
  readonly cid: Cid.Cid
  readonly links: ReadonlyArray<Pick<Ref, "to" | "name">>
  readonly depth: number
  at: number
}

/**
 * Streams the links depth first. A link is emitted after its block was read and checked, so that only links to blocks
 * that exist are listed. A tree of links that repeats blocks is as long as all its paths, so `maxBlocks` bounds it.
 */
export const refs = <E, R>(
  source: BlockSource.BlockSource<E, R>,
  root: Cid.Cid,
  { maxBlocks = MAX_BLOCKS, maxBlockSize, maxDepth = 1, unique = false }: Options = {}
): Stream.Stream<Ref, E | Refuted | Unproven | MalformedBlock | LimitExceeded, R> =>
  Stream.suspend(() => {
    const open: Array<Open> = []
    const seen = new Map<string, number>()
    let count = 0
    let isBegun = false

    const enter = Effect.fnUntraced(function* (cid: Cid.Cid, depth: number, isNeeded: boolean) {
      if (count++ >= maxBlocks) {
        return yield* new LimitExceeded({ cid: Cid.toText(root), bound: "maxBlocks", limit: maxBlocks })
      }
      const block = yield* BlockSource.get(source, cid, { maxBlockSize })
      if (isNeeded) open.push({ cid, links: yield* Effect.fromResult(linksOf(block)), depth, at: 0 })
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

    const pull = Effect.gen(function* () {
      if (!isBegun) {
        isBegun = true
        yield* enter(root, 0, true)
      }
      for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
        const link = top.links[top.at++]
        if (link === undefined) {
          open.pop()
          continue
        }
        const [isDeeper, isListed] = visit(link.to, top.depth + 1)
        if (!isDeeper && !isListed) continue
        yield* enter(link.to, top.depth + 1, isDeeper)
        if (isListed) return [{ from: top.cid, ...link }] as const
      }
      return yield* Cause.done()
    })
    return Stream.fromPull(Effect.succeed(pull))
  })

const linksOf = (block: Block.Block): Result.Result<Open["links"], MalformedBlock | Unproven> =>
  block.cid.code === Block.DAG_PB
    ? Result.mapBoth(DagPb.decode(block.bytes), {
        onFailure: (detail) => new MalformedBlock({ cid: Cid.toText(block.cid), detail }),
        onSuccess: ({ links }) =>
          links.map(({ cid, name }) => ({ to: cid, name: name === undefined ? "" : Names.shown(name) }))
      })
    : Result.map(Block.links(block), (cids) => cids.map((to) => ({ to, name: "" })))

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
