/**
 * The cost of a call in credits: a table that an operator can change, and the rule for the final charge.
 *
 * The numbers are Infura's. The cost of a method is defined with the method, in its group.
 *
 * Source: https://docs.metamask.io/services/get-started/pricing/credit-cost/
 */
import * as EthFilters from "@plumbline/eth-methods/methods/EthFilters"
import * as EthMethods from "@plumbline/eth-methods/methods/EthMethods"
import type * as MethodGroup from "@plumbline/jsonrpc-core/method/MethodGroup"
import * as Starknet from "@plumbline/second-chain-methods/methods/Starknet"
import * as Result from "effect/Result"

import { SettingError } from "../errors/SettingError.ts"

/**
 * The cost of a subscription's events. `credits` is charged for each event, for each block with events, or for each
 * period with events. The length of the period is in milliseconds.
 */
export interface EventCost {
  readonly credits: number
  readonly per: "event" | "block" | number
}

/**
 * The table of costs. All credits are whole numbers from 0 to 10^9.
 */
export interface Table {
  /** Costs by method, for networks that have no cost of their own for the method. */
  readonly methods: Readonly<Record<string, number>>
  /** Costs by network, then by method. A cost in this table takes precedence over the cost in `methods`. */
  readonly networks: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** Costs by kind of subscription. */
  readonly events: Readonly<Record<string, EventCost>>
  /** The cost of an unlisted method, and of each event of an unlisted subscription. */
  readonly fallback: number
  /** The cost of a batch, in addition to the cost of its calls. */
  readonly batch: number
  /** The cost of a call that ended with a 4xx other than 402 and 429, whatever its regular cost. */
  readonly refused: number
}

/**
 * The default table of costs.
 */
export const defaults: Table = {
  methods: {
    ...Object.fromEntries(
      [EthMethods.group, EthFilters.group, Starknet.group].flatMap((group: MethodGroup.Any) =>
        Object.values(group.methods).map((method) => [method.name, method.cost])
      )
    ),
    // These methods belong to no group.
    eth_subscribe: 5,
    eth_unsubscribe: 10
  },
  networks: {},
  events: {
    newHeads: { credits: 50, per: "block" },
    logs: { credits: 300, per: "block" },
    newPendingTransactions: { credits: 200, per: 750 }
  },
  fallback: 80,
  batch: 1,
  refused: 5
}

/**
 * A table of costs with functions that look up a cost.
 */
export interface Costs {
  /** Returns the cost of a call: the network's cost for the method, else the method's cost, else the fallback. */
  readonly call: (network: string, method: string) => number
  /** Returns the cost of a batch, given the total cost of its calls. */
  readonly batch: (calls: number) => number
  /** Returns the cost of a subscription's events. */
  readonly event: (kind: string) => EventCost
  /**
   * Returns the final charge for a call whose full cost is `credits`, by its HTTP status. Calls with 402, 429 or 5xx
   * are free. Calls with another 4xx cost `refused`. All other calls cost `credits`.
   */
  readonly charged: (credits: number, status: number) => number
}

/**
 * Returns the default table with changes. The changes may come from a file. Each entry replaces the entry of the same
 * name.
 *
 * ```ts import.meta.vitest
 * import { Costs } from "@plumbline/gateway"
 * import * as Result from "effect/Result"
 *
 * const costs = Result.getOrThrow(Costs.make({ networks: { testnet: { eth_call: 8 } } }))
 * costs.call("testnet", "eth_call") // => 8
 * costs.call("mainnet", "eth_call") // => 80
 * costs.call("mainnet", "eth_unheardOf") // => 80
 * costs.batch(30 * 1) // => 31
 * costs.charged(150, 200) // => 150
 * costs.charged(150, 403) // => 5
 * costs.charged(150, 502) // => 0
 * const wrong = Costs.make({ methods: { eth_call: 0.5 } })
 * Result.isFailure(wrong) && wrong.failure.message // => "methods.eth_call: must be a whole number from 0 to 1000000000"
 * ```
 */
export const make = (changes: unknown = {}): Result.Result<Costs, SettingError> => {
  const table = changed(changes)
  return Result.map(table, ready)
}

/**
 * The block and the time of an event: the hash of its block, if it has one, and the time in milliseconds since the
 * epoch.
 */
export interface Moment {
  readonly block: string | undefined
  readonly at: number
}

