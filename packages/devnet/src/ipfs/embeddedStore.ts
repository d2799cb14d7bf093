/** The store of the embedded IPFS node: blocks, pins, and guards over work in progress. */
import * as Block from "@plumbline/ipfs-client/block/Block"
import type * as BlockSource from "@plumbline/ipfs-client/block/BlockSource"
import type * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as Multihash from "@plumbline/ipfs-client/cid/Multihash"
import { fromBlockError, type IpfsNodeError } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

import { attempt } from "./embeddedFailure.ts"
import * as FlatfsBlocks from "./flatfsBlocks.ts"
import type * as GcGuards from "./gcGuards.ts"
import type * as PinDatabase from "./pinDatabase.ts"

export interface EmbeddedStore {
  readonly blocks: FlatfsBlocks.FlatfsBlocks
  readonly guards: GcGuards.GcGuards
  readonly pins: PinDatabase.PinDatabase
}

/** Reads a block and checks it. A block inside its CID is not read. */
export const get = (store: EmbeddedStore, cid: Cid.Cid): Effect.Effect<Uint8Array, IpfsNodeError> => {
  const inlined = Multihash.inlined(cid)
  return inlined === undefined
    ? attempt(() => store.blocks.get(cid))
    : Effect.fromResult(Block.check(cid, inlined)).pipe(Effect.as(inlined), Effect.mapError(fromBlockError))
}

/**
 * Returns the key of a DAG for `Guards.remember`. The key includes the codec, because another codec finds other links
 * in the same bytes.
 */
export const rootOf = (cid: Cid.Cid): string => `${cid.code} ${FlatfsBlocks.keyOf(cid)}`

/** Returns the blocks for readers of UnixFS, which check each of them. */
export const source =
  (store: EmbeddedStore): BlockSource.BlockSource<IpfsNodeError> =>
  (cid) =>
    attempt(() => store.blocks.getUnchecked(cid))

/**
 * Returns a `source` that keeps the last block it returned: a caller that inspects a block usually reads its links
 * next, without waiting for the disk again.
 */
export const sourceKeepingLast = (store: EmbeddedStore): BlockSource.BlockSource<IpfsNodeError> => {
  let last: { readonly key: FlatfsBlocks.BlockKey; readonly bytes: Uint8Array } | undefined
  return (cid) =>
    Effect.suspend(() => {
      const key = FlatfsBlocks.keyOf(cid)
      if (last?.key === key) return Effect.succeed(last.bytes)
      return Effect.map(
        attempt(() => store.blocks.getUnchecked(cid)),
        (bytes) => {
          last = { key, bytes }
          return bytes
        }
      )
    })
}

/**
 * A piece of work. Its blocks are not collected while it runs. It writes several blocks at the same time, because small
 * files would otherwise wait for the disk one by one.
 */
export interface StoreWork {
  readonly touch: GcGuards.GcGuard["touch"]
  /** Starts to write a block; waits if too many writes are pending. A block inside its CID is not stored. */
  readonly put: (block: Block.Block) => Promise<void>
  /** Writes a block like `put`, but does not hash it, because its CID was just computed from its bytes. */
  readonly putMade: (block: Block.Block) => Promise<void>
  /** Waits for all pending writes, which become durable with the next commit. Fails with the first failure. */
  readonly arrive: () => Promise<void>
  /** Waits until all blocks are durable. Fails with the first failure. */
  readonly settle: () => Promise<void>
}

/** Starts a piece of work, which ends with the scope and then leaves no pending write. */
export const work = (store: EmbeddedStore): Effect.Effect<StoreWork, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => begin(store)),
      ({ end }) => Effect.promise(end)
    ),
    ({ work }) => work
  )

/** Maximum number of pending writes in one piece of work. */
const WRITES_AHEAD = 16

const begin = (store: EmbeddedStore): { readonly work: StoreWork; readonly end: () => Promise<void> } => {
  const guard = store.guards.open()
  const onTheirWay = new Set<Promise<void>>()
  let failed: { readonly error: unknown } | undefined

  const start = ({ bytes, cid }: Block.Block, put: FlatfsBlocks.FlatfsBlocks["put"]): void => {
    const written: Promise<void> = put(cid, bytes).then(
      () => void onTheirWay.delete(written),
      (error: unknown) => {
        failed ??= { error }
        onTheirWay.delete(written)
      }
    )
    onTheirWay.add(written)
  }
  const check = (): void => {
    if (failed !== undefined) throw failed.error
  }
  const putBy =
    (put: FlatfsBlocks.FlatfsBlocks["put"]): StoreWork["put"] =>
    async (block) => {
      check()
      if (Multihash.inlined(block.cid) !== undefined) return
      guard.touch(FlatfsBlocks.keyOf(block.cid))
      while (onTheirWay.size >= WRITES_AHEAD) await Promise.race(onTheirWay)
      start(block, put)
    }
  const arrive = async (): Promise<void> => {
    await Promise.all(onTheirWay)
    check()
  }
  return {
    work: {
      touch: guard.touch,
      put: putBy(store.blocks.put),
      putMade: putBy(store.blocks.putMade),
      arrive,
      settle: async () => {
        await arrive()
        await store.blocks.commit(() => undefined)
      }
    },
    end: async () => {
      await Promise.all(onTheirWay)
      guard.close()
    }
  }
}

/**
 * Changes the pins after all blocks of the work are on the disk. The change is atomic, and happens while the work still
 * runs.
 */
export const pin = <A>(
  store: EmbeddedStore,
  work: StoreWork,
  change: (pins: PinDatabase.PinDatabase) => A
): Effect.Effect<A, IpfsNodeError> =>
  attempt(async () => {
    await work.arrive()
    return await store.blocks.commit(() => change(store.pins))
  })
