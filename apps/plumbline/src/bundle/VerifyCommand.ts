/** `plumbline verify <bundle.car|cid> --trust <hash> [--layout <file> <path...>]` */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"

import * as IpfsFlags from "../ipfs/IpfsFlags.ts"
import * as CallRulesFlags from "../rules/CallRulesFlags.ts"
import * as ContractFlags from "../storage/layout/ContractFlags.ts"
import * as CommandFactory from "../terminal/CommandFactory.ts"

export const verify = CommandFactory.make(
  "verify",
  {
    bundle: Argument.String("bundle").pipe(
      Argument.withDescription(
        "A file, which is checked without any network, or a CID, which is fetched from an IPFS node"
      )
    ),
    paths: Argument.String("path").pipe(
      Argument.withDescription("The variable to read from the bundle, with --layout (default: everything)"),
      Argument.variadic()
    ),
    trust: Flag.String("trust").pipe(
      Flag.withMetavar("block hash"),
      Flag.withDescription("Hash of a block that you know to be on the chain: the bundle must be of this block")
    ),
    layout: ContractFlags.flags.layout.pipe(
      Flag.withDescription("The layout of the variables to read, as `plumbline read` takes it (default: none is read)"),
      Flag.optional
    ),
    contract: ContractFlags.flags.contract,
    struct: ContractFlags.flags.struct,
    address: Flag.String("address").pipe(
      Flag.withMetavar("address"),
      Flag.withDescription("Account of the variables (default: the only account that the bundle names)"),
      Flag.optional
    ),
    chainId: CallRulesFlags.flags.chainId.pipe(
      Flag.withDescription(
        "The chain of the block, as you know it, for a bundle of a call (default: the bundle's word)"
      )
    ),
    hardfork: CallRulesFlags.flags.hardfork.pipe(
      Flag.withDescription("The rules of the block, as you know them, such as osaka (default: those of a known chain)")
    ),
    ...IpfsFlags.flags
  },
  async () => (await import("./VerifyBundle.ts")).run
).pipe(
  Command.withDescription(
    "Check a proof bundle against the hash of a block, read variables from it, and run its call again"
  ),
  Command.withExamples([
    {
      command: "plumbline verify token.car --trust 0x88df...",
      description: "The facts that it proves, without any network"
    },
    {
      command: "plumbline verify token.car --trust 0x88df... --layout Token.sol totalSupply",
      description: "A value, proven by the file alone"
    },
    {
      command: "plumbline verify call.car --trust 0x88df... --chain-id 1",
      description: "The call that it keeps, run again without any network"
    },
    { command: "plumbline verify bafy... --trust 0x88df...", description: "The same, fetched from a node of IPFS" }
  ])
)
