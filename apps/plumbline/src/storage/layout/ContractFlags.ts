/** The flags that describe a contract's storage. */
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import type { Layout, StructPlace } from "@plumbline/storage-layout/layout/Layout"
import * as Slot from "@plumbline/storage-layout/slot/Slot"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type * as Path from "effect/Path"
import * as Result from "effect/Result"

import { UsageError } from "../../terminal/UsageError.ts"
import type { LayoutFileError } from "./LayoutFileError.ts"
import * as LayoutReading from "./LayoutReading.ts"

export const flags = {
  layout: Flag.String("layout").pipe(
    Flag.withMetavar("file|folder"),
    Flag.withDescription(
      "Required. The layout of its variables: a .sol file, output of solc or Vyper, or what Foundry, Hardhat, Truffle or Sourcify built, as a file or a folder"
    )
  ),
  contract: Flag.String("contract").pipe(
    Flag.withMetavar("name"),
    Flag.withDescription(
      "Which contract of the file or folder, as Vault or src/Vault.sol:Vault (default: the only one)"
    ),
    Flag.optional
  ),
  struct: Flag.String("struct").pipe(
    Flag.withMetavar("name=Struct@slot"),
    Flag.withDescription(
      'A struct at a slot that the contract\'s code chooses, as diamond=LibDiamond.DiamondStorage@keccak256("diamond.standard.diamond.storage"): its members are then diamond.<member>. The slot is a number, keccak256("<text>") or erc7201("<id>"); may be repeated'
    ),
    Flag.atLeast(0)
  )
}

export type ContractFlags = Command.Command.Config.Infer<typeof flags>

/** Reads the layout that the flags name. */
export const layout = (
  flags: ContractFlags
): Effect.Effect<Layout, LayoutFileError | UsageError, FileSystem.FileSystem | Path.Path> =>
  Effect.flatMap(Effect.fromResult(Result.all(flags.struct.map(structAt))), (structs) =>
    LayoutReading.read(flags.layout, { contract: Option.getOrUndefined(flags.contract), structs })
  )

const structAt = (text: string): Result.Result<StructPlace, UsageError> => {
  const [, name, struct, place] = /^([A-Za-z_$][\w$]*)=([A-Za-z_$][\w$.]*)@(.+)$/su.exec(text) ?? []
  if (name === undefined || struct === undefined || place === undefined) {
    return Result.fail(new UsageError({ problem: "--struct must be name=Struct@slot, such as pool=Pools.Pool@0x12" }))
  }
  const slot = slotOf(place)
  return slot === undefined
    ? Result.fail(
        new UsageError({
          problem: `--struct ${name}: the slot must be a number below 2^256, keccak256("<text>") or erc7201("<id>")`
        })
      )
    : Result.succeed({ name, struct, slot })
}

const slotOf = (text: string): Slot.Slot | undefined => {
  const [, hash, quoted] = /^(keccak256|erc7201)\("([^"]*)"\)$/u.exec(text) ?? []
  if (quoted !== undefined) {
    return hash === "erc7201" ? Slot.erc7201(quoted) : BigInt(Keccak256.hashHex(new TextEncoder().encode(quoted)))
  }
  if (!/^(?:0x[0-9a-fA-F]{1,64}|\d{1,78})$/u.test(text)) return undefined
  const slot = BigInt(text)
  return slot < Slot.COUNT ? slot : undefined
}
