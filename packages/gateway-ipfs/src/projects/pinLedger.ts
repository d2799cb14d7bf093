/**
 * The ledger of pinning: the pins of each project, and the pins that this service has made at a node.
 *
 * The ledger is in the state's database, which several processes can share. Each change is one transaction, and is on
 * the disk when its call returns. Transactions run as READ COMMITTED. Every value that decides about a change is read
 * after a row lock. All transactions lock the CID's row before the project's row.
 */
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import type { IpfsNodeError } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"

import { guarded, refused } from "./ledgerErrors.ts"
import {
  allowed,
  cidOf,
  exceeded,
  type HeldPin,
  heldOf,
  type HeldRow,
  neededOf,
  type OwnedPin,
  ownedOf,
  type PinRow,
  plain,
  replaceable,
  Strength,
  type SumRow
} from "./ledgerRows.ts"

/** The state of a CID at the node, and the strength that projects need; undefined if no project has pinned the CID. */
export interface HeldAndNeeded extends HeldPin {
  readonly cid: Cid.Cid
  readonly needed: Strength | undefined
}

/** A pin to write. */
export interface PinWrite {
  readonly project: string
  readonly pin: OwnedPin
  /** The kind of pin that the node has now. */
  readonly strength: Strength
  /** Maximum number of bytes of all the project's pins together. */
  readonly limit: number
  /** A pin that the new pin replaces. It is removed in the same transaction. */
  readonly instead: Cid.Cid | undefined
  /** The upload that makes the pin, if its outcome is not known yet. */
  readonly upload: string | undefined
}

type Asked<A> = Effect.Effect<A, IpfsNodeError>

export interface PinLedger {
  readonly find: (project: string, cid: Cid.Cid) => Asked<OwnedPin | undefined>
  /** Returns the given CIDs that a project has pinned. */
  readonly pinnedOf: (project: string, cids: ReadonlyArray<Cid.Cid>) => Asked<ReadonlyArray<Cid.Cid>>
  /**
   * Returns a page of the recursive or direct pins of a project, sorted by the bytes of their CIDs, after the given
   * CID. The page is empty at the end.
   */
  readonly page: (project: string, recursive: boolean, after: Cid.Cid | undefined) => Asked<ReadonlyArray<OwnedPin>>
  /** Returns the counted size of a pin of this CID and kind; undefined if no project has such a pin. */
  readonly sizeOf: (cid: Cid.Cid, recursive: boolean) => Asked<number | undefined>
  readonly stored: (project: string) => Asked<{ readonly bytes: number; readonly pins: number }>
  /** Returns a page of the projects that have pins, after the given project. The page is empty at the end. */
  readonly projects: (after: string | undefined) => Asked<ReadonlyArray<string>>

  /** Begins work on a CID and returns its state at the node; undefined if another process is working on the CID. */
  readonly begin: (cid: Cid.Cid) => Asked<HeldPin | undefined>
  /** Renews the leases of this process on these CIDs and uploads. */
  readonly goOn: (cids: ReadonlyArray<Cid.Cid>, uploads: ReadonlyArray<string>) => Asked<void>
  /** Ends the work on a CID. If the node was not asked to pin the CID, the CID's row is deleted. */
  readonly end: (cid: Cid.Cid) => Asked<void>
  /** Ends the work on a CID and marks it as unfinished. */
  readonly leave: (cid: Cid.Cid) => Asked<void>
  /** Records the state of a CID at the node, during work. Returns false if another process has taken over the work. */
  readonly hold: (cid: Cid.Cid, held: HeldPin) => Asked<boolean>
  /** Ends the work on a CID and deletes its row. Returns false if another process has taken over the work. */
  readonly forget: (cid: Cid.Cid) => Asked<boolean>
  /** Returns the strength that projects need for a CID; undefined if no project has pinned the CID. */
  readonly needed: (cid: Cid.Cid) => Asked<Strength | undefined>

