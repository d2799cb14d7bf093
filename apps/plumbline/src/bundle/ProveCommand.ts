/** `plumbline prove <address> <path...> --layout <file> -o <bundle.car>`, and its subcommands `call` and `access-list`. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"

import * as ReadFlags from "../answer/ReadFlags.ts"
import * as CallArguments from "../call/CallArguments.ts"
import * as CallRulesFlags from "../rules/CallRulesFlags.ts"
import * as ContractFlags from "../storage/layout/ContractFlags.ts"
import * as CommandFactory from "../terminal/CommandFactory.ts"

/** The flags of the file that a proof is written to. */
const output = {
  output: Flag.String("output").pipe(
    Flag.withAlias("o"),
    Flag.withMetavar("bundle.car"),
    Flag.withDescription("The file to write the proof to, or - for standard output")
  ),
  force: Flag.Boolean("force").pipe(
    Flag.withAlias("f"),
    Flag.withoutNegation,
    Flag.withDescription("Replace the file if it already exists"),
    Flag.withDefault(false)
  )
}

const call = CommandFactory.make(
  "call",
  {
    ...CallArguments.flags,
    ...output,
    block: ReadFlags.block,
    ...CallRulesFlags.flags,
    ...ReadFlags.flags
  },
  async () => (await import("./ProveCall.ts")).run
).pipe(
  Command.withDescription("Run a call of a contract here, and keep it as a file with which anyone can run it again"),
  Command.withExamples([
    {
      command: 'plumbline prove call 0x5fbd... "balanceOf(address)(uint256)" 0xf39f... -o call.car --trust 0x88df...',
      description: "A call at a block you know, with all the state that it reads"
    }
  ])
)

const accessList = CommandFactory.make(
  "access-list",
  { ...output, block: ReadFlags.block, ...ReadFlags.flags },
  async () => (await import("./ProveAccessList.ts")).run
).pipe(
  Command.withDescription("Keep what a block touched and changed (EIP-7928) as a file that anyone can check"),
  Command.withExamples([
    {
      command: "plumbline prove access-list -o changes.car --trust 0x88df...",
      description: "All accounts and slots of a block you know, with their new values"
    }
  ])
)

export const prove = CommandFactory.make(
  "prove",
  {
    address: Argument.String("address").pipe(Argument.withDescription("The contract: 0x and 40 hex digits")),
    paths: Argument.String("path").pipe(
      Argument.withDescription(
        'The part to prove: a variable, .member, [index], ["key"], .length (default: everything)'
      ),
      Argument.variadic()
    ),
    ...ContractFlags.flags,
    ...output,
    code: Flag.Boolean("code").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Add the contract's code"),
      Flag.withDefault(false)
    ),
    block: ReadFlags.block,
    ...ReadFlags.flags
  },
  async () => (await import("./ProveBundle.ts")).run
).pipe(
  Command.withDescription("Read a contract's variables by name, and keep the proof as a file that anyone can check"),
  Command.withExamples([
    {
      command: "plumbline prove 0x5fbd... totalSupply --layout Token.sol -o token.car --trust 0x88df...",
      description: "One value, with its proof from a block you know"
    }
  ]),
  Command.withSubcommands([call, accessList])
)
