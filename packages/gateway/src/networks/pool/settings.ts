/** The options of a pool, and the settings derived from them. */
import type * as MethodGroup from "@plumbline/jsonrpc-core/method/MethodGroup"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"

import { GatewayError } from "../../errors/GatewayError.ts"
import type { Upstream } from "../Upstream.ts"
import * as PoolHeight from "./height.ts"

/**
 * A node of a pool. The name is shown in health and logs: it must hold no secret.
 */
export interface Member {
  readonly name: string
  readonly upstream: Upstream
  /** The operator of the node, which has one vote in a quorum (default: the node's name). */
  readonly operator?: string | undefined
  /** The node's share of the calls if nodes are chosen by weight. It must be above zero. Default 1. */
  readonly weight?: number | undefined
  /** The price of the node's calls relative to other nodes, if nodes are chosen by cost. Default 1. */
  readonly cost?: number | undefined
  /**
   * Maximum number of calls that this process sends to the node, including the pool's own probes. Default: no limit.
   */
  readonly budget?: Budget | undefined
  /**
   * True if the node has the states of all blocks, false if it has only those of the last 128. Default: the pool learns
   * from the node's errors which blocks are missing.
   */
  readonly archive?: boolean | undefined
}

/** Maximum numbers of calls to a node. */
export interface Budget {
  /** Maximum number of calls in any period of one second. */
  readonly perSecond?: number | undefined
  /** Maximum number of calls per day (UTC). The count is in memory, so a restarted process begins at zero. */
  readonly perDay?: number | undefined
}

/**
 * The options for sending a slow read to another node too.
 */
export interface Hedge {
  /**
   * A share of the node's last answers to the method, from 0 to 1. Another node is asked when a read has taken longer
   * than the time within which this share of the answers arrived. Default 0.95.
   */
  readonly percentile?: number | undefined
  /** The minimum time before another node is asked. Default 50 milliseconds. */
  readonly minimum?: Duration.Input | undefined
  /** Maximum number of additional nodes. Default 1. */
  readonly most?: number | undefined
}

/**
 * Methods for which several nodes must give the same answer. Nodes of one operator have one vote.
 */
export interface Quorum {
  readonly methods: ReadonlyArray<string>
  /** The number of operators that must give the same answer. */
  readonly agree: number
  /** The number of operators that are asked at the same time. */
  readonly of: number
}

/**
 * Options of a pool: the choice of nodes, the timeouts, and the treatment of failing nodes.
 */
export interface Options {
  /** The network's methods. They define which calls can be sent again. */
  readonly methods: MethodGroup.Any
  /**
   * `order`, the default: the first node that is up. `weight`: a random node for each call, by weight. `cost`: the
   * cheapest node that is up.
   */
  readonly by?: "order" | "weight" | "cost" | undefined
  /** Maximum time for a call, including all tries. Default 20 seconds; at most 3 seconds while all nodes are down. */
  readonly timeout?: Duration.Input | undefined
  /** Maximum time for one try while there is another node to ask. Default 10 seconds. */
  readonly tryTimeout?: Duration.Input | undefined
  /** Number of consecutive faults after which a node is down. Default 3. */
  readonly failures?: number | undefined
  /** Time between two probes of a node that is down. Default 10 seconds. */
  readonly cooldown?: Duration.Input | undefined
  /**
   * Compares the latest blocks of the nodes. A node that is more than `blocks` behind the highest is asked after the
   * others. Default: no check.
   */
  readonly lag?: { readonly blocks: number; readonly every?: Duration.Input | undefined } | undefined
  /**
   * The interval at which each node is asked for its latest block, for the health report and the choice of nodes.
   * Default: `lag.every` if blocks are compared, otherwise never.
   */
  readonly watch?: Duration.Input | undefined
  /**
   * Time of silence after which a node that is up is probed. After a fault, the node is then probed at once, until it
   * answers or is down: with three `failures`, a node that refuses connections is down after half a second, and one
   * that hangs after two and a half. So a dead node is down within seconds, even if no caller asks it. For a node with a budget per
   * day, the probes use at most a tenth of the budget. Default: never; callers and `watch` find dead nodes.
   */
  readonly pulse?: Duration.Input | undefined
  /** Asks another node too when a read takes long. Default: a call asks one node at a time. */
  readonly hedge?: Hedge | undefined
  /** Asks several nodes, and returns the answer that enough of them give. Default: one node is enough. */
  readonly quorum?: Quorum | undefined
  /** The chain that each node must belong to. Default: no check. */
  readonly chain?: Chain | undefined
  /**
   * The method that probes a node and returns its latest block. Default: the method of `methods` whose name ends in
   * `_blockNumber`.
   */
  readonly probe?: string | undefined
}