  /**
   * Writes a pin and ends the work on its CID, in one transaction. Fails if an existing pin forbids the new one, or if
   * the limit would be exceeded. If another process has taken over the work, changes nothing and returns false.
   */
  readonly put: (put: PinWrite) => Asked<boolean>
  /**
   * Pins again what is already pinned: gives the existing pin the new name. Returns false if the pin does not exist or
   * is of another kind.
   */
  readonly again: (put: Pick<PinWrite, "pin" | "project" | "upload">) => Asked<boolean>
  /** Removes a pin. Fails if the pin may not be removed. */
  readonly remove: (project: string, cid: Cid.Cid, recursive: boolean) => Asked<void>
  /** Removes a pin if only this upload has made it. Returns true if the pin was removed. */
  readonly takeBack: (project: string, cid: Cid.Cid, upload: string) => Asked<boolean>
  /** Confirms a successful upload, so that its pins stay. */
  readonly confirm: (project: string, upload: string) => Asked<void>
  /** Confirms the pins of uploads whose process has ended. */
  readonly confirmLost: Asked<void>

  /** Returns the given CIDs that this service has pinned at the node. */
  readonly heldOf: (cids: ReadonlyArray<Cid.Cid>) => Asked<ReadonlyArray<Cid.Cid>>
  /** Returns a page of CIDs with unfinished work or with an ended lease, after the given CID. */
  readonly leftPage: (after: Cid.Cid | undefined) => Asked<ReadonlyArray<Cid.Cid>>
  readonly heldPage: (after: Cid.Cid | undefined) => Asked<ReadonlyArray<HeldAndNeeded>>
}

/** The tables of one node's pins, and the times of its leases. */
interface LedgerTables {
  readonly sql: SqlClient.SqlClient
  readonly node: string
  readonly worker: string
  /** The present time, and the end of a lease that begins now, in milliseconds. */
  readonly now: Fragment
  readonly until: Fragment
}

/**
 * Makes the ledger. The tables of `pinTables.ts` must exist. `lease` is the time after which another process may take over
 * work whose lease was not renewed, in milliseconds.
 */
export const make = (
  sql: SqlClient.SqlClient,
  options: { readonly node: string; readonly worker: string; readonly lease: number }
): PinLedger => {
  const now = sql.literal(
    sql.onDialectOrElse({
      pg: () => "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)",
      orElse: () => "CAST(unixepoch('subsec') * 1000 AS INTEGER)"
    })
  )
  const until = sql`${now} + ${sql.literal(String(options.lease))}`
  const tables: LedgerTables = { sql, node: options.node, worker: options.worker, now, until }
  return { ...readsOf(tables), ...workOf(tables), ...changesOf(tables) }
}

/** The reads of pins. */
const readsOf = (
  tables: LedgerTables
): Pick<PinLedger, "find" | "pinnedOf" | "page" | "sizeOf" | "stored" | "projects"> => {
  const { node, sql } = tables
  return {
    find: (project, cid) => guarded(one(tables, project, cid)),
    pinnedOf: (project, cids) =>
      guarded(
        Effect.map(
          sql<{ readonly cid: Uint8Array }>`
            SELECT cid FROM ipfs_pins WHERE node = ${node} AND project = ${project} AND ${oneOf(tables, cids)}`,
          (rows) => rows.map(cidOf)
        )
      ),
    page: (project, recursive, after) =>
      guarded(
        Effect.map(
          sql<PinRow>`
            SELECT cid, recursive, name, size FROM ipfs_pins
            WHERE node = ${node} AND project = ${project} AND recursive = ${Number(recursive)}
              AND cid > ${after?.bytes ?? NOTHING}
            ORDER BY cid LIMIT ${PAGE}`,
          (rows) => rows.map(ownedOf)
        )
      ),
    sizeOf: (cid, recursive) =>
      guarded(
        Effect.map(
          sql<{ readonly size: number }>`
            SELECT size FROM ipfs_pins WHERE node = ${node} AND cid = ${cid.bytes} AND recursive = ${Number(recursive)}
            LIMIT 1`,
          ([row]) => row?.size
        )
      ),
    stored: (project) =>
      guarded(
        Effect.map(sql<SumRow>`SELECT bytes, pins FROM ipfs_stored WHERE node = ${node} AND project = ${project}`, sums)
      ),
    projects: (after = "") =>
      guarded(
        Effect.map(
          sql<{ readonly project: string }>`
            SELECT project FROM ipfs_stored WHERE node = ${node} AND pins > 0 AND project > ${after}
            ORDER BY project LIMIT ${PAGE}`,
          (rows) => rows.map(({ project }) => project)
        )
      )
  }
}

