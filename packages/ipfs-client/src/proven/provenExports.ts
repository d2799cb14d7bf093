/**
 * Reads whole files from one answer of `dag/export`, block by block as the answer arrives. A request for each block
 * would cost more than the blocks themselves.
 *
 * The blocks arrive in the order in which the file is read, and each is checked against the CID that the reader
 * requests. If a node lacks the command or sends another order, blocks are requested one by one instead.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

import type * as Block from "../block/Block.ts"
import type * as BlockSource from "../block/BlockSource.ts"
import { linksSteps } from "../block/linksSteps.ts"
import * as Car from "../car/Car.ts"
import { CarError, UnexpectedBlock } from "../car/CarError.ts"
import * as CarParser from "../car/carParser.ts"
import * as CarRoots from "../car/carRoots.ts"
import * as Cid from "../cid/Cid.ts"
import { nodeKey } from "../cid/nodeKey.ts"
import type { AnyClient, IpfsFailure } from "../client/IpfsClient.ts"
import type { IpfsError } from "../client/IpfsError.ts"
import * as UnixFs from "../unixfs/UnixFs.ts"
import { STEP, type Steps } from "../work/steps.ts"
import * as WorkScheduler from "../work/WorkScheduler.ts"

/** The options that a call passes on to its requests. */
interface Asked {
  readonly offline?: boolean | undefined
  readonly timeout?: string | undefined
}

export interface ProvenExports {
  /** Streams a whole file. `blocks` returns single blocks that the export lacks. */
  readonly cat: (
    cid: Cid.Cid,
    asked: Asked,
    blocks: BlockSource.BlockSource<IpfsFailure>
  ) => Stream.Stream<Uint8Array, IpfsFailure>
}

/**
 * Maximum number of bytes of blocks that are kept for repetitions, because a file may repeat a block that the CAR has
 * only once. Repetitions are mostly close to each other; a block from further back is requested again.
 */
const MAX_KEPT = 512 * 1024

export const make = (ipfs: AnyClient, options: UnixFs.UnixFsOptions): ProvenExports => {
  // If a node does not know the command, it is not called again.
  let isUnknown = false

  const cat: ProvenExports["cat"] = (cid, asked, blocks) =>
    Stream.unwrap(
      Effect.gen(function* () {
        if (isUnknown) return UnixFs.cat(blocks, cid, options)
        const scope = yield* Scope.fork(yield* Effect.scope)
        const car = ipfs.dagExport(cid, asked)
        const pull = yield* Scope.provide(Stream.toPull(car), scope)
        const { end, source } = inOrder(cid, pull, blocks, {
          maxBlockSize: options.maxBlockSize ?? UnixFs.defaults.maxBlockSize,
          close: Scope.close(scope, Exit.void),
          refused: (error) => {
            isUnknown ||= FOR_GOOD.has(error.reason._tag)
          }
        })
        // one block after the other, because the export has its blocks in the order of reading
        const file = UnixFs.cat(source, cid, { ...options, concurrency: 1 })
        return Stream.concat(file, Stream.fromEffectDrain(end))
      })
    )
  return { cat }
}

/** The bounds of an export, and the source that gives the blocks if the export is useless. */
interface Settings {
  readonly maxBlockSize: number
  /** Ends the request of the export. */
  readonly close: Effect.Effect<void>
  /** Records that the node refused the export. */
  readonly refused: (error: IpfsError) => void
}

/** A block of the CAR that the reader has not yet requested. */
interface Ahead {
  readonly block: Block.Block
  readonly key: string
}

/**
 * Returns the blocks of an export to a reader that requests them in order, and checks that the export has no other
 * blocks.
 */
