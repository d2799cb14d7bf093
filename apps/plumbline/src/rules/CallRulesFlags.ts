/** The flags that name a chain and its hardfork, on which the outcome of a call depends. */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

import { UsageError } from "../terminal/UsageError.ts"
import * as WholeNumber from "../terminal/WholeNumber.ts"

export const flags = {
  chainId: Flag.String("chain-id").pipe(
    Flag.withMetavar("n"),
    Flag.withDescription(
      "The chain that the node must serve (default: that of the light client's network or of the service, otherwise not checked)"
    ),
    Flag.optional
  ),
  hardfork: Flag.String("hardfork").pipe(
    Flag.withMetavar("name"),
    Flag.withDescription(
      "The rules of all blocks of the chain, such as osaka, for calls (default: those of a known chain, or of the service's own)"
    ),
    Flag.optional
  )
}

export type CallRulesFlags = Command.Command.Config.Infer<typeof flags>

/** Reads `--chain-id`, decimal or 0x. */
export const chainOf = ({
  chainId
}: Pick<CallRulesFlags, "chainId">): Result.Result<bigint | undefined, UsageError> => {
  if (Option.isNone(chainId)) return Result.succeed(undefined)
  const number = WholeNumber.parse(chainId.value, 64)
  return number === undefined
    ? Result.fail(new UsageError({ problem: "--chain-id must be a number, decimal or 0x" }))
    : Result.succeed(number)
}
