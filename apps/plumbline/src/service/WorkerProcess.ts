/**
 * A worker: a process that answers calls on the port of the service. `WorkerPool` starts it.
 *
 * It ignores the signals that a terminal sends to all processes: the supervisor says when it drains. It ends at once when
 * the supervisor is gone.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { GatewayError } from "@plumbline/gateway/errors/GatewayError"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Logger from "effect/Logger"
import type * as Path from "effect/Path"

import * as CodeCache from "../home/CodeCache.ts"
import * as Warnings from "../home/Warnings.ts"
import * as LogLines from "../terminal/LogLines.ts"
import * as TerminalText from "../terminal/TerminalText.ts"
import * as SupervisorClient from "../workers/SupervisorClient.ts"
import type { WorkerStart } from "../workers/WorkerMessages.ts"
import * as WorkerService from "./WorkerService.ts"

CodeCache.enable(process.env)
Warnings.quiet()
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined)

const supervisor = SupervisorClient.open()

const run = Effect.fnUntraced(function* (first: WorkerStart, drained: Effect.Effect<void>) {
  let start = first
  const settings = yield* WorkerService.load(start)
  yield* WorkerService.agree(start, settings)
  const logger = settings.observability.logs === "json" ? LogLines.json : LogLines.logger
  const work = Effect.gen(function* () {
    const { alive, port, reload } = yield* WorkerService.serve(() => start, settings, supervisor)
    const spawn = Effect.runForkWith(yield* Effect.context<FileSystem.FileSystem | Path.Path>())
    const reloading = Effect.matchEffect(reload, {
      onSuccess: () => Effect.sync(() => supervisor.tell({ _tag: "Reloaded", problem: undefined })),
      onFailure: (error) =>
        Effect.sync(() => supervisor.tell({ _tag: "Reloaded", problem: TerminalText.withoutUrls(error.message) }))
    })
    supervisor.listen((message) => {
      if (message._tag === "Beat") {
        spawn(Effect.map(alive, (counts) => supervisor.tell({ _tag: "Alive", ...counts })))
      } else if (message._tag === "Reload") {
        start = { ...start, embedded: message.embedded }
        spawn(reloading)
      }
    })
    supervisor.tell({ _tag: "Listening", port })
    yield* drained
  })
  yield* Effect.scoped(work).pipe(
    Effect.annotateLogs({ worker: start.worker }),
    Effect.provide(Logger.layer([Logger.withConsoleError(logger)]))
  )
})

/** Reports a failed start. The message of an error holds no URL with a key. */
const failed = (cause: Cause.Cause<{ readonly message: string }>) =>
  Effect.sync(() => {
    const error = Cause.squash(cause)
    const code = error instanceof GatewayError && error.reason._tag === "CannotListen" ? error.reason.code : undefined
    const problem = TerminalText.withoutUrls(error instanceof Error ? error.message : "it died")
    supervisor.tell({ _tag: "NotStarted", problem, code })
  })

const drain = Deferred.makeUnsafe<void>()
const stop = supervisor.listen((message) => {
  if (message._tag === "Drain") Deferred.doneUnsafe(drain, Effect.void)
  if (message._tag !== "Start") return
  Effect.runFork(
    run(message, Deferred.await(drain)).pipe(Effect.provide(NodeServices.layer), Effect.tapCause(failed))
  ).addObserver((exit) => {
    stop()
    // The report of a failed start is sent in this turn of the loop, before the channel closes.
    process.exitCode = exit._tag === "Success" ? 0 : 1
    setImmediate(() => setImmediate(() => process.disconnect()))
  })
})
