/** Follows the chain of a node, block by block and through each reorg, while there are listeners. */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Semaphore from "effect/Semaphore"

import type { Upstream } from "../Upstream.ts"
import { UpstreamError } from "../UpstreamError.ts"
import * as EthHeader from "./ethHeader.ts"

export type SpawnFiber = <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>

/** A block, and true if the trust of the network named it when it was last asked. */
interface FollowedHead extends EthHeader.EthBlock {
  isVouched: boolean
}

/** A change of the chain. */
export interface ChainChange {
  /** Blocks that left the chain, the newest first. */
  readonly removed: ReadonlyArray<EthHeader.EthBlock>
  /** Blocks that joined the chain, the oldest first. */
  readonly added: ReadonlyArray<EthHeader.EthBlock>
}

export interface HeadListener {
  readonly changed: (change: ChainChange) => void
  readonly end: (why: "missed" | "closed") => void
}

type FollowFailure = ErrorObject | UpstreamError

/** Maximum number of remembered blocks, and maximum number of blocks that are read to close a gap. */
const MAX_BLOCKS = 256

/** Maximum number of consecutive failures to read a missing block. */
const MAX_MISSES = 10

/** Milliseconds without a push after which the node is asked for its head: it may have lost the subscription. */
const SILENCE = 15_000

export class HeadFollower {
  readonly #upstream: Upstream
  readonly #interval: number
  readonly #fork: SpawnFiber
  readonly #listeners = new Set<HeadListener>()
  readonly #beginning = Semaphore.makeUnsafe(1)
  #following: Following | undefined
  #isClosed = false

  constructor(options: { readonly upstream: Upstream; readonly interval: number; readonly fork: SpawnFiber }) {
    this.#upstream = options.upstream
    this.#interval = options.interval
    this.#fork = options.fork
  }

  /**
   * Notifies a listener of all changes after the current head. A listener that is opened several times is notified once
   * per change.
   */
  open(listener: HeadListener, begun: (close: () => void) => void): Effect.Effect<void, FollowFailure> {
    return Effect.map(this.#begin, (first) => {
      // The last listener may have left during the read. Then this listener continues with the head that was read.
      const following = (this.#following ??= first)
      this.#listeners.add(listener)
      begun(() => this.#leave(listener))
      if (this.#isClosed) this.#end("closed")
      else following.fiber ??= this.#fork(this.#untilDeath(following))
    })
  }

  /** True if a block is on the remembered part of the chain. */
  has(hash: string): boolean {
    return this.#following?.has(hash) === true
  }

  close(): void {
    this.#isClosed = true
    this.#end("closed")
  }

  /** Reads the first head. Listeners that arrive at the same time share one read. */
  readonly #begin: Effect.Effect<Following, FollowFailure> = Effect.suspend(() =>
    this.#following === undefined ? this.#beginning.withPermit(this.#first) : Effect.succeed(this.#following)
  )

  readonly #first: Effect.Effect<Following, FollowFailure> = Effect.suspend(() =>
    this.#following === undefined
      ? Effect.map(this.#latest, (head) => new Following(head))
      : Effect.succeed(this.#following)
  )

  #leave(listener: HeadListener): void {
    if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return
    const following = this.#following
    this.#following = undefined
    following?.fiber?.interruptUnsafe()
    if (following !== undefined) following.fiber = undefined
  }

  /** Notifies all listeners that no more changes will come. */
  #end(why: "missed" | "closed"): void {
    const listeners = [...this.#listeners]
    for (const listener of listeners) this.#leave(listener)
    for (const listener of listeners) listener.end(why)
  }

  readonly #latest: Effect.Effect<FollowedHead, FollowFailure> = Effect.suspend(() => this.#byNumber("latest"))

  /** Reads a block by its number or by a tag. Only such an answer says that the block is on the chain. */
  #byNumber(number: string): Effect.Effect<FollowedHead, FollowFailure> {
    return this.#read("eth_getBlockByNumber", [number, false], (json) => this.#upstream.isVouched?.(json) === true)
  }

