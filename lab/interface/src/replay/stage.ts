/** The stage of the replay: two nodes that tell the same lie, a flooded honest one, and the time that passes for them. */
import type { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import { oneByOne } from "@plumbline/jsonrpc-core/transport/Transport"
import { keyOf, type Node, type Params } from "@plumbline/lies/src/eth/liars/node.ts"
import type { World } from "@plumbline/lies/src/eth/liars/world.ts"
import * as Seeded from "@plumbline/seeded/Random"
import { Clock, Context, Effect, Exit, Fiber, Logger, Random, Scheduler } from "effect"

import * as Flood from "./flood.ts"
import type { Scene } from "./scene.ts"
import type { VirtualClock } from "./virtualClock.ts"
import type * as Ways from "./ways.ts"

/** Drops the logs of the pools, which name each lie. */
export const quiet = Effect.provideService(Logger.CurrentLoggers, new Set())

/** The three nodes, whose lie changes, and the world of their readers. */
export interface Stage {
  /**
   * The clock, the random numbers and the scheduler of the readers. Nothing else decides the order of what they do, so one
   * seed has one outcome.
   */
  readonly readers: Context.Context<never>
  readonly nodes: Ways.Nodes
  /** True if a lie was told since this was last set to false. */
  heard: boolean
  /** Chooses the lie that both liars tell; without one, all nodes are honest and none is flooded. */
  readonly tell: (world: World, lie: Node | undefined) => void
  /** Runs a read, and lets the time pass while no reader has anything to do. */
  readonly settle: <A>(read: Effect.Effect<A>) => Promise<A>
}

/** Makes the stage. Both liars tell the same, and come first. */
export const make = (scene: Scene, seed: number, clock: VirtualClock): Stage => {
  const load: Flood.Load = { working: 0 }
  const scheduler = counted()
  let truth = scene.worlds[0]!.node
  let lying: Node | undefined
  const known = new Map<string, string>()

  /** Returns the honest answer as text. The worlds of a scene have one honest node. */
  const honest = async (method: string, params: Params): Promise<string> => {
    const key = keyOf(method, params)
    const text = known.get(key) ?? (await settled(truth(method, params)))
    known.set(key, text)
    return text
  }
  const liar: Node = async (method, params) => {
    if (lying === undefined) return truth(method, params)
    const told = lying(method, params)
    if ((await settled(told)) !== (await honest(method, params))) stage.heard = true
    return told
  }
  const lyingCall: Transport["Service"]["call"] = ({ method, params }) =>
    Flood.answered(liar, method, params as Params, load)
  const liarNode = { call: lyingCall, callAll: oneByOne(lyingCall) }
  const flooded = Flood.flooded((method, params) => truth(method, params), Seeded.make(seed + 1), load)
  const honestNode: Transport["Service"] = {
    call: (asked) => (lying === undefined ? liarNode : flooded).call(asked),
    callAll: (asked) => (lying === undefined ? liarNode : flooded).callAll(asked)
  }
  const readers = Context.make(Clock.Clock, clock).pipe(
    Context.add(Random.Random, numbersOf(Seeded.make(seed + 2))),
    Context.add(Scheduler.Scheduler, scheduler.scheduler)
  )
  const stage: Stage = {
    nodes: [liarNode, liarNode, honestNode],
    readers,
    heard: false,
    tell: (world, lie) => {
      truth = world.node
      lying = lie
    },
    settle: async (read) => {
      const fiber = Effect.runFork(quiet(Effect.provideContext(read, readers)))
      for (let exit = fiber.pollUnsafe(); exit === undefined; exit = fiber.pollUnsafe()) {
        await new Promise((resolve) => setImmediate(resolve))
        const isIdle = load.working === 0 && scheduler.left() === 0
        if (isIdle && fiber.pollUnsafe() === undefined) clock.jump()
      }
      const exit = await Effect.runPromise(Fiber.await(fiber))
      if (Exit.isSuccess(exit)) return exit.value
      throw new Error(String(exit.cause))
    }
  }
  return stage
}

/** Returns Effect's own scheduler, and the number of turns that it still has to take. */
const counted = () => {
  let turns = 0
  const scheduler = new Scheduler.MixedScheduler("async", (turn) => {
    turns++
    const ended = (): void => void turns--
    const immediate = setImmediate(() => {
      ended()
      turn()
    })
    return () => {
      clearImmediate(immediate)
      ended()
    }
  })
  return { scheduler, left: () => turns }
}

/** Returns the source of Effect's random numbers. */
const numbersOf = (random: Seeded.Random): typeof Random.Random.Service => ({
  nextDoubleUnsafe: random,
  nextIntUnsafe: () => Seeded.int(random, Number.MAX_SAFE_INTEGER)
})

/** Returns an answer, or an error, as text. */
export const settled = (answer: Promise<unknown>): Promise<string> =>
  answer.then(
    (json) => JSON.stringify(json),
    (error: unknown) => `error ${String(error)}`
  )
