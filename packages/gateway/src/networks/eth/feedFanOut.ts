/** Shares one feed among all its listeners. A single fiber runs the feed. */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as JsonBytes from "@plumbline/jsonrpc-core/scan/JsonBytes"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"

import type { FeedListener } from "../Feeds.ts"
import type { Subscribe, Upstream } from "../Upstream.ts"
import { UpstreamError } from "../UpstreamError.ts"
import { isHash } from "./ethHeader.ts"
import type { SpawnFiber } from "./headFollower.ts"

type FeedFailure = ErrorObject | UpstreamError

/** Emits events until it is interrupted or fails. It calls `begun` as soon as every later event will be emitted. */
export type FeedSource = (emit: (json: Uint8Array) => void, begun: () => void) => Effect.Effect<never, FeedFailure>

export class FeedFanOut {
  readonly #fork: SpawnFiber
  readonly #feeds = new Map<string, SharedFeed>()

  constructor(fork: SpawnFiber) {
    this.#fork = fork
  }

  open(key: string, source: FeedSource, listener: FeedListener): Effect.Effect<void, FeedFailure> {
    return Effect.suspend(() => {
      const shared = this.#feeds.get(key) ?? this.#begin(key, source)
      shared.listeners.add(listener)
      const leave = () => {
        if (!shared.listeners.delete(listener) || shared.listeners.size > 0) return
        this.#forget(key, shared)
        shared.fiber?.interruptUnsafe()
      }
      return Deferred.await(shared.begun).pipe(
        Effect.map(() => listener.begun(leave)),
        Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.sync(leave)))
      )
    })
  }

  close(): void {
    for (const [key, shared] of this.#feeds) this.#end(key, shared, "closed")
  }

  #begin(key: string, source: FeedSource): SharedFeed {
    const shared: SharedFeed = { listeners: new Set(), begun: Deferred.makeUnsafe(), fiber: undefined }
    this.#feeds.set(key, shared)
    const emit = (json: Uint8Array) => {
      for (const listener of shared.listeners) listener.event({ json, block: undefined })
    }
    const fiber = this.#fork(source(emit, () => Deferred.doneUnsafe(shared.begun, Exit.void)))
    shared.fiber = fiber
    fiber.addObserver((exit) => {
      // Listeners that still wait for the start get the failure. They get no notice of the end.
      if (Deferred.doneUnsafe(shared.begun, exit)) this.#forget(key, shared)
      else if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) this.#end(key, shared, "missed")
    })
    return shared
  }

  /** Removes the feed, unless another feed has already replaced it: a dropped feed takes time to end. */
  #forget(key: string, shared: SharedFeed): void {
    if (this.#feeds.get(key) === shared) this.#feeds.delete(key)
  }

  #end(key: string, shared: SharedFeed, why: "missed" | "closed"): void {
    const listeners = [...shared.listeners]
    shared.listeners.clear()
    this.#forget(key, shared)
    shared.fiber?.interruptUnsafe()
    for (const listener of listeners) listener.end(why)
  }
}

interface SharedFeed {
  readonly listeners: Set<FeedListener>
  readonly begun: Deferred.Deferred<void, FeedFailure>
  fiber: Fiber.Fiber<never, FeedFailure> | undefined
}

/** Returns the source of the events that a node pushes. It subscribes again after a loss, unless the node refuses. */
export const pushed =
  (subscribe: Subscribe, params: ReadonlyArray<unknown>): FeedSource =>
  (emit, begun) => {
    let hasBegun = false
    const once: Effect.Effect<never, FeedFailure> = Effect.scoped(
      Effect.gen(function* () {
        const queue = yield* subscribe(params)
        hasBegun = true
        begun()
        return yield* Effect.forever(Effect.map(Queue.take(queue), emit))
      })
    )
    return Effect.forever(
      Effect.catch(once, (error) =>
        hasBegun && error instanceof UpstreamError ? Effect.sleep(PAUSE) : Effect.fail(error)
      )
    )
  }

/**
 * Looks once, and then again after each pause. A look that fails because no node answers is left out; a refusal ends
 * the source.
 */
const repeated = (look: Effect.Effect<void, FeedFailure>, pause: number, begun: () => void) => {
  const next = Effect.catch(look, (error) => (error instanceof UpstreamError ? Effect.void : Effect.fail(error)))
  return Effect.flatMap(look, () => {
    begun()
    return Effect.forever(Effect.andThen(Effect.sleep(pause), next))
  })
}

/**
 * Returns the source of pending transactions for a node that does not push: their hashes, or the whole transactions if
 * `isFull` is true. The node is asked for its pending block at the interval. Each transaction is sent once; those of
 * the first block were pending before the first listener came. A node without a pending block fails with `refusal`.
 */
export const polled =
  (upstream: Upstream, isFull: boolean, interval: number, refusal: ErrorObject): FeedSource =>
  (emit, begun) => {
    const known = new Set<string>()
    let isNew = false
    const look = Effect.flatMap(
      upstream.call("eth_getBlockByNumber", ["pending", isFull]),
      (json): Effect.Effect<void, FeedFailure> => {
        const { transactions } = Object(JsonBytes.parse(json)) as { readonly transactions?: unknown }
        if (!Array.isArray(transactions)) return Effect.fail(refusal)
        for (const transaction of transactions) {
          const hash: unknown = isFull ? Object(transaction).hash : transaction
          if (!isHash(hash) || known.has(hash)) continue
          known.add(hash)
          if (known.size > MAX_KNOWN) known.delete(known.values().next().value!)
          if (isNew) emit(encoder.encode(JSON.stringify(isFull ? { ...transaction, ...NOT_MINED } : transaction)))
        }
        isNew = true
        return Effect.void
      }
    )
    return repeated(look, interval, begun)
  }

/** A pending transaction has no place in the chain yet, although its node puts it into a block for the answer. */
const NOT_MINED = { blockHash: null, blockNumber: null, transactionIndex: null }

/** Maximum number of remembered transactions, the latest ones: several blocks of any chain. */
const MAX_KNOWN = 16_384

/**
 * Returns the source of a node's syncing events, in geth's form. There is an event when syncing begins and when it
 * ends.
 */
export const syncing =
  (upstream: Upstream): FeedSource =>
  (emit, begun) => {
    let before: string | undefined
    const look = Effect.map(upstream.call("eth_syncing", []), (json) => {
      const status = new TextDecoder().decode(json).trim()
      const now = status === "false" ? "synced" : "syncing"
      if (before !== undefined && before !== now) {
        emit(now === "synced" ? json : encoder.encode(`{"syncing":true,"status":${status}}`))
      }
      before = now
    })
    return repeated(look, SYNCING_PAUSE, begun)
  }

const encoder = new TextEncoder()

/** Milliseconds between tries to subscribe again. */
const PAUSE = 1000
const SYNCING_PAUSE = 5000
