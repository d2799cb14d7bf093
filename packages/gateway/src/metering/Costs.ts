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
import * as Schema from "effect/Schema"

import type { SettingError } from "../errors/SettingError.ts"
import * as Setting from "../schema/Setting.ts"

const { integer, optional, record, struct } = Setting

const credits = (description: string, usual?: number) =>
  integer(0, Setting.COUNT, usual === undefined ? { description } : { description, default: usual })

const event = struct(
  {
    credits: credits("Credits for each."),
    per: Schema.Union([
      Schema.Literals(["event", "block"]),
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 86_400_000 }))
    ]).annotate({
      description:
        "The unit that is charged: each event, each block that has events, or each span of this many milliseconds.",
      message: "must be event, block, or a number of milliseconds"
    })
  },
  "Costs of a subscription's events."
)

/** The settings that change the table. Each entry replaces the default entry of the same name. */
export const fields = {
  methods: optional(record(credits("Credits of a call."), { description: "By method, on every network." })),
  networks: optional(
    record(record(credits("Credits of a call."), { description: "By method." }), {
      description: "By network, then by method."
    })
  ),
  events: optional(record(event, { description: "By kind of subscription." })),
  fallback: optional(credits("Cost of a method without an entry.", 80)),
  batch: optional(credits("Cost of a batch, in addition to its calls.", 1)),
  refused: optional(credits("Cost of a call that was refused with a 4xx other than 402 and 429.", 5))
}

/**
 * The cost of a subscription's events. `credits` is charged for each event, for each block with events, or for each
 * period with events. The length of the period is in milliseconds.
 */
export type EventCost = typeof event.Type

/**
 * The table of costs. All credits are whole numbers from 0 to 10^9.
 */
export interface CostTable {
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
export const defaults: CostTable = {
  methods: {
    ...Object.fromEntries(
      [EthMethods.group, EthFilters.group, Starknet.group].flatMap((group: MethodGroup.Any) =>
        Object.values(group.methods).map((method) => [method.name, method.cost])
      )
    ),
    // These methods belong to no group.
    eth_subscribe: 5,
    eth_unsubscribe: 10,
    // light client data: `updates` may have 3 MB in SSZ
    "light_client/bootstrap": 80,
    "light_client/updates": 300,
    "light_client/finality_update": 20,
    "light_client/optimistic_update": 20,
    // a stream of server-sent events, which lasts ten minutes at most
    "light_client/events": 500,
    "beacon/genesis": 5,
    "config/spec": 5,
    "node/health": 0
  },
  networks: {},
  events: {
    newHeads: { credits: 50, per: "block" },
    logs: { credits: 300, per: "block" },
    newPendingTransactions: { credits: 200, per: 750 }
  },
  fallback: Setting.usualOf(fields.fallback.schema),
  batch: Setting.usualOf(fields.batch.schema),
  refused: Setting.usualOf(fields.refused.schema)
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
export interface EventMoment {
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
export const due = (cost: EventCost, previous: EventMoment | undefined, current: EventMoment): number => {
  if (previous === undefined || cost.per === "event") return cost.credits
  const same =
    cost.per === "block"
      ? current.block !== undefined && previous.block === current.block
      : Math.floor(previous.at / cost.per) === Math.floor(current.at / cost.per)
  return same ? 0 : cost.credits
}

// Private: checks and compiles the table.

const ready = (table: CostTable): Costs => {
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

const table = struct(fields, "Changes to the table of credits.")

const changed = (changes: unknown): Result.Result<CostTable, SettingError> =>
  Result.map(
    Result.mapError(Setting.check(table, changes), ({ path, problem }) =>
      Setting.settingError({ path: path.length === 0 ? ["costs"] : path, problem })
    ),
    ({ events, methods, networks, ...credits }) => ({
      ...defaults,
      ...credits,
      methods: { ...defaults.methods, ...methods },
      networks: networks ?? {},
      events: { ...defaults.events, ...events }
    })
  )
