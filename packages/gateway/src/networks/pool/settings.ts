/** The options of a pool, and the settings that follow from them. */
import type * as MethodGroup from "@plumbline/jsonrpc-core/method/MethodGroup"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

import { GatewayError } from "../../errors/GatewayError.ts"
import type { Upstream } from "../Upstream.ts"
import * as PoolHeight from "./height.ts"

/**
 * A node of a pool. The name is shown in health and logs: it must hold no secret.
 */
export interface Member {
  readonly name: string
  readonly upstream: Upstream
  /** Its share of the calls if the pool goes by weight; above zero. Default 1. */
  readonly weight?: number | undefined
  /** The price of its calls relative to other nodes, if the pool is balanced by cost. Default 1. */
  readonly cost?: number | undefined
  /** Maximum number of calls that it is sent, by this process: its own probes too. Default: no limit. */
  readonly budget?: Budget | undefined
  /**
   * True if it has the states of all blocks, false if it has those of the last 128. Default: the pool learns from its
   * errors which blocks it no longer has.
   */
  readonly archive?: boolean | undefined
}

/** Maximum number of calls of a node. */
export interface Budget {
  /** Maximum number of calls in any period of one second. */
  readonly perSecond?: number | undefined
  /** Maximum number of calls per day of UTC. The count is in memory, so a restarted process begins at zero. */
  readonly perDay?: number | undefined
}

/**
 * The time after which a read is sent to another node too.
 */
export interface Hedge {
  /** The share of the method's last answers at that node that took less time, from 0 to 1. Default 0.95. */
  readonly percentile?: number | undefined
  /** The shortest time. Default 50 milliseconds. */
  readonly minimum?: Duration.Input | undefined
  /** Maximum number of nodes that are asked in addition. Default 1. */
  readonly most?: number | undefined
}

/**
 * Methods whose answers several nodes must agree on.
 */
export interface Quorum {
  readonly methods: ReadonlyArray<string>
  /** The number of nodes that must give the same answer. */
  readonly agree: number
  /** The number of nodes that are asked at the same time. */
  readonly of: number
}

/**
 * Options of a pool: the choice of nodes, the timeouts, and the state of a failing node.
 */
export interface Options {
  /** The network's methods. They define the calls that may be sent again. */
  readonly methods: MethodGroup.Any
  /**
   * `order`, the default: the first node that is up. `weight`: a random node for each call, by weight. `cost`: the
   * cheapest node that is up.
   */
  readonly by?: "order" | "weight" | "cost" | undefined
  /** Maximum time for a call, all tries together. Default 20 seconds; at most 3 while all nodes are down. */
  readonly timeout?: Duration.Input | undefined
  /** Maximum time for a try, as long as there is another node to ask. Default 10 seconds. */
  readonly tryTimeout?: Duration.Input | undefined
  /** Number of consecutive faults that make a node down. Default 3. */
  readonly failures?: number | undefined
  /** Interval between tries of a node that is down. Default 10 seconds. */
  readonly cooldown?: Duration.Input | undefined
  /**
   * Compares the latest blocks: a node that is behind the highest by more than `blocks` is used after the others.
   * Default: no check.
   */
  readonly lag?: { readonly blocks: number; readonly every?: Duration.Input | undefined } | undefined
  /**
   * Interval at which each node is asked for its latest block, for the health report and for the choice of nodes.
   * Default: `lag.every` if blocks are compared, otherwise not at all.
   */
  readonly watch?: Duration.Input | undefined
  /** Asks another node too when a read takes long. Default: one node at a time. */
  readonly hedge?: Hedge | undefined
  /** Asks several nodes, and gives the answer on which enough of them agree. Default: the answer of one node. */
  readonly quorum?: Quorum | undefined
  /** The required chain of each node. Default: no check. */
  readonly chain?: Chain | undefined
  /**
   * The method that probes a node and returns its latest block. Default: the method of `methods` whose name ends in
   * `_blockNumber`.
   */
  readonly probe?: string | undefined
}

/**
 * The chain of a network. The id is compared as a number; a text such as `SN_MAIN` is the number of its ASCII bytes.
 */
export interface Chain {
  /** The method that returns the chain's id, such as `eth_chainId`. */
  readonly method: string
  readonly id: number | string
  /** Interval at which each node is asked. Default 60 seconds. */
  readonly every?: Duration.Input | undefined
}

/**
 * The defaults of the options. Times are in milliseconds.
 */
export const defaults: {
  readonly weight: number
  readonly cost: number
  readonly by: "order" | "weight" | "cost"
  readonly timeout: number
  readonly tryTimeout: number
  readonly failures: number
  readonly cooldown: number
  /** The default interval at which the latest blocks are read. */
  readonly watch: number
  readonly lagEvery: number
  readonly hedge: { readonly percentile: number; readonly minimum: number; readonly most: number }
} = {
  weight: 1,
  cost: 1,
  by: "order",
  timeout: 20_000,
  tryTimeout: 10_000,
  failures: 3,
  cooldown: 10_000,
  watch: 60_000,
  lagEvery: 15_000,
  hedge: { percentile: 0.95, minimum: 50, most: 1 }
}

