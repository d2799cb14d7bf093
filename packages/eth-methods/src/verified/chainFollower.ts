/** Follows a chain for the watches: when to read, what a reorganisation removes, and how the cursor goes on. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import { EncodeError, JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { Evidence } from "@plumbline/verdict/Evidence"
import type { Reason } from "@plumbline/verdict/Reason"
import { UnprovenError } from "@plumbline/verdict/UnprovenError"
import type { Verdict } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

import type * as Block from "../model/Block.ts"
import * as EthReason from "../proof/EthReason.ts"
import * as ChainWatch from "./ChainWatch.ts"
import type { ProvenNodes } from "./ProvenNodes.ts"
import type * as VerdictEthClient from "./VerdictEthClient.ts"

/** The proven head of the chain. */
export interface FollowedHead extends ChainWatch.WatchedBlock {
  readonly verdict: Verdict<Block.WithHashes>
  readonly standing: ChainWatch.WatchStanding
}

/** The proven things of consecutive blocks. */
export interface FollowedPart<Thing> {
  readonly things: ReadonlyArray<Thing>
  /** The hash of the block before the first one. */
  readonly parent: Hash32.Hash32
  /** The last block. The next part begins behind it. */
  readonly last: ChainWatch.WatchedBlock
  readonly standing: ChainWatch.WatchStanding
  readonly proven: ReadonlyArray<Evidence>
}

/** The client that a watch reads, or several nodes, each behind a client of its own. */
export type FollowedNodes<Client> = Client | ProvenNodes<Client>

/** The read that each watch needs. */
type HeadClient = Pick<VerdictEthClient.Client, "getBlockByNumber">

/** The things that a watch tells, such as logs. */
export interface FollowedSource<Thing, Client> {
  /** The name of the watch, for errors about its options. */
  readonly name: string
  /** Maximum number of blocks of a part. */
  readonly size: bigint
  /** Reads the things of the blocks `from` to `to`, or of fewer blocks. The head has the number `to`, or a higher one. */
  readonly read: (
    client: Client,
    range: readonly [from: bigint, to: bigint],
    head: FollowedHead
  ) => Effect.Effect<FollowedPart<Thing>, ChainWatch.ChainWatchError>
  readonly placeOf: (thing: Thing) => ChainWatch.WatchedBlock
  /** Returns the standing of a thing in its part. */
  readonly standingOf: (thing: Thing, part: FollowedPart<Thing>) => ChainWatch.WatchStanding
}

/** An item, with the cursor behind it. */
export type FollowedItem<Thing> = ChainWatch.WatchStanding & { readonly cursor: ChainWatch.Cursor } & (
    | { readonly _tag: "Told"; readonly thing: Thing }
    /** A block that is no longer on the chain, with the number of its things that were told. */
    | { readonly _tag: "Removed"; readonly block: ChainWatch.WatchedBlock; readonly told: number }
    /** Everything up to this block was told. */
    | { readonly _tag: "Reached"; readonly block: ChainWatch.WatchedBlock; readonly proven: ReadonlyArray<Evidence> }
  )

/** The items of one read, and the cursor behind them. */
interface Step<Thing> {
  readonly items: Iterable<FollowedItem<Thing>>
  readonly next: ChainWatch.Cursor
  /** True without news: the next read waits for a new block. */
  readonly isIdle?: boolean
}

/** Number of items that are made at a time: each has a cursor of its own. */
const CHUNK = 64

/** Number of blocks without things that a cursor keeps. */
const SPACES = 8

