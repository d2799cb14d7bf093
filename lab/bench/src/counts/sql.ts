/** Counts the statements that this process runs in SQLite. */
import { DatabaseSync, StatementSync } from "node:sqlite"

let statements = 0

const counting = <A extends object>(prototype: A, names: ReadonlyArray<keyof A & string>): void => {
  for (const name of names) {
    const original = prototype[name] as (...args: ReadonlyArray<unknown>) => unknown
    prototype[name] = function (this: A, ...args: ReadonlyArray<unknown>) {
      statements++
      return Reflect.apply(original, this, args)
    } as A[keyof A & string]
  }
}

counting(StatementSync.prototype, ["all", "get", "iterate", "run"])
counting(DatabaseSync.prototype, ["exec"])

/** Returns the number of statements since the previous call. */
export const take = (): { readonly statements: number } => {
  const taken = { statements }
  statements = 0
  return taken
}
