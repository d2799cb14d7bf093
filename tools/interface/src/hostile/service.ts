/**
 * The service that hostile packets are sent to, in a process of its own. It has its own limits and a project without
 * any, so that no packet is refused before it was read. It reports its port, and then, on each question, how long its
 * event loop was held since the last one.
 */
import { monitorEventLoopDelay } from "node:perf_hooks"

import { History, StarknetPool } from "@plumbline/devnet"
import { EthMethods } from "@plumbline/eth-methods"
import { EthFeeds, Gateway } from "@plumbline/gateway"
import * as State from "@plumbline/gateway/support/accounts"
import { Context, Effect, Layer } from "effect"

/** The times since the last question, in milliseconds. */
export interface Held {
  /** Maximum processor time of one turn of the event loop: on an idle machine, the time for which the loop is held. */
  readonly turn: number
  /** The longest time in which nothing else was done, other work of the machine included. */
  readonly longest: number
  /** Processor time of the whole process. */
  readonly processor: number
}

const key = process.argv[2]!
/** Milliseconds of processor time of the thread that runs the event loop. */
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
  // Called once in each turn, and keeps them coming.
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
