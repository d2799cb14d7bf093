/** Errors that escape from a client: no caller can catch them, and they would end the process. */
import { AsyncLocalStorage } from "node:async_hooks"
import { inspect } from "node:util"

type OnEscape = () => void

const current = new AsyncLocalStorage<OnEscape>()

/** Runs a client's code. An error that the code throws later, in any work that it started, goes to `onEscape`. */
export const guard =
  (onEscape: OnEscape) =>
  <A>(run: () => A): A =>
    current.run(onEscape, run)

/** Catches escaped errors of clients from now on. An error that escapes from other code still ends the process. */
export const catchAll = (): void => {
  const take = (error: unknown): void => {
    const onEscape = current.getStore()
    if (onEscape !== undefined) return onEscape()
    process.stderr.write(`${inspect(error)}\n`)
    process.exit(1)
  }
  process.on("uncaughtException", take)
  process.on("unhandledRejection", take)
}
