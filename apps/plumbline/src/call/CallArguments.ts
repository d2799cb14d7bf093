/** The arguments and flags of commands that describe a call. They are a module of their own, because the help loads them. */
import * as Argument from "effect/cli/Argument"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"

export const flags = {
  address: Argument.String("address").pipe(Argument.withDescription("The contract: 0x and 40 hex digits")),
  signature: Argument.String("signature").pipe(
    Argument.withDescription(
      "The function, with its types and those that it returns: balanceOf(address)(uint256); or 0x and the call's data"
    )
  ),
  args: Argument.String("argument").pipe(
    Argument.withDescription("Arguments of the function; arrays as [a,b], tuples as (a,b)"),
    Argument.variadic()
  ),
  from: Flag.String("from").pipe(
    Flag.withMetavar("address"),
    Flag.withDescription("The sender of the call (default: the zero address)"),
    Flag.optional
  ),
  value: Flag.String("value").pipe(
    Flag.withMetavar("wei"),
    Flag.withDescription("The wei that the call sends, decimal or 0x (default: 0)"),
    Flag.optional
  ),
  gas: Flag.String("gas").pipe(
    Flag.withMetavar("n"),
    Flag.withDescription("The gas of the call (default and maximum: 50000000)"),
    Flag.optional
  )
}

export type CallArguments = Command.Command.Config.Infer<typeof flags>
