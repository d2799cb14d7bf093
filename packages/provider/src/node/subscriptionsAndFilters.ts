/**
 * The subscriptions and filters of one node. The first subscription or filter loads this module, because most programs
 * use none.
 */
import type * as EthClient from "@plumbline/eth-methods/client/EthClient"
import type { OfChain } from "@plumbline/eth-methods/proof/Verify"
import type { TrustedBlock } from "@plumbline/eth-methods/trust/TrustedBlock"
import * as TrustRelation from "@plumbline/eth-methods/trust/TrustRelation"
import type * as VerdictEthClient from "@plumbline/eth-methods/verified/VerdictEthClient"
import type { Subscriptions } from "@plumbline/jsonrpc-core/transport/Subscriptions"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

import * as PendingHashes from "../chain/pendingHashes.ts"
import * as ProvenHeads from "../chain/provenHeads.ts"
import * as ProvenLogs from "../chain/provenLogs.ts"
import * as Filters from "./Filters.ts"
import * as Subscribing from "./nodeSubscriptions.ts"

/** The node, the trust, the policy and the limits. */
export interface SubscriptionsAndFiltersOptions {
  readonly eth: EthClient.Client
  readonly client: VerdictEthClient.Client
  readonly trust: TrustedBlock["Service"]
  /** The chain, if the reader knows it. */
  readonly chain: OfChain
  /** Signals that there may be a new head, if the node pushes heads. */
  readonly push: Subscriptions["Service"] | undefined
  readonly interval: Duration.Duration
  readonly scope: Scope.Scope
  readonly maxSteps: number | undefined
  readonly maxFilters: number
  /** True if notifications that are only claimed must be held back. */
  readonly mayNotPass: boolean
  /** Answers `eth_getLogs`. */
  readonly getLogs: Filters.FiltersOptions<never>["getLogs"]
}

/** `eth_subscribe`, and the filter methods by name. */
export interface SubscriptionsAndFilters {
  readonly open: Subscribing.OpenSubscription
  readonly filters: ReadonlyMap<string, Filters.FilterMethod<never>>
}

export const make = (options: SubscriptionsAndFiltersOptions): Effect.Effect<SubscriptionsAndFilters> =>
  Effect.map(ProvenLogs.make(options.client), (logsOf) => {
    const { chain, client, eth, getLogs, interval, maxFilters, maxSteps, mayNotPass, push, scope, trust } = options
    const source = { scope, eth, push, interval }
    const relate = TrustRelation.make(eth, trust, { ...chain, maxSteps })
    const open = Subscribing.make({
      heads: ProvenHeads.make({ ...source, client, chain, relate, waits: mayNotPass }),
      logsOf,
      pending: PendingHashes.make(source),
      mayNotPass,
      forks: chain.forks
    })
    return { open, filters: Filters.make({ open, getLogs, scope, max: maxFilters }) }
  })