/** The work on CIDs at the node. */
const workOf = (
  tables: LedgerTables
): Pick<
  PinLedger,
  "begin" | "goOn" | "end" | "leave" | "hold" | "forget" | "needed" | "heldOf" | "leftPage" | "heldPage"
> => {
  const { node, now, sql, until, worker } = tables
  return {
    begin: (cid) =>
      guarded(
        Effect.map(
          sql<HeldRow>`
            INSERT INTO ipfs_held (node, cid, strength, elsewhere, worker, until)
            VALUES (${node}, ${cid.bytes}, ${Strength.Unasked}, 0, ${worker}, ${until})
            ON CONFLICT (node, cid) DO UPDATE SET worker = excluded.worker, until = excluded.until
              WHERE ipfs_held.worker IS NULL OR ipfs_held.worker = excluded.worker OR ipfs_held.until < ${now}
            RETURNING strength, elsewhere`,
          ([row]) => (row === undefined ? undefined : heldOf(row))
        )
      ),
    goOn: (cids, uploads) =>
      guarded(
        Effect.gen(function* () {
          if (cids.length > 0) {
            yield* sql`
              UPDATE ipfs_held SET until = ${until} WHERE node = ${node} AND worker = ${worker} AND ${oneOf(tables, cids)}`
          }
          if (uploads.length > 0) {
            yield* sql`UPDATE ipfs_makers SET until = ${until} WHERE ${sql.in("upload", uploads)}`
          }
        })
      ),
    end: (cid) =>
      atOnce(
        tables,
        Effect.gen(function* () {
          yield* sql`DELETE FROM ipfs_held WHERE ${mine(tables, cid)} AND strength = ${Strength.Unasked}`
          yield* sql`UPDATE ipfs_held SET worker = NULL, until = NULL WHERE ${mine(tables, cid)}`
        })
      ),
    leave: (cid) =>
      guarded(Effect.asVoid(sql`UPDATE ipfs_held SET worker = NULL, until = 0 WHERE ${mine(tables, cid)}`)),
    hold: (cid, { foreign, strength }) =>
      guarded(
        isChanged(sql`
          UPDATE ipfs_held SET strength = ${strength}, elsewhere = ${Number(foreign)} WHERE ${mine(tables, cid)}
          RETURNING strength`)
      ),
    forget: (cid) => guarded(isChanged(sql`DELETE FROM ipfs_held WHERE ${mine(tables, cid)} RETURNING strength`)),
    needed: (cid) =>
      guarded(
        Effect.map(
          sql<{ readonly needed: number | null }>`
            SELECT max(recursive) AS needed FROM ipfs_pins WHERE node = ${node} AND cid = ${cid.bytes}`,
          ([row]) => neededOf(row?.needed ?? null)
        )
      ),
    heldOf: (cids) =>
      guarded(
        Effect.map(
          sql<{ readonly cid: Uint8Array }>`
            SELECT cid FROM ipfs_held WHERE node = ${node} AND ${oneOf(tables, cids)}`,
          (rows) => rows.map(cidOf)
        )
      ),
    leftPage: (after) =>
      guarded(
        Effect.map(
          sql<{ readonly cid: Uint8Array }>`
            SELECT cid FROM ipfs_held WHERE node = ${node} AND until < ${now} AND cid > ${after?.bytes ?? NOTHING}
            ORDER BY cid LIMIT ${PAGE}`,
          (rows) => rows.map(cidOf)
        )
      ),
    heldPage: (after) =>
      guarded(
        Effect.map(
          sql<HeldRow & { readonly cid: Uint8Array; readonly needed: number | null }>`
            SELECT cid, strength, elsewhere, (
              SELECT max(recursive) FROM ipfs_pins p WHERE p.node = h.node AND p.cid = h.cid
            ) AS needed
            FROM ipfs_held h WHERE node = ${node} AND cid > ${after?.bytes ?? NOTHING} ORDER BY cid LIMIT ${PAGE}`,
          (rows) => rows.map((row) => ({ ...heldOf(row), cid: cidOf(row), needed: neededOf(row.needed) }))
        )
      )
  }
}

