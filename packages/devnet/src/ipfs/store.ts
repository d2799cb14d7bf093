/** What the commands of the embedded IPFS node work on: blocks, pins, and who works on what. */
import * as Block from "@plumbline/ipfs-client/block/Block"
import type * as BlockSource from "@plumbline/ipfs-client/block/BlockSource"
import type * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as Multihash from "@plumbline/ipfs-client/cid/Multihash"
import type { IpfsNodeError } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

import * as Blocks from "./blocks.ts"
import { asNodeError, attempt, attemptNow } from "./failure.ts"
import type * as Guards from "./guards.ts"
import type * as Pins from "./pins.ts"

export interface Store {
  readonly blocks: Blocks.Blocks
  readonly guards: Guards.Guards
  readonly pins: Pins.Pins
}

/** A block, checked. One that its CID holds itself is not asked for. */
export const get = (store: Store, cid: Cid.Cid): Effect.Effect<Uint8Array, IpfsNodeError> => {
  const inlined = Multihash.inlined(cid)
  return inlined === undefined
    ? attempt(() => store.blocks.get(cid))
    : Effect.fromResult(Block.check(cid, inlined)).pipe(Effect.as(inlined), Effect.mapError(asNodeError))
}

/** What `Guards.remember` knows a DAG by. Another codec would find other links in the same bytes. */
export const rootOf = (cid: Cid.Cid): string => `${cid.code} ${Blocks.keyOf(cid)}`

/** The blocks for readers of UnixFS, which check each of them. */
export const source =
  (store: Store): BlockSource.BlockSource<IpfsNodeError> =>
  (cid) =>
    attempt(() => store.blocks.getUnchecked(cid))

/**
 * `source` that keeps the last block it gave: who looks what a block is reads its links next, and need not wait for the disk
 * again.
 */
export const sourceKeepingLast = (store: Store): BlockSource.BlockSource<IpfsNodeError> => {
  let last: { readonly key: Blocks.Key; readonly bytes: Uint8Array } | undefined
  return (cid) =>
    Effect.suspend(() => {
      const key = Blocks.keyOf(cid)
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
 * A piece of work. What it touches is not collected while it lasts, and some of what it writes is still on its way: small
 * files would else wait for the disk one by one.
 */
export interface Work {
  readonly touch: Guards.Guard["touch"]
  /** Begins to write a block; waits when too many are on their way. One that its CID holds itself is not kept. */
  readonly put: (block: Block.Block) => Promise<void>
  /** `put` of a block whose CID was computed of its bytes just now: it is not hashed again. */
  readonly putMade: (block: Block.Block) => Promise<void>
  /** Waits until all of them are there. Fails as the first that failed. */
  readonly settle: () => Promise<void>
}

/** Work that ends with the scope, and leaves nothing on its way. */
export const work = (store: Store): Effect.Effect<Work, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => begin(store)),
      ({ end }) => Effect.promise(end)
    ),
    ({ work }) => work
  )

/** How many blocks of one piece of work are on their way at once. */
const WRITES_AHEAD = 16

const begin = (store: Store): { readonly work: Work; readonly end: () => Promise<void> } => {
  const guard = store.guards.open()
  const onTheirWay = new Set<Promise<void>>()
  let failed: { readonly error: unknown } | undefined

  const start = ({ bytes, cid }: Block.Block, put: Blocks.Blocks["put"]): void => {
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
    (put: Blocks.Blocks["put"]): Work["put"] =>
    async (block) => {
      check()
      if (Multihash.inlined(block.cid) !== undefined) return
      guard.touch(Blocks.keyOf(block.cid))
      while (onTheirWay.size >= WRITES_AHEAD) await Promise.race(onTheirWay)
      start(block, put)
    }
  return {
    work: {
      touch: guard.touch,
      put: putBy(store.blocks.put),
      putMade: putBy(store.blocks.putMade),
      settle: async () => {
        await Promise.all(onTheirWay)
        check()
      }
    },
    end: async () => {
      await Promise.all(onTheirWay)
      guard.close()
    }
  }
}

/** Changes the pins when all that the work wrote is on the disk. The change happens at once, while the work lasts. */
export const pin = <A>(store: Store, work: Work, change: (pins: Pins.Pins) => A): Effect.Effect<A, IpfsNodeError> =>
  Effect.andThen(
    attempt(async () => {
      await work.settle()
      await store.blocks.flush()
    }),
    attemptNow(() => change(store.pins))
  )
