/**
 * The program: the one place that picks layers for Node, and runs.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"

import * as Cli from "./cli.ts"
import { Hangup } from "./Hangup.ts"
import * as PackageManager from "./PackageManager.ts"
import { Shutdown } from "./Shutdown.ts"

// A reader that leaves early (`plumbline block latest | head -1`) is no fault to be reported.
process.stdout.on("error", () => process.exit(1))
// And who has stopped listening to the progress of `up` shall not end it.
process.stderr.on("error", () => undefined)

/** Only who waits for it listens: the other commands have nothing to put in order, and end at once. A second one ends all. */
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

/** SIGHUP ends a program that does not listen. Several before one is heeded are one. */
const hangup = Effect.gen(function* () {
  const heard = yield* Queue.sliding<void>(1)
  const listener = () => void Queue.offerUnsafe(heard, undefined)
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("SIGHUP", listener)),
    () => Effect.sync(() => process.off("SIGHUP", listener))
  )
  return Queue.take(heard)
})

const program = Cli.run(process.argv.slice(2)).pipe(
  Effect.provideService(Shutdown, Effect.raceFirst(signal, PackageManager.ended)),
  Effect.provideService(Hangup, hangup),
  Effect.provide(NodeServices.layer)
)

Effect.runFork(program).addObserver((exit) => {
  process.exitCode = Exit.isSuccess(exit) ? exit.value : 1
})
