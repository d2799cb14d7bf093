/**
 * The journal of the embedded IPFS node. It holds small blocks in the database of the pins, so that one flush of the
 * disk makes many blocks and their pins durable together.
 *
 * A block enters the journal before it becomes a file, and leaves the journal when its file is on the disk. A node that
 * opens the folder after a crash writes the files of the journal again.
 */
import type { DatabaseSync } from "node:sqlite"

/** A block of the journal: its name, as in `Blocks`, and its bytes. */
export type JournalEntry = {
  readonly key: string
  readonly bytes: Uint8Array
}

export interface BlockJournal {
  /** Adds a block, within a transaction. An existing block is not replaced. */
  readonly insert: (key: string, bytes: Uint8Array) => void
  /** Removes blocks, in a separate transaction. */
  readonly remove: (keys: ReadonlyArray<string>) => void
  /** Returns some blocks after the key `after`, in the order of their keys; an empty list at the end. */
  readonly page: (after: string) => ReadonlyArray<JournalEntry>
  /** Runs work as one change of the database: durable when this returns, or undone completely if the work throws. */
  readonly transaction: (work: () => void) => void
  /** Runs work within a transaction. If the work throws, only its own changes are undone. */
  readonly part: <A>(work: () => A) => A
}

/** The SQL that creates the table. `make` expects the table to exist. */
export const TABLE = `
  CREATE TABLE IF NOT EXISTS journal (key TEXT PRIMARY KEY, bytes BLOB NOT NULL);
`

/** Opens the journal of a database. `guarded` converts errors of the database. */
export const make = (database: DatabaseSync, guarded: <A>(work: () => A) => A): BlockJournal => {
  const insert = database.prepare("INSERT OR IGNORE INTO journal (key, bytes) VALUES (?, ?)")
  const remove = database.prepare("DELETE FROM journal WHERE key = ?")
  const some = database.prepare("SELECT key, bytes FROM journal WHERE key > ? ORDER BY key LIMIT ?")

  const within = <A>(begin: string, end: string, undo: string, work: () => A): A => {
    database.exec(begin)
    try {
      const value = work()
      database.exec(end)
      return value
    } catch (error) {
      database.exec(undo)
      throw error
    }
  }
  const transaction = (work: () => void): void => guarded(() => within("BEGIN", "COMMIT", "ROLLBACK", work))
  return {
    insert: (key, bytes) => void insert.run(key, bytes),
    remove: (keys) =>
      transaction(() => {
        for (const key of keys) remove.run(key)
      }),
    page: (after) => guarded(() => some.all(after, PAGE) as Array<JournalEntry>),
    transaction,
    part: (work) => within("SAVEPOINT part", "RELEASE part", "ROLLBACK TO part; RELEASE part", work)
  }
}

const PAGE = 256
