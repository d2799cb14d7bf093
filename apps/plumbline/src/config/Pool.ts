/**
 * The settings of a network with several nodes: the choice of a node, and what happens when a node fails, lags, limits
 * calls or disagrees. In the file they are members of the network and of its nodes.
 */
import * as EthFilters from "@plumbline/eth-methods/methods/EthFilters"
import * as EthMethods from "@plumbline/eth-methods/methods/EthMethods"
import * as ExtraMethods from "@plumbline/gateway/networks/ExtraMethods"
import * as UpstreamPool from "@plumbline/gateway/networks/pool/UpstreamPool"
import * as Starknet from "@plumbline/second-chain-methods/methods/Starknet"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import * as Kinds from "./Kinds.ts"
import type * as Mistake from "./Mistake.ts"
import * as Sections from "./Sections.ts"

const { flag, formed, group, listOf, may, wait, whole, word } = Kinds
const { defaults } = UpstreamPool

/** The settings of a node. */
export const nodeFields = {
  weight: may(
    whole(1, 1000, { description: "The node's share of the calls, if balance is weight.", default: defaults.weight })
  ),
  cost: may(
    whole(0, 1_000_000, {
      description: "The price of the node's calls relative to the other nodes, if balance is cost.",
      default: defaults.cost
    })
  ),
  archive: may(
    flag({
      description:
        "true: the node has the states of all blocks. false: it has the states of the last 128 blocks. Left out: found out from the node's errors."
    })
  ),
  requestsPerSecond: may(
    whole(1, 100_000, {
      description: "Maximum number of calls that this process sends to the node in a second. Left out: no limit."
    })
  ),
  requestsPerDay: may(
    whole(1, Number.MAX_SAFE_INTEGER, {
      description: "Maximum number of calls that this process sends to the node in a day of UTC. Left out: no limit."
    })
  )
}

const methodName = formed(/^[a-zA-Z][a-zA-Z0-9]{0,31}_[a-zA-Z0-9_]{1,64}$/u, "must be a method, such as trace_block", {
  description: "A method, such as trace_block."
})

/** The settings of a network that govern its pool of nodes. */
export const networkFields = {
  balance: may(
    word(["order", "weight", "cost"], {
      description:
        "order: the first healthy node gets all calls. weight: healthy nodes share them. cost: the cheapest healthy node gets them.",
      default: defaults.by
    })
  ),
  timeout: wait("Maximum time from a call to the last byte of its answer, all tries together.", defaults.timeout),
  tryTimeout: wait("Maximum time for one node, if there is another node to ask.", defaults.tryTimeout),
  failures: may(
    whole(1, 1000, {
      description: "Number of consecutive calls without an answer after which a node counts as down.",
      default: defaults.failures
    })
  ),
  cooldown: wait("Time between two tries of a node that is down.", defaults.cooldown),
  maxLag: may(
    whole(1, 1_000_000, {
      description:
        "A node that is more than this number of blocks behind the best one is used last. Left out: not compared."
    })
  ),
  watch: may(
    Kinds.time({
      description: `Time between two reads of the latest block of each node. Default: ${Kinds.timeOf(defaults.lagEvery)} with maxLag, else ${Kinds.timeOf(defaults.watch)}.`
    })
  ),
  pulse: wait(
    "Time without an answer after which a node is asked if it is alive. A dead node is down a few seconds later.",
    defaults.pulse
  ),
  hedge: may(
    group(
      {
        percentile: may(
          whole(1, 100, {
            description:
              "The percentile of the method's recent response times at that node after which another node is asked too.",
            default: defaults.hedge.percentile * 100
          })
        ),
        minimum: wait("The shortest time.", defaults.hedge.minimum),
        most: may(
          whole(1, 8, {
            description: "Maximum number of additional nodes that are asked.",
            default: defaults.hedge.most
          })
        )
      },
      "Sends a read to another node too when it takes longer than usual. Left out: never."
    )
  ),
  quorum: may(
    group(
      {
        methods: listOf(methodName, { description: "The methods." }),
        agree: whole(1, 100, { description: "The number of nodes that must give the same answer." }),
        of: whole(1, 100, { description: "The number of nodes that are asked at the same time." })
      },
      "Asks several nodes, and returns the answer on which enough of them agree. Left out: one node is asked."
    )
  ),
  methods: may(
    listOf(methodName, {
      description:
        "Further methods, in addition to those of the kind, passed on to the nodes with any parameters. A call without an answer is not sent again."
    })
  ),
  readMethods: may(
    listOf(methodName, {
      description: "Further methods that only read. A call without an answer is sent to another node."
    })
  )
}

