/** `plumbline ipfs object get <path>` */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"

import * as IpfsFlags from "./IpfsFlags.ts"

const get = Command.make("get", { path: IpfsFlags.path, ...IpfsFlags.flags }, (flags) =>
  Effect.flatMap(
    Effect.promise(() => import("./IpfsBlocks.ts")),
    ({ objectGet }) => objectGet(flags)
  )
).pipe(
  Command.withDescription(
    "Read the links and the data of a dag-pb node; works with IPFS nodes that dropped this command, too"
  ),
  Command.withExamples([{ command: "plumbline ipfs object get Qmf412... --json", description: "With all its data" }])
)

/** The commands about dag-pb nodes. Files and directories are made of such nodes. */
export const object = Command.make("object").pipe(
  Command.withDescription("Read the dag-pb nodes that files and directories are made of"),
  Command.withSubcommands([get])
)
