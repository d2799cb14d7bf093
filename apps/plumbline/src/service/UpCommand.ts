import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import type * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"

import * as FileFlag from "../config/FileFlag.ts"
import type { ServiceSettings } from "../config/ServiceSettings.ts"
import * as StateFolder from "../config/StateFolder.ts"
import * as DataFolder from "../home/DataFolder.ts"
import { Shutdown } from "../home/Shutdown.ts"
import { Sighup } from "../home/Sighup.ts"
import * as ErrorReport from "../terminal/ErrorReport.ts"
import * as JsonFlag from "../terminal/JsonFlag.ts"
import * as LogLines from "../terminal/LogLines.ts"
import * as Style from "../terminal/Style.ts"
import * as TerminalText from "../terminal/TerminalText.ts"
import { UsageError } from "../terminal/UsageError.ts"

/** Runs the service until the process gets a signal to stop. */
export const up = Command.make(
  "up",
  {
    config: FileFlag.flag,
    port: Flag.Int("port").pipe(
      Flag.withMetavar("n"),
      Flag.withDescription(
        "Port to listen on; 0 means any free port (default: 8645, or any free port when that is busy)"
      ),
      Flag.optional
    ),
    workers: Flag.Int("workers").pipe(
      Flag.withMetavar("n"),
      Flag.withDescription("Processes that answer calls on the port, from 1 to 64 (default: server.workers, or 1)"),
      Flag.optional
    ),
    ipfs: Flag.Redacted("ipfs").pipe(
      Flag.withMetavar("url"),
      Flag.withDescription(
        "Serve IPFS from the node at this URL, such as Kubo's http://127.0.0.1:5001, with its key and secret in the URL if the node requires them (default: $PLUMBLINE_IPFS, or the embedded node)"
      ),
      Flag.optional
    ),
    data: DataFolder.flag,
    json: Flag.withDescription(
      JsonFlag.flag,
      "Print one line of JSON when ready: url, wsUrl, apiKey, apiKeySecret, ipfsUrl, consoleUrl, adminUrl, adminToken, networks, beaconUrl, checkpoint, beaconNetwork, beacons, metricsUrl"
    )
  },
  Effect.fnUntraced(function* (flags) {
    const port = Option.getOrUndefined(flags.port)
    if (port !== undefined && (port < 0 || port > 65_535)) {
      return yield* new UsageError({ problem: "--port must be a number from 0 to 65535" })
    }
    const workers = Option.getOrUndefined(flags.workers)
    if (workers !== undefined && (workers < 1 || workers > 64)) {
      return yield* new UsageError({ problem: "--workers must be a number from 1 to 64" })
    }
    const ipfs = yield* upstream(flags.ipfs)
    const file = yield* FileFlag.resolve(flags.config)
    const shutdown = yield* Shutdown
    const log = new ServiceLog()
    const stopped = Effect.flatMap(shutdown, (reason) =>
      log.progress(`${reason}: stopping, when what is under way is answered; a second signal stops at once ...`)
    )
    yield* Effect.raceFirst(
      Effect.scoped(serve({ file, data: flags.data, ipfs, port, workers, json: flags.json, log })),
      stopped
    )
  })
).pipe(
  Command.withDescription("Run the service, by default on embedded chains and an IPFS node, until Ctrl-C"),
  Command.withExamples([
    { command: "plumbline up", description: "On port 8645" },
    { command: "plumbline up --json --port 0 --data ./service", description: "For a program, in a folder of its own" },
    { command: "plumbline up --config plumbline.yaml", description: "As a file says; SIGHUP reads it again" }
  ])
)

/** Returns the IPFS node to ask, if one is named. */
const upstream = Effect.fnUntraced(function* (flag: Option.Option<Redacted.Redacted>) {
  const inEnvironment = yield* Effect.orDie(Config.option(Config.Redacted("PLUMBLINE_IPFS")))
  const url = Option.orElse(flag, () => inEnvironment)
  if (Option.isNone(url)) return undefined
  const text = Redacted.value(url.value)
  return URL.canParse(text) && /^https?:$/u.test(new URL(text).protocol)
    ? url.value
    : yield* new UsageError({ problem: "--ipfs must be an http:// or https:// URL" })
})

interface UpOptions {
  readonly file: string | undefined
  readonly data: Option.Option<string>
  readonly ipfs: Redacted.Redacted | undefined
  readonly port: number | undefined
  readonly workers: number | undefined
  readonly json: boolean
  readonly log: ServiceLog
}

