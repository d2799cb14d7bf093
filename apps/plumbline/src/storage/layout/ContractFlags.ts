/** The flags that describe a contract's storage. */
import type { Layout } from "@plumbline/storage-layout/layout/Layout"
import * as Flag from "effect/cli/Flag"
import type * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type * as Path from "effect/Path"

import * as LayoutFile from "./LayoutFile.ts"
import type { LayoutFileError } from "./LayoutFileError.ts"

/** The values of the flags. */
export interface ContractFlags {
  readonly layout: string
  readonly contract: Option.Option<string>
}

/** The flags, for a command's config. */
export const flags: { readonly [Name in keyof ContractFlags]: Flag.Flag<ContractFlags[Name]> } = {
  layout: Flag.String("layout").pipe(
    Flag.withMetavar("file|folder"),
    Flag.withDescription(
      "The layout of its variables: a .sol file, output of solc or Vyper, or what Foundry, Hardhat, Truffle or Sourcify built, as a file or a folder"
    )
  ),
  contract: Flag.String("contract").pipe(
    Flag.withMetavar("name"),
    Flag.withDescription(
      "Which contract of the file or folder, as Vault or src/Vault.sol:Vault (default: the only one)"
    ),
    Flag.optional
  )
}

/** Reads the layout that the flags name. */
export const layout = (
  flags: ContractFlags
): Effect.Effect<Layout, LayoutFileError, FileSystem.FileSystem | Path.Path> =>
  LayoutFile.read(flags.layout, Option.getOrUndefined(flags.contract))
