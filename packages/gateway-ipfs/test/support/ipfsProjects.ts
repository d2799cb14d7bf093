/** Projects over an IPFS node in memory, and a ledger in a database. */
import type { StateError } from "@plumbline/gateway"
import { IpfsProjects } from "@plumbline/gateway-ipfs"
import type * as Databases from "@plumbline/gateway/support/databases"
import type { IpfsNode, IpfsNodeError } from "@plumbline/ipfs-client"
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import { SqlClient } from "effect/sql"

import * as Memory from "./ipfsMemoryNode.ts"

export const project = (id: string) => ({ id })

const wall = Clock.Clock.defaultValue()

/**
 * Opens another connection to the database, as in another process. The connection's background work uses the wall
 * clock.
 */
export const connect = (database: Databases.Database): Effect.Effect<SqlClient.SqlClient, never, Scope.Scope> =>
  Effect.map(
    Effect.orDie(Effect.provideService(Layer.build(Layer.fresh(database.layer)), Clock.Clock, wall)),
    (context) => Context.get(context, SqlClient.SqlClient)
  )

interface Options extends Partial<IpfsProjects.IpfsProjectsOptions> {
  /** Runs before and after each change of the node's pins. */
  readonly step?: (what: string) => Effect.Effect<void>
}

/** Makes the service over a node. The service has its own connection to the database, as in another process. */
export const over = (
  node: IpfsNode.IpfsNodeCommands,
  database: Databases.Database,
  options: Partial<IpfsProjects.IpfsProjectsOptions> = {}
): Effect.Effect<IpfsProjects.SharedNode, StateError.StateError, Scope.Scope> =>
  Effect.flatMap(connect(database), (sql) =>
    Effect.provideService(IpfsProjects.make(node, { name: "memory", ...options }), SqlClient.SqlClient, sql)
  )

/** Makes the service over a node in memory with the given state. */
export const open = (
  state: Memory.State,
  database: Databases.Database,
  { step, ...options }: Options = {}
): Effect.Effect<IpfsProjects.SharedNode, StateError.StateError, Scope.Scope> =>
  over(Memory.make(state, step), database, options)

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

export const messageOf = <A>(effect: Effect.Effect<A, IpfsNodeError.IpfsNodeError>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

const TABLES = ["ipfs_pins", "ipfs_stored", "ipfs_held", "ipfs_makers", "ipfs_transfers"] as const

/** The rows of a node's ledger on the disk, as a killed process would leave them. */
export type Image = ReadonlyArray<readonly [table: string, rows: ReadonlyArray<Readonly<Record<string, unknown>>>]>

/** Returns the rows that a separate connection sees. */
export const imageOf = (sql: SqlClient.SqlClient, node: string): Effect.Effect<Image> =>
  Effect.orDie(
    Effect.forEach(TABLES, (table) =>
      Effect.map(
        sql<Readonly<Record<string, unknown>>>`SELECT * FROM ${sql(table)} WHERE node = ${node}`,
        (rows) => [table, rows] as const
      )
    )
  )

/** Writes the rows under the name `node`, as if the leases of the previous process had expired. */
export const restore = (sql: SqlClient.SqlClient, image: Image, node: string): Effect.Effect<void> =>
  Effect.orDie(
    Effect.forEach(
      image,
      ([table, rows]) =>
        Effect.forEach(rows, (row) => {
          const over = typeof row["until"] === "number" ? { until: 0 } : {}
          return sql`INSERT INTO ${sql(table)} ${sql.insert({ ...row, node, ...over })}`
        }),
      { discard: true }
    )
  )