/** Follows the things of a source. Does not end by itself. */
export const follow = <Thing, Client extends HeadClient>(
  nodes: FollowedNodes<Client>,
  source: FollowedSource<Thing, Client>,
  options: ChainWatch.ChainWatchOptions
): Stream.Stream<FollowedItem<Thing>, ChainWatch.ChainWatchError> => {
  const { depth = ChainWatch.defaults.depth, head: tag = ChainWatch.defaults.head } = options
  const interval = options.pollInterval ?? ChainWatch.defaults.pollInterval
  const wrong = faultOf(source.name, depth, options.cursor)
  if (wrong !== undefined) return Stream.fail(wrong)

  /** Reads the next part. The head and the part come from one node, so that a lie has one author. */
  const step = Effect.fnUntraced(function* (
    client: Client,
    cursor: ChainWatch.Cursor
  ): Effect.fn.Return<Step<Thing>, ChainWatch.ChainWatchError> {
    const last = cursor.blocks.at(-1)
    const head = yield* Effect.flatMap(client.getBlockByNumber(tag), headOf)
    // the last block is read again if some of its things were not told
    const isPartial = last?.whole === false
    const from = BigInt(last === undefined ? cursor.from : isPartial ? last.number : last.number + 1)
    if (head.number < from) {
      if (last !== undefined && head.number === BigInt(last.number) && !Hex.equals(head.hash, last.hash)) {
        return removed(cursor, head.standing)
      }
      return { items: [], next: cursor, isIdle: true }
    }
    const end = from + (isPartial ? 1n : source.size) - 1n
    const part = yield* source.read(client, [from, end < head.number ? end : head.number], head)
    if (isPartial && !Hex.equals(part.last.hash, last.hash)) return removed(cursor, part.standing)
    const before = isPartial ? undefined : (last?.hash ?? cursor.parent ?? undefined)
    if (before !== undefined && !Hex.equals(part.parent, before)) {
      if (last !== undefined) return removed(cursor, part.standing)
      return yield* new ChainWatch.DeepReorgError({ number: from - 1n })
    }
    const kept = isFinal(part.standing) ? 1 : depth
    const things = isPartial ? part.things.slice(last.told) : part.things
    let next = cursor
    for (const [place, count] of countsOf(things, source)) next = behind(next, place, { more: count, kept })
    next = behind(next, part.last, { more: 0, kept, whole: true })
    return { items: itemsOf(cursor, { ...part, things }, { source, kept, next }), next }
  })

  /** Tries a step again while its failure at any node may pass. */
  const trying = (cursor: ChainWatch.Cursor) =>
    Effect.suspend(() => {
      let lacks = 0
      const mayPass = (error: ChainWatch.ChainWatchError): boolean =>
        error._tag === "JsonRpcError"
          ? (options.isPassingError?.(error) ?? error.retryable)
          : error._tag === "UnprovenError" &&
            ((options.isPassing !== undefined && isFor(error, options.isPassing)) ||
              (isFor(error, isLack) && lacks++ < (options.maxLacks ?? ChainWatch.defaults.maxLacks)))
      // the error of several nodes is that of one of them, and another one may only be silent for a moment
      let failures: ReadonlyArray<ChainWatch.ChainWatchError> = []
      const read = Effect.suspend(() => {
        failures = []
        return readOf(nodes, (client) =>
          Effect.tapError(step(client, cursor), (error) => Effect.sync(() => (failures = [...failures, error])))
        )
      })
      return Effect.retry(read, {
        while: (error) => {
          const passing = isOfEachNode(error) ? undefined : failures.find(mayPass)
          return passing === undefined
            ? Effect.succeed(false)
            : Effect.as(options.onRetry?.(passing) ?? Effect.void, true)
        },
        schedule: Schedule.spaced(interval)
      })
    })

  return Stream.paginate(options.cursor, (cursor) =>
    Effect.gen(function* () {
      const { isIdle = false, items, next } = yield* trying(cursor)
      yield* options.onRead ?? Effect.void
      if (isIdle) yield* Effect.sleep(interval)
      return [[items], Option.some(next)] as const
    })
  ).pipe(
    Stream.flatMap((items) => Stream.fromIterable(items, { chunkSize: CHUNK })),
    Stream.filter((item) => item._tag !== "Removed" || item.told > 0)
  )
}

/** Runs a read over the client, or over one node after another. A deep reorganisation is proven, so no other node is asked. */
const readOf = <Client, A>(
  nodes: FollowedNodes<Client>,
  use: (client: Client) => Effect.Effect<A, ChainWatch.ChainWatchError>
): Effect.Effect<A, ChainWatch.ChainWatchError> =>
  isSeveral(nodes)
    ? Effect.flatMap(
        nodes.read((client) => Effect.catchTag(use(client), "DeepReorgError", Effect.succeed)),
        (found) => (found instanceof ChainWatch.DeepReorgError ? Effect.fail(found) : Effect.succeed(found))
      )
    : use(nodes)

/** True for an error that each node would give: it is proven, or the mistake is the question's. */
const isOfEachNode = (error: ChainWatch.ChainWatchError): boolean =>
  error._tag === "DeepReorgError" ||
  (error._tag === "JsonRpcError" && (error.reason._tag === "EncodeError" || error.reason._tag === "OptionsError"))

const isSeveral = <Client>(nodes: FollowedNodes<Client>): nodes is ProvenNodes<Client> =>
  typeof nodes === "object" && nodes !== null && "read" in nodes

/** Returns the error of options that cannot be used: the cursors that they make could not be read again. */
const faultOf = (method: string, depth: number, cursor: ChainWatch.Cursor): JsonRpcError | undefined => {
  const invalid = (option: string, detail: string): JsonRpcError =>
    new JsonRpcError({ method, reason: new EncodeError({ path: [option], detail }) })
  if (!(Number.isInteger(depth) && depth >= 1 && depth <= ChainWatch.MAX_BLOCKS)) {
    return invalid("depth", `must be a whole number from 1 to ${ChainWatch.MAX_BLOCKS}`)
  }
  return isCursor(cursor) ? undefined : invalid("cursor", "must be the cursor of an item, or `start` of a block number")
}

const isCursor = Schema.is(ChainWatch.Cursor)

/** True if the blocks up to the one that proves a part stay on the chain. */
const isFinal = ({ anchor }: ChainWatch.WatchStanding): boolean =>
  anchor._tag === "LightClient" && (anchor.finality === "finalized" || anchor.finality === "checkpoint")

