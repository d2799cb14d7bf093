/**
 * Hides the warning of Node 22 that `node:sqlite` may change. The warning does not concern a user of this program, and
 * the tests cover the API of every supported Node.
 */

/** Drops the warning about `node:sqlite`. All other warnings are shown as before. */
export const quiet = (): void => {
  const emit = process.emitWarning.bind(process) as (...args: ReadonlyArray<unknown>) => void
  process.emitWarning = (warning: string | Error, ...rest: ReadonlyArray<unknown>): void => {
    if (!isAboutSqlite(warning, rest[0])) emit(warning, ...rest)
  }
}

const isAboutSqlite = (warning: string | Error, type: unknown): boolean =>
  type === "ExperimentalWarning" && typeof warning === "string" && warning.startsWith("SQLite is an experimental")
