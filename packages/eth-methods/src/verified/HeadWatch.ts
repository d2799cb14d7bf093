/**
 * Follows the blocks of a chain, from a block on: each block once, in order, across reorganisations and restarts.
 *
 * **When to use**
 *
 * For a program that must see every block, and must know when a block leaves the chain. For the events of contracts, use
 * `LogWatch`: it reads only the blocks that have some.
 *
 * **Details**
 *
 * Each block names the one before by its hash, so no block is missing between two items. A node's new head is not told
 * before the trusted authority names it. Each item has a cursor, as those of `LogWatch`.
 */
import * as Hex from "@plumbline/codec/hex/Hex"
import { JsonRpcError, MovedError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import { UnprovenError } from "@plumbline/verdict/UnprovenError"
import { map } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

import type * as Block from "../model/Block.ts"
import * as ChainFollower from "./chainFollower.ts"
import type * as ChainWatch from "./ChainWatch.ts"
import * as OnlyProven from "./OnlyProven.ts"
import type { ProvenNodes } from "./ProvenNodes.ts"
import type * as VerdictEthClient from "./VerdictEthClient.ts"

export { Cursor, DeepReorgError, defaults, MAX_BLOCKS, start } from "./ChainWatch.ts"

/** An item of a watch, with the proof behind it and the cursor behind it. */
export type HeadItem = ChainWatch.WatchStanding & { readonly cursor: ChainWatch.Cursor } &
  /** A block on the chain: its header, as `newHeads` sends it. Fields that are only claimed are left out. */
  (
    | { readonly _tag: "Head"; readonly header: Block.Header }
    /** A block that was told, and is no longer on the chain. */
    | { readonly _tag: "Removed"; readonly block: ChainWatch.WatchedBlock }
  )

/** The reads that a watch needs. */
export type WatchClient = Pick<VerdictEthClient.Client, "getBlockByNumber">

/** Maximum number of blocks that are read before the first of them is told, and of those that are read at a time. */
const SIZE = 64n
const CONCURRENCY = 8

/**
 * Follows the blocks of the chain. Does not end by itself.
 *
 * Takes several nodes, fails and tries again as `LogWatch.watch` does.
 *
 * ```ts import.meta.vitest
 * import { HeadWatch, TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
 * import { Transport } from "@plumbline/jsonrpc-core"
 * import { Effect, Layer, Stream } from "effect"
 *
 * const node = Layer.succeed(Transport.Transport, { call: () => Effect.succeed(null), callAll: () => Effect.succeed([]) })
 * const client = VerdictEthClient.layer().pipe(Layer.provide([node, TrustedBlock.layerNone()]))
 * const program = VerdictEthClient.VerdictEthClient.use((eth) =>
 *   Stream.runDrain(HeadWatch.watch(eth, { cursor: HeadWatch.start(1n), pollInterval: "1 millis" }))
 * )
 * // the node knows no block, so there is no head to follow
 * const failure = await Effect.runPromise(Effect.flip(Effect.provide(program, client)))
 * failure._tag // => "UnprovenError"
 * ```
 */
export const watch = (
  nodes: WatchClient | ProvenNodes<WatchClient>,
  options: ChainWatch.ChainWatchOptions
): Stream.Stream<HeadItem, ChainWatch.ChainWatchError> => {
  const source: ChainFollower.FollowedSource<ProvenHead, WatchClient> = {
    name: "HeadWatch.watch",
    size: SIZE,
    read: (client, range, head) => Effect.flatMap(readBlocks(client, range, head), partOf),
    placeOf: ({ hash, number }) => ({ number, hash }),
    standingOf: ({ standing }) => standing
  }
  return Stream.flatMap(ChainFollower.follow(nodes, source, options), itemsOf)
}

/** A block of the chain, with the proven fields of its header. */
interface ProvenHead extends ChainFollower.FollowedHead {
  readonly header: Block.Header
}

const readBlocks = (
  client: WatchClient,
  [from, to]: readonly [bigint, bigint],
  head: ChainFollower.FollowedHead
): Effect.Effect<ReadonlyArray<ProvenHead>, ChainWatch.ChainWatchError> =>
  Effect.forEach(
    Array.from({ length: Number(to - from) + 1 }, (_, at) => from + BigInt(at)),
    (number) => {
      // a head that is not the latest, although the tag says so, is a block of the chain
      const known = number === head.number ? provenHead(head) : undefined
      if (known !== undefined) return Effect.succeed(known)
      return Effect.flatMap(Effect.flatMap(client.getBlockByNumber(number), ChainFollower.headOf), (found) => {
        const proven = provenHead(found)
        return proven === undefined
          ? Effect.fail(new UnprovenError({ subject: "eth_getBlockByNumber", claims: found.verdict.claimed }))
          : Effect.succeed(proven)
      })
    },
    { concurrency: CONCURRENCY }
  )

const provenHead = (head: ChainFollower.FollowedHead): ProvenHead | undefined => {
  const outcome = OnlyProven.from(
    map(head.verdict, headerOf, { claims: (claim) => (isOfBody(claim.field) ? [] : [claim]) })
  )
  return outcome._tag === "Unproven" ? undefined : { ...head, header: outcome.value }
}

const headerOf = (block: Block.Header): Block.Header => {
  const header: Record<string, any> & Block.Header = { ...block }
  for (const field of BODY) delete header[field]
  return header
}

/** True for a path in the body of a block, or a field that only the body proves. */
const isOfBody = (path: string): boolean => BODY.has(/^\w+/u.exec(path)?.[0] ?? "")

const BODY: ReadonlySet<string> = new Set(["transactions", "withdrawals", "uncles", "size", "totalDifficulty"])

/** Returns the blocks as a part. Fails if one does not follow from the one before: the chain moved during the read. */
const partOf = (
  things: ReadonlyArray<ProvenHead>
): Effect.Effect<ChainFollower.FollowedPart<ProvenHead>, JsonRpcError> => {
  const torn = things.findIndex(({ header }, at) => at > 0 && !Hex.equals(header.parentHash, things[at - 1]!.hash))
  if (torn > 0) {
    const detail = `the chain moved while it was read: block ${things[torn]!.number} does not follow from the one before`
    return Effect.fail(new JsonRpcError({ method: "eth_getBlockByNumber", reason: new MovedError({ detail }) }))
  }
  const { hash, number, standing, verdict } = things.at(-1)!
  return Effect.succeed({
    things,
    parent: things[0]!.header.parentHash,
    last: { number, hash },
    standing,
    proven: verdict.proven
  })
}

const itemsOf = (item: ChainFollower.FollowedItem<ProvenHead>): Stream.Stream<HeadItem> => {
  const { anchor, cursor, verdict } = item
  const common = { verdict, anchor, cursor }
  switch (item._tag) {
    case "Told":
      return Stream.succeed({ _tag: "Head", header: item.thing.header, ...common })
    case "Removed":
      return Stream.succeed({ _tag: "Removed", block: item.block, ...common })
    case "Reached":
      return Stream.empty
  }
}
