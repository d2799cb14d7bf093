/** Errors that escape from a client: thrown where nobody can catch them, they would end the process. */
import { AsyncLocalStorage } from "node:async_hooks"
import { inspect } from "node:util"

type OnEscape = () => void

const current = new AsyncLocalStorage<OnEscape>()

/** Runs a client's code. What it throws later, in whatever it has begun, is told to `onEscape`. */
export const guard =
  (onEscape: OnEscape) =>
  <A>(run: () => A): A =>
    current.run(onEscape, run)

/** Takes such errors from now on. One of anybody else's ends the process, as it would have. */
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
