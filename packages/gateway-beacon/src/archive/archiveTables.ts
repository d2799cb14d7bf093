/** The tables of light client data, and their reads and writes. Nothing is checked here. */
import * as BeaconApi from "@plumbline/beacon-light-client/api/BeaconApi"
import type * as Bootstrap from "@plumbline/beacon-light-client/container/Bootstrap"
import * as Codec from "@plumbline/beacon-light-client/container/Codec"
import * as HashTreeRoot from "@plumbline/beacon-light-client/container/HashTreeRoot"
import type * as Update from "@plumbline/beacon-light-client/container/Update"
import * as Clock from "@plumbline/beacon-light-client/network/Clock"
import * as Fork from "@plumbline/beacon-light-client/network/Fork"
import type * as Network from "@plumbline/beacon-light-client/network/Network"
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Migrations from "@plumbline/gateway/state/Migrations"
import { fromSql, type StateError } from "@plumbline/gateway/state/StateError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/**
 * Every row names its chain by the genesis validators root. Containers are SSZ, in the form of the fork `fork`.
 *
 * - `beacon_bootstraps`: bootstraps by the root of their block.
 * - `beacon_updates`: the best known update of each period. `slot` is that of the attested header.
 * - `beacon_heads`: the newest finality update and the newest optimistic update.
 */
export const migrations: Migrations.Migrations = {
  name: "beacon",
  steps: [
    (sql) => {
      const id = sql.literal(sql.onDialectOrElse({ pg: () => `TEXT COLLATE "C"`, orElse: () => "TEXT" }))
      const blob = sql.literal(sql.onDialectOrElse({ pg: () => "BYTEA", orElse: () => "BLOB" }))
      const strict = sql.literal(sql.onDialectOrElse({ pg: () => "", orElse: () => "STRICT" }))
      const big = sql.literal(sql.onDialectOrElse({ pg: () => "BIGINT", orElse: () => "INTEGER" }))
      return Effect.all([
        sql`CREATE TABLE beacon_bootstraps (
          chain ${id} NOT NULL, root ${id} NOT NULL, slot ${big} NOT NULL, period ${big} NOT NULL, fork ${id} NOT NULL,
          bytes ${blob} NOT NULL, PRIMARY KEY (chain, root)
        ) ${strict}`,
        sql`CREATE INDEX beacon_bootstraps_by_period ON beacon_bootstraps (chain, period, slot)`,
        sql`CREATE TABLE beacon_updates (
          chain ${id} NOT NULL, period ${big} NOT NULL, slot ${big} NOT NULL, fork ${id} NOT NULL, bytes ${blob} NOT NULL,
          PRIMARY KEY (chain, period)
        ) ${strict}`,
        sql`CREATE TABLE beacon_heads (
          chain ${id} NOT NULL, kind ${id} NOT NULL, slot ${big} NOT NULL, fork ${id} NOT NULL, bytes ${blob} NOT NULL,
          PRIMARY KEY (chain, kind)
        ) ${strict}`
      ])
    }
  ]
}

/** A kept update in SSZ, with the slot of its attested header. */
export interface KeptUpdate extends BeaconApi.SszContainer {
  readonly slot: bigint
}

/** The kinds of heads. */
export type HeadKind = "finality" | "optimistic"

type Kept<A> = Effect.Effect<A, StateError>

/** The tables, as seen by one chain. */
export interface ArchiveTables {
  readonly bootstrap: (root: Hash32.Hash32) => Kept<BeaconApi.SszContainer | undefined>
  /** Returns the updates of these periods, in order, up to the first period that has none of a known fork. */
  readonly updates: (startPeriod: bigint, count: number) => Kept<ReadonlyArray<KeptUpdate>>
  readonly head: (kind: HeadKind) => Kept<BeaconApi.SszContainer | undefined>
  /** Returns the update of a period as a value; undefined if there is none, or if its bytes are damaged. */
  readonly updateOf: (period: bigint) => Kept<Update.Update | undefined>
  readonly bootstrapOf: (root: Hash32.Hash32) => Kept<Bootstrap.Bootstrap | undefined>
  /** Returns the periods that have an update, in order. */
  readonly periods: Kept<ReadonlyArray<bigint>>
  /** Returns the periods that have a bootstrap. */
  readonly periodsOfBootstraps: Kept<ReadonlySet<bigint>>
  readonly keepBootstrap: (bootstrap: Bootstrap.Bootstrap) => Kept<void>
  readonly keepUpdate: (update: Update.Update) => Kept<void>
  /** Keeps an update as a head, unless a newer one is kept. */
  readonly keepHead: (kind: HeadKind, slot: bigint, container: BeaconApi.SszContainer) => Kept<void>
  /**
   * Removes updates and bootstraps of periods before `period`, and bootstraps before `slot` that are not the first of
   * their period. The bootstrap of `checkpoint` always stays.
   */
  readonly prune: (before: { readonly period: bigint; readonly slot: bigint }, checkpoint: Hash32.Hash32) => Kept<void>
  /** Removes everything of the chain. */
  readonly clear: Kept<void>
}

interface Row {
  readonly fork: string
  readonly bytes: Uint8Array
}

