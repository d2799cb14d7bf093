/**
 * The ledger: whose pins are whose, what this service holds at the node, and what was sent and read on which day.
 *
 * One SQLite file, open for one process. A change of pins is on the disk, whole, when its call returns; of transfers a
 * process that is killed loses nothing, and a machine that loses its power perhaps the last seconds. SQLite is loaded when
 * a ledger is opened, because older versions of Node print a warning with it.
 */
import type { DatabaseSync } from "node:sqlite"

import * as Cid from "@plumbline/ipfs-client/Cid"
import { Failed, IpfsNodeError } from "@plumbline/ipfs-client/IpfsNodeError"
import * as Result from "effect/Result"

import { IpfsProjectsError } from "../IpfsProjectsError.ts"
import type { Transfers } from "../IpfsQuota.ts"

/** A pin of a project, and how many bytes it counts. */
export interface Owned {
  readonly cid: Cid.Cid
  readonly recursive: boolean
  readonly name: string
  readonly size: number
}

/** How strongly the node is known to hold a CID. `Intended`: it was going to be asked. */
export const Strength = { Intended: 0, Direct: 1, Recursive: 2 } as const

/** One of them. */
export type Strength = (typeof Strength)[keyof typeof Strength]

/** What this service holds at the node. */
export interface Held {
  readonly cid: Cid.Cid
  readonly strength: Strength
  /** Whether somebody else had pinned it before, so that it is not this service's to let go. */
  readonly foreign: boolean
}

export interface Ledger {
  readonly find: (project: string, cid: Cid.Cid) => Owned | undefined
  /** Some of the recursive or direct pins of a project, by their bytes, after the given one. None at the end. */
  readonly page: (project: string, recursive: boolean, after: Cid.Cid | undefined) => ReadonlyArray<Owned>
  readonly rename: (project: string, cid: Cid.Cid, name: string) => void
  /** What a pin of this CID counts, if any project has one of the kind. */
  readonly sizeOf: (cid: Cid.Cid, recursive: boolean) => number | undefined
  readonly stored: (project: string) => { readonly bytes: number; readonly pins: number }
  /**
   * Writes a pin, and how strongly the node holds it. With `instead` another pin goes at the same time. It is not done, and
   * what is stored is given, if that would be more than `limit`.
   */
  readonly put: (
    project: string,
    pin: Owned,
    options: { readonly strength: Strength; readonly limit: number; readonly instead?: Cid.Cid | undefined }
  ) => number | undefined
  readonly remove: (project: string, cid: Cid.Cid) => void
  readonly held: (cid: Cid.Cid) => Held | undefined
  readonly hold: (held: Held) => void
  readonly release: (cid: Cid.Cid) => void
  /** How strongly the projects need a CID; undefined if none has it. */
  readonly needed: (cid: Cid.Cid) => Strength | undefined
  readonly heldPage: (after: Cid.Cid | undefined) => ReadonlyArray<Held>
  readonly transfers: (project: string, from: string, to: string) => ReadonlyArray<Transfers>
  readonly transferred: (rows: ReadonlyArray<Transfers & { readonly project: string }>) => void
  readonly close: () => void
}

/** Opens the ledger, and makes it if there is none. Throws `IpfsProjectsError`. */
export const open = async (file: string): Promise<Ledger> => {
  const { DatabaseSync } = await import("node:sqlite")
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file)
    database.exec(PRELUDE)
    migrate(database)
    const found = database.prepare("PRAGMA quick_check(1)").get()?.["quick_check"]
    if (found !== "ok") throw new IpfsProjectsError({ problem: "Damaged", detail: "it contradicts itself" })
    return ledgerOf(database)
  } catch (error) {
    database?.close()
    throw error instanceof IpfsProjectsError ? error : new IpfsProjectsError(problemOf(error))
  }
}

/** EXCLUSIVE: the first write locks until the end, and it is made at once. */
const PRELUDE = `
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  BEGIN EXCLUSIVE;
  COMMIT;
`

