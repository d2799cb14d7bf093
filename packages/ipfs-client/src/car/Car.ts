/**
 * Reads and writes CARs. A CAR is a file with the blocks of a DAG: dag/export sends it, and dag/import accepts it. Each
 * block is checked and emitted as it arrives.
 *
 * Source: the specifications of CARv1 and CARv2; the index of version 2 is ignored.
 */
import * as Bytes from "@plumbline/codec/hex/Bytes"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import type { UnprovenError } from "@plumbline/verdict/UnprovenError"
import type * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import * as Block from "../block/Block.ts"
import * as BlockSource from "../block/BlockSource.ts"
import { LimitExceeded, type MalformedBlock, MissingBlocks } from "../block/DagError.ts"
import { linksSteps } from "../block/linksSteps.ts"
import * as Cid from "../cid/Cid.ts"
import * as Multihash from "../cid/Multihash.ts"
import { nodeKey } from "../cid/nodeKey.ts"
import * as BlockLinks from "../codec/blockLinks.ts"
import * as DagCbor from "../codec/dagCbor.ts"
import * as Protobuf from "../codec/protobuf.ts"
import { now, STEP, type Steps } from "../work/steps.ts"
import * as WorkScheduler from "../work/WorkScheduler.ts"
import type { CarError } from "./CarError.ts"
import { UnexpectedBlock } from "./CarError.ts"
import * as CarParser from "./carParser.ts"
import { refutation } from "./carRoots.ts"

export { CarError, UnexpectedBlock } from "./CarError.ts"

export type { CarItem } from "./carParser.ts"

/** Limits for reading a CAR. */
export interface CarOptions {
  /** Maximum number of bytes of a block. Default: 2 MiB. */
  readonly maxBlockSize?: number | undefined
  /** Maximum number of bytes of the header, which lists the roots. Default: 1 MiB. */
  readonly maxHeaderSize?: number | undefined
}

/** Limits for reading a DAG. */
export interface CarDagOptions extends CarOptions {
  /** Maximum number of blocks that arrive or are linked to. Default: 4,194,304. About 200 bytes are kept for each. */
  readonly maxBlocks?: number | undefined
  /**
   * True to accept a CAR that has the root but lacks other blocks. Every block of the CAR must still be linked from the
   * root through blocks of the CAR. Default: false.
   */
  readonly isPartial?: boolean | undefined
}

/** Defaults for options that a caller omits. */
export const defaults = {
  maxBlockSize: Block.defaults.maxBlockSize,
  maxHeaderSize: 1024 * 1024,
  maxBlocks: 4_194_304,
  isPartial: false
} as const

/** The errors of reading, in addition to the stream's own errors. */
export type CarReadError = CarError | RefutedError | UnprovenError

/**
 * Reads the roots, then the blocks in the order of the CAR, each checked against its CID.
 *
 * Fails with `CarError` if the bytes are not a CAR or end too early, and with `RefutedError` or `UnprovenError` at the first
 * block that does not match its CID. Blocks that were emitted before stay valid. Nothing proves the roots.
 *
 * ```ts import.meta.vitest
 * import { Block, Car } from "@plumbline/ipfs-client"
 * import { Effect, Result, Stream } from "effect"
 *
 * const bytes = new TextEncoder().encode("hello")
 * const cid = Result.getOrThrow(Block.cidOf(Block.RAW, bytes))
 * const car = Car.encode([cid], Stream.make({ cid, bytes }))
 * const items = await Effect.runPromise(Stream.runCollect(Car.read(car)))
 * items.map(({ _tag }) => _tag) // => ["Roots", "Block"]
 * ```
 */
export const read = <E, R>(
  car: Stream.Stream<Uint8Array, E, R>,
  options: CarOptions = {}
): Stream.Stream<CarParser.CarItem, E | CarReadError, R> =>
  Stream.transformPull(car, (pull) =>
    Effect.sync(() => {
      const { maxBlockSize = defaults.maxBlockSize, maxHeaderSize = defaults.maxHeaderSize } = options
      const parser = CarParser.make({ maxBlockSize, maxHeaderSize })
      let problem: CarReadError | undefined
      let ended = false

      /**
       * Parses all complete items of the bytes that have arrived. An error is kept until the items before it are taken.
       */
      const parsed = Effect.gen(function* () {
        const items: Array<CarParser.CarItem> = []
        for (let item = parser.next(); item !== undefined; item = parser.next()) {
          if (item._tag === "CarError") {
            problem = item
            break
          }
          items.push(item)
        }
        const checks = yield* Effect.forEach(items, (item) => Effect.result(checked(item, maxBlockSize)), {
          concurrency: CHECKED_AT_ONCE
        })
        const bad = checks.findIndex(Result.isFailure)
        const first = checks[bad]
        if (first === undefined || Result.isSuccess(first)) return items
        problem = first.failure
        return items.slice(0, bad)
      })

      const next: Pull.Pull<Arr.NonEmptyReadonlyArray<CarParser.CarItem>, E | CarReadError> = Effect.gen(function* () {
        for (;;) {
          if (problem !== undefined) return yield* Effect.fail(problem)
          if (ended) return yield* Cause.done()
          const pieces = yield* Pull.catchDone(pull, () => Effect.succeed(undefined))
          if (pieces === undefined) {
            ended = true
            problem = parser.end()
            continue
          }
          for (const piece of pieces) parser.push(piece)
          const items = yield* parsed
          if (isSome(items)) return items
        }
      })
      return next
    })
  )

