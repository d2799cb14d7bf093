/**
 * The record of a light client in the Postgres database that several processes share.
 *
 * A process that starts goes on from the newest record of any process. A record never replaces a newer one, so a
 * process that is behind takes nothing back. While the database cannot be reached, light clients keep following: the
 * database saves only the way from the checkpoint.
 */
import type * as Network from "@plumbline/beacon-light-client/network/Network"
import * as TrustRecord from "@plumbline/beacon-light-client/store/TrustRecord"
import { TrustStore } from "@plumbline/beacon-light-client/store/TrustStore"
import * as Migrations from "@plumbline/gateway/state/Migrations"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"

/** The migrations of the table of trust. */
export const migrations: Migrations.Migrations = {
  name: "light clients",
  steps: [
    (sql) => sql`
      CREATE TABLE light_client_trust (
        network TEXT NOT NULL, checkpoint TEXT NOT NULL, slot BIGINT NOT NULL, record BYTEA NOT NULL,
        PRIMARY KEY (network, checkpoint)
      )`
  ]
}

/** The light client whose record is kept. */
export interface SharedTrustOptions {
  readonly name: string
  readonly checkpoint: string
  readonly network: Network.Network
}

/** Maximum time for the database to answer. */
const PATIENCE = "5 seconds"

/** Keeps the record of a light client in the database. */
export const layer = ({
  checkpoint,
  name,
  network
}: SharedTrustOptions): Layer.Layer<TrustStore, never, SqlClient.SqlClient> =>
  Layer.effect(
    TrustStore,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const migrated = Effect.provideService(Migrations.run(migrations), SqlClient.SqlClient, sql)
      const patient = <A>(work: Effect.Effect<A, unknown>) =>
        Effect.andThen(migrated, work).pipe(
          Effect.timeout(PATIENCE),
          Effect.catch(() =>
            Effect.as(
              Effect.annotateLogs(
                Effect.logWarning("the light client's record in the database cannot be read or written"),
                { network: name }
              ),
              undefined
            )
          )
        )
      return {
        load: () =>
          patient(
            Effect.map(
              sql<{ readonly record: Uint8Array }>`
                SELECT record FROM light_client_trust WHERE network = ${name} AND checkpoint = ${checkpoint}`,
              // a copy, because the driver's array may keep a whole network packet in memory
              ([row]) => (row === undefined ? undefined : Uint8Array.from(row.record))
            )
          ),
        save: (_, record) => {
          const read = TrustRecord.decode(record, network)
          if (Result.isFailure(read)) return Effect.die(read.failure)
          const { slot } = read.success.store.finalized.header.beacon
          return Effect.asVoid(
            patient(sql`
              INSERT INTO light_client_trust (network, checkpoint, slot, record)
              VALUES (${name}, ${checkpoint}, ${slot}, ${record})
              ON CONFLICT (network, checkpoint) DO UPDATE SET slot = excluded.slot, record = excluded.record
              WHERE light_client_trust.slot <= excluded.slot`)
          )
        }
      }
    })
  )