/** The settings of a node, in the form that the pool accepts. */
export interface Node {
  readonly weight: number
  readonly cost: number
  readonly archive: boolean | undefined
  readonly budget: UpstreamPool.Budget | undefined
}

/** The settings of a pool, in the form that the pool accepts. Times are milliseconds. */
export interface Pool {
  readonly balance: "order" | "weight" | "cost"
  readonly timeout: number
  readonly tryTimeout: number
  readonly failures: number
  readonly cooldown: number
  readonly maxLag: number | undefined
  /** If undefined, the latest blocks are not watched. */
  readonly watch: number | undefined
  readonly pulse: number
  readonly hedge: { readonly percentile: number; readonly minimum: number; readonly most: number } | undefined
  readonly quorum: UpstreamPool.Quorum | undefined
  readonly methods: ReadonlyArray<{ readonly name: string; readonly idempotent: boolean }>
}

const nodeGroup = Schema.Struct(nodeFields)
const networkGroup = Schema.Struct(networkFields)

/** The settings of a node in the file. */
export type NodeSection = typeof nodeGroup.Type

/** The settings of a network in the file. */
export type NetworkSection = typeof networkGroup.Type

export const node = ({ archive, cost, requestsPerDay, requestsPerSecond, weight }: NodeSection): Node => ({
  weight: weight ?? defaults.weight,
  cost: cost ?? defaults.cost,
  archive,
  budget:
    requestsPerDay === undefined && requestsPerSecond === undefined
      ? undefined
      : { perSecond: requestsPerSecond, perDay: requestsPerDay }
})

export const pool = (section: NetworkSection): Pool => {
  const { hedge, maxLag, quorum } = section
  return {
    balance: section.balance ?? defaults.by,
    timeout: millisOr(section.timeout, defaults.timeout),
    tryTimeout: millisOr(section.tryTimeout, defaults.tryTimeout),
    failures: section.failures ?? defaults.failures,
    cooldown: millisOr(section.cooldown, defaults.cooldown),
    maxLag,
    watch: millisOr(section.watch, maxLag === undefined ? defaults.watch : defaults.lagEvery),
    pulse: millisOr(section.pulse, defaults.pulse),
    hedge:
      hedge === undefined
        ? undefined
        : {
            percentile: (hedge.percentile ?? defaults.hedge.percentile * 100) / 100,
            minimum: millisOr(hedge.minimum, defaults.hedge.minimum),
            most: hedge.most ?? defaults.hedge.most
          },
    quorum,
    methods: [
      ...(section.methods ?? []).map((name) => ({ name, idempotent: false })),
      ...(section.readMethods ?? []).map((name) => ({ name, idempotent: true }))
    ]
  }
}

const millisOr = (time: string | undefined, usual: number): number =>
  time === undefined ? usual : Kinds.millisOf(time)

/** Returns the options of the pool. `methods` are the methods of the network, further ones included. */
export const options = (pool: Pool, methods: UpstreamPool.Options["methods"]): UpstreamPool.Options => ({
  methods,
  by: pool.balance,
  timeout: pool.timeout,
  tryTimeout: pool.tryTimeout,
  failures: pool.failures,
  cooldown: pool.cooldown,
  watch: pool.watch,
  pulse: pool.pulse,
  hedge: pool.hedge,
  quorum: pool.quorum,
  lag: pool.maxLag === undefined ? undefined : { blocks: pool.maxLag }
})

/** Adds the further methods of a network to the methods of its kind. */
export const methodsWith = (usual: UpstreamPool.Options["methods"], { methods }: Pool) =>
  ExtraMethods.add(
    usual,
    // the service keeps filters itself, so no node gets their methods
    methods.filter(({ name }) => usual.get(name) === undefined && EthFilters.group.get(name) === undefined)
  )

/** The methods of networks of a kind. */
export const usualMethods = (kind: "eth" | "starknet"): UpstreamPool.Options["methods"] =>
  kind === "starknet" ? Starknet.group : EthMethods.group

