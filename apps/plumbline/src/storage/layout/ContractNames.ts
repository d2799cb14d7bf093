/** Names of contracts: `Vault`, or `src/Vault.sol:Vault`. */
import * as Nearest from "@plumbline/codec/text/Nearest"
import type { StructPlace } from "@plumbline/storage-layout/layout/Layout"
import * as Result from "effect/Result"

import * as JsonFiles from "./JsonFiles.ts"
import type { LayoutFileError } from "./LayoutFileError.ts"

/** The contract that the user names, and the structs that its code puts at slots of its choice. */
export interface WantedContract {
  /** The contract's name; undefined for the only contract. */
  readonly contract: string | undefined
  readonly structs: ReadonlyArray<StructPlace>
}

/** A value with the full name of a contract. */
export interface NamedContract {
  readonly name: string
}

/**
 * True if the full name is `Vault`, `Vault.sol:Vault` or any longer part of the path of `src/vaults/Vault.sol:Vault`.
 */
export const isCalled = (wanted: string, name: string): boolean =>
  wanted === name || name.endsWith(`:${wanted}`) || (wanted.includes(":") && name.endsWith(`/${wanted}`))

/** Returns the contract's own name, without its source. */
export const ownOf = (name: string): string => name.slice(name.lastIndexOf(":") + 1)

/** Returns the short name of a contract of the source `source`, and the full name of any other contract. */
const shortOf = (name: string, source: string | undefined): string =>
  source !== undefined && name.startsWith(`${source}:`) ? name.slice(source.length + 1) : name

const MAX_NAMES = 16

const list = (of: ReadonlyArray<NamedContract>, source: string | undefined): string => {
  const names = [...new Set(of.map(({ name }) => shortOf(name, source)))]
  const known = names.slice(0, MAX_NAMES).join(", ")
  return names.length > MAX_NAMES ? `${known} and ${names.length - MAX_NAMES} others` : known
}

/** The contracts to choose from. */
export interface ContractChoice<A extends NamedContract> {
  /** The file or folder, for errors. */
  readonly path: string
  readonly all: ReadonlyArray<A>
  /** The contracts to choose from if no name is given. */
  readonly usual: ReadonlyArray<A>
  /** The name that the user gave. */
  readonly wanted: string | undefined
  /** The source whose contracts are listed without the source's name. */
  readonly source?: string | undefined
}

/** Chooses a contract. Fails with `NoContract` and names that are similar, or with `AmbiguousContract`. */
export const choose = <A extends NamedContract>({
  all,
  path,
  source,
  usual,
  wanted
}: ContractChoice<A>): Result.Result<A, LayoutFileError> => {
  const found = wanted === undefined ? usual : all.filter(({ name }) => isCalled(wanted, name))
  const [first, second] = found
  if (second !== undefined) {
    return Result.fail(JsonFiles.ambiguous(path, `choose one with --contract: ${list(found, source)}`))
  }
  if (first !== undefined) return Result.succeed(first)
  if (wanted === undefined) return Result.fail(JsonFiles.noContract(path, "it has no contract"))
  const near = Nearest.find(
    ownOf(wanted),
    all.map(({ name }) => ownOf(name))
  )
  const others = all.length === 0 ? "no contract" : list(all, source)
  const instead = near.length === 0 ? `, but ${others}` : `; did you mean ${near.join(" or ")}?`
  return Result.fail(JsonFiles.noContract(path, `it has no contract ${wanted}${instead}`))
}
