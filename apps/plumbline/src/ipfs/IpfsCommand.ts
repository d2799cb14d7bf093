/** `plumbline ipfs ...` */
import * as Command from "effect/cli/Command"

import { add } from "./AddCommand.ts"
import { cat } from "./CatCommand.ts"
import { get } from "./GetCommand.ts"
import { block } from "./IpfsBlockCommand.ts"
import { ls } from "./LsCommand.ts"
import { object } from "./ObjectCommand.ts"
import { pin } from "./PinCommand.ts"

/**
 * The commands about IPFS. Each command loads its code when it runs, because the other commands do not use that code.
 */
export const ipfs = Command.make("ipfs").pipe(
  Command.withDescription("Add content to IPFS and read it; every block is checked against its CID"),
  Command.withSubcommands([add, cat, get, ls, pin, object, block])
)