  #read(
    method: string,
    params: ReadonlyArray<unknown>,
    isVouched: (json: Uint8Array) => boolean = () => false
  ): Effect.Effect<FollowedHead, FollowFailure> {
    return Effect.flatMap(this.#upstream.call(method, params), (json) => {
      const block = EthHeader.read(json)
      return block === undefined ? Effect.fail(WRONG_RESULT) : Effect.succeed({ ...block, isVouched: isVouched(json) })
    })
  }

  /**
   * Follows the chain. After an unexpected error, notifies the listeners that no more changes will come, so that they
   * do not wait for ever.
   */
  #untilDeath(following: Following): Effect.Effect<void> {
    return Effect.catchDefect(this.#follow(following), (defect) =>
      Effect.andThen(
        Effect.logError("heads cannot be followed", EthHeader.defect(defect)),
        Effect.sync(() => {
          if (this.#following === following) this.#end("missed")
        })
      )
    )
  }

  #follow(following: Following): Effect.Effect<void> {
    const { subscribe } = this.#upstream
    let wasRead = true
    /** Runs a read. If it fails, the failure is logged once, and the read is repeated later. */
    const attempt = (work: Effect.Effect<void, FollowFailure>): Effect.Effect<void> =>
      Effect.matchEffect(work, {
        onSuccess: () =>
          Effect.sync(() => {
            wasRead = true
          }),
        onFailure: (error) => {
          if (!wasRead) return Effect.void
          wasRead = false
          return Effect.logWarning("heads cannot be read", EthHeader.sentence(error))
        }
      })
    const poll = attempt(Effect.flatMap(this.#latest, (head) => this.#advance(following, head)))
    const polling = Effect.andThen(poll, Effect.sleep(this.#interval))
    if (subscribe === undefined) return Effect.forever(polling)

    const listening = Effect.scoped(
      Effect.gen({ self: this }, function* () {
        const queue = yield* subscribe(["newHeads"])
        yield* poll
        while (true) {
          const pushed = yield* Effect.timeoutOption(Queue.take(queue), wasRead ? SILENCE : this.#interval)
          const head = Option.isSome(pushed) ? EthHeader.read(pushed.value) : undefined
          yield* head === undefined ? poll : attempt(this.#advance(following, { ...head, isVouched: false }, true))
        }
      })
    )
    // A node that refuses to push is polled from then on. After a lost connection, the subscription is tried again.
    return Effect.forever(
      Effect.matchEffect(listening, {
        onSuccess: () => Effect.void,
        onFailure: (error) => (error instanceof UpstreamError ? polling : Effect.forever(polling))
      })
    )
  }

  /** Returns the parent of a block, or undefined if the node does not have it. */
  #parentOf({ parentHash }: FollowedHead): Effect.Effect<FollowedHead | undefined, FollowFailure> {
    return Effect.matchEffect(this.#read("eth_getBlockByHash", [parentHash, false]), {
      onSuccess: (parent) => Effect.succeed(parent.hash === parentHash ? parent : undefined),
      onFailure: (error) => (error === WRONG_RESULT ? Effect.succeed(undefined) : Effect.fail(error))
    })
  }

  /**
   * True if trust names the first of these blocks, or named one of them before and names no other now. Only the node
   * says that they left the chain.
   */
  #mustStay(leaving: ReadonlyArray<FollowedHead>): Effect.Effect<boolean, FollowFailure> {
    const [first] = leaving
    if (first === undefined || this.#upstream.isVouched === undefined) return Effect.succeed(false)
    return Effect.map(this.#byNumber(`0x${first.number.toString(16)}`), ({ hash, isVouched }) => {
      if (!isVouched) return leaving.some((block) => block.isVouched)
      if (hash !== first.hash) return false
      first.isVouched = true
      return true
    })
  }

  /**
   * Moves to a new head, and reads all blocks in between. A vouched block leaves only if trust names another one. A
   * pushed head whose number does not follow that of its parent, or with a block in between that cannot be read, may be
   * made up: it ends nothing, and the latest block is read in its place.
   */
  #advance(following: Following, head: FollowedHead, isPushed = false): Effect.Effect<void, FollowFailure> {
    return Effect.gen({ self: this }, function* () {
      const added = [head]
      while (true) {
        const first = added[0]!
        // A known block is the current head, or an older block that came from a node that is behind.
        if (following.has(first.hash)) {
          if (first.isVouched) following.vouch(first.hash)
          return
        }
        if (following.has(first.parentHash)) {
          if (isPushed && !following.isNext(first)) return yield* this.#advance(following, yield* this.#latest)
          break
        }
        const isBelow = first.number <= following.oldest.number
        // The fork may be below the remembered blocks, or the node may be so far behind that its head is below them. In
        // both cases an older block must be read.
        const isTooMuch = added.length >= MAX_BLOCKS || (isBelow && following.isFull)
        const parent = isTooMuch ? undefined : yield* this.#parentOf(isBelow ? following.oldest : first)
        if (parent === undefined) {
          if (isPushed) return yield* this.#advance(following, yield* this.#latest)
          // The node that was asked may be behind the node that announced the block.
          if (!isTooMuch && ++following.misses < MAX_MISSES) return yield* Effect.fail(WRONG_RESULT)
          yield* Effect.logWarning("heads were missed")
          if (this.#following === following) this.#end("missed")
          return
        }
        if (isBelow) following.remember(parent)
        else added.unshift(parent)
      }
      following.misses = 0
      if (!head.isVouched && (yield* this.#mustStay(following.after(added[0]!.parentHash)))) return
      const removed = following.change(added)
      if (this.#following !== following) return
      for (const listener of this.#listeners) listener.changed({ removed, added })
    })
  }
}

/**
 * The latest blocks of the chain. They are kept from the arrival of the first listener until the last listener leaves.
 */
class Following {
  fiber: Fiber.Fiber<void> | undefined
  /** Number of consecutive failures to read a block. */
  misses = 0
  /** The remembered blocks, the oldest first. Each is the parent of the next. */
  readonly #blocks: Array<FollowedHead>
  readonly #hashes: Set<string>

  constructor(head: FollowedHead) {
    this.#blocks = [head]
    this.#hashes = new Set([head.hash])
  }

  has(hash: string): boolean {
    return this.#hashes.has(hash)
  }

  /** True if the block's number follows that of its remembered parent. */
  isNext({ number, parentHash }: FollowedHead): boolean {
    return this.#blocks.some((block) => block.hash === parentHash && block.number + 1n === number)
  }

  /** Records that trust names a remembered block, which may have been read before trust named it. */
  vouch(hash: string): void {
    for (const block of this.#blocks) if (block.hash === hash) block.isVouched = true
  }

  get oldest(): FollowedHead {
    return this.#blocks[0]!
  }

  get isFull(): boolean {
    return this.#blocks.length >= MAX_BLOCKS
  }

  /** Adds the parent of the oldest block. */
  remember(parent: FollowedHead): void {
    this.#blocks.unshift(parent)
    this.#hashes.add(parent.hash)
  }

  /** Returns the blocks after a remembered block, the oldest first. They leave the chain with a branch that begins there. */
  after(parent: string): ReadonlyArray<FollowedHead> {
    return this.#blocks.slice(this.#blocks.findIndex(({ hash }) => hash === parent) + 1)
  }

  /** Adds blocks on top of a remembered block. Returns the blocks that they replace, the newest first. */
  change(added: ReadonlyArray<FollowedHead>): ReadonlyArray<FollowedHead> {
    const fork = this.#blocks.findIndex(({ hash }) => hash === added[0]!.parentHash)
    const removed = this.#blocks.splice(fork + 1).toReversed()
    this.#blocks.push(...added)
    const forgotten = this.#blocks.splice(0, Math.max(0, this.#blocks.length - MAX_BLOCKS))
    for (const { hash } of [...removed, ...forgotten]) this.#hashes.delete(hash)
    for (const { hash } of added) this.#hashes.add(hash)
    return removed
  }
}

const WRONG_RESULT = new UpstreamError({ reason: { _tag: "BadAnswer", problem: "wrong result" } })