/** The changes of pins, each in one transaction. */
const changesOf = (
  tables: LedgerTables
): Pick<PinLedger, "put" | "again" | "remove" | "takeBack" | "confirm" | "confirmLost"> => {
  const { node, now, sql } = tables
  return {
    put: ({ instead, limit, pin, project, strength, upload }) =>
      atOnce(
        tables,
        Effect.gen(function* () {
          const { cid, name, recursive, size } = pin
          const isMine = yield* isChanged(sql`
            UPDATE ipfs_held SET worker = NULL, until = NULL,
              strength = CASE WHEN strength < ${strength} THEN ${strength} ELSE strength END
            WHERE ${mine(tables, cid)} RETURNING strength`)
          if (!isMine) return false
          const { bytes } = yield* alone(tables, project)
          const own = yield* one(tables, project, cid)
          yield* Effect.fromResult(allowed(own, pin))
          const replaced = instead === undefined ? undefined : yield* one(tables, project, instead)
          if (instead !== undefined) yield* Effect.fromResult(replaceable(replaced, instead))
          const goes = (own?.size ?? 0) + (replaced?.size ?? 0)
          if (size > goes && bytes - goes + size > limit) return yield* exceeded(limit, bytes)
          yield* sql`
            INSERT INTO ipfs_pins (node, project, cid, recursive, name, size)
            VALUES (${node}, ${project}, ${cid.bytes}, ${Number(recursive)}, ${plain(name)}, ${size})
            ON CONFLICT (node, project, cid) DO UPDATE SET
              recursive = excluded.recursive, name = excluded.name, size = excluded.size`
          yield* count(tables, project, size - (own?.size ?? 0), own === undefined ? 1 : 0)
          if (replaced !== undefined) yield* drop(tables, project, replaced)
          yield* made(tables, project, cid, own === undefined, upload)
          return true
        })
      ),
    again: ({ pin, project, upload }) =>
      atOnce(
        tables,
        Effect.gen(function* () {
          yield* alone(tables, project)
          const own = yield* one(tables, project, pin.cid)
          if (own?.recursive !== pin.recursive) return false
          yield* sql`
            UPDATE ipfs_pins SET name = ${plain(pin.name)}
            WHERE node = ${node} AND project = ${project} AND cid = ${pin.cid.bytes}`
          yield* made(tables, project, pin.cid, false, upload)
          return true
        })
      ),
    remove: (project, cid, recursive) =>
      atOnce(
        tables,
        Effect.gen(function* () {
          yield* alone(tables, project)
          const own = yield* one(tables, project, cid)
          if (own === undefined) return yield* refused(Cid.toText(cid), "NotPinnedHere")
          if (own.recursive && !recursive) return yield* refused(Cid.toText(cid), "Recursive")
          yield* drop(tables, project, own)
        })
      ),
    takeBack: (project, cid, upload) =>
      atOnce(
        tables,
        Effect.gen(function* () {
          yield* alone(tables, project)
          const wasMaker = yield* isChanged(sql`
            DELETE FROM ipfs_makers
            WHERE node = ${node} AND project = ${project} AND cid = ${cid.bytes} AND upload = ${upload}
            RETURNING upload`)
          if (!wasMaker || (yield* unsettled(tables, project, cid))) return false
          const own = yield* one(tables, project, cid)
          if (own !== undefined) yield* drop(tables, project, own)
          return true
        })
      ),
    confirm: (project, upload) =>
      atOnce(
        tables,
        Effect.andThen(
          alone(tables, project),
          sql`
            DELETE FROM ipfs_makers WHERE node = ${node} AND project = ${project} AND cid IN (
              SELECT cid FROM ipfs_makers WHERE node = ${node} AND project = ${project} AND upload = ${upload}
            )`
        )
      ),
    confirmLost: guarded(
      Effect.asVoid(sql`
        DELETE FROM ipfs_makers WHERE node = ${node} AND (project, cid) IN (
          SELECT project, cid FROM ipfs_makers WHERE node = ${node} AND until < ${now}
        )`)
    )
  }
}

