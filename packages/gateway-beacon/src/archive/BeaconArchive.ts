/**
 * Light client data of one beacon chain, from its checkpoint on: the best update of each period, bootstraps, and the
 * newest updates of heads. Everything is checked before it is kept, and kept in the database of the state.
 *
 * A light client follows the beacon nodes, and the archive keeps the updates that pass its checks. Updates of periods
 * are checked against the committee that the update before them proves, and bootstraps against a block root that
 * members signed as finalized. A node whose answer fails a check is counted in `nodes`, and nothing of it is kept.
 *
 * Reading needs no node. So readers can start and catch up while all nodes are down, or no longer have old data. They
 * need not trust the archive: they check everything that it serves from their own checkpoint.
 *
 * **Gotchas**
 *
 * Light clients prove forwards only, so there is nothing from before the checkpoint. An update that fewer than two
 * thirds signed is not kept.
 */
import type * as BeaconApi from "@plumbline/beacon-light-client/api/BeaconApi"
import * as BeaconNodes from "@plumbline/beacon-light-client/api/BeaconNodes"
import type * as LightClient from "@plumbline/beacon-light-client/follow/LightClient"
import type * as Network from "@plumbline/beacon-light-client/network/Network"
import type { TrustStore } from "@plumbline/beacon-light-client/store/TrustStore"
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type { GatewayError } from "@plumbline/gateway/errors/GatewayError"
import * as Setting from "@plumbline/gateway/schema/Setting"
import type * as Migrations from "@plumbline/gateway/state/Migrations"
import type { StateError } from "@plumbline/gateway/state/StateError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as SqlClient from "effect/sql/SqlClient"

import * as ArchiveFollower from "./archiveFollower.ts"
import * as ArchiveTables from "./archiveTables.ts"

/** The settings of an archive that a file can have: how much it keeps. */
export const fields = {
  periods: Setting.defaulted(
    Setting.count({
      description: "Number of sync committee periods whose update and first bootstrap are kept; about 27 hours each.",
      default: 1024
    })
  ),
  epochs: Setting.defaulted(
    Setting.count({
      description: "Number of epochs whose finalized block has a bootstrap; 25 kB and about 6 minutes each.",
      default: 3200
    })
  )
}

const settings = Schema.Struct(fields)

/** Options of an archive. */
export interface BeaconArchiveOptions extends Setting.OptionsOf<typeof settings.Type> {
  /** The root of a finalized beacon block that the operator trusts, as 0x and 64 hex digits in lower case. */
  readonly checkpoint: Hash32.Hash32
  /**
   * Maximum age of the first head, as for a light client. An archive of older data starts from an old checkpoint, and
   * needs `"Infinity"`.
   */
  readonly maxCheckpointAge?: LightClient.LightClientOptions["maxCheckpointAge"]
}

/** The defaults of the options. */
export const defaults = Setting.defaultsOf(settings)

/** The migrations of the tables of light client data. */
export const migrations: Migrations.Migrations = ArchiveTables.migrations

/** The part of an archive's state that needs no question to the database. */
export interface BeaconArchiveFollowing {
  /** True while the light client follows its nodes, and its last poll succeeded. */
  readonly follows: boolean
  /** True after two valid updates contradicted each other. The archive then follows nothing until the next start. */
  readonly stopped: boolean
  /** A sentence about the last failure that no later success has ended. It holds the name of a node, and no key. */
  readonly problem: string | undefined
}

/** The state of an archive. */
export interface BeaconArchiveStatus extends BeaconArchiveFollowing {
  /** The first and the last period of the newest updates without a gap; undefined if there is no update. */
  readonly periods: { readonly first: bigint; readonly last: bigint } | undefined
  /** The numbers of calls to each beacon node, its failures and its refuted answers. */
  readonly nodes: ReadonlyArray<BeaconNodes.BeaconNodeHealth>
}

/** The kinds of heads: the newest finality update, and the newest optimistic one. */
export type HeadKind = "finality" | "optimistic"

/** A kept update in SSZ. */
export interface KeptUpdate extends BeaconApi.SszContainer {
  /** The slot of the attested header. */
  readonly slot: bigint
}

/** The data of a chain, read from the database. */
export interface BeaconArchive {
  readonly network: Network.Network
  /** Returns the bootstrap of a block; undefined if it is not kept. */
  readonly bootstrap: (root: Hash32.Hash32) => Effect.Effect<BeaconApi.SszContainer | undefined, StateError>
  /** Returns the updates of consecutive periods, up to the first period that has none. */
  readonly updates: (startPeriod: bigint, count: number) => Effect.Effect<ReadonlyArray<KeptUpdate>, StateError>
  readonly finalityUpdate: Effect.Effect<BeaconApi.SszContainer | undefined, StateError>
  readonly optimisticUpdate: Effect.Effect<BeaconApi.SszContainer | undefined, StateError>
  /**
   * Calls the listener with each newer update of a head after it is kept, until the returned function is called. The
   * listener must not block.
   */
  readonly onHead: (listener: (kind: HeadKind, container: BeaconApi.SszContainer) => void) => () => void
  readonly following: Effect.Effect<BeaconArchiveFollowing>
  readonly status: Effect.Effect<BeaconArchiveStatus, StateError>
}

/**
 * Opens the archive of a chain, and follows the beacon nodes in the background until the scope closes. If the light
 * client cannot start, it tries again every 30 seconds, and the archive serves what it has.
 *
 * The record of the light client is in the `TrustStore`. Fails with `GatewayError` for an invalid option.
 */
export const make = Effect.fnUntraced(function* (
  options: BeaconArchiveOptions
): Effect.fn.Return<
  BeaconArchive,
  GatewayError | StateError,
  BeaconNodes.BeaconNodes | TrustStore | SqlClient.SqlClient | Scope.Scope
> {
  const bounds = yield* Effect.fromResult(Setting.resolve(settings, options, ["beacon"]))
  const nodes = yield* BeaconNodes.BeaconNodes
  const { network } = nodes
  const tables = yield* ArchiveTables.open(network)
  const follower = yield* ArchiveFollower.make(tables, { ...options, ...bounds })
  const archive: BeaconArchive = {
    network,
    bootstrap: tables.bootstrap,
    updates: tables.updates,
    finalityUpdate: tables.head("finality"),
    optimisticUpdate: tables.head("optimistic"),
    onHead: follower.onHead,
    following: follower.state,
    status: Effect.gen(function* () {
      const periods = yield* tables.periods
      const last = periods.at(-1)
      const gap = periods.findLastIndex((period, at) => at > 0 && periods[at - 1] !== period - 1n)
      return {
        periods: last === undefined ? undefined : { first: periods[Math.max(gap, 0)]!, last },
        ...(yield* follower.state),
        nodes: yield* nodes.health
      }
    })
  }
  return archive
})
