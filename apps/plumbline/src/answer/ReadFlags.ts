/**
 * The flags of every command that reads a chain.
 */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type * as Option from "effect/Option"

import * as ChainFlags from "../node/ChainFlags.ts"
import * as LaterForksFile from "../rules/LaterForksFile.ts"
import * as JsonFlag from "../terminal/JsonFlag.ts"
import * as TrustFlags from "./TrustFlags.ts"

const { data, network, retries, timeout, url } = ChainFlags.flags

/** The flags, for a command's config. The help shows them in this order. */
export const flags = {
  url,
  network,
  ...TrustFlags.flags,
  forks: LaterForksFile.flag,
  timeout,
  retries,
  json: JsonFlag.flag,
  data
}

export type ReadFlags = Command.Command.Config.Infer<typeof flags> & Pick<ChainFlags.ChainFlags, "urlFlag">

/** `--block`, of commands that read the state. */
export const block: Flag.Flag<Option.Option<string>> = Flag.String("block").pipe(
  Flag.withMetavar("hash|number|tag"),
  Flag.withDescription(
    "The state after this block (default: the trusted block; finalized with --l1; latest without both)"
  ),
  Flag.optional
)
