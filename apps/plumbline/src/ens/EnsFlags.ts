/** The flags of commands that read ENS names. */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

import * as CallRulesFlags from "../rules/CallRulesFlags.ts"
import { UsageError } from "../terminal/UsageError.ts"

/** The flags of a command that reads names. The rules of the chain are needed because a name is read by a call. */
export const flags = {
  ens: Flag.String("ens").pipe(
    Flag.withMetavar("address"),
    Flag.withDescription(
      "The contract that reads ENS names, the Universal Resolver (default: that of mainnet, Sepolia and Holesky)"
    ),
    Flag.optional
  ),
  ccip: Flag.Boolean("ccip").pipe(
    Flag.withoutNegation,
    Flag.withDescription(
      "Read names whose records are outside the chain. Their gateways learn the name, and the answer is CLAIMED"
    ),
    Flag.withDefault(false)
  ),
  ...CallRulesFlags.flags
}

export type EnsFlags = Command.Command.Config.Infer<typeof flags>

/** Refuses flags that only a name needs, in a command that was given an address. */
export const refuseWithAddress = ({ ccip, ens }: Pick<EnsFlags, "ccip" | "ens">): Result.Result<void, UsageError> =>
  ccip || Option.isSome(ens)
    ? Result.fail(new UsageError({ problem: `${ccip ? "--ccip" : "--ens"} is for ENS names, and an address is given` }))
    : Result.succeed(undefined)
