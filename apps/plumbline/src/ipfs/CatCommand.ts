/** `plumbline ipfs cat <path>` */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"

import * as IpfsFlags from "./IpfsFlags.ts"

/** Reads a file. */
export const cat = Command.make(
  "cat",
  {
    path: IpfsFlags.path,
    offset: Flag.Int("offset").pipe(
      Flag.withAlias("o"),
      Flag.withMetavar("bytes"),
      Flag.withDescription("First byte (default: 0)"),
      Flag.optional
    ),
    length: Flag.Int("length").pipe(
      Flag.withAlias("l"),
      Flag.withMetavar("bytes"),
      Flag.withDescription("Maximum number of bytes (default: to the end)"),
      Flag.optional
    ),
    ...IpfsFlags.flags
  },
  (flags) =>
    Effect.flatMap(
      Effect.promise(() => import("./Cat.ts")),
      ({ run }) => run(flags)
    )
).pipe(
  Command.withDescription("Write a file to standard output, every block proven before it is written"),
  Command.withExamples([
    { command: "plumbline ipfs cat Qmf412... > hello.txt", description: "A file; the verdict is on standard error" },
    { command: "plumbline ipfs cat /ipfs/bafy.../docs/readme.md", description: "A file in a directory" },
    { command: "plumbline ipfs cat --offset 1000 --length 24 bafy...", description: "24 bytes of it" }
  ])
)
