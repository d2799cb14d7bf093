/** Follows paths through values of any codec. `Dag.resolve` uses it, and returns plain numbers. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import * as Block from "../block/Block.ts"
import * as BlockSource from "../block/BlockSource.ts"
import { LimitExceeded, NoSuchEntry } from "../block/DagError.ts"
import { unknownCodec } from "../block/linksSteps.ts"
import { flawed } from "../block/malformedBlock.ts"
import * as Cid from "../cid/Cid.ts"
import * as IpldCodecs from "../codec/ipldCodecs.ts"
import * as IpldValue from "../codec/ipldValue.ts"
import * as UnixFs from "../unixfs/UnixFs.ts"
import type { Steps } from "../work/steps.ts"
import * as WorkScheduler from "../work/WorkScheduler.ts"

/** The value at the end of a path. */
export interface ResolvedValue {
  /** The block that contains the value. */
  readonly cid: Cid.Cid
  /** The path within the block; empty if the value is the whole block. */
  readonly rest: ReadonlyArray<string>
  /**
   * A value of the IPLD data model. For a whole block it is the value of `Block.decode`. Within this package, it
   * distinguishes integers from floats as `DagCodec` does.
   */
  readonly value: unknown
}

export const resolve = <E, R>(
  source: BlockSource.BlockSource<E, R>,
  cid: Cid.Cid,
  path: ReadonlyArray<string>,
  options: UnixFs.UnixFsOptions
): Effect.Effect<ResolvedValue, E | UnixFs.UnixFsReadError | NoSuchEntry, R> =>
  Effect.gen(function* () {
    const { maxDepth = UnixFs.defaults.maxDepth } = options
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
      const whole = yield* decode(block)
      // A block that is only a link has that link as its value. The link is followed only if the path has more names.
      if (name === undefined) return { cid: at, rest, value: whole }
      const { used, value } = walk(whole, rest)
      if (value === undefined) return yield* new NoSuchEntry({ cid: Cid.toText(at), name: rest[used] ?? "" })
      const link = Cid.asCid(value)
      if (link === undefined) return { cid: at, rest, value }
      at = link
      rest = rest.slice(used)
    }
    return yield* new LimitExceeded({ cid: Cid.toText(cid), bound: "maxDepth", limit: maxDepth })
  })

/** Returns the value of a block, with distinct integers and floats, in turns with other work. */
export const decode = (block: Block.Block): Effect.Effect<unknown, Block.DecodeError> =>
  Effect.flatMap(
    WorkScheduler.run(() => decoded(block)),
    Effect.fromResult
  )

/** Returns the value of a block as `decode` does, in steps. */
export function* decoded({ bytes, cid }: Block.Block): Steps<Result.Result<unknown, Block.DecodeError>> {
  const codec = IpldCodecs.all.get(cid.code)
  if (codec === undefined) return unknownCodec(cid)
  return Result.mapError(yield* codec.decode(bytes), flawed(cid))
}

/**
 * Follows the path within one value, to its end or to the first link. The value is undefined if a name does not exist.
 */
const walk = (block: unknown, path: ReadonlyArray<string>): { readonly value: unknown; readonly used: number } => {
  let value = block
  let used = 0
  for (; used < path.length && Cid.asCid(value) === undefined; used++) {
    value = IpldValue.field(value, path[used]!)
    if (value === undefined) return { value, used }
  }
  return { value, used }
}