/**
 * Returns the credits due for an event of a subscription, given the moment of the previous event.
 *
 * ```ts import.meta.vitest
 * import { Costs } from "@plumbline/gateway"
 *
 * const { logs, newPendingTransactions } = Costs.defaults.events
 * Costs.due(logs, undefined, { block: "0x01", at: 0 }) // => 300
 * Costs.due(logs, { block: "0x01", at: 0 }, { block: "0x01", at: 5 }) // => 0
 * Costs.due(newPendingTransactions, { block: undefined, at: 749 }, { block: undefined, at: 750 }) // => 200
 * ```
 */
export const due = (cost: EventCost, previous: Moment | undefined, current: Moment): number => {
  if (previous === undefined || cost.per === "event") return cost.credits
  const same =
    cost.per === "block"
      ? current.block !== undefined && previous.block === current.block
      : Math.floor(previous.at / cost.per) === Math.floor(current.at / cost.per)
  return same ? 0 : cost.credits
}

// Private: checks and compiles the table.

const ready = (table: Table): Costs => {
  const methods = new Map(Object.entries(table.methods))
  const networks = new Map(Object.entries(table.networks).map(([name, own]) => [name, new Map(Object.entries(own))]))
  const events = new Map(Object.entries(table.events))
  const unknownEvent: EventCost = { credits: table.fallback, per: "event" }
  return {
    call: (network, method) => networks.get(network)?.get(method) ?? methods.get(method) ?? table.fallback,
    batch: (calls) => calls + table.batch,
    event: (kind) => events.get(kind) ?? unknownEvent,
    charged: (credits, status) => {
      if (status < 400) return credits
      return status === 402 || status === 429 || status >= 500 ? 0 : table.refused
    }
  }
}

type Checked<A> = Result.Result<A, SettingError>

const changed = (changes: unknown): Checked<Table> =>
  Result.gen(function* () {
    const table: { -readonly [Name in keyof Table]: Table[Name] } = { ...defaults }
    for (const [name, value] of yield* entriesOf("costs", changes)) {
      switch (name) {
        case "methods":
          table.methods = { ...table.methods, ...(yield* creditsOf(name, value)) }
          break
        case "networks": {
          const networks: Record<string, Readonly<Record<string, number>>> = {}
          for (const [network, own] of yield* entriesOf(name, value)) {
            networks[network] = yield* creditsOf(`${name}.${network}`, own)
          }
          table.networks = networks
          break
        }
        case "events": {
          const events: Record<string, EventCost> = { ...table.events }
          for (const [kind, cost] of yield* entriesOf(name, value))
            events[kind] = yield* eventOf(`${name}.${kind}`, cost)
          table.events = events
          break
        }
        case "fallback":
        case "batch":
        case "refused":
          table[name] = yield* credit(name, value)
          break
        default:
          return yield* wrong("costs", `must have only the names ${Object.keys(defaults).join(", ")}`)
      }
    }
    return table
  })

const entriesOf = (setting: string, value: unknown): Checked<ReadonlyArray<[string, unknown]>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Result.succeed(Object.entries(value))
    : wrong(setting, "must be an object")

const creditsOf = (setting: string, value: unknown): Checked<Readonly<Record<string, number>>> =>
  Result.gen(function* () {
    const credits: Record<string, number> = {}
    for (const [name, cost] of yield* entriesOf(setting, value))
      credits[name] = yield* credit(`${setting}.${name}`, cost)
    return credits
  })

const eventOf = (setting: string, value: unknown): Checked<EventCost> =>
  Result.gen(function* () {
    const { credits, per, ...rest } = Object.fromEntries(yield* entriesOf(setting, value))
    if (Object.keys(rest).length > 0) return yield* wrong(setting, "must have only the names credits, per")
    if (per !== "event" && per !== "block" && !isWhole(per, 1, DAY)) {
      return yield* wrong(`${setting}.per`, `must be "event", "block" or milliseconds from 1 to ${DAY}`)
    }
    return { credits: yield* credit(`${setting}.credits`, credits), per }
  })

const credit = (setting: string, value: unknown): Checked<number> =>
  isWhole(value, 0, MAX) ? Result.succeed(value) : wrong(setting, `must be a whole number from 0 to ${MAX}`)

const isWhole = (value: unknown, minimum: number, maximum: number): value is number =>
  Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum

const MAX = 1_000_000_000
const DAY = 86_400_000

const wrong = (setting: string, problem: string): Checked<never> => Result.fail(new SettingError({ setting, problem }))