const inOrder = (
  root: Cid.Cid,
  pull: Pull.Pull<ReadonlyArray<Uint8Array>, IpfsFailure>,
  instead: BlockSource.BlockSource<IpfsFailure>,
  { close, maxBlockSize, refused }: Settings
) => {
  const parser = CarParser.make({ maxBlockSize, maxHeaderSize: Car.defaults.maxHeaderSize })
  const kept = new Map<string, Uint8Array>()
  let keptBytes = 0
  const rootKey = nodeKey(root)
  /** Keys of blocks that have not arrived, but to which a received block links. */
  const linked = new Set([rootKey])
  /** The next block of the CAR; undefined until `look` has read it. */
  let ahead: Ahead | undefined
  let state: "nothing came" | "in order" | "ended" | "given up" = "nothing came"

  const keep = (key: string, bytes: Uint8Array): void => {
    kept.set(key, bytes)
    keptBytes += bytes.length
    for (const [oldest, { length }] of kept) {
      // The last block is kept, even if it is larger than the bound.
      if (keptBytes <= MAX_KEPT || kept.size === 1) return
      kept.delete(oldest)
      keptBytes -= length
    }
  }

  /** Returns the next block without removing it; undefined at the end. */
  const look: Effect.Effect<Ahead | undefined, IpfsFailure> = Effect.gen(function* () {
    while (ahead === undefined && state !== "ended") {
      const item = parser.next()
      if (item === undefined) {
        const pieces = yield* Pull.catchDone(pull, () => Effect.succeed(undefined))
        if (pieces !== undefined) for (const piece of pieces) parser.push(piece)
        else {
          state = "ended"
          const cut = parser.end()
          if (cut !== undefined) return yield* Effect.fail(cut)
        }
        continue
      }
      if (item instanceof CarError) return yield* Effect.fail(item)
      state = "in order"
      if (item._tag === "Block") ahead = { block: item, key: nodeKey(item.cid) }
      else {
        const refutation = CarRoots.refutation(item.roots, root)
        if (refutation !== undefined) return yield* Effect.fail(refutation)
      }
    }
    return ahead
  })

  const giveUp = (cid: Cid.Cid) => {
    state = "given up"
    kept.clear()
    linked.clear()
    ahead = undefined
    return Effect.andThen(close, instead(cid))
  }

  const take = ({ block, key }: Ahead): Effect.Effect<Uint8Array> => {
    ahead = undefined
    linked.delete(key)
    keep(key, block.bytes)
    return Effect.as(
      WorkScheduler.run(() => noteLinks(block)),
      block.bytes
    )
  }

  function* noteLinks(block: Block.Block): Steps<void> {
    // the reader checks the hash, so it refuses a block that lies about its links
    const links = yield* linksSteps(block)
    if (Result.isFailure(links)) return
    const { at, count } = links.success
    for (let i = 0; i < count; i++) {
      if (i % STEP === STEP - 1) yield
      const to = nodeKey(at(i))
      if (!kept.has(to)) linked.add(to)
    }
  }

  const inTurn = Effect.fnUntraced(function* (cid: Cid.Cid) {
    const key = nodeKey(cid)
    for (;;) {
      const next = yield* look
      if (next?.key === key) return yield* take(next)
      const again = kept.get(key)
      if (again !== undefined) return again
      // The block arrived earlier and was dropped. A CAR has each block only once.
      if (!linked.has(key)) return yield* instead(cid)
      // The node uses another order, in which the root may come last. After the root, a block that no received block
      // links to does not belong to the file.
      if (next === undefined || linked.has(next.key) || linked.has(rootKey)) return yield* giveUp(cid)
      yield* passOver(next)
    }
  })

  /** Skips the next block of the CAR if it repeats an earlier one. Any other block does not belong to the file. */
  const passOver = ({ block, key }: Ahead): Effect.Effect<void, UnexpectedBlock> => {
    ahead = undefined
    return kept.has(key)
      ? Effect.void
      : Effect.fail(new UnexpectedBlock({ cid: Cid.toText(block.cid), root: Cid.toText(root) }))
  }

  const source: BlockSource.BlockSource<IpfsFailure> = (cid) =>
    Effect.suspend(() =>
      state === "given up"
        ? instead(cid)
        : Effect.catch(inTurn(cid), (error) => {
            if (state !== "nothing came" || error._tag !== "IpfsError" || !isRefusal(error)) return Effect.fail(error)
            refused(error)
            return giveUp(cid)
          })
    )

  const end: Effect.Effect<void, IpfsFailure> = Effect.suspend(() =>
    state === "given up"
      ? Effect.void
      : Effect.gen(function* () {
          for (let next = yield* look; next !== undefined; next = yield* look) yield* passOver(next)
        })
  )
  return { source, end }
}

/** True if the node refuses to export this content. */
const isRefusal = ({ reason }: IpfsError): boolean => REFUSALS.has(reason._tag)

/** Errors by which a node refuses the command itself, for any CID. */
const FOR_GOOD: ReadonlySet<IpfsError["reason"]["_tag"]> = new Set([
  "UnknownCommandError",
  "NotAllowedError",
  "ForbiddenError"
])

const REFUSALS: ReadonlySet<IpfsError["reason"]["_tag"]> = new Set([...FOR_GOOD, "MalformedError", "FailedError"])
