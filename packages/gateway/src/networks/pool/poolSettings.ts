/** The settings of a pool and of its nodes. */
import type * as MethodGroup from "@plumbline/jsonrpc-core/method/MethodGroup"
import type * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import type { GatewayError } from "../../errors/GatewayError.ts"
import * as Setting from "../../schema/Setting.ts"
import type { SettingMistake } from "../../schema/SettingShape.ts"
import { methodName } from "../ExtraMethods.ts"
import type { Upstream } from "../Upstream.ts"
import * as PoolHeight from "./height.ts"
import * as NodeCapabilities from "./nodeCapabilities.ts"

const { array, boolean, defaulted, duration, integer, literal, optional, struct } = Setting

/** The settings of a node of a pool. */
export const nodeFields = {
  weight: defaulted(
    integer(1, 1000, { description: "The node's share of the calls, if balance is weight.", default: 1 })
  ),
  cost: defaulted(
    integer(0, 1_000_000, {
      description: "The price of the node's calls relative to the other nodes, if balance is cost.",
      default: 1
    })
  ),
  archive: optional(
    boolean({
      description:
        "true: the node has the states of all blocks. false: it has the states of the last 128 blocks. Left out: found out from the node's errors and eth_capabilities."
    })
  ),
  requestsPerSecond: optional(
    integer(1, 100_000, {
      description: "Maximum number of calls that this process sends to the node in a second. Left out: no limit."
    })
  ),
  requestsPerDay: optional(
    integer(1, Number.MAX_SAFE_INTEGER, {
      description: "Maximum number of calls that this process sends to the node in a day of UTC. Left out: no limit."
    })
  )
}

/** The settings of a pool. */
export const fields = {
  balance: defaulted(
    literal(["order", "weight", "cost"], {
      description:
        "order: the first healthy node gets all calls. weight: healthy nodes share them. cost: the cheapest healthy node gets them.",
      default: "order"
    })
  ),
  timeout: defaulted(
    duration({
      description: "Maximum time from a call to the last byte of its answer, all tries together.",
      default: "20s"
    })
  ),
  tryTimeout: defaulted(
    duration({ description: "Maximum time for one node, if there is another node to ask.", default: "10s" })
  ),
  failures: defaulted(
    integer(1, 1000, {
      description: "Number of consecutive calls without an answer after which a node counts as down.",
      default: 3
    })
  ),
  cooldown: defaulted(duration({ description: "Time between two tries of a node that is down.", default: "10s" })),
  maxLag: optional(
    integer(1, 1_000_000, {
      description:
        "A node that is more than this number of blocks behind the block that most nodes have is used last. Left out: not compared."
    })
  ),
  watch: optional(
    duration({
      description: "Time between two reads of the latest block of each node. Default: 15s with maxLag, else 1m."
    })
  ),
  pulse: defaulted(
    duration({
      description:
        "Time without an answer after which a node is asked if it is alive. A dead node is down a few seconds later.",
      default: "2s"
    })
  ),
  hedge: optional(
    struct(
      {
        percentile: defaulted(
          integer(1, 100, {
            description:
              "The percentile of the method's recent response times at that node after which another node is asked too.",
            default: 95
          })
        ),
        minimum: defaulted(duration({ description: "The shortest time.", default: "50ms" })),
        most: defaulted(
          integer(1, 8, { description: "Maximum number of additional nodes that are asked.", default: 1 })
        )
      },
      "Sends a read to another node too when it takes longer than usual. Left out: never."
    )
  ),
  quorum: optional(
    struct(
      {
        methods: array(methodName, { description: "The methods." }),
        agree: integer(1, 100, { description: "The number of nodes that must give the same answer." }),
        of: integer(1, 100, { description: "The number of nodes that are asked at the same time." })
      },
      "Asks several nodes, and returns the answer on which enough of them agree. Left out: one node is asked."
    )
  )
}

const nodeSettings = Schema.Struct(nodeFields)
const poolSettings = Schema.Struct(fields)

/** The settings that only options have. */
const ownSettings = Schema.Struct({
  ...fields,
  chain: optional(
    Schema.Struct({
      every: defaulted(duration({ description: "Time between two questions for a node's chain id.", default: "1m" }))
    })
  )
})

type NodeSettings = typeof nodeSettings.Type
type PoolSettings = typeof poolSettings.Type

/** The defaults of a service. Times are in milliseconds. */
export const defaults = Setting.defaultsOf(poolSettings)

/** Interval at which latest blocks are read, if they are compared. */
const WATCH_LAG = 15_000

/** Interval at which a service reads latest blocks that are not compared. A pool by itself does not read them. */
const WATCH = 60_000

/** Returns the interval at which a service reads the latest blocks of a pool's nodes. */
export const watchOf = ({ maxLag, watch }: Pick<PoolSettings, "maxLag" | "watch">): number =>
  watch ?? (maxLag === undefined ? WATCH : WATCH_LAG)