/** Returns the mistakes that the Schema cannot find. */
export const mistakes = (
  path: Mistake.Path,
  section: NetworkSection,
  { kind, nodes }: { readonly kind: "eth" | "starknet"; readonly nodes: ReadonlyArray<NodeSection> }
): Sections.Found => {
  const found: Array<Mistake.Mistake> = []
  for (const name of ["timeout", "tryTimeout", "cooldown", "watch", "pulse"] as const) {
    found.push(...Sections.timer([...path, name], section[name]))
  }
  found.push(...Sections.timer([...path, "hedge", "minimum"], section.hedge?.minimum))
  const { quorum } = section
  if (quorum !== undefined) {
    const at = [...path, "quorum"]
    if (quorum.of > nodes.length) {
      found.push({ path: [...at, "of"], problem: `must not be more than the ${nodes.length} nodes` })
    }
    if (quorum.agree > quorum.of) found.push({ path: [...at, "agree"], problem: "must not be more than of" })
    const usual = usualMethods(kind)
    quorum.methods.forEach((name, index) => {
      const reads = usual.get(name)?.idempotent ?? section.readMethods?.includes(name) === true
      if (!reads) {
        found.push({ path: [...at, "methods", index], problem: "must be a method of the network that only reads" })
      }
    })
  }
  const names = new Set<string>()
  for (const list of ["methods", "readMethods"] as const) {
    for (const [index, name] of (section[list] ?? []).entries()) {
      const at = [...path, list, index]
      if (names.has(name)) found.push({ path: at, problem: "is there already" })
      if (/_(?:un)?subscribe$/u.test(name))
        found.push({ path: at, problem: "is a method of the service, and of no node" })
      names.add(name)
    }
  }
  return found.length > 0 ? found : poolMistakes(path, section, { kind, nodes })
}

/** Asks the pool itself about its options, so that a file that passes is one that the service starts with. */
const poolMistakes = (
  path: Mistake.Path,
  section: NetworkSection,
  { kind, nodes }: { readonly kind: "eth" | "starknet"; readonly nodes: ReadonlyArray<NodeSection> }
): Sections.Found => {
  const settings = pool(section)
  const members = nodes.map((section, index) => ({ name: String(index), ...node(section) }))
  const checked = UpstreamPool.check(members, options(settings, methodsWith(usualMethods(kind), settings)))
  if (Result.isSuccess(checked) || checked.failure.reason._tag !== "BadOption") return []
  const { option, problem } = checked.failure.reason
  return [{ path: [...path, ...(NAMES[option] ?? option).split(".")], problem }]
}

/** The names of the pool's options in the file, where they differ. */
const NAMES: Readonly<Record<string, string>> = {
  by: "balance",
  members: "upstreams",
  weight: "upstreams",
  cost: "upstreams",
  "budget.perSecond": "upstreams",
  "budget.perDay": "upstreams",
  "lag.blocks": "maxLag",
  "lag.every": "watch"
}

/** Returns the settings of a node in the form of the file. */
export const nodeView = ({ archive, budget, cost, weight }: Node): Sections.Shown => ({
  weight,
  cost,
  ...Sections.given({ archive, requestsPerSecond: budget?.perSecond, requestsPerDay: budget?.perDay })
})

/** Returns the settings of a network in the form of the file. */
export const view = (pool: Pool): Sections.Shown => ({
  balance: pool.balance,
  timeout: Kinds.timeOf(pool.timeout),
  tryTimeout: Kinds.timeOf(pool.tryTimeout),
  failures: pool.failures,
  cooldown: Kinds.timeOf(pool.cooldown),
  pulse: Kinds.timeOf(pool.pulse),
  ...Sections.given({
    maxLag: pool.maxLag,
    watch: pool.watch === undefined ? undefined : Kinds.timeOf(pool.watch),
    hedge:
      pool.hedge === undefined
        ? undefined
        : {
            percentile: Math.round(pool.hedge.percentile * 100),
            minimum: Kinds.timeOf(pool.hedge.minimum),
            most: pool.hedge.most
          },
    quorum: pool.quorum,
    methods: namesOf(pool, false),
    readMethods: namesOf(pool, true)
  })
})

const namesOf = ({ methods }: Pool, idempotent: boolean): ReadonlyArray<string> | undefined => {
  const names = methods.filter((method) => method.idempotent === idempotent).map(({ name }) => name)
  return names.length === 0 ? undefined : names
}
