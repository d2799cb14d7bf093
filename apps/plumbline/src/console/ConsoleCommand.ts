import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"

import * as DataFolder from "../home/DataFolder.ts"
import * as JsonFlag from "../terminal/JsonFlag.ts"

export const console = Command.make(
  "console",
  {
    print: Flag.Boolean("print").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Print the address, and open nothing"),
      Flag.withDefault(false)
    ),
    json: JsonFlag.flag,
    data: DataFolder.flag
  },
  (flags) =>
    Effect.flatMap(
      Effect.promise(() => import("./OpenConsole.ts")),
      ({ open }) => open(flags)
    )
).pipe(
  Command.withDescription("Open the console of the running service in a browser"),
  Command.withExamples([
    { command: "plumbline console", description: "Print the address, and open it" },
    { command: "plumbline console --print", description: "Only print it" }
  ])
)
