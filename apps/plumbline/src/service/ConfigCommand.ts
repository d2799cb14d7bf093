import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"

import * as FileFlag from "../config/FileFlag.ts"
import type { ServiceSettings } from "../config/ServiceSettings.ts"
import * as JsonFlag from "../terminal/JsonFlag.ts"
import * as Style from "../terminal/Style.ts"
import * as TerminalText from "../terminal/TerminalText.ts"

const check = Command.make(
  "check",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("The file (default: $PLUMBLINE_CONFIG, or else only environment variables)"),
      Argument.optional
    ),
    online: Flag.Boolean("online").pipe(
      Flag.withDescription(
        "Also ask all nodes that the file names, to warn of one that does not answer, is of another chain, or whose hashes prove nothing (default: off)"
      ),
      Flag.withDefault(false)
    ),
    json: JsonFlag.flag
  },
  Effect.fnUntraced(function* (flags) {
    const [LoadConfig, SettingsView] = yield* Effect.promise(() =>
      Promise.all([import("../config/LoadConfig.ts"), import("../config/SettingsView.ts")])
    )
    const named = yield* FileFlag.resolve(flags.file)
    const { file, settings, warnings: read } = yield* LoadConfig.load(named)
    const warnings = flags.online ? [...read, ...(yield* online(settings))] : read
    if (flags.json) {
      return yield* Console.log(
        TerminalText.json({ file: file ?? null, warnings, config: SettingsView.file(settings) })
      )
    }
    const style = yield* Style.current
    const shown = SettingsView.lines(settings).map(([path, value]) => ({
      path: TerminalText.printable(path),
      value: TerminalText.printable(value)
    }))
    const width = Math.max(...shown.map(({ path }) => path.length))
    const lines = [
      style.good(
        `${file ?? "No file is named. The environment, with the defaults,"} is a valid configuration. The service would run with:`
      ),
      "",
      ...shown.map(({ path, value }) => `  ${style.label(path.padEnd(width))}  ${value}`),
      ...warnings.map(({ path, problem }) => `\n${style.bad("warning")}: ${path} ${problem}`)
    ]
    yield* Console.log(lines.join("\n"))
  })
).pipe(
  Command.withDescription("Check a configuration, and show the resulting settings without secrets"),
  Command.withExamples([
    { command: "plumbline config check plumbline.yaml", description: "Every mistake, with its line and column" }
  ])
)

const online = (settings: ServiceSettings) =>
  Effect.flatMap(
    Effect.promise(() => import("./OnlineCheck.ts")),
    ({ warnings }) => warnings(settings)
  )

const schema = Command.make(
  "schema",
  {},
  Effect.fnUntraced(function* () {
    const JsonSchema = yield* Effect.promise(() => import("../config/JsonSchema.ts"))
    yield* Console.log(JSON.stringify(JsonSchema.make(), null, 2))
  })
).pipe(
  Command.withDescription("Print the JSON Schema of the configuration file, for editors"),
  Command.withExamples([
    { command: "plumbline config schema > plumbline.schema.json", description: "Keep it beside the file" }
  ])
)

/**
 * The commands about the configuration of `up`. The code of the configuration is loaded only when one of them runs,
 * because other commands do not use it.
 */
export const config = Command.make("config").pipe(
  Command.withDescription("Check the configuration file of the service, or print its JSON Schema"),
  Command.withSubcommands([check, schema])
)
