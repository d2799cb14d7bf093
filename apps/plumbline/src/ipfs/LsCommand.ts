/** `plumbline ipfs ls <path>` */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"

import * as IpfsFlags from "./IpfsFlags.ts"

/** Lists a directory. */
export const ls = Command.make("ls", { path: IpfsFlags.path, ...IpfsFlags.flags }, (flags) =>
  Effect.flatMap(
    Effect.promise(() => import("./ListEntries.ts")),
    ({ run }) => run(flags)
  )
).pipe(
  Command.withDescription("List a directory, and prove that it has these entries and no others"),
  Command.withExamples([{ command: "plumbline ipfs ls bafy.../docs", description: "A directory within another" }])
)
