/** `plumbline read-slot <address> <slot>` */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"

import * as ReadFlags from "../answer/ReadFlags.ts"
import * as EnsFlags from "../ens/EnsFlags.ts"
import * as CommandFactory from "../terminal/CommandFactory.ts"

export const readSlot = CommandFactory.make(
  "read-slot",
  {
    address: Argument.String("address").pipe(
      Argument.withDescription("The account: 0x and 40 hex digits, or its ENS name")
    ),
    slot: Argument.String("slot").pipe(
      Argument.withDescription("A slot of its storage: a number, decimal or 0x, or a 32-byte word")
    ),
    block: ReadFlags.block,
    ...EnsFlags.flags,
    ...ReadFlags.flags
  },
  async () => (await import("./ReadSlot.ts")).run
).pipe(
  Command.withDescription("Read a word of an account's storage, and prove it from the hash of a block"),
  Command.withExamples([
    {
      command: "plumbline read-slot 0x5fbd... 0",
      description: "Slot 0 at the latest block: VERIFIED with the light client of `plumbline up`, otherwise CLAIMED"
    },
    {
      command: "plumbline read-slot 0x5fbd... 0x2 --trust 0x88df...",
      description: "Slot 2, proven from a block you know"
    },
    {
      command: "plumbline read-slot 0x5fbd... 0 --block 17 --trust 0x88df...",
      description: "Slot 0 after block 17, proven from a later block"
    }
  ])
)
