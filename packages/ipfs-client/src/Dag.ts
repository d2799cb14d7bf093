/**
 * Values in blocks of any codec, and paths through them: what dag/get and dag/resolve answer, each block checked.
 *
 * A path goes through maps by key, through lists by index, through links to the block behind them, and through the
 * directories of UnixFS by name.
 */
import * as Effect from "effect/Effect"

import * as Block from "./Block.ts"
import * as BlockSource from "./BlockSource.ts"
import * as Cid from "./Cid.ts"
import { LimitExceeded, NoSuchEntry } from "./DagError.ts"
import * as UnixFs from "./UnixFs.ts"

/** What stands at the end of a path. */
export interface Resolved {
  /** The block that it is in. */
  readonly cid: Cid.Cid
  /** The path within that block: none where it is all of it. */
  readonly rest: ReadonlyArray<string>
  /** A value of the IPLD data model; of a whole block, what `Block.decode` gives. */
  readonly value: unknown
}

/**
 * The value at the end of a path. A link at the end is followed, as Kubo does.
 *
 * Fails with `NoSuchEntry` where the path names nothing in a block that was checked, with `LimitExceeded` when it leads
 * through more than `maxDepth` links, and with `UnixFs.ReadError`.
 *
 * ```ts import.meta.vitest
 * import { Block, BlockSource, Dag } from "@plumbline/ipfs-client"
 * import { Effect, Result } from "effect"
 *
 * // {"a": [7]} in dag-cbor
 * const bytes = Uint8Array.of(0xa1, 0x61, 0x61, 0x81, 7)
 * const cid = Result.getOrThrow(Block.cidOf(Block.DAG_CBOR, bytes))
 * const source = BlockSource.fromBlocks([{ cid, bytes }])
 * const { rest, value } = await Effect.runPromise(Dag.resolve(source, cid, ["a", "0"]))
 * value // => 7
 * rest // => ["a", "0"]
 * ```
 */
export const resolve = <E, R>(
  source: BlockSource.BlockSource<E, R>,
  cid: Cid.Cid,
  path: ReadonlyArray<string>,
  options: UnixFs.Options = {}
): Effect.Effect<Resolved, E | UnixFs.ReadError | NoSuchEntry, R> =>
  Effect.gen(function* () {
    const { maxDepth = 32 } = options
    let at = cid
    let rest = path
    for (let links = 0; links < maxDepth; links++) {
      const [name] = rest
      if (at.code === Block.DAG_PB && name !== undefined) {
        at = yield* UnixFs.resolve(source, at, [name], options)
        rest = rest.slice(1)
        continue
      }
      const block = yield* BlockSource.get(source, at, options)
      const { used, value } = walk(yield* Effect.fromResult(Block.decode(block)), rest)
      if (value === undefined) return yield* new NoSuchEntry({ cid: Cid.format(at), name: rest[used] ?? "" })
      const link = Cid.asCid(value)
      if (link === undefined) return { cid: at, rest, value }
      at = link
      rest = rest.slice(used)
    }
    return yield* new LimitExceeded({ cid: Cid.format(cid), bound: "maxDepth", limit: maxDepth })
  })

/** Goes along the path within one value, up to a link or to its end; no value where a name is not there. */
const walk = (block: unknown, path: ReadonlyArray<string>): { readonly value: unknown; readonly used: number } => {
  let value = block
  let used = 0
  for (; used < path.length && Cid.asCid(value) === undefined; used++) {
    const name = path[used]!
    const isIndex = /^(?:0|[1-9]\d*)$/.test(name)
    if (Array.isArray(value) ? isIndex : isMap(value) && Object.hasOwn(value, name)) {
      value = (value as Readonly<Record<string, unknown>>)[name]
      if (value !== undefined) continue
    }
    return { value: undefined, used }
  }
  return { value, used }
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !(value instanceof Uint8Array)
