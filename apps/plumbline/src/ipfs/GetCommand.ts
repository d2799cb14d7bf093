/** `plumbline ipfs get <path>` */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"

import * as IpfsFlags from "./IpfsFlags.ts"

/** Writes a file or a directory to this machine. */
export const get = Command.make(
  "get",
  {
    path: IpfsFlags.path,
    output: Flag.String("output").pipe(
      Flag.withAlias("o"),
      Flag.withMetavar("path"),
      Flag.withDescription(
        "Path to write to; an existing directory, to write into it; or - for standard output, which takes a file (default: the current directory)"
      ),
      Flag.optional
    ),
    force: Flag.Boolean("force").pipe(
      Flag.withAlias("f"),
      Flag.withoutNegation,
      Flag.withDescription("Replace existing files"),
      Flag.withDefault(false)
    ),
    ...IpfsFlags.flags
  },
  (flags) =>
    Effect.flatMap(
      Effect.promise(() => import("./GetFiles.ts")),
      ({ run }) => run(flags)
    )
).pipe(
  Command.withDescription("Write a file or a directory to this machine, after all of it is proven"),
  Command.withExamples([
    { command: "plumbline ipfs get bafy.../site", description: "As ./site" },
    { command: "plumbline ipfs get bafy... -o site", description: "The same, under a name of your own" }
  ])
)
