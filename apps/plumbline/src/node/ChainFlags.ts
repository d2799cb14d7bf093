/** The flags that name the node of a chain, its time limit and its retries. */
import * as Flag from "effect/cli/Flag"
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"

import * as DataFolder from "../home/DataFolder.ts"
import * as RetryFlags from "./RetryFlags.ts"

/** The values of the flags. */
export interface ChainFlags extends RetryFlags.RetryFlags {
  readonly url: Option.Option<Redacted.Redacted>
  readonly network: Option.Option<string>
  readonly data: Option.Option<string>
}

/** The flags, for a command's config. */
export const flags: { readonly [Name in keyof ChainFlags]: Flag.Flag<ChainFlags[Name]> } = {
  url: Flag.Redacted("url").pipe(
    Flag.withMetavar("url"),
    Flag.withDescription("Any JSON-RPC or service URL (default: the service that `plumbline up` started)"),
    Flag.optional
  ),
  network: Flag.String("network").pipe(
    Flag.withMetavar("name"),
    Flag.withDescription("One of the service's networks (default: its first)"),
    Flag.optional
  ),
  ...RetryFlags.flags,
  data: DataFolder.flag
}