/** The n-th leads from version n to version n + 1. What was released is never changed. */
const MIGRATIONS: ReadonlyArray<string> = [
  `
  CREATE TABLE pins (
    project TEXT NOT NULL, cid BLOB NOT NULL, recursive INTEGER NOT NULL, name TEXT NOT NULL, size INTEGER NOT NULL,
    PRIMARY KEY (project, cid)
  ) WITHOUT ROWID;
  CREATE INDEX pins_of_cid ON pins (cid, recursive, size);

  CREATE TABLE held (cid BLOB PRIMARY KEY, strength INTEGER NOT NULL, elsewhere INTEGER NOT NULL) WITHOUT ROWID;

  CREATE TABLE stored (project TEXT PRIMARY KEY, bytes INTEGER NOT NULL, pins INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TRIGGER pinned AFTER INSERT ON pins BEGIN
    INSERT INTO stored (project, bytes, pins) VALUES (new.project, new.size, 1)
      ON CONFLICT (project) DO UPDATE SET bytes = bytes + new.size, pins = pins + 1;
  END;
  CREATE TRIGGER repinned AFTER UPDATE OF size ON pins BEGIN
    UPDATE stored SET bytes = bytes + new.size - old.size WHERE project = new.project;
  END;
  CREATE TRIGGER unpinned AFTER DELETE ON pins BEGIN
    UPDATE stored SET bytes = bytes - old.size, pins = pins - 1 WHERE project = old.project;
  END;

  CREATE TABLE transfers (
    project TEXT NOT NULL, day TEXT NOT NULL, uploaded INTEGER NOT NULL, downloaded INTEGER NOT NULL,
    PRIMARY KEY (project, day)
  ) WITHOUT ROWID;
  `
]

const migrate = (database: DatabaseSync): void => {
  const version = Number(database.prepare("PRAGMA user_version").get()?.["user_version"])
  if (version > MIGRATIONS.length) {
    throw new IpfsProjectsError({ problem: "Newer", detail: `version ${version}, known are ${MIGRATIONS.length}` })
  }
  for (const [i, script] of MIGRATIONS.entries()) {
    if (i >= version) atOnce(database, () => database.exec(`${script}; PRAGMA user_version = ${i + 1}`))
  }
}

const ledgerOf = (database: DatabaseSync): Ledger => {
  const one = database.prepare("SELECT * FROM pins WHERE project = ? AND cid = ?")
  const some = database.prepare(
    `SELECT * FROM pins WHERE project = ? AND recursive = ? AND cid > ? ORDER BY cid LIMIT ${PAGE}`
  )
  const rename = database.prepare("UPDATE pins SET name = ? WHERE project = ? AND cid = ?")
  const sizeOf = database.prepare("SELECT size FROM pins WHERE cid = ? AND recursive = ? LIMIT 1")
  const stored = database.prepare("SELECT bytes, pins FROM stored WHERE project = ?")
  const put = database.prepare(
    `INSERT INTO pins (project, cid, recursive, name, size) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (project, cid) DO UPDATE SET recursive = excluded.recursive, name = excluded.name, size = excluded.size`
  )
  const remove = database.prepare("DELETE FROM pins WHERE project = ? AND cid = ?")
  const held = database.prepare("SELECT * FROM held WHERE cid = ?")
  const heldSome = database.prepare(`SELECT * FROM held WHERE cid > ? ORDER BY cid LIMIT ${PAGE}`)
  const hold = database.prepare("INSERT OR REPLACE INTO held (cid, strength, elsewhere) VALUES (?, ?, ?)")
  const strengthen = database.prepare("UPDATE held SET strength = max(strength, ?) WHERE cid = ?")
  const release = database.prepare("DELETE FROM held WHERE cid = ?")
  const needed = database.prepare("SELECT max(recursive) AS needed FROM pins WHERE cid = ?")
  const transfers = database.prepare(
    "SELECT day, uploaded, downloaded FROM transfers WHERE project = ? AND day BETWEEN ? AND ? ORDER BY day"
  )
  const transferred = database.prepare(
    "INSERT OR REPLACE INTO transfers (project, day, uploaded, downloaded) VALUES (?, ?, ?, ?)"
  )

  const storedOf = (project: string): { readonly bytes: number; readonly pins: number } => {
    const row = stored.get(project)
    return { bytes: Number(row?.["bytes"] ?? 0), pins: Number(row?.["pins"] ?? 0) }
  }
  const find = (project: string, cid: Cid.Cid): Owned | undefined => {
    const row = one.get(project, cid.bytes)
    return row === undefined ? undefined : ownedOf(row)
  }
  return {
    find: (project, cid) => guarded(() => find(project, cid)),
    page: (project, recursive, after) =>
      guarded(() => some.all(project, recursive ? 1 : 0, after?.bytes ?? NOTHING).map(ownedOf)),
    rename: (project, cid, name) => void guarded(() => rename.run(name, project, cid.bytes)),
    sizeOf: (cid, recursive) =>
      guarded(() => {
        const row = sizeOf.get(cid.bytes, recursive ? 1 : 0)
        return row === undefined ? undefined : Number(row["size"])
      }),
    stored: (project) => guarded(() => storedOf(project)),
    put: (project, pin, { instead, limit, strength }) =>
      guarded(() =>
        atOnce(database, () => {
          const { bytes } = storedOf(project)
          const goes = [pin.cid, ...(instead === undefined ? [] : [instead])].reduce(
            (sum, cid) => sum + (find(project, cid)?.size ?? 0),
            0
          )
          if (pin.size > goes && bytes - goes + pin.size > limit) return bytes
          put.run(project, pin.cid.bytes, pin.recursive ? 1 : 0, pin.name, pin.size)
          strengthen.run(strength, pin.cid.bytes)
          if (instead !== undefined) remove.run(project, instead.bytes)
          return undefined
        })
      ),
    remove: (project, cid) => void guarded(() => remove.run(project, cid.bytes)),
    held: (cid) =>
      guarded(() => {
        const row = held.get(cid.bytes)
        return row === undefined ? undefined : heldOf(row)
      }),
    hold: ({ cid, foreign, strength }) => void guarded(() => hold.run(cid.bytes, strength, foreign ? 1 : 0)),
    release: (cid) => void guarded(() => release.run(cid.bytes)),
    needed: (cid) =>
      guarded(() => {
        const recursive = needed.get(cid.bytes)?.["needed"]
        return recursive === null ? undefined : recursive === 1 ? Strength.Recursive : Strength.Direct
      }),
    heldPage: (after) => guarded(() => heldSome.all(after?.bytes ?? NOTHING).map(heldOf)),
    transfers: (project, from, to) =>
      guarded(() =>
        transfers.all(project, from, to).map(({ day, downloaded, uploaded }) => ({
          day: String(day),
          uploaded: Number(uploaded),
          downloaded: Number(downloaded)
        }))
      ),
    transferred: (rows) =>
      guarded(() => {
        // in the log, which outlives the process, without waiting for the disk
        database.exec("PRAGMA synchronous = NORMAL")
        try {
          atOnce(database, () => {
            for (const { day, downloaded, project, uploaded } of rows) {
              transferred.run(project, day, uploaded, downloaded)
            }
          })
        } finally {
          database.exec("PRAGMA synchronous = FULL")
        }
      }),
    close: () => database.close()
  }
}

