/**
 * The pins of an IPFS node, in a database of one table. A change is atomic, and durable when its call returns.
 *
 * A lock beside it lets only one node open the folder, and the operating system releases it with the process, even after
 * a crash. Other programs can read the database while the node runs, so that it can be backed up. SQLite is loaded only
 * when a node is made, because older versions of Node print a warning when they load it.
 */
import * as Fs from "node:fs/promises"
import type { DatabaseSync } from "node:sqlite"

import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import { Failed } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Result from "effect/Result"

import * as BlockJournal from "./blockJournal.ts"
import { failure } from "./embeddedFailure.ts"
import { IpfsFolderError } from "./IpfsFolderError.ts"

export interface StoredPin {
  readonly cid: Cid.Cid
  readonly recursive: boolean
  readonly name: string
}

export interface PinDatabase {
  readonly find: (cid: Cid.Cid) => StoredPin | undefined
  /**
   * Returns the next recursive or direct pins after the pin `after`, in the order of the CIDs' bytes. At the end,
   * returns an empty list.
   */
  readonly page: (recursive: boolean, after: Cid.Cid | undefined) => ReadonlyArray<StoredPin>
  readonly count: (recursive: boolean) => number
  /** Adds a pin, or changes its kind or its name. */
  readonly set: (pin: StoredPin) => void
  readonly remove: (cid: Cid.Cid) => void
  /** Replaces the first pin by the second, atomically. */
  readonly replace: (from: Cid.Cid, to: StoredPin) => void
  /** The journal of small blocks. It is in the same database, so that one transaction can hold blocks and pins. */
  readonly journal: BlockJournal.BlockJournal
  /** Returns the stored value with a name. The first call for a folder makes and stores the value. */
  readonly keep: (name: string, make: () => Uint8Array) => Uint8Array
  readonly close: () => void
}

/** Opens the database, and creates it if it does not exist. Throws `IpfsFolderError`. */
export const open = async (file: string): Promise<PinDatabase> => {
  const { DatabaseSync } = await import("node:sqlite")
  const opened: Array<DatabaseSync> = []
  const close = () => opened.forEach((database) => database.close())
  try {
    const lock = new DatabaseSync(`${file}.lock`)
    opened.push(lock)
    // Nothing is ever written in this transaction, which only holds the lock.
    lock.exec("BEGIN IMMEDIATE")
    const database = new DatabaseSync(file, { timeout: READERS })
    opened.unshift(database)
    database.exec(PRELUDE)
    const found = database.prepare("PRAGMA quick_check(1)").get()?.["quick_check"]
    if (found !== "ok") throw new IpfsFolderError({ problem: "Damaged", detail: "it contradicts itself" })
    return pinsOf(database, close)
  } catch (error) {
    close()
    throw error instanceof IpfsFolderError ? error : new IpfsFolderError(problemOf(error))
  }
}

/**
 * Copies the pins to a new file, as they are at one moment, while a node may use them. The copy is on the disk when
 * this returns. Throws `IpfsFolderError`.
 */
export const copy = async (from: string, to: string): Promise<void> => {
  const { DatabaseSync } = await import("node:sqlite")
  await Fs.access(from)
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(from, { timeout: READERS })
    database.prepare("VACUUM INTO ?").run(to)
  } catch (error) {
    throw new IpfsFolderError(problemOf(error))
  } finally {
    database?.close()
  }
  const handle = await Fs.open(to, "r+")
  try {
    await handle.chmod(0o600)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Milliseconds to wait for a program that reads the database, which locks it only at its start and at its end. */
const READERS = 1000

/**
 * Settings of the database. FULL means that a commit waits for the disk. The write-ahead log grows to 32 MiB before its
 * commits are moved into the database.
 */
const PRELUDE = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA wal_autocheckpoint = 8192;
  BEGIN IMMEDIATE;
  CREATE TABLE IF NOT EXISTS pins (
    cid BLOB PRIMARY KEY, recursive INTEGER NOT NULL, name TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS kept (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
  ${BlockJournal.TABLE}
  COMMIT;
`

const pinsOf = (database: DatabaseSync, close: () => void): PinDatabase => {
  const one = database.prepare("SELECT cid, recursive, name FROM pins WHERE cid = ?")
  const some = database.prepare(
    "SELECT cid, recursive, name FROM pins WHERE recursive = ? AND cid > ? ORDER BY cid LIMIT ?"
  )
  const count = database.prepare("SELECT count(*) AS count FROM pins WHERE recursive = ?")
  const put = database.prepare("INSERT OR REPLACE INTO pins (cid, recursive, name) VALUES (?, ?, ?)")
  const remove = database.prepare("DELETE FROM pins WHERE cid = ?")
  const kept = database.prepare("SELECT value FROM kept WHERE name = ?")
  const keep = database.prepare("INSERT INTO kept (name, value) VALUES (?, ?)")

  const journal = BlockJournal.make(database, guarded)

  const set = (pin: StoredPin): void => {
    put.run(pin.cid.bytes, pin.recursive ? 1 : 0, pin.name)
  }
  return {
    find: (cid) => guarded(() => pinnedOf(one.get(cid.bytes))),
    page: (recursive, after) =>
      guarded(() => some.all(recursive ? 1 : 0, after?.bytes ?? NOTHING, PAGE).map((row) => pinnedOf(row)!)),
    count: (recursive) => guarded(() => Number(count.get(recursive ? 1 : 0)?.["count"])),
    set: (pin) => guarded(() => set(pin)),
    remove: (cid) => guarded(() => remove.run(cid.bytes)),
    replace: (from, to) =>
      guarded(() =>
        journal.part(() => {
          set(to)
          remove.run(from.bytes)
        })
      ),
    journal,
    keep: (name, make) =>
      guarded(() => {
        const value = kept.get(name)?.["value"]
        if (value instanceof Uint8Array) return value
        const made = make()
        keep.run(name, made)
        return made
      }),
    close
  }
}

const PAGE = 1000

const NOTHING = new Uint8Array(0)

const pinnedOf = (row: Record<string, unknown> | undefined): StoredPin | undefined => {
  if (row === undefined) return undefined
  const { cid, name, recursive } = row
  return {
    cid: Result.getOrThrow(Cid.fromBytes(cid as Uint8Array)),
    recursive: recursive === 1,
    name: name as string
  }
}

const guarded = <A>(work: () => A): A => {
  try {
    return work()
  } catch (error) {
    throw failure(new Failed({ doing: "using the list of pins", detail: textOf(error) }))
  }
}

/** Returns SQLite's sentence for its error code, which contains no path. */
const textOf = (error: unknown): string =>
  error instanceof Error && "errstr" in error && typeof error.errstr === "string" ? error.errstr : "an unknown error"

const problemOf = (error: unknown): { readonly problem: IpfsFolderError["problem"]; readonly detail: string } => {
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
