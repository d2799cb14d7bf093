/** `plumbline layout <file> -o <module.ts>` */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"

import * as CommandFactory from "../terminal/CommandFactory.ts"
import * as JsonFlag from "../terminal/JsonFlag.ts"
import * as ContractFlags from "./layout/ContractFlags.ts"

export const layout = CommandFactory.make(
  "layout",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription(
        "A .sol file, output of solc or Vyper, or what Foundry, Hardhat, Truffle or Sourcify built, as a file or a folder"
      )
    ),
    contract: ContractFlags.flags.contract,
    struct: ContractFlags.flags.struct,
    output: Flag.String("output").pipe(
      Flag.withAlias("o"),
      Flag.withMetavar("module.ts"),
      Flag.withDescription(
        "The file to write, or - for standard output; one that this command wrote before is replaced"
      )
    ),
    force: Flag.Boolean("force").pipe(
      Flag.withAlias("f"),
      Flag.withoutNegation,
      Flag.withDescription("Replace the file even if another program wrote it"),
      Flag.withDefault(false)
    ),
    json: JsonFlag.flag
  },
  async () => (await import("./LayoutModule.ts")).run
).pipe(
  Command.withDescription("Write a contract's layout as a TypeScript module, for paths that the compiler checks"),
  Command.withExamples([
    {
      command: "plumbline layout contracts/Vault.sol -o src/Vault.layout.ts",
      description: "Compile a source, and write the places of its variables"
    }
  ])
)
