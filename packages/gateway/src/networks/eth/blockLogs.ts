/** The logs of new blocks: read once for all listeners, then selected by each filter. */
import { BoundedMap } from "@plumbline/codec/value/BoundedMap"
import * as LogFilter from "@plumbline/eth-methods/model/LogFilter"
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as JsonBytes from "@plumbline/jsonrpc-core/scan/JsonBytes"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"

import type { FeedListener } from "../Feeds.ts"
import type { Upstream } from "../Upstream.ts"
import { UpstreamError } from "../UpstreamError.ts"
import * as EthHeader from "./ethHeader.ts"
import type { ChainChange, SpawnFiber, HeadListener, HeadFollower } from "./headFollower.ts"

/** Maximum number of changes of the chain that wait until their logs are read. */
const MAX_CHANGES = 256

/** Maximum number of blocks whose logs are remembered, in case the blocks are removed. */
const MAX_BLOCKS = 128

/** Number of filters that run before other work gets a turn. */
const TURN = 64

/** Milliseconds between tries to read logs. If a node refuses the last try, the logs count as missed. */
const PAUSES = [100, 200, 400, 800, 1600, 3200]

interface Log {
  readonly address: string
  readonly topics: ReadonlyArray<string>
}

export class BlockLogs {
  readonly #upstream: Upstream
  readonly #heads: HeadFollower
  readonly #fork: SpawnFiber
  /** Feeds by filter. The case of hex digits does not matter. */
  readonly #feeds = new Map<string, LogFeed>()
  #reading: Reading | undefined

  constructor(options: { readonly upstream: Upstream; readonly heads: HeadFollower; readonly fork: SpawnFiber }) {
    this.#upstream = options.upstream
    this.#heads = options.heads
    this.#fork = options.fork
  }

  open(filter: LogFilter.Selection, listener: FeedListener): Effect.Effect<void, ErrorObject | UpstreamError> {
    const key = JSON.stringify([filter.address, filter.topics]).toLowerCase()
    return this.#heads.open(this.#head, (leave) => {
      const reading = (this.#reading ??= this.#begin(leave))
      const feed = this.#feeds.get(key) ?? new LogFeed(filter)
      this.#feeds.set(key, feed)
      feed.listeners.add(listener)
      listener.begun(() => {
        if (!feed.listeners.delete(listener)) return
        if (feed.listeners.size === 0 && this.#feeds.get(key) === feed) this.#feeds.delete(key)
        if (this.#feeds.size === 0 && this.#reading === reading) this.#stop()
      })
    })
  }

  close(): void {
    this.#end("closed")
  }

  /** The single listener to the chain's heads, for all filters. */
  readonly #head: HeadListener = {
    changed: (change) => {
      if (this.#reading !== undefined && !Queue.offerUnsafe(this.#reading.changes, change)) this.#end("missed")
    },
    end: (why) => this.#end(why)
  }

  #begin(leave: () => void): Reading {
    const changes = Effect.runSync(Queue.dropping<ChainChange>(MAX_CHANGES))
    const reading = Effect.forever(Effect.flatMap(Queue.take(changes), (change) => this.#read(change)))
    const untilDeath = Effect.catchDefect(reading, (defect) =>
      Effect.andThen(
        Effect.logError("logs cannot be sent", EthHeader.defect(defect)),
        Effect.sync(() => this.#end("missed"))
      )
    )
    return { changes, fiber: this.#fork(untilDeath), leave }
  }

  #stop(): void {
    const reading = this.#reading
    this.#reading = undefined
    reading?.leave()
    reading?.fiber.interruptUnsafe()
  }

  #end(why: "missed" | "closed"): void {
    const feeds = [...this.#feeds.values()]
    const listeners = feeds.flatMap((feed) => [...feed.listeners])
    for (const feed of feeds) feed.listeners.clear()
    this.#feeds.clear()
    this.#stop()
    for (const listener of listeners) listener.end(why)
  }

  #read({ added, removed }: ChainChange): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      for (const { hash } of removed) for (const feed of this.#feeds.values()) feed.takeBack(hash)
      for (const block of added) {
        const logs = yield* this.#logsOf(block.hash, 0)
        if (logs === undefined) {
          this.#end("missed")
          return
        }
        let told = 0
        for (const feed of this.#feeds.values()) {
          feed.tell(block.hash, logs)
          // Thousands of filters take a while, so other work gets a turn in between.
          if (++told % TURN === 0) yield* Effect.yieldNow
        }
      }
    })
  }

