/** `plumbline slots <path...> --layout <file>` */
import * as Location from "@plumbline/storage-layout/location/Location"
import * as Everything from "@plumbline/storage-layout/read/Readable"
import * as Evidence from "@plumbline/verdict/Evidence"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import * as Print from "../answer/Print.ts"
import type * as ReadAnswer from "../answer/ReadAnswer.ts"
import * as JsonFlag from "../terminal/JsonFlag.ts"
import * as ContractFlags from "./layout/ContractFlags.ts"
import * as StorageView from "./StorageView.ts"
import * as StorageWire from "./StorageWire.ts"

/** The places of variables follow from the layout. */
const FromLayout = Evidence.kind(
  "FromLayout",
  () => "they follow from the layout, by the compiler's rules: no node was asked"
)

export const slots = Command.make(
  "slots",
  {
    paths: Argument.String("path").pipe(
      Argument.withDescription('The part to find: a variable, .member, [index], ["key"] (default: every variable)'),
      Argument.variadic()
    ),
    ...ContractFlags.flags,
    json: JsonFlag.flag
  },
  Effect.fnUntraced(function* (flags) {
    const layout = yield* ContractFlags.layout(flags)
    const located =
      flags.paths.length === 0
        ? Everything.variables(layout)
        : yield* Effect.fromResult(Result.all(flags.paths.map((path) => Location.locate(layout, path))))
    const answer: ReadAnswer.AcceptedAnswer = {
      verdict: "VERIFIED",
      value: Object.fromEntries(located.map((location) => [location.path, StorageWire.place(location)])),
      anchor: null,
      proven: [FromLayout({})],
      claimed: []
    }
    yield* Print.print(flags, {
      reply: answer,
      view: (style) => StorageView.places({ layout, locations: located, style })
    })
  })
).pipe(
  Command.withDescription("Find the slots of a contract's variables in its layout, without any node"),
  Command.withExamples([
    { command: "plumbline slots --layout Vault.sol", description: "The place of every variable" },
    {
      command: "plumbline slots 'balances[0x5fbd...]' 'names[3].length' --layout out/Vault.json",
      description: "The place of an entry of a mapping, and of the length of a text"
    }
  ])
)