/**
 * Reads exactly the blocks of one DAG from an answer of dag/export for `root`, in any order, each once.
 *
 * Every block is checked against its CID before it is emitted, and its links are followed. At the end, the stream fails
 * with `MissingBlocks` if a linked block never arrived, and with `UnexpectedBlock` if no block links to a received
 * block. So a CAR that was cut between two blocks does not count as complete; with `isPartial`, only the root is
 * required. A repeated block is ignored. Only CIDs are kept, not blocks. Fails with `RefutedError` (`car roots`) if `root`
 * is not among the roots, with `LimitExceeded` beyond `maxBlocks`, and as `read` and `Block.links` do.
 *
 * ```ts import.meta.vitest
 * import { Car, FileCid } from "@plumbline/ipfs-client"
 * import { Effect, Stream } from "effect"
 *
 * const blocks = await Effect.runPromise(Stream.runCollect(FileCid.blocks(Stream.make(new Uint8Array(300_000)))))
 * const root = blocks.at(-1)!.cid
 * const cut = Car.encode([root], Stream.fromIterable(blocks.slice(1)))
 * const failure = await Effect.runPromise(Effect.flip(Stream.runDrain(Car.dag(cut, root))))
 * failure._tag // => "MissingBlocks"
 * ```
 */
export const dag = <E, R>(
  car: Stream.Stream<Uint8Array, E, R>,
  root: Cid.Cid,
  options: CarDagOptions = {}
): Stream.Stream<
  Block.Block,
  E | CarReadError | MalformedBlock | LimitExceeded | MissingBlocks | UnexpectedBlock,
  R
> => {
  const { isPartial = defaults.isPartial, maxBlocks = defaults.maxBlocks } = options
  return Stream.suspend(() => {
    const arrived = new Set<string>()
    /**
     * CIDs that are linked from the root through blocks that have arrived, whether or not their own blocks have
     * arrived.
     */
    const reached = new Set<string>()
    const wanted = new Map<string, Cid.Cid>()
    /** Blocks that arrived before a block that links to them. */
    const early = new Map<string, { readonly cid: Cid.Cid; readonly links: Block.BlockLinks }>()
    let earlyLinks = 0

    /** Follows links from the root, in steps. */
    function* reach(
      first: Block.BlockLinks
    ): Steps<Result.Result<void, RefutedError | UnprovenError | MalformedBlock | LimitExceeded>> {
      const rest = [first]
      for (let links = rest.pop(); links !== undefined; links = rest.pop()) {
        for (let i = 0; i < links.count; i++) {
          if (i % STEP === STEP - 1) yield
          const link = links.at(i)
          const key = nodeKey(link)
          if (reached.has(key)) continue
          reached.add(key)
          const waiting = early.get(key)
          const inlined = Multihash.inlined(link)
          if (waiting !== undefined) {
            early.delete(key)
            earlyLinks -= waiting.links.count
            rest.push(waiting.links)
          } else if (inlined === undefined) wanted.set(key, link)
          else {
            const checked = Block.check(link, inlined)
            if (Result.isFailure(checked)) return Result.fail(checked.failure)
            const within = yield* linksSteps(checked.success)
            if (Result.isFailure(within)) return Result.fail(within.failure)
            rest.push(within.success)
          }
        }
      }
      return Result.succeed(undefined)
    }

    function* accept(item: CarParser.CarItem): Steps<Accepted> {
      if (item._tag === "Roots") {
        const refuted = refutation(item.roots, root)
        return refuted === undefined ? Result.succeed([]) : Result.fail(refuted)
      }
      const key = nodeKey(item.cid)
      if (arrived.has(key)) return Result.succeed([])
      arrived.add(key)
      const found = yield* linksSteps(item)
      if (Result.isFailure(found)) return Result.fail(found.failure)
      const links = found.success
      if (wanted.delete(key)) {
        const followed = yield* reach(links)
        if (Result.isFailure(followed)) return Result.fail(followed.failure)
      } else if (!reached.has(key)) {
        early.set(key, { cid: item.cid, links })
        earlyLinks += links.count
      }
      // links count like blocks, because one block can link to fifty thousand others
      return Math.max(arrived.size, reached.size, earlyLinks) > maxBlocks
        ? Result.fail(new LimitExceeded({ cid: Cid.toText(root), bound: "maxBlocks", limit: maxBlocks }))
        : Result.succeed([{ cid: item.cid, bytes: item.bytes }])
    }

    const started = now(reach(BlockLinks.ofCids([root])))
    if (Result.isFailure(started)) return Stream.fail(started.failure)
    return read(car, options).pipe(
      Stream.mapEffect((item) =>
        Effect.flatMap(
          WorkScheduler.run(() => accept(item)),
          Effect.fromResult
        )
      ),
      Stream.flatMap(Stream.fromIterable),
      Stream.concat(
        Stream.fromEffectDrain(
          Effect.suspend(() => {
            const lacking = [...wanted.values()].filter((link) => !isPartial || nodeKey(link) === nodeKey(root))
            const [stray] = early.values()
            return complete(root, lacking, stray?.cid)
          })
        )
      )
    )
  })
}