/** Opens the tables of a chain. */
export const open = Effect.fnUntraced(function* (
  network: Network.Network
): Effect.fn.Return<ArchiveTables, StateError, SqlClient.SqlClient> {
  yield* Migrations.run(migrations)
  const sql = yield* SqlClient.SqlClient
  const chain = network.genesisValidatorsRoot
  const kept = <A>(work: Effect.Effect<A, SqlError>): Kept<A> => Effect.mapError(work, fromSql)
  const first = (work: Effect.Effect<ReadonlyArray<Row>, SqlError>) =>
    kept(Effect.map(work, ([row]) => (row === undefined ? undefined : containerOf(row))))
  const valueOf = <A>(codec: Codec.ContainerCodec<A>, container: BeaconApi.SszContainer | undefined): A | undefined =>
    container === undefined ? undefined : Result.getOrUndefined(BeaconApi.decode(codec, container, network))

  const bootstrap: ArchiveTables["bootstrap"] = (root) =>
    first(sql<Row>`SELECT fork, bytes FROM beacon_bootstraps WHERE chain = ${chain} AND root = ${root}`)
  const updates: ArchiveTables["updates"] = (startPeriod, count) =>
    kept(
      Effect.map(
        sql<Row & { readonly period: number | string; readonly slot: number | string }>`
          SELECT period, slot, fork, bytes FROM beacon_updates
          WHERE chain = ${chain} AND period >= ${Number(startPeriod)} AND period < ${Number(startPeriod) + count}
          ORDER BY period`,
        (rows) => {
          const found: Array<KeptUpdate> = []
          for (const row of rows) {
            // a newer version may have kept a row of a fork that is not known here: the range ends before it
            const container = containerOf(row)
            if (BigInt(row.period) !== startPeriod + BigInt(found.length) || container === undefined) break
            found.push({ ...container, slot: BigInt(row.slot) })
          }
          return found
        }
      )
    )

  return {
    bootstrap,
    updates,
    head: (kind) => first(sql<Row>`SELECT fork, bytes FROM beacon_heads WHERE chain = ${chain} AND kind = ${kind}`),
    updateOf: (period) => Effect.map(updates(period, 1), ([found]) => valueOf(Codec.update, found)),
    bootstrapOf: (root) => Effect.map(bootstrap(root), (found) => valueOf(Codec.bootstrap, found)),
    periods: kept(
      Effect.map(
        sql<{ readonly period: number | string }>`
          SELECT period FROM beacon_updates WHERE chain = ${chain} ORDER BY period`,
        (rows) => rows.map(({ period }) => BigInt(period))
      )
    ),
    periodsOfBootstraps: kept(
      Effect.map(
        sql<{ readonly period: number | string }>`
          SELECT DISTINCT period FROM beacon_bootstraps WHERE chain = ${chain}`,
        (rows) => new Set(rows.map(({ period }) => BigInt(period)))
      )
    ),
    keepBootstrap: (value) => {
      const { bytes, fork } = BeaconApi.bootstrap(value, network)
      const { slot } = value.header.beacon
      const root = HashTreeRoot.beaconBlock(value.header.beacon)
      return kept(
        Effect.asVoid(sql`
          INSERT INTO beacon_bootstraps (chain, root, slot, period, fork, bytes)
          VALUES (${chain}, ${root}, ${Number(slot)}, ${Number(Clock.periodOf(network, slot))}, ${fork}, ${bytes})
          ON CONFLICT (chain, root) DO UPDATE SET fork = excluded.fork, bytes = excluded.bytes`)
      )
    },
    keepUpdate: (value) => {
      const { bytes, fork } = BeaconApi.update(value, network)
      const { slot } = value.attestedHeader.beacon
      return kept(
        Effect.asVoid(sql`
          INSERT INTO beacon_updates (chain, period, slot, fork, bytes)
          VALUES (${chain}, ${Number(Clock.periodOf(network, slot))}, ${Number(slot)}, ${fork}, ${bytes})
          ON CONFLICT (chain, period) DO UPDATE
          SET slot = excluded.slot, fork = excluded.fork, bytes = excluded.bytes`)
      )
    },
    keepHead: (kind, slot, { bytes, fork }) =>
      kept(
        Effect.asVoid(sql`
          INSERT INTO beacon_heads (chain, kind, slot, fork, bytes)
          VALUES (${chain}, ${kind}, ${Number(slot)}, ${fork}, ${bytes})
          ON CONFLICT (chain, kind) DO UPDATE
          SET slot = excluded.slot, fork = excluded.fork, bytes = excluded.bytes
          WHERE beacon_heads.slot <= excluded.slot`)
      ),
    prune: ({ period, slot }, checkpoint) =>
      kept(
        Effect.asVoid(
          Effect.all([
            sql`DELETE FROM beacon_updates WHERE chain = ${chain} AND period < ${Number(period)}`,
            sql`
              DELETE FROM beacon_bootstraps
              WHERE chain = ${chain} AND root <> ${checkpoint} AND (period < ${Number(period)} OR (
                slot < ${Number(slot)} AND slot > (
                  SELECT MIN(other.slot) FROM beacon_bootstraps other
                  WHERE other.chain = beacon_bootstraps.chain AND other.period = beacon_bootstraps.period
                )
              ))`
          ])
        )
      ),
    clear: kept(
      Effect.asVoid(
        sql.withTransaction(
          Effect.all([
            sql`DELETE FROM beacon_bootstraps WHERE chain = ${chain}`,
            sql`DELETE FROM beacon_updates WHERE chain = ${chain}`,
            sql`DELETE FROM beacon_heads WHERE chain = ${chain}`
          ])
        )
      )
    )
  }
})

/** Returns a copy of a row's container, because the driver's array may keep a whole network packet in memory. */
const containerOf = ({ bytes, fork }: Row): BeaconApi.SszContainer | undefined =>
  Fork.isFork(fork) ? { fork, bytes: Uint8Array.from(bytes) } : undefined