/** Tells things one after the other, and then that the end of the part is reached. */
function* itemsOf<Thing>(
  cursor: ChainWatch.Cursor,
  part: FollowedPart<Thing>,
  {
    kept,
    next,
    source
  }: {
    readonly source: Pick<FollowedSource<Thing, never>, "placeOf" | "standingOf">
    readonly kept: number
    readonly next: ChainWatch.Cursor
  }
): Generator<FollowedItem<Thing>> {
  let at = cursor
  for (const thing of part.things) {
    at = behind(at, source.placeOf(thing), { more: 1, kept })
    yield { _tag: "Told", thing, cursor: at, ...source.standingOf(thing, part) }
  }
  yield { _tag: "Reached", block: part.last, proven: part.proven, cursor: next, ...part.standing }
}

/** Returns the cursor behind more things of a block. `kept` is the number of blocks that the cursor keeps. */
const behind = (
  cursor: ChainWatch.Cursor,
  block: ChainWatch.WatchedBlock,
  { kept, more, whole = false }: { readonly more: number; readonly kept: number; readonly whole?: boolean }
): ChainWatch.Cursor => {
  const number = Number(block.number)
  const last = cursor.blocks.at(-1)
  const isSame = last?.number === number
  const told = (isSame ? last.told : 0) + more
  const older = cursor.blocks.slice(0, isSame ? -1 : undefined)
  const left = older.at(-1)
  if (left !== undefined) {
    // of blocks without things some are kept, so that not all is read again after a reorganisation
    const isNear = left.number - (older.at(-2)?.number ?? cursor.from - 1) < kept / SPACES
    older.splice(-1, 1, ...(left.told === 0 && isNear ? [] : [{ ...left, whole: true }]))
  }
  const blocks = [...older, { number, hash: block.hash, told, whole }]
  const dropped = blocks.findLastIndex((one) => one.number <= number - kept)
  if (dropped < 0) return { ...cursor, blocks }
  const { hash, number: final } = blocks[dropped]!
  return { from: final + 1, parent: hash, blocks: blocks.slice(dropped + 1) }
}

/** Removes the last block of a cursor, which is no longer on the chain. */
const removed = <Thing>({ blocks, ...cursor }: ChainWatch.Cursor, standing: ChainWatch.WatchStanding): Step<Thing> => {
  const { hash, number, told } = blocks.at(-1)!
  const next = { ...cursor, blocks: blocks.slice(0, -1) }
  const block = { number: BigInt(number), hash: Hash32.fromHexUnsafe(hash) }
  return { items: [{ _tag: "Removed", block, told, cursor: next, ...standing }], next }
}

/** Returns the standing of an answer, if it is proven or the reader accepts the nodes that vouch for it. */
export const standingOf = ({ _tag, anchor }: Verdict<unknown>): ChainWatch.WatchStanding | undefined =>
  anchor !== null && (_tag === "VERIFIED" || ("accepted" in anchor && anchor.accepted))
    ? { verdict: _tag, anchor }
    : undefined

/** Returns a block by its number and hash, with its proof. Fails if it is not proven. */
export const headOf = (verdict: Verdict<Block.WithHashes | null>): Effect.Effect<FollowedHead, UnprovenError> => {
  const standing = standingOf(verdict)
  const { hash = null, number = null } = verdict.value ?? {}
  return standing === undefined || hash === null || number === null
    ? Effect.fail(new UnprovenError({ subject: "eth_getBlockByNumber", claims: verdict.claimed }))
    : Effect.succeed({ number, hash, standing, verdict: verdict as Verdict<Block.WithHashes> })
}

/** Returns each block of things, with the number of its things. The things of a block stand together. */
const countsOf = <Thing>(
  things: ReadonlyArray<Thing>,
  { placeOf }: Pick<FollowedSource<Thing, never>, "placeOf">
): ReadonlyArray<readonly [ChainWatch.WatchedBlock, number]> =>
  [...Map.groupBy(things, (thing) => placeOf(thing).number).values()].map(
    (some) => [placeOf(some[0]!), some.length] as const
  )

/** True if a claim has this kind of reason, by itself or as the cause of a reason about a block. */
const isFor = ({ claims }: UnprovenError, test: (reason: Reason) => boolean): boolean => {
  const isOf = (reason: Reason): boolean =>
    EthReason.LogsOfBlock.is(reason) || EthReason.NotOnChain.is(reason) ? isOf(reason.cause) : test(reason)
  return claims.some(({ reason }) => isOf(reason))
}

/** True if the node lacks a block or its receipts: it may be behind, or may have moved to another branch. */
const isLack = (reason: Reason): boolean =>
  EthReason.LogsMayBe.is(reason) ? reason.cause === undefined : LACKING.some((kind) => kind.is(reason))

const LACKING = [
  EthReason.BlockUnknown,
  EthReason.TrustedBlockUnknown,
  EthReason.AncestorUnknown,
  EthReason.ParentUnknown
] as const
