/**
 * The flags of the trust in a rollup: a node of its parent chain (L1), a block of L1, and the rollup. With `--l1`, the
 * flags of the light client are about L1.
 */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"

export const flags = {
  l1: Flag.Redacted("l1").pipe(
    Flag.withMetavar("url"),
    Flag.withDescription(
      "A node of the parent chain of an OP-stack chain, which need not be trusted. The answer is proven from the newest block that L1 settles, which is days old"
    ),
    Flag.optional
  ),
  l1Trust: Flag.String("l1-trust").pipe(
    Flag.withMetavar("block hash"),
    Flag.withDescription(
      "Hash of a block that you know to be on the parent chain (default with --l1: a light client, from --checkpoint and --beacon)"
    ),
    Flag.optional
  ),
  rollup: Flag.String("rollup").pipe(
    Flag.withMetavar("name|id|file"),
    Flag.withDescription(
      "The OP-stack chain of --l1: the name or id of a chain of the public registry, such as base, or a file that describes a chain"
    ),
    Flag.optional
  ),
  accept: Flag.Literals("accept", ["resolved", "proposed"]).pipe(
    Flag.withDescription(
      "Also read blocks that L1 does not settle, at the tag safe: resolved (its game was won, and can be voided) or proposed (its game is open). Answers stay CLAIMED (default: only settled blocks)"
    ),
    Flag.optional
  )
}

export type RollupFlags = Command.Command.Config.Infer<typeof flags>

/** True if a flag asks for the trust in a rollup. */
export const isAsked = ({ accept, l1, l1Trust, rollup }: RollupFlags): boolean =>
  Option.isSome(l1) || Option.isSome(l1Trust) || Option.isSome(rollup) || Option.isSome(accept)
