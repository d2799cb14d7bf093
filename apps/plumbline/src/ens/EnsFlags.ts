/** The flags of commands that read ENS names. */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"

import * as CallRulesFlags from "../call/CallRulesFlags.ts"

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
