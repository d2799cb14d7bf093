/** `plumbline call <address> <signature|0xdata> [argument...]` */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"

import * as ReadFlags from "../answer/ReadFlags.ts"
import * as EnsFlags from "../ens/EnsFlags.ts"
import * as CommandFactory from "../terminal/CommandFactory.ts"
import * as CallArguments from "./CallArguments.ts"

export const call = CommandFactory.make(
  "call",
  {
    ...CallArguments.flags,
    address: Argument.String("address").pipe(
      Argument.withDescription("The contract: 0x and 40 hex digits, or its ENS name")
    ),
    block: ReadFlags.block,
    ...EnsFlags.flags,
    ...ReadFlags.flags
  },
  async () => (await import("./RunCall.ts")).run
).pipe(
  Command.withDescription("Run a call of a contract here, over state that is proven from the hash of a block"),
  Command.withExamples([
    {
      command: 'plumbline call 0x5fbd... "balanceOf(address)(uint256)" 0xf39f...',
      description: "On the service's live chain, at its latest block"
    },
    {
      command:
        'plumbline call 0xa0b8... "totalSupply()(uint256)" --url https://node.example --chain-id 1 --trust 0x88df...',
      description: "Proven from a block you know"
    },
    { command: "plumbline call 0x5fbd... 0x18160ddd --json", description: "With the call's data as bytes" }
  ])
)
