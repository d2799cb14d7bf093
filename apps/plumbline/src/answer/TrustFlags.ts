/** The flag `--trust`. `Trust` reads its value. */
import * as Flag from "effect/cli/Flag"
import type * as Option from "effect/Option"

/** The flag. */
export const flag: Flag.Flag<Option.Option<string>> = Flag.String("trust").pipe(
  Flag.withMetavar("block hash"),
  Flag.withDescription("Hash of a block that you know to be on the chain: what the answer is proven from"),
  Flag.optional
)
