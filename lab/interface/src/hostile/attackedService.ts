/**
 * The service that receives hostile packets, in a separate process. It has the default limits of a service, and a
 * project without limits, so that no packet is refused before it is read. It reports its port. On each question, it
 * reports how long its event loop was blocked since the last question.
 */
import { monitorEventLoopDelay } from "node:perf_hooks"

import { History, StarknetPool } from "@plumbline/devnet"
import { EthMethods } from "@plumbline/eth-methods"
import { EthFeeds, Gateway } from "@plumbline/gateway"
import * as State from "@plumbline/gateway/support/accounts"
import { Context, Effect, Layer } from "effect"

/** Measurements since the last question, in milliseconds. */
export interface Held {
  /**
   * The longest processor time of one iteration of the event loop. On a machine without other work, the loop is blocked
   * for exactly this time.
   */
  readonly turn: number
  /** The longest time in which the loop was blocked, including time that other processes used. */
  readonly longest: number
  /** Processor time of the whole process. */
  readonly processor: number
}

const key = process.argv[2]!
/** Returns the processor time, in milliseconds, of the thread that runs the event loop. */
const thread = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (user + system) / 1000
}

const result = new TextEncoder().encode('"0x"')

process.once("disconnect", () => process.exit())
const program = Effect.gen(function* () {
  const upstream = { call: () => Effect.succeed(result) }
  const history = yield* History.make
  const pool = yield* StarknetPool.make()
  const networks = [
    { name: "live", chainId: 1, methods: EthMethods.group, upstream, feeds: yield* EthFeeds.make(upstream) },
    { name: "history", chainId: history.chainId, methods: EthMethods.group, upstream: history },
    { name: "pool", chainId: "0x1", methods: StarknetPool.group, upstream: pool }
  ].map((network) => ({ ...network, hosts: [`${network.name}.localhost`] }))
  const state = State.layer([{ id: "p", key, secret: "secret" }])
  const gateway = yield* Layer.build(Gateway.layer({ networks }).pipe(Layer.provide(state)))
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  let before = process.cpuUsage()
  let turn = 0
  let isWatched = false
  let last = thread()
  // Runs once in each iteration of the loop, and schedules itself for the next.
  const watch = () => {
    const now = thread()
    turn = Math.max(turn, now - last)
    last = now
    if (isWatched) setImmediate(watch)
  }
  process.on("message", (message: "begin" | "end") => {
    isWatched = message === "begin"
    if (isWatched) {
      delays.reset()
      before = process.cpuUsage()
      turn = 0
      last = thread()
      setImmediate(watch)
    }
    const { system, user } = process.cpuUsage(before)
    const held: Held = { turn, longest: delays.max / 1e6, processor: (user + system) / 1000 }
    process.send!(held)
  })
  process.send!(Context.get(gateway, Gateway.Gateway).port)
  return yield* Effect.never
})

await Effect.runPromise(Effect.scoped(program))
