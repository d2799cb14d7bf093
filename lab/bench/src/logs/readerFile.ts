/**
 * The store of a reader of logs: its items, and its place. Both change in one transaction, so that a reader that is
 * killed at any point goes on behind its last item.
 */
import { DatabaseSync } from "node:sqlite"

/** An item that a reader was told. */
export interface StoredItem {
  readonly tag: "Log" | "Removed" | "Reached"
  /** The hash of the block, and for a log its index in the block. */
  readonly id: string
  /** The number of the block. */
  readonly number: number
  /** For a block that was removed: the number of its logs that were told. */
  readonly logs: number
}

/** The file of a reader. */
export interface ReaderFile {
  readonly store: (item: StoredItem, cursor: unknown) => void
  /** The cursor behind the last item; undefined if there is none. */
  readonly cursor: () => unknown
  readonly items: () => ReadonlyArray<StoredItem>
  /** The number of items. */
  readonly count: () => number
  /** The highest block up to which all logs were told. */
  readonly reached: () => number
  readonly close: () => void
}

/** Opens a file, or makes it. The process that kills the reader has it open as well. */
export const open = (path: string): ReaderFile => {
  const sql = new DatabaseSync(path, { timeout: 60_000 })
  sql.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
    CREATE TABLE IF NOT EXISTS items (tag TEXT, id TEXT, number INTEGER, logs INTEGER);
    CREATE TABLE IF NOT EXISTS place (only INTEGER PRIMARY KEY, cursor TEXT)`)
  const item = sql.prepare("INSERT INTO items VALUES (?, ?, ?, ?)")
  const place = sql.prepare("INSERT OR REPLACE INTO place VALUES (1, ?)")
  const read = sql.prepare("SELECT cursor FROM place")
  const all = sql.prepare("SELECT tag, id, number, logs FROM items ORDER BY rowid")
  const count = sql.prepare("SELECT coalesce(max(rowid), 0) AS n FROM items")
  const reached = sql.prepare("SELECT coalesce(max(number), 0) AS n FROM items WHERE tag = 'Reached'")
  return {
    store: ({ id, logs, number, tag }, cursor) => {
      sql.exec("BEGIN IMMEDIATE")
      item.run(tag, id, number, logs)
      place.run(JSON.stringify(cursor))
      sql.exec("COMMIT")
    },
    cursor: () => {
      const text = read.get()?.["cursor"]
      return text === undefined ? undefined : JSON.parse(text as string)
    },
    items: () => all.all() as never,
    count: () => count.get()!["n"] as number,
    reached: () => reached.get()!["n"] as number,
    close: () => sql.close()
  }
}