const one = ({ node, sql }: LedgerTables, project: string, { bytes }: Cid.Cid) =>
  Effect.map(
    sql<PinRow>`SELECT cid, recursive, name, size FROM ipfs_pins WHERE node = ${node} AND project = ${project} AND cid = ${bytes}`,
    ([row]) => (row === undefined ? undefined : ownedOf(row))
  )

const sums = (rows: ReadonlyArray<SumRow>) => ({ bytes: rows[0]?.bytes ?? 0, pins: rows[0]?.pins ?? 0 })

/** Locks the pins of a project until the end of the transaction. */
const alone = ({ node, sql }: LedgerTables, project: string) =>
  Effect.map(
    sql<SumRow>`
      INSERT INTO ipfs_stored (node, project, bytes, pins) VALUES (${node}, ${project}, 0, 0)
      ON CONFLICT (node, project) DO UPDATE SET pins = ipfs_stored.pins
      RETURNING bytes, pins`,
    sums
  )

const count = ({ node, sql }: LedgerTables, project: string, bytes: number, pins: number) => sql`
  UPDATE ipfs_stored SET bytes = bytes + ${bytes}, pins = pins + ${pins} WHERE node = ${node} AND project = ${project}`

/** True if all uploads that made the pin are still under way. */
const unsettled = ({ node, sql }: LedgerTables, project: string, { bytes }: Cid.Cid) =>
  Effect.map(
    sql`SELECT upload FROM ipfs_makers WHERE node = ${node} AND project = ${project} AND cid = ${bytes} LIMIT 1`,
    (rows) => rows.length > 0
  )

const settle = ({ node, sql }: LedgerTables, project: string, { bytes }: Cid.Cid) =>
  sql`DELETE FROM ipfs_makers WHERE node = ${node} AND project = ${project} AND cid = ${bytes}`

/** Records which upload made a pin or made it again. A pin without an upload stays for good. */
const made = Effect.fnUntraced(function* (
  tables: LedgerTables,
  project: string,
  cid: Cid.Cid,
  isFresh: boolean,
  upload: string | undefined
) {
  const { node, sql, until } = tables
  if (upload === undefined) {
    yield* settle(tables, project, cid)
    return
  }
  if (!isFresh && !(yield* unsettled(tables, project, cid))) return
  yield* sql`
    INSERT INTO ipfs_makers (node, project, cid, upload, until)
    VALUES (${node}, ${project}, ${cid.bytes}, ${upload}, ${until})
    ON CONFLICT (node, project, cid, upload) DO NOTHING`
})

const drop = Effect.fnUntraced(function* (tables: LedgerTables, project: string, { cid, size }: OwnedPin) {
  const { node, sql } = tables
  yield* sql`DELETE FROM ipfs_pins WHERE node = ${node} AND project = ${project} AND cid = ${cid.bytes}`
  yield* settle(tables, project, cid)
  yield* count(tables, project, -size, -1)
})

const mine = ({ node, sql, worker }: LedgerTables, cid: Cid.Cid) =>
  sql`node = ${node} AND cid = ${cid.bytes} AND worker = ${worker}`

const oneOf = ({ sql }: LedgerTables, cids: ReadonlyArray<Cid.Cid>) =>
  sql.in(
    "cid",
    cids.map(({ bytes }) => bytes)
  )

const isChanged = Effect.map((rows: ReadonlyArray<unknown>) => rows.length > 0)

const atOnce = <A, E>({ sql }: LedgerTables, work: Effect.Effect<A, E | SqlError>) => guarded(sql.withTransaction(work))

const PAGE = 1000

const NOTHING = new Uint8Array(0)
