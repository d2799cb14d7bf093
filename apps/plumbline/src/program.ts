/** The program: the only place that picks layers for Node and runs them. */
import { writeSync } from "node:fs"

import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"

import * as Cli from "./cli.ts"
import { DataError } from "./files/DataError.ts"
import * as EarlySighup from "./home/EarlySighup.ts"
import * as PackageManager from "./home/PackageManager.ts"
import { Shutdown } from "./home/Shutdown.ts"
import { Sighup } from "./home/Sighup.ts"

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // A reader that closes the pipe early (`plumbline block latest | head -1`) is not an error to report.
  if (error.code !== "EPIPE") {
    const { message } = new DataError({
      path: "standard output",
      problem: "Unwritable",
      detail: error.code ?? "Unknown"
    })
    try {
      // synchronous, because the process ends here
      writeSync(2, `error: ${message}\n`)
    } catch {
      // the error message cannot be written, and it has no other place
    }
  }
  process.exit(1)
})
// A reader that stops listening to the progress of `up` does not end the service.
process.stderr.on("error", () => undefined)

/**
 * Only a command that waits for shutdown installs the handler; the others exit at once. A second signal exits
 * immediately.
 */
const signal = Effect.callback<string>((resume) => {
  const names = ["SIGINT", "SIGTERM"] as const
  const forget = () => names.forEach((name) => process.off(name, listener))
  const listener = (name: NodeJS.Signals) => {
    forget()
    resume(Effect.succeed(name))
  }
  names.forEach((name) => process.on(name, listener))
  return Effect.sync(forget)
})

/** Several hangups before the first one is handled count as one. */
const hangup = Effect.gen(function* () {
  const heard = yield* Queue.sliding<void>(1)
  yield* Effect.acquireRelease(
    Effect.sync(() => EarlySighup.take(() => void Queue.offerUnsafe(heard, undefined))),
    (letGo) => Effect.sync(letGo)
  )
  return Queue.take(heard)
})

/** Time for a reader to take what is left of the output after a signal to end, in milliseconds. */
const LAST_READ = 3000

/** True after a signal to end. */
let isToEnd = false
const shutdown = Effect.tap(Effect.raceFirst(signal, PackageManager.ended), () =>
  Effect.sync(() => {
    isToEnd = true
  })
)

const program = Cli.run(process.argv.slice(2)).pipe(
  Effect.provideService(Shutdown, shutdown),
  Effect.provideService(Sighup, hangup),
  Effect.provide(NodeServices.layer)
)

Effect.runFork(program).addObserver((exit) => {
  process.exitCode = Exit.isSuccess(exit) ? exit.value : 1
  // a write that no reader takes keeps the process alive. Without a signal it may wait for the reader: a pager
  if (isToEnd) setTimeout(() => process.exit(), LAST_READ).unref()
})