/**
 * The chain of a network. The id is compared as a number. A text such as `SN_MAIN` stands for the number of its ASCII
 * bytes.
 */
export interface Chain {
  /** The method that returns the chain's id, such as `eth_chainId`. */
  readonly method: string
  readonly id: number | string
  /** Interval at which each node is asked for the id. Default 60 seconds. */
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
  /** The time of silence that services use. A pool without the option never probes a node that is up. */
  readonly pulse: number
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
  pulse: 2000,
  lagEvery: 15_000,
  hedge: { percentile: 0.95, minimum: 50, most: 1 }
}

/** The options, checked and with defaults. Times are in milliseconds. */
export interface Settings {
  readonly by: "order" | "weight" | "cost"
  readonly timeout: number
  readonly tryTimeout: number
  readonly failures: number
  readonly cooldown: number
  /** Number of blocks that a node may be behind; undefined if blocks are not compared. */
  readonly lag: number | undefined
  readonly hedge: { readonly percentile: number; readonly minimum: number; readonly most: number } | undefined
  readonly quorum: { readonly methods: ReadonlySet<string>; readonly agree: number; readonly of: number } | undefined
  /** Interval at which the latest blocks are read; undefined if they are never read. */
  readonly watch: number | undefined
  /** Time of silence after which a node is probed; undefined if nodes that are up are not probed. */
  readonly pulse: number | undefined
  readonly chain: { readonly method: string; readonly id: bigint; readonly every: number } | undefined
  /** The method that returns the number of the latest block. */
  readonly probe: string
  /** The method that returns a block by its tag, if the network has one and the options set no other probe. */
  readonly blocks: string | undefined
}

/** Checks the options, and fills in the defaults. Fails with the name of an invalid option. */
export const resolve = (
  members: ReadonlyArray<Omit<Member, "upstream">>,
  options: Options
): Result.Result<Settings, GatewayError> => {
  const { failures = defaults.failures, lag } = options
  const millis = (input: Duration.Input | undefined, usual: number) =>
    input === undefined ? usual : Duration.toMillis(Duration.fromInputUnsafe(input))
  if (members.length === 0) return badOption("members", "must have at least one node")
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
    if (!isWhole(of, members.length))
      return badOption("quorum.of", "must be a whole number from 1 to the number of nodes")
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
    pulse: millis(options.pulse, defaults.pulse),
    "hedge.minimum": millis(hedge?.minimum, defaults.hedge.minimum),
    "chain.every": millis(options.chain?.every, 60_000)
  }
  for (const [name, time] of Object.entries(times)) if (!(time > 0)) return badOption(name, "must be above zero")
  return Result.succeed({
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
    pulse: options.pulse === undefined ? undefined : times.pulse,
    chain:
      options.chain === undefined
        ? undefined
        : { method: options.chain.method, id: PoolHeight.idOf(options.chain.id), every: times["chain.every"] },
    probe: probe ?? "eth_blockNumber",
    blocks: options.probe === undefined && options.methods.get(BLOCKS) !== undefined ? BLOCKS : undefined
  })
}

/** Maximum of a budget's calls per second, because each of them is stored. */
const MAX_PER_SECOND = 100_000

const isWhole = (number: number, most: number): boolean => Number.isInteger(number) && number >= 1 && number <= most

const BLOCKS = "eth_getBlockByNumber"

const badOption = (option: string, problem: string): Result.Result<never, GatewayError> =>
  Result.fail(new GatewayError({ reason: { _tag: "BadOption", option, problem } }))
