/**
 * A network that the gateway serves: its names, its methods, and the node that answers its calls.
 */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import type * as MethodGroup from "@plumbline/jsonrpc-core/method/MethodGroup"
import type { FilterOwner } from "@plumbline/provider/node/Filters"
import type * as Effect from "effect/Effect"

import type { Feeds } from "./Feeds.ts"
import type * as NodeWatch from "./NodeWatch.ts"
import type { LieCount, Upstream } from "./Upstream.ts"
import type { UpstreamError } from "./UpstreamError.ts"

/**
 * A network. The gateway knows nothing about chains: `methods` defines which methods exist and which parameters are
 * valid.
 */
export interface Network {
  /**
   * The network's name in health, logs, bills, allowlists and paths (`/mainnet/v3/<key>`). It has 1 to 64 letters,
   * digits, `.`, `_`, `~` and `-`. The names of `Routing.isReserved` are excluded.
   */
  readonly name: string
  /** Host names of the network, without a port. Case and a trailing dot do not matter. */
  readonly hosts: ReadonlyArray<string>
  /** The id of the chain, for display only. */
  readonly chainId: number | string
  /**
   * Every method that callers can use. A call of any other method is answered with -32601 and never reaches the node.
   */
  readonly methods: MethodGroup.Any
  /** The node that answers calls. It can stand for several nodes, such as a pool. */
  readonly upstream: Upstream
  /** The feeds for subscriptions over a WebSocket, such as `EthFeeds.make(upstream)`. Default: none. */
  readonly feeds?: Feeds | undefined
  /** The filters that callers poll, such as `EthFilterCalls.make(feeds, upstream)`. Default: none. */
  readonly filters?: FilterCalls | undefined
  /**
   * True if answers have a verdict because the node is behind `Integrity`. HTTP callers get the verdict in headers.
   * Default: false.
   */
  readonly isChecked?: boolean | undefined
  /**
   * Returns the lies of the network's nodes that were detected since the network was made. Absent if answers are not
   * checked.
   */
  readonly lies?: (() => ReadonlyArray<LieCount>) | undefined
  /** Returns the block that proofs of answers end at. Absent if answers are not proven. */
  readonly anchor?: Effect.Effect<TrustedAnchor> | undefined
  /** Returns the state of the light client behind the proofs. Absent if the network has none. */
  readonly trust?: (() => TrustState) | undefined
}

/** The state of a trust that asks nodes: a light client, or the operator's node. It holds no secrets. */
export interface TrustState {
  /** The heads; empty until the light client has started, and undefined without a light client. */
  readonly heads?: ReadonlyArray<TrustedHead> | undefined
  /** The first fork that the light client does not know, according to its schedule or to a beacon node. */
  readonly unknownFork?: UnknownFork | undefined
  /** The nodes that the trust asks, if they are watched: the beacon nodes, or the operator's. */
  readonly nodes?: ReadonlyArray<NodeWatch.WatchedState> | undefined
  /** A sentence for each reason why something is only claimed, or soon will be. */
  readonly problems: ReadonlyArray<string>
}

/** A head of a light client. */
export interface TrustedHead {
  readonly head: "optimistic" | "finalized"
  readonly slot: number
  /** Seconds since the beginning of the slot. */
  readonly ageSeconds: number
  /** Number of members of the sync committee that signed. */
  readonly signed: number
  /** False if answers under this head are only claimed. */
  readonly isTrusted: boolean
}

/** A fork that a light client does not know. */
export interface UnknownFork {
  readonly name: string
  /** Seconds until the fork begins; negative after its beginning. */
  readonly inSeconds: number
}

/** The methods about filters. `methods` of the network must have them too. */
export interface FilterCalls {
  /** True if the filters answer this method, instead of the node. */
  readonly has: (method: string) => boolean
  readonly call: (
    method: string,
    params: ReadonlyArray<unknown>,
    owner: FilterOwner
  ) => Effect.Effect<Uint8Array, ErrorObject | UpstreamError>
}

/**
 * A block that an authority names, or the reason why there is none. For a block that a light client names, `finality`
 * states how strongly the network supports the block, such as `finalized`.
 */
export type TrustedAnchor =
  | { readonly _tag: "Block"; readonly hash: string; readonly by: string; readonly finality: string | undefined }
  | { readonly _tag: "None"; readonly problem: string }

export type { UpstreamState } from "./Upstream.ts"