/** Fails if blocks of a DAG have not come, or if a block came that belongs to another one. */
const complete = (
  root: Cid.Cid,
  lacking: ReadonlyArray<Cid.Cid>,
  stray: Cid.Cid | undefined
): Effect.Effect<void, MissingBlocks | UnexpectedBlock> => {
  const cid = Cid.toText(root)
  if (lacking.length > 0) {
    const missing = lacking.slice(0, 10).map((link) => Cid.toText(link))
    return Effect.fail(new MissingBlocks({ cid, missing, count: lacking.length }))
  }
  return stray === undefined ? Effect.void : Effect.fail(new UnexpectedBlock({ cid: Cid.toText(stray), root: cid }))
}

/**
 * Collects the blocks of a stream into a source in memory, from which files can be read. Fails with `LimitExceeded` if
 * the blocks have more than `maxBytes` (default: 64 MiB).
 *
 * ```ts import.meta.vitest
 * import { Car, FileCid, UnixFs } from "@plumbline/ipfs-client"
 * import { Effect, Stream } from "effect"
 *
 * const file = Stream.make(new TextEncoder().encode("hello"))
 * const { cid } = await Effect.runPromise(FileCid.ofStream(file))
 * const car = Car.encode([cid], FileCid.blocks(file))
 * const source = await Effect.runPromise(Car.collect(Car.dag(car, cid), cid))
 * await Effect.runPromise(UnixFs.cat(source, cid).pipe(Stream.decodeText(), Stream.mkString)) // => "hello"
 * ```
 */
export const collect = <E, R>(
  blocks: Stream.Stream<Block.Block, E, R>,
  root: Cid.Cid,
  options: { readonly maxBytes?: number | undefined } = {}
): Effect.Effect<BlockSource.BlockSource<MissingBlocks>, E | LimitExceeded, R> => {
  const { maxBytes = 64 * 1024 * 1024 } = options
  return Effect.suspend(() => {
    const kept: Array<Block.Block> = []
    let size = 0
    return blocks.pipe(
      Stream.runForEach((block) => {
        size += block.bytes.length
        if (size > maxBytes) {
          return Effect.fail(new LimitExceeded({ cid: Cid.toText(root), bound: "maxBytes", limit: maxBytes }))
        }
        kept.push(block)
        return Effect.void
      }),
      Effect.map(() => BlockSource.fromBlocks(kept))
    )
  })
}

/**
 * Writes a CAR of version 1 from roots and blocks, in the given order, without checking them.
 *
 * The header is emitted with the first block, so a stream that fails before its first block emits no bytes.
 */
export const encode = <E, R>(
  roots: ReadonlyArray<Cid.Cid>,
  blocks: Stream.Stream<Block.Block, E, R>
): Stream.Stream<Uint8Array, E, R> =>
  Stream.suspend(() => {
    const data = Result.getOrThrow(DagCbor.encode({ version: 1, roots }))
    let header: ReadonlyArray<Uint8Array> = [Protobuf.varint(data.length), data]
    const section = ({ bytes, cid }: Block.Block): Uint8Array => {
      const joined = Bytes.join([...header, Protobuf.varint(cid.bytes.length + bytes.length), cid.bytes, bytes])
      header = []
      return joined
    }
    const alone = Stream.suspend(() => (header.length === 0 ? Stream.empty : Stream.make(Bytes.join(header))))
    return Stream.concat(Stream.map(blocks, section), alone)
  })

/** The blocks that an item of a CAR adds to a DAG, or the reason to refuse the item. */
type Accepted = Result.Result<ReadonlyArray<Block.Block>, RefutedError | UnprovenError | MalformedBlock | LimitExceeded>

/** Number of blocks whose hashes the platform computes at the same time. */
const CHECKED_AT_ONCE = 4

const checked = (item: CarParser.CarItem, maxBlockSize: number): Effect.Effect<unknown, RefutedError | UnprovenError> =>
  item._tag === "Block" ? Block.checkEffect(item.cid, item.bytes, { maxBlockSize }) : Effect.void

const isSome = <A>(items: ReadonlyArray<A>): items is Arr.NonEmptyReadonlyArray<A> => items.length > 0
