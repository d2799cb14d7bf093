/** `plumbline call <address> <signature|0xdata> [argument...]` */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"

import * as ReadFlags from "../answer/ReadFlags.ts"
import * as EnsFlags from "../ens/EnsFlags.ts"
import * as CommandFactory from "../terminal/CommandFactory.ts"

export const call = CommandFactory.make(
  "call",
  {
    address: Argument.String("address").pipe(
      Argument.withDescription("The contract: 0x and 40 hex digits, or its ENS name")
    ),
    signature: Argument.String("signature").pipe(
      Argument.withDescription(
        "The function, with its types and those that it returns: balanceOf(address)(uint256); or 0x and the call's data"
      )
    ),
    args: Argument.String("argument").pipe(
      Argument.withDescription("Arguments of the function; arrays as [a,b], tuples as (a,b)"),
      Argument.variadic()
    ),
    from: Flag.String("from").pipe(
      Flag.withMetavar("address"),
      Flag.withDescription("The sender of the call (default: the zero address)"),
      Flag.optional
    ),
    value: Flag.String("value").pipe(
      Flag.withMetavar("wei"),
      Flag.withDescription("The wei that the call sends, decimal or 0x (default: 0)"),
      Flag.optional
    ),
    gas: Flag.String("gas").pipe(
      Flag.withMetavar("n"),
      Flag.withDescription("The gas of the call (default and maximum: 50000000)"),
      Flag.optional
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
