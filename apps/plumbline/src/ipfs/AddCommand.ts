/** `plumbline ipfs add <path...>` */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"

import * as IpfsFlags from "./IpfsFlags.ts"

/** Adds files and directories, or the content of standard input. */
export const add = Command.make(
  "add",
  {
    paths: Argument.String("path").pipe(
      Argument.withDescription("Files and directories, with all their contents; - is standard input"),
      Argument.atLeast(1)
    ),
    recursive: Flag.Boolean("recursive").pipe(
      Flag.withAlias("r"),
      Flag.withDescription("Directories too (default: yes)"),
      Flag.withDefault(true)
    ),
    wrap: Flag.Boolean("wrap").pipe(
      Flag.withAlias("w"),
      Flag.withoutNegation,
      Flag.withDescription("Put everything into one directory, which keeps the names"),
      Flag.withDefault(false)
    ),
    pin: Flag.Boolean("pin").pipe(
      Flag.withDescription("Pin the content, so that the node keeps it (default: yes)"),
      Flag.withDefault(true)
    ),
    cidVersion: Flag.Literals("cid-version", ["0", "1"]).pipe(
      Flag.withDescription("The version of CIDs (default: 0; with another hash than sha2-256: 1)"),
      Flag.optional
    ),
    rawLeaves: Flag.Boolean("raw-leaves").pipe(
      Flag.withDescription("Chunks without a frame (default: with CIDs of version 1)"),
      Flag.optional
    ),
    chunker: Flag.String("chunker").pipe(
      Flag.withAlias("s"),
      Flag.withMetavar("size-<bytes>"),
      Flag.withDescription("Chunker of files (default: size-262144)"),
      Flag.optional
    ),
    hash: Flag.String("hash").pipe(
      Flag.withMetavar("name"),
      Flag.withDescription("The hash function (default: sha2-256)"),
      Flag.optional
    ),
    hidden: Flag.Boolean("hidden").pipe(
      Flag.withAlias("H"),
      Flag.withoutNegation,
      Flag.withDescription("Also add files in directories whose names begin with a dot"),
      Flag.withDefault(false)
    ),
    dereferenceArgs: Flag.Boolean("dereference-args").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Follow symlinks among the arguments; symlinks in directories stay symlinks"),
      Flag.withDefault(false)
    ),
    ...IpfsFlags.flags
  },
  (flags) =>
    Effect.flatMap(
      Effect.promise(() => import("./AddFiles.ts")),
      ({ run }) => run(flags)
    )
).pipe(
  Command.withDescription("Add files and directories to IPFS, and prove that their CIDs are right"),
  Command.withExamples([
    { command: "plumbline ipfs add photo.jpg", description: "A file" },
    { command: "plumbline ipfs add --cid-version 1 site/", description: "A directory with all that is in it" },
    { command: "date | plumbline ipfs add -", description: "The output of another program" }
  ])
)
