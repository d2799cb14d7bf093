/** The stage of the replay: two nodes that tell the same lie, a flooded honest one, and the time that passes for them. */
import type { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import { oneByOne } from "@plumbline/jsonrpc-core/transport/Transport"
import { keyOf, type Node, type Params } from "@plumbline/lies/src/eth/liars/node.ts"
import type { World } from "@plumbline/lies/src/eth/liars/world.ts"
import type * as Random from "@plumbline/seeded/Random"
import { Clock, Effect, Exit, Fiber, Logger } from "effect"

import * as Flood from "./flood.ts"
import type { Scene } from "./scene.ts"
import type { VirtualClock } from "./virtualClock.ts"
import type * as Ways from "./ways.ts"

/** Drops the logs of the pools, which name each lie. */
export const quiet = Effect.provideService(Logger.CurrentLoggers, new Set())

/** The three nodes, whose lie changes. */
export interface Stage {
  readonly nodes: Ways.Nodes
  /** True if a lie was told since this was last set to false. */
  heard: boolean
  /** Chooses the lie that both liars tell; without one, all nodes are honest and none is flooded. */
  readonly tell: (world: World, lie: Node | undefined) => void
  /** Runs a read, and lets the time pass while it waits for a node. */
  readonly settle: <A>(read: Effect.Effect<A>) => Promise<A>
}

/** Makes the stage. Both liars tell the same, and come first. */
export const make = (scene: Scene, random: Random.Random, clock: VirtualClock): Stage => {
  const load: Flood.Load = { working: 0, waiting: 0 }
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
  const flooded = Flood.flooded((method, params) => truth(method, params), random, load)
  const honestNode: Transport["Service"] = {
    call: (asked) => (lying === undefined ? liarNode : flooded).call(asked),
    callAll: (asked) => (lying === undefined ? liarNode : flooded).callAll(asked)
  }
  const stage: Stage = {
    nodes: [liarNode, liarNode, honestNode],
    heard: false,
    tell: (world, lie) => {
      truth = world.node
      lying = lie
    },
    settle: async (read) => {
      const fiber = Effect.runFork(quiet(Effect.provideService(read, Clock.Clock, clock)))
      let still = 0
      for (let exit = fiber.pollUnsafe(); exit === undefined; exit = fiber.pollUnsafe()) {
        await new Promise((resolve) => setImmediate(resolve))
        still = load.working === 0 ? still + 1 : 0
        // A reader that asks no node computes, or waits before it asks one again.
        const isWaiting = still > 0 && (load.waiting > 0 || still > STILL)
        if (isWaiting && fiber.pollUnsafe() === undefined && clock.jump()) still = 0
      }
      const exit = await Effect.runPromise(Fiber.await(fiber))
      if (Exit.isSuccess(exit)) return exit.value
      throw new Error(String(exit.cause))
    }
  }
  return stage
}

/** Number of turns of the event loop without a call, after which a reader is taken to wait. */
const STILL = 3000

/** Returns an answer, or an error, as text. */
export const settled = (answer: Promise<unknown>): Promise<string> =>
  answer.then(
    (json) => JSON.stringify(json),
    (error: unknown) => `error ${String(error)}`
  )
