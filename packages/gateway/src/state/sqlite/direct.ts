/**
 * Write transactions as plain function calls, for work on the path of every request. A transaction as an Effect costs
 * several times what SQLite does in it.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite"

import type * as SqlClient from "effect/sql/SqlClient"

import type { Log } from "./log.ts"

export interface Direct {
  /** Prepares a statement, which stays prepared until the database is closed. */
  readonly prepare: (text: string) => StatementSync
  /**
   * Runs work in a transaction, and calls `done` once: with true when everything is on the disk, with false if the disk
   * has failed. Returns false instead, without a change or a call, if the connection is in a transaction, another process
   * has the lock, or the work fails.
   *
   * Others may use the connection before the disk has answered. What they read is on the disk when they get it, because a
   * read waits for the disk too.
   */
  readonly transact: (work: () => void, done: (isDurable: boolean) => void) => boolean
}

export const make = (database: DatabaseSync, log: Log | undefined): Direct => {
  const begin = database.prepare("BEGIN IMMEDIATE")
  const commit = database.prepare("COMMIT")
  return {
    prepare: (text) => database.prepare(text),
    transact: (work, done) => {
      if (!database.isOpen || database.isTransaction) return false
      try {
        begin.run()
        log?.written()
        work()
        commit.run()
      } catch {
        if (database.isTransaction) database.exec("ROLLBACK")
        return false
      }
      // The callback comes later, as from a disk, so that work that arrives meanwhile is committed together.
      if (log === undefined) setImmediate(done, true)
      else log.syncThen((failure) => done(failure === undefined))
      return true
    }
  }
}

const ofClients = new WeakMap<SqlClient.SqlClient, Direct>()

/** Remembers the way past a client. */
export const set = (sql: SqlClient.SqlClient, direct: Direct): void => void ofClients.set(sql, direct)

/** Returns the direct access to the database behind a client, if the client is one of SQLite. */
export const of = (sql: SqlClient.SqlClient): Direct | undefined => ofClients.get(sql)
