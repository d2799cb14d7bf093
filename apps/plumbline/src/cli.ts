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

import { prove } from "./bundle/ProveCommand.ts"
import { publish } from "./bundle/PublishCommand.ts"
import { verify } from "./bundle/VerifyCommand.ts"
import { block } from "./chain/BlockCommand.ts"
import { tx } from "./chain/TxCommand.ts"
import { uncle } from "./chain/UncleCommand.ts"
import { config } from "./config/ConfigCommand.ts"
import { ipfs } from "./ipfs/IpfsCommand.ts"
import { accounts } from "./operator/AccountsCommand.ts"
import { keys } from "./operator/KeysCommand.ts"
import { projects } from "./operator/ProjectsCommand.ts"
import { usage } from "./operator/UsageCommand.ts"
import { pending } from "./pending/PendingCommand.ts"
import { proxy } from "./proxy/ProxyCommand.ts"
import { up } from "./service/UpCommand.ts"
import { diff } from "./storage/DiffCommand.ts"
import { layout } from "./storage/LayoutCommand.ts"
import { proof } from "./storage/ProofCommand.ts"
import { read } from "./storage/ReadCommand.ts"
import { readSlot } from "./storage/ReadSlotCommand.ts"
import { slots } from "./storage/SlotsCommand.ts"
import { tamper } from "./tamper/TamperCommand.ts"
import * as ErrorReport from "./terminal/ErrorReport.ts"
import * as ExitCode from "./terminal/ExitCode.ts"
import * as LogLines from "./terminal/LogLines.ts"
import * as Text from "./terminal/Text.ts"

/** The version that `--version` prints. */
export const VERSION = "0.0.0"

const commands = [
  up,
  block,
  tx,
  uncle,
  proof,
  readSlot,
  slots,
  layout,
  read,
  diff,
  prove,
  publish,
  verify,
  pending,
  ipfs,
  projects,
  accounts,
  keys,
  usage,
  config,
  proxy,
  tamper
] as const

/** The root command. Each of its commands is a file `<Name>Command.ts` beside the work that the command does. */
export const root = Command.make("plumbline").pipe(
  Command.withDescription(
    "Reads blockchain nodes and tells whether the answer is true. Every answer ends in VERIFIED, CLAIMED or REFUTED."
  ),
  Command.withSubcommands(commands)
)

/**
 * Runs the command and gives its exit code: 0 for VERIFIED and CLAIMED, 2 for REFUTED, 1 for any other failure.
 *
 * A failure is one line on standard error, or, when `--json` is among the arguments, one JSON object on standard output.
 * Logs go to standard error.
 */
export const run = (args: ReadonlyArray<string>) =>
  Command.runWith(root, { version: VERSION })(args).pipe(
    Effect.as<number>(ExitCode.DONE),
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterruptsOnly(cause),
      (cause) => end(cause, args)
    ),
    Effect.provide(settings)
  )

const end = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>, args: ReadonlyArray<string>) {
  const failure = Cause.findError(cause)
  if (Result.isSuccess(failure)) {
    const error = failure.success
    if (error instanceof ExitCode.Printed) return error.exitCode
    // the user asked for help, and sees it
    if (CliError.isCliError(error) && error._tag === "ShowHelp" && error.errors.length === 0) return ExitCode.DONE
  } else if (asks(args, /^--log-level=(?:debug|trace|all)$/u)) {
    yield* Console.error(Text.withoutKeys(Cause.pretty(cause)))
  }
  yield* ErrorReport.print(cause, {
    json: asks(args, /^--json(?:=true)?$/u),
    help: ["plumbline", ...named(args, commands)]
  })
  return ExitCode.FAILED
})

/** True if a flag is among the arguments, even if they cannot be parsed. */
const asks = (args: ReadonlyArray<string>, flag: RegExp): boolean => {
  const operands = args.indexOf("--")
  return args.slice(0, operands === -1 ? args.length : operands).some((arg) => flag.test(arg))
}

/** Returns the words at the beginning of the arguments that name a command. */
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

/** Reports arguments that cannot be understood like every other failure, without the whole of the help. */
const presenter: CliOutput.Presenter = {
  present: (event) => (event._tag === "InvalidInvocation" ? Effect.void : CliOutput.defaultPresenter.present(event))
}

const settings = Layer.mergeAll(
  CliOutput.layerPresenter(presenter),
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions, GlobalFlag.LogLevel] }),
  Logger.layer([Logger.withConsoleError(LogLines.logger)])
)
