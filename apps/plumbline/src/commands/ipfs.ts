/** `plumbline ipfs ...` */
import * as Command from "effect/cli/Command"

import { add } from "./ipfs/add.ts"
import { block } from "./ipfs/block.ts"
import { cat } from "./ipfs/cat.ts"
import { get } from "./ipfs/get.ts"
import { ls } from "./ipfs/ls.ts"
import { object } from "./ipfs/object.ts"
import { pin } from "./ipfs/pin.ts"

/** The commands about IPFS. Each loads what it does when it runs: the others have no use for it. */
export const ipfs = Command.make("ipfs").pipe(
  Command.withDescription("Add to IPFS and read from it, every block checked against its CID"),
  Command.withSubcommands([add, cat, get, ls, pin, object, block])
)
