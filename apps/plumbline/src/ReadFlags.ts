/**
 * The flags that every reading command has.
 */
import * as Flag from "effect/cli/Flag"
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"

import * as DataFolder from "./DataFolder.ts"
import * as PatienceFlags from "./PatienceFlags.ts"

/** What they say. */
export interface ReadFlags extends PatienceFlags.PatienceFlags {
  readonly url: Option.Option<Redacted.Redacted>
  readonly network: Option.Option<string>
  readonly trust: Option.Option<string>
  readonly json: boolean
  readonly data: Option.Option<string>
}

/** `--json`, of every command. */
export const json: Flag.Flag<boolean> = Flag.Boolean("json").pipe(
  Flag.withoutNegation,
  Flag.withDescription("Print one JSON object instead of text for people"),
  Flag.withDefault(false)
)

/** `--block`, of commands that read the state. */
export const block: Flag.Flag<Option.Option<string>> = Flag.String("block").pipe(
  Flag.withMetavar("hash|number|tag"),
  Flag.withDescription("The state after this block (default: the trusted block, or latest without --trust)"),
  Flag.optional
)

/** The flags, for a command's config. */
export const flags: { readonly [Name in keyof ReadFlags]: Flag.Flag<ReadFlags[Name]> } = {
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
  trust: Flag.String("trust").pipe(
    Flag.withMetavar("block hash"),
    Flag.withDescription("Hash of a block that you know to be on the chain: what the answer is proven from"),
    Flag.optional
  ),
  ...PatienceFlags.flags,
  json,
  data: DataFolder.flag
}
