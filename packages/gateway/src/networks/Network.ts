/**
 * A network that the gateway serves: its names, its methods, and the node that answers.
 */
import type * as MethodGroup from "@plumbline/jsonrpc-core/method/MethodGroup"
import type * as Effect from "effect/Effect"

import type { Feeds } from "./Feeds.ts"
import type { LieCount, Upstream } from "./Upstream.ts"

/**
 * A network. The gateway knows nothing of chains: `methods` defines the existing methods and their valid parameters.
 */
export interface Network {
  /**
   * Its name in health, logs, bills, allowlists and paths (`/mainnet/v3/<key>`): 1 to 64 letters, digits, `.`, `_`, `~`
   * and `-`, except the names of `Routing.isReserved`.
   */
  readonly name: string
  /** Host names that lead to it, without a port. Case and a trailing dot do not matter. */
  readonly hosts: ReadonlyArray<string>
  /** The id of the chain, for display only. */
  readonly chainId: number | string
  /** Every method that can be called. Any other is answered with -32601 and never reaches the node. */
  readonly methods: MethodGroup.Any
  /** The node. */
  readonly upstream: Upstream
  /** The feeds for subscriptions over a WebSocket, such as `EthFeeds.make(upstream)`. Default: none. */
  readonly feeds?: Feeds | undefined
  /** True if answers have a verdict, which HTTP callers get in headers: the node is behind `Integrity`. Default: false. */
  readonly isChecked?: boolean | undefined
  /** Returns the lies that its nodes were caught at, since the network was made. Absent if answers are not checked. */
  readonly lies?: (() => ReadonlyArray<LieCount>) | undefined
  /** The block that proofs of its answers end at. Absent if answers are not proven. */
  readonly anchor?: Effect.Effect<TrustedAnchor> | undefined
}

/**
 * A block that an authority names, or the reason why there is none. `finality` is the support of a light client's block.
 */
export type TrustedAnchor =
  | { readonly _tag: "Block"; readonly hash: string; readonly by: string; readonly finality: string | undefined }
  | { readonly _tag: "None"; readonly problem: string }

export type { UpstreamState } from "./Upstream.ts"