/**
 * A node of a pool, with the settings of `nodeFields`. The name is shown in health and logs: it must hold no secret.
 */
export interface PoolNode extends Setting.OptionsOf<NodeSettings> {
  readonly name: string
  readonly upstream: Upstream
  /** The operator of the node, which has one vote in a quorum (default: the node's name). */
  readonly operator?: string | undefined
}

/**
 * Options of a pool: the settings of `fields`, and what no file can name.
 *
 * Two defaults differ from those of a service: without `pulse` a node that is up is never probed, and without `watch`
 * latest blocks are read only if `maxLag` compares them.
 */
export interface PoolOptions extends Setting.OptionsOf<PoolSettings> {
  /** The network's methods. They define which calls can be sent again. */
  readonly methods: MethodGroup.Any
  /** The chain that each node must belong to. Default: no check. */
  readonly chain?: PoolChain | undefined
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
export interface PoolChain {
  /** The method that returns the chain's id, such as `eth_chainId`. */
  readonly method: string
  readonly id: number | string
  /** Interval at which each node is asked for the id. Default 60 seconds. */
  readonly every?: Duration.Input | undefined
}

/** The options, checked and with defaults. */
export interface ResolvedPoolSettings extends Omit<PoolSettings, "pulse" | "quorum" | "watch"> {
  readonly members: ReadonlyArray<NodeSettings>
  /** Interval at which the latest blocks are read; undefined if they are never read. */
  readonly watch: number | undefined
  /** Time of silence after which a node is probed; undefined if nodes that are up are not probed. */
  readonly pulse: number | undefined
  readonly quorum: { readonly methods: ReadonlySet<string>; readonly agree: number; readonly of: number } | undefined
  readonly chain: { readonly method: string; readonly id: bigint; readonly every: number } | undefined
  /** The method that returns the number of the latest block. */
  readonly probe: string
  /** The method that returns a block by its tag, if the network has one and the options set no other probe. */
  readonly blocks: string | undefined
  /** True if the network has the method with which a node states the blocks that it has, and no other probe is set. */
  readonly hasCapabilities: boolean
}

/** Returns the mistakes that no Schema of a single setting can find. `isRead` tells the methods that only read. */
export const mistakes = (
  { quorum }: Pick<PoolSettings, "quorum">,
  nodes: number,
  isRead: (method: string) => boolean
): ReadonlyArray<SettingMistake> => {
  if (quorum === undefined) return []
  const found: Array<SettingMistake> = []
  if (quorum.of > nodes)
    found.push({ path: ["quorum", "of"], problem: `must not be more than the number of nodes (${nodes})` })
  if (quorum.agree > quorum.of) found.push({ path: ["quorum", "agree"], problem: "must not be more than quorum.of" })
  quorum.methods.forEach((name, index) => {
    if (isRead(name)) return
    found.push({
      path: ["quorum", "methods", index],
      problem: "must be a method of the network that only reads"
    })
  })
  return found
}

/** Checks the options, and fills in the defaults. Fails with the name of an invalid option. */
export const resolve = (
  members: ReadonlyArray<Omit<PoolNode, "upstream">>,
  options: PoolOptions
): Result.Result<ResolvedPoolSettings, GatewayError> =>
  Result.gen(function* () {
    const nodes: Array<NodeSettings> = []
    for (const member of members) nodes.push(yield* Setting.resolve(nodeSettings, member))
    const { chain, ...pool } = yield* Setting.resolve(ownSettings, options)
    const [mistake] = [
      ...(members.length === 0 ? [{ path: ["members"], problem: "must have at least one node" }] : []),
      ...(new Set(members.map(({ name }) => name)).size < members.length
        ? [{ path: ["members"], problem: "must have different names" }]
        : []),
      ...mistakes(pool, members.length, (name) => options.methods.get(name)?.idempotent === true)
    ]
    if (mistake !== undefined) return yield* Result.fail(Setting.badOption(mistake))
    const { methods } = options
    const probe = options.probe ?? Object.keys(methods.methods).find((name) => name.endsWith("_blockNumber"))
    return {
      ...pool,
      members: nodes,
      tryTimeout: Math.min(pool.timeout, pool.tryTimeout),
      watch: pool.watch ?? (pool.maxLag === undefined ? undefined : WATCH_LAG),
      pulse: options.pulse === undefined ? undefined : pool.pulse,
      quorum: pool.quorum && { ...pool.quorum, methods: new Set(pool.quorum.methods) },
      chain: options.chain && {
        method: options.chain.method,
        id: PoolHeight.idOf(options.chain.id),
        every: chain!.every
      },
      probe: probe ?? "eth_blockNumber",
      blocks: options.probe === undefined && methods.get(BLOCKS) !== undefined ? BLOCKS : undefined,
      hasCapabilities: options.probe === undefined && methods.get(NodeCapabilities.METHOD) !== undefined
    }
  })

const BLOCKS = "eth_getBlockByNumber"
