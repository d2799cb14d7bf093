/** `plumbline proof <address> [slot...]` */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"

import * as ReadFlags from "../answer/ReadFlags.ts"
import * as EnsFlags from "../ens/EnsFlags.ts"
import * as CommandFactory from "../terminal/CommandFactory.ts"

export const proof = CommandFactory.make(
  "proof",
  {
    address: Argument.String("address").pipe(
      Argument.withDescription("The account: 0x and 40 hex digits, or its ENS name")
    ),
    slots: Argument.String("slot").pipe(
      Argument.withDescription("Slots of its storage: numbers, decimal or 0x, or 32-byte words"),
      Argument.variadic()
    ),
    block: ReadFlags.block,
    ...EnsFlags.flags,
    ...ReadFlags.flags
  },
  async () => (await import("./ReadProof.ts")).run
).pipe(
  Command.withDescription("Read an account and its storage, and prove them from the hash of a block"),
  Command.withExamples([
    { command: "plumbline proof 0x5fbd...", description: "Nonce, balance, and hashes of code and storage, now" },
    {
      command: "plumbline proof 0x5fbd... 0 1 --trust 0x88df...",
      description: "The same and two slots, proven from a block you know"
    },
    {
      command: "plumbline proof alice.eth --url https://node.example --chain-id 1 --trust 0x88df...",
      description: "The account to which a name leads, the name proven too"
    },
    {
      command: "plumbline proof 0x5fbd... --block 17 --trust 0x88df... --json",
      description: "After block 17, with the trie nodes for others to check"
    }
  ])
)
