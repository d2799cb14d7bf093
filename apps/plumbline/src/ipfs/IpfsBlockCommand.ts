/** `plumbline ipfs block get <path>` */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"

import * as IpfsFlags from "./IpfsFlags.ts"

const get = Command.make("get", { path: IpfsFlags.path, ...IpfsFlags.flags }, (flags) =>
  Effect.flatMap(
    Effect.promise(() => import("./IpfsBlocks.ts")),
    ({ blockGet }) => blockGet(flags)
  )
).pipe(
  Command.withDescription("Prove a block, then write it to standard output"),
  Command.withExamples([{ command: "plumbline ipfs block get bafy... > block", description: "Its bytes as they are" }])
)

/** Single blocks, with any content. */
export const block = Command.make("block").pipe(
  Command.withDescription("Read blocks of any format"),
  Command.withSubcommands([get])
)