/** The options with their defaults, checked. Times are in milliseconds. */
export interface Settings {
  readonly by: "order" | "weight" | "cost"
  readonly timeout: number
  readonly tryTimeout: number
  readonly failures: number
  readonly cooldown: number
  /** Blocks that a node may be behind. */
  readonly lag: number | undefined
  readonly hedge: { readonly percentile: number; readonly minimum: number; readonly most: number } | undefined
  readonly quorum: { readonly methods: ReadonlySet<string>; readonly agree: number; readonly of: number } | undefined
  /** Interval at which the latest blocks are read. */
  readonly watch: number | undefined
  readonly chain: { readonly method: string; readonly id: bigint; readonly every: number } | undefined
  /** The method that returns the number of the latest block. */
  readonly probe: string
  /** The method that returns a block by its tag, if the network has it and no other probe is set. */
  readonly blocks: string | undefined
}

export const resolve = (members: ReadonlyArray<Member>, options: Options): Effect.Effect<Settings, GatewayError> => {
  const { failures = defaults.failures, lag } = options
  const millis = (input: Duration.Input | undefined, usual: number) =>
    input === undefined ? usual : Duration.toMillis(Duration.fromInputUnsafe(input))
  if (members.length === 0) return badOption("members", "must be one at least")
  if (new Set(members.map(({ name }) => name)).size < members.length)
    return badOption("members", "must have different names")
  if (!members.every(({ weight = defaults.weight }) => weight > 0 && Number.isFinite(weight))) {
    return badOption("weight", "must be a number above zero")
  }
  if (!members.every(({ cost = defaults.cost }) => cost >= 0 && Number.isFinite(cost))) {
    return badOption("cost", "must be a number from zero")
  }
  for (const { budget = {} } of members) {
    const { perDay = 1, perSecond = 1 } = budget
    if (!isWhole(perSecond, MAX_PER_SECOND)) {
      return badOption("budget.perSecond", `must be a whole number from 1 to ${MAX_PER_SECOND}`)
    }
    if (!isWhole(perDay, Number.MAX_SAFE_INTEGER))
      return badOption("budget.perDay", "must be a whole number above zero")
  }
  const hedge = options.hedge === undefined ? undefined : { ...defaults.hedge, ...options.hedge }
  if (hedge !== undefined && !(hedge.percentile! > 0 && hedge.percentile! <= 1)) {
    return badOption("hedge.percentile", "must be a number above 0, up to 1")
  }
  if (hedge !== undefined && !isWhole(hedge.most!, 8))
    return badOption("hedge.most", "must be a whole number from 1 to 8")
  const { quorum } = options
  if (quorum !== undefined) {
    const { agree, methods, of } = quorum
    if (!isWhole(of, members.length)) return badOption("quorum.of", "must be a whole number up to that of the nodes")
    if (!isWhole(agree, of)) return badOption("quorum.agree", "must be a whole number up to quorum.of")
    if (!methods.every((name) => options.methods.get(name)?.idempotent === true)) {
      return badOption("quorum.methods", "must be methods of the network that read")
    }
  }
  if (!(Number.isInteger(failures) && failures > 0)) return badOption("failures", "must be a whole number above zero")
  if (lag !== undefined && !(Number.isInteger(lag.blocks) && lag.blocks >= 0)) {
    return badOption("lag.blocks", "must be a whole number")
  }
  const probe = options.probe ?? Object.keys(options.methods.methods).find((name) => name.endsWith("_blockNumber"))
  const times = {
    timeout: millis(options.timeout, defaults.timeout),
    tryTimeout: millis(options.tryTimeout, defaults.tryTimeout),
    cooldown: millis(options.cooldown, defaults.cooldown),
    "lag.every": millis(lag?.every, defaults.lagEvery),
    watch: millis(options.watch, defaults.watch),
    "hedge.minimum": millis(hedge?.minimum, defaults.hedge.minimum),
    "chain.every": millis(options.chain?.every, 60_000)
  }
  for (const [name, time] of Object.entries(times)) if (!(time > 0)) return badOption(name, "must be above zero")
  return Effect.succeed({
    by: options.by ?? defaults.by,
    timeout: times.timeout,
    tryTimeout: Math.min(times.timeout, times.tryTimeout),
    cooldown: times.cooldown,
    failures,
    lag: lag?.blocks,
    hedge:
      hedge === undefined
        ? undefined
        : { percentile: hedge.percentile!, minimum: times["hedge.minimum"], most: hedge.most! },
    quorum: quorum === undefined ? undefined : { ...quorum, methods: new Set(quorum.methods) },
    watch: options.watch !== undefined ? times.watch : lag === undefined ? undefined : times["lag.every"],
    chain:
      options.chain === undefined
        ? undefined
        : { method: options.chain.method, id: PoolHeight.idOf(options.chain.id), every: times["chain.every"] },
    probe: probe ?? "eth_blockNumber",
    blocks: options.probe === undefined && options.methods.get(BLOCKS) !== undefined ? BLOCKS : undefined
  })
}

/** Maximum number of calls per second that a budget counts one by one. */
const MAX_PER_SECOND = 100_000

const isWhole = (number: number, most: number): boolean => Number.isInteger(number) && number >= 1 && number <= most

const BLOCKS = "eth_getBlockByNumber"

const badOption = (option: string, problem: string): Effect.Effect<never, GatewayError> =>
  Effect.fail(new GatewayError({ reason: { _tag: "BadOption", option, problem } }))
