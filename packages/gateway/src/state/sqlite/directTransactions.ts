/**
 * Runs transactions that write, as plain function calls, for work that every request needs. A transaction as an Effect
 * costs several times as much as the work of SQLite in it.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite"

import type * as SqlClient from "effect/sql/SqlClient"

import type { WriteAheadLog } from "./writeAheadLog.ts"

export interface DirectTransactions {
  /** Prepares a statement, which stays prepared until the database is closed. */
  readonly prepare: (text: string) => StatementSync
  /**
   * Runs work in a transaction, and tells it whether `done` will wait for the disk. Calls `done` once, perhaps before it
   * returns: with true when everything is on the disk, with false if the disk has failed. If the connection is already in
   * a transaction, another process has the lock, the work fails, or the disk has failed before, it returns false. Nothing
   * is changed then, and `done` is not called.
   *
   * If the disk is not awaited, `done` is called when everything is in the log, and the log is synced in the background.
   * While the background is late, the disk is awaited nevertheless.
   *
   * Other code can use the connection before the disk has answered. A read waits for the disk too, so it never returns
   * awaited data that is not on the disk.
   */
  readonly transact: (work: (waits: boolean) => void, done: (isDurable: boolean) => void, isAwaited: boolean) => boolean
  /** Returns the state of the disk, and the milliseconds for which a write has been waiting for it unawaited. */
  readonly disk: () => { readonly hasFailed: boolean; readonly behind: number }
}

export const make = (database: DatabaseSync, log: WriteAheadLog | undefined): DirectTransactions => {
  const begin = database.prepare("BEGIN IMMEDIATE")
  const commit = database.prepare("COMMIT")
  // Every call asks if the disk has failed, so one object serves them all, and reads no clock for that.
  const disk = {
    get hasFailed() {
      return log?.failure() !== undefined
    },
    get behind() {
      return log?.behind() ?? 0
    }
  }
  return {
    prepare: (text) => database.prepare(text),
    transact: (work, done, isAwaited) => {
      if (!database.isOpen || database.isTransaction || log?.failure() !== undefined) return false
      let waits = false
      try {
        begin.run()
        waits = log?.written(isAwaited) ?? false
        work(waits)
        commit.run()
      } catch {
        if (database.isTransaction) database.exec("ROLLBACK")
        return false
      }
      if (waits) log!.syncThen((failure) => done(failure === undefined))
      else done(true)
      return true
    },
    disk: () => disk
  }
}

const ofClients = new WeakMap<SqlClient.SqlClient, DirectTransactions>()

/** Registers the direct access to a client's database. */
export const set = (sql: SqlClient.SqlClient, direct: DirectTransactions): void => void ofClients.set(sql, direct)

/** Returns the direct access to a client's database, if the client is one of SQLite. */
export const of = (sql: SqlClient.SqlClient): DirectTransactions | undefined => ofClients.get(sql)
