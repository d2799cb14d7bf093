/** The command as a value: its parts, the report of its failures, and its exit code. It picks no platform. */
import * as Cause from "effect/Cause"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Result from "effect/Result"

import * as ProgramVersion from "./home/ProgramVersion.ts"
import * as ErrorReport from "./terminal/ErrorReport.ts"
import * as ExitCode from "./terminal/ExitCode.ts"
import * as LogLines from "./terminal/LogLines.ts"
import * as TerminalText from "./terminal/TerminalText.ts"

/**
 * One function for each command, in the order of the help. The function loads the command. A command is loaded only
 * when it is called, because loading all commands takes a second.
 */
export const commands = {
  up: async () => (await import("./service/UpCommand.ts")).up,
  console: async () => (await import("./console/ConsoleCommand.ts")).console,
  block: async () => (await import("./chain/BlockCommand.ts")).block,
  tx: async () => (await import("./chain/TxCommand.ts")).tx,
  head: async () => (await import("./chain/HeadCommand.ts")).head,
  watch: async () => (await import("./watch/WatchCommand.ts")).watch,
  uncle: async () => (await import("./chain/UncleCommand.ts")).uncle,
  proof: async () => (await import("./storage/ProofCommand.ts")).proof,
  "read-slot": async () => (await import("./storage/ReadSlotCommand.ts")).readSlot,
  call: async () => (await import("./call/CallCommand.ts")).call,
  slots: async () => (await import("./storage/SlotsCommand.ts")).slots,
  layout: async () => (await import("./storage/LayoutCommand.ts")).layout,
  read: async () => (await import("./storage/ReadCommand.ts")).read,
  diff: async () => (await import("./storage/DiffCommand.ts")).diff,
  prove: async () => (await import("./bundle/ProveCommand.ts")).prove,
  publish: async () => (await import("./bundle/PublishCommand.ts")).publish,
  verify: async () => (await import("./bundle/VerifyCommand.ts")).verify,
  pending: async () => (await import("./pending/PendingCommand.ts")).pending,
  ipfs: async () => (await import("./ipfs/IpfsCommand.ts")).ipfs,
  projects: async () => (await import("./operator/ProjectsCommand.ts")).projects,
  accounts: async () => (await import("./operator/AccountsCommand.ts")).accounts,
  keys: async () => (await import("./operator/KeysCommand.ts")).keys,
  tokens: async () => (await import("./operator/TokensCommand.ts")).tokens,
  operators: async () => (await import("./operator/OperatorsCommand.ts")).operators,
  audit: async () => (await import("./operator/AuditCommand.ts")).audit,
  status: async () => (await import("./operator/StatusCommand.ts")).status,
  usage: async () => (await import("./operator/UsageCommand.ts")).usage,
  backup: async () => (await import("./backup/BackupCommand.ts")).backup,
  restore: async () => (await import("./backup/BackupCommand.ts")).restore,
  config: async () => (await import("./service/ConfigCommand.ts")).config,
  proxy: async () => (await import("./proxy/ProxyCommand.ts")).proxy,
  tamper: async () => (await import("./tamper/TamperCommand.ts")).tamper
} as const

type AnyCommand = Awaited<ReturnType<(typeof commands)[keyof typeof commands]>>

/**
 * Loads the commands that the arguments need: the command that they name first, or all commands for the whole help, for
 * completions, and for an error that lists the names.
 */
const load = (args: ReadonlyArray<string>): Promise<ReadonlyArray<AnyCommand>> => {
  const [first = ""] = args
  if (args.length === 1 && first === "--version") return Promise.resolve([])
  const isWhole = !Object.hasOwn(commands, first) || args.some((arg) => /^--completions(?:=|$)/u.test(arg))
  const names = (Object.keys(commands) as ReadonlyArray<keyof typeof commands>).filter(
    (name) => isWhole || name === first
  )
  return Promise.all(names.map((name) => commands[name]()))
}