const PAGE = 1000

const NOTHING = new Uint8Array(0)

type Row = Readonly<Record<string, unknown>>

const cidOf = (row: Row): Cid.Cid => Result.getOrThrow(Cid.fromBytes(row["cid"] as Uint8Array))

const ownedOf = (row: Row): Owned => ({
  cid: cidOf(row),
  recursive: row["recursive"] === 1,
  name: String(row["name"]),
  size: Number(row["size"])
})

const heldOf = (row: Row): Held => ({
  cid: cidOf(row),
  strength: row["strength"] as Strength,
  foreign: row["elsewhere"] === 1
})

const atOnce = <A>(database: DatabaseSync, work: () => A): A => {
  database.exec("BEGIN IMMEDIATE")
  try {
    const done = work()
    database.exec("COMMIT")
    return done
  } catch (error) {
    // a full disk has ended the transaction already
    if (database.isTransaction) database.exec("ROLLBACK")
    throw error
  }
}

const guarded = <A>(work: () => A): A => {
  try {
    return work()
  } catch (error) {
    throw new IpfsNodeError({ reason: new Failed({ doing: "using the ledger of pins", detail: textOf(error) }) })
  }
}

/** SQLite's own sentence for its code, which holds no path. */
const textOf = (error: unknown): string =>
  error instanceof Error && "errstr" in error && typeof error.errstr === "string" ? error.errstr : "an unknown error"

const problemOf = (error: unknown): { readonly problem: IpfsProjectsError["problem"]; readonly detail: string } => {
  const code: unknown = error instanceof Error && "errcode" in error ? error.errcode : undefined
  const detail = textOf(error)
  switch (typeof code === "number" ? code & 0xff : undefined) {
    case 5: // SQLITE_BUSY
    case 6: // SQLITE_LOCKED
      return { problem: "InUse", detail }
    case 11: // SQLITE_CORRUPT
    case 26: // SQLITE_NOTADB
      return { problem: "Damaged", detail }
    default:
      return { problem: "Unusable", detail }
  }
}