  /** Returns the logs of a block: an empty list if the block has left the chain, undefined if they cannot be read. */
  #logsOf(hash: string, tries: number): Effect.Effect<ReadonlyArray<Log> | undefined> {
    const again = (error: ErrorObject | UpstreamError): Effect.Effect<ReadonlyArray<Log> | undefined> => {
      if (!this.#heads.has(hash)) return Effect.succeed([])
      // A lost call is tried without end. The queue stays short, because such a node sends no new heads either.
      const isLost = error instanceof UpstreamError && error.reason._tag !== "TooLarge" && error !== wrongResult
      const pause = PAUSES[isLost ? Math.min(tries, PAUSES.length - 1) : tries]
      return pause === undefined
        ? Effect.as(Effect.logWarning("logs cannot be read", EthHeader.sentence(error)), undefined)
        : Effect.andThen(
            Effect.sleep(pause),
            Effect.suspend(() => this.#logsOf(hash, tries + 1))
          )
    }
    return Effect.matchEffect(this.#upstream.call("eth_getLogs", [{ blockHash: hash }]), {
      onSuccess: (json) => {
        const logs = logsIn(json, hash)
        return logs === undefined ? again(wrongResult) : Effect.succeed(logs)
      },
      onFailure: again
    })
  }
}

interface Reading {
  readonly changes: Queue.Queue<ChainChange>
  readonly fiber: Fiber.Fiber<void>
  readonly leave: () => void
}

/** One filter, and all listeners to the logs that it selects. */
class LogFeed {
  readonly listeners = new Set<FeedListener>()
  readonly #isSelected: (log: Log) => boolean
  /** The logs that were sent, by block; the oldest block comes first. */
  readonly #told = new BoundedMap<string, ReadonlyArray<Log>>(MAX_BLOCKS)

  constructor(filter: LogFilter.Selection) {
    this.#isSelected = LogFilter.selector(filter) as (log: Log) => boolean
  }

  tell(block: string, logs: ReadonlyArray<Log>): void {
    const selected = logs.filter(this.#isSelected)
    if (selected.length === 0) return
    this.#told.set(block, selected)
    for (const log of selected) this.#send(log, block)
  }

  takeBack(block: string): void {
    const told = this.#told.get(block) ?? []
    this.#told.delete(block)
    for (const log of told.toReversed()) this.#send({ ...log, removed: true } as Log, block)
  }

  #send(log: Log, block: string): void {
    const event = { json: encoder.encode(JSON.stringify(log)), block }
    for (const listener of this.listeners) listener.event(event)
  }
}

const encoder = new TextEncoder()

const wrongResult = new UpstreamError({ reason: { _tag: "BadAnswer", problem: "wrong result" } })

/**
 * Parses the logs of a block. Returns undefined if the text is not a list of logs, or if a log belongs to another
 * block.
 */
const logsIn = (json: Uint8Array, block: string): ReadonlyArray<Log> | undefined => {
  const logs = JsonBytes.parse(json)
  return Array.isArray(logs) && logs.every((log) => isLogOf(log, block)) ? logs : undefined
}

const isLogOf = (value: unknown, block: string): value is Log => {
  if (typeof value !== "object" || value === null) return false
  const { address, blockHash, topics } = value as Readonly<Record<string, unknown>>
  return (
    typeof address === "string" &&
    typeof blockHash === "string" &&
    blockHash.toLowerCase() === block &&
    Array.isArray(topics) &&
    topics.every((topic) => typeof topic === "string")
  )
}