/**
 * The root command. Each of its commands is a file `<Name>Command.ts`, in the folder of the code that does the
 * command's work.
 */
const root = (loaded: ReadonlyArray<AnyCommand>) =>
  Command.make("plumbline").pipe(
    Command.withDescription(
      "Reads blockchain nodes and says whether the answer is true. Every answer ends in VERIFIED, CLAIMED or REFUTED."
    ),
    Command.withSubcommands(loaded)
  )

/** Returns the root command with all of its commands. */
export const whole = async () => root(await load([]))

/**
 * Runs the command and gives its exit code: 0 for VERIFIED and CLAIMED, 2 for REFUTED, 1 for any other failure.
 *
 * A failure is one line on standard error, or, when `--json` is among the arguments, one JSON object on standard output.
 * Logs go to standard error.
 */
export const run = (given: ReadonlyArray<string>) => {
  const args = asked(given)
  return Effect.flatMap(
    Effect.promise(() => load(args)),
    (loaded) =>
      Command.runWith(root(loaded), { version: ProgramVersion.read() })(args).pipe(
        Effect.as<number>(ExitCode.DONE),
        Effect.catchCauseIf(
          (cause) => !Cause.hasInterruptsOnly(cause),
          (cause) => end(cause, args, loaded)
        ),
        Effect.provide(settings)
      )
  )
}

/**
 * Rewrites `help <command>`, which many programs accept, to `<command> --help`, and drops `--` behind `up`, which has no
 * operands: pnpm passes the `--` of `pnpm start -- --port 0` on.
 */
const asked = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [first, ...words] = args
  if (first === "up" && words[0] === "--") return [first, ...words.slice(1)]
  if (first !== "help") return args
  const [name] = words
  // for an unknown command, the program would print the help of the whole program
  return name !== undefined && /^\w/u.test(name) && !Object.hasOwn(commands, name) ? words : [...words, "--help"]
}

const end = Effect.fnUntraced(function* (
  cause: Cause.Cause<unknown>,
  args: ReadonlyArray<string>,
  loaded: ReadonlyArray<AnyCommand>
) {
  const failure = Cause.findError(cause)
  if (Result.isSuccess(failure)) {
    const error = failure.success
    if (error instanceof ExitCode.PrintedError) return error.exitCode
    // the user asked for the help, and it is already printed, so the command has succeeded
    if (CliError.isCliError(error) && error._tag === "ShowHelp" && error.errors.length === 0) return ExitCode.DONE
  } else if (asks(args, /^--log-level=(?:debug|trace|all)$/u)) {
    yield* Console.error(TerminalText.withoutKeys(Cause.pretty(cause)))
  }
  yield* ErrorReport.print(cause, {
    json: asks(args, /^--json(?:=true)?$/u),
    help: ["plumbline", ...named(args, loaded)]
  })
  return ExitCode.FAILED
})

/** True if a flag is among the arguments, even if the arguments cannot be parsed. */
const asks = (args: ReadonlyArray<string>, flag: RegExp): boolean => {
  const operands = args.indexOf("--")
  return args.slice(0, operands === -1 ? args.length : operands).some((arg) => flag.test(arg))
}

/** Returns the words with which the arguments begin, as far as these words name a command. */
const named = (args: ReadonlyArray<string>, commands: ReadonlyArray<Command.Command.Any>): ReadonlyArray<string> => {
  const command = commands.find(({ name }) => name === args[0])
  if (command === undefined) return []
  return [
    command.name,
    ...named(
      args.slice(1),
      command.subcommands.flatMap((group) => group.commands)
    )
  ]
}

/** Reports invalid arguments like every other failure, without the whole help. */
const presenter: CliOutput.Presenter = {
  present: (event) => (event._tag === "InvalidInvocation" ? Effect.void : CliOutput.defaultPresenter.present(event))
}

const settings = Layer.mergeAll(
  CliOutput.layerPresenter(presenter),
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions, GlobalFlag.LogLevel] }),
  Logger.layer([Logger.withConsoleError(LogLines.logger)])
)
