/** The flags of IPFS commands that take the ENS name of content: the chain's node, and the reader's trust in the chain. */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

import * as TrustFlags from "../answer/TrustFlags.ts"
import * as ChainFlags from "../node/ChainFlags.ts"
import * as LaterForksFile from "../rules/LaterForksFile.ts"
import { UsageError } from "../terminal/UsageError.ts"
import * as EnsFlags from "./EnsFlags.ts"

export const flags = {
  chainUrl: Flag.Redacted("chain-url").pipe(
    Flag.withMetavar("url"),
    Flag.withDescription("The chain's node that reads ENS names (default: the service that `plumbline up` started)"),
    Flag.optional
  ),
  network: ChainFlags.flags.network,
  ...TrustFlags.flags,
  forks: LaterForksFile.flag,
  ...EnsFlags.flags
}

export type NamedContentFlags = Command.Command.Config.Infer<typeof flags>

/**
 * Refuses these flags in a command that was given a CID: its content is proven by the CID, so no chain is asked, and trust
 * in one would be ignored.
 */
export const refuseWithCid = (given: NamedContentFlags): Result.Result<void, UsageError> => {
  const key = (Object.keys(flags) as ReadonlyArray<keyof NamedContentFlags>).find((key) => isGiven(given[key]))
  if (key === undefined) return Result.succeed(undefined)
  const flag = `--${key.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`
  return Result.fail(new UsageError({ problem: `${flag} is for the content of an ENS name, such as ens://alice.eth` }))
}

const isGiven = (value: NamedContentFlags[keyof NamedContentFlags]): boolean =>
  Option.isOption(value) ? Option.isSome<unknown>(value) : typeof value === "boolean" ? value : value.length > 0