const serve = Effect.fnUntraced(function* (options: UpOptions) {
  const { file, json } = options
  // the handler is installed before everything else, so that an early SIGHUP does not end the service
  const hungUp = file === undefined ? Effect.never : yield* yield* Sighup
  // Loaded here, because no other command needs the gateway and the chain.
  const [Service, Announcement, LoadConfig, Server, WorkerRules, ConfigMistake] = yield* Effect.promise(() =>
    Promise.all([
      import("./Service.ts"),
      import("./Announcement.ts"),
      import("../config/LoadConfig.ts"),
      import("../config/ServerSection.ts"),
      import("../config/WorkerRules.ts"),
      import("../config/ConfigMistake.ts")
    ])
  )
  const loaded = Effect.map(LoadConfig.load(file), ({ file, settings, warnings }) => ({
    file,
    settings: withFlags(settings, options, Server.USUAL_GRACE),
    warnings
  }))
  const { file: found, settings, warnings } = yield* loaded
  const [refused] = WorkerRules.mistakes(settings.server.workers, settings.networks)
  if (refused !== undefined) {
    const problem = `--workers: ${ConfigMistake.formatPath(refused.path)} ${refused.problem}`
    return yield* new UsageError({ problem })
  }
  options.log.isJson = settings.observability.logs === "json"
  const { progress } = options.log
  const run = Effect.gen(function* () {
    for (const { path, problem } of warnings) yield* progress(`warning: ${path} ${problem}`)
    const folder = yield* StateFolder.of(settings, options.data)
    const { reload, service } = yield* Service.start({
      settings,
      file: found,
      folder,
      again: Effect.map(loaded, ({ settings }) => settings).pipe(
        Effect.provideContext(yield* Effect.context<FileSystem.FileSystem | Path.Path>())
      ),
      progress
    })
    if (json) yield* Console.log(TerminalText.json(Announcement.make(service)))
    // Supervisors collect standard output too, and no log may hold a key.
    else if (options.log.isJson) yield* progress("the service is ready")
    else {
      const isDefault = folder === (yield* DataFolder.usual)
      const style = yield* Style.current
      const lines = Announcement.view(service, { folder, isDefault, style })
      yield* Console.log(lines.join("\n"))
    }
    return yield* reloading(hungUp, reload)
  })
  return yield* options.log.within(run)
})

/** The log of the service on standard error. Its form is known once the configuration is read. */
class ServiceLog {
  isJson = false

  /** Runs an effect that logs in the configured form. */
  readonly within = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => (this.isJson ? Effect.provideService(effect, Logger.CurrentLoggers, JSON_LOGGERS) : effect))

  /** Reports a step of the start, as plain text or as a line of the log. */
  readonly progress = (step: string): Effect.Effect<void> =>
    Effect.suspend(() => (this.isJson ? this.within(Effect.logInfo(step)) : Console.error(step)))
}

const JSON_LOGGERS: ReadonlySet<Logger.Logger<unknown, unknown>> = new Set([Logger.withConsoleError(LogLines.json)])

/**
 * Overrides the file's settings with the flags. If the file sets no grace, the grace is `usualGrace`, or zero in a
 * terminal.
 */
const withFlags = (
  settings: ServiceSettings,
  { ipfs, port, workers }: UpOptions,
  usualGrace: number
): ServiceSettings => ({
  ...settings,
  server: {
    ...settings.server,
    timeouts: { grace: isWatched() ? 0 : usualGrace, ...settings.server.timeouts },
    ...(port === undefined ? {} : { port }),
    ...(workers === undefined ? {} : { workers })
  },
  ipfs: ipfs === undefined ? settings.ipfs : { ...settings.ipfs, node: { _tag: "Url", url: ipfs } }
})

/**
 * True if the service runs in a terminal. There the person who presses Ctrl-C waits, and no load balancer needs a
 * grace.
 */
const isWatched = (): boolean => process.stdout.isTTY || process.stderr.isTTY

/** Reads the configuration again at each hangup. An invalid configuration changes nothing. */
const reloading = <E extends { readonly message: string }, R>(
  hungUp: Effect.Effect<void>,
  reload: Effect.Effect<{ readonly changed: ReadonlyArray<string>; readonly restart: ReadonlyArray<string> }, E, R>
): Effect.Effect<never, never, R> =>
  Effect.forever(
    Effect.andThen(
      hungUp,
      Effect.matchEffect(reload, {
        onSuccess: ({ changed, restart }) => {
          const what = changed.length === 0 ? "no setting changed" : `changed: ${named(changed)}`
          return restart.length === 0
            ? Effect.logInfo(`the configuration was read again; ${what}`)
            : Effect.logWarning(`the configuration was read again; ${what}; this needs a restart`, restart.join(", "))
        },
        onFailure: (error) =>
          Effect.logError(
            "the configuration stays as it was",
            TerminalText.withoutUrls(error.message),
            ...ErrorReport.linesOf(error)
          )
      })
    )
  )

/** Returns the names of changed settings, in a line of a length that a log can have. */
const named = (settings: ReadonlyArray<string>): string =>
  settings.length <= MAX_NAMED
    ? settings.join(", ")
    : `${settings.slice(0, MAX_NAMED).join(", ")} and ${settings.length - MAX_NAMED} more`

const MAX_NAMED = 20
