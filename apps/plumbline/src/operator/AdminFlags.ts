/** The flags that every operator's command has: the service to ask, and the token for it. */
import * as Flag from "effect/cli/Flag"
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"

import * as DataFolder from "../home/DataFolder.ts"
import * as RetryFlags from "../node/RetryFlags.ts"
import * as JsonFlag from "../terminal/JsonFlag.ts"

/** The values of the flags. */
export interface AdminFlags extends RetryFlags.RetryFlags {
  readonly url: Option.Option<Redacted.Redacted>
  readonly adminToken: Option.Option<Redacted.Redacted>
  readonly json: boolean
  readonly data: Option.Option<string>
}

/** The flags, for a command's config. */
export const flags: { readonly [Name in keyof AdminFlags]: Flag.Flag<AdminFlags[Name]> } = {
  url: Flag.Redacted("url").pipe(
    Flag.withMetavar("url"),
    Flag.withDescription("A Plumbline service (default: the one that `plumbline up` started)"),
    Flag.optional
  ),
  adminToken: Flag.Redacted("admin-token").pipe(
    Flag.withMetavar("token"),
    Flag.withDescription(
      "Its admin token (default: that of the service that `plumbline up` started, else $PLUMBLINE_ADMIN_TOKEN, which other users of this machine cannot see)"
    ),
    Flag.optional
  ),
  ...RetryFlags.flags,
  json: JsonFlag.flag,
  data: DataFolder.flag
}

/** Makes a flag for a setting that is on or off. Without the flag the setting stays unchanged. */
export const onOff = (name: string, description: string): Flag.Flag<Option.Option<boolean>> =>
  Flag.Literals(name, ["on", "off"]).pipe(
    Flag.withMetavar("on|off"),
    Flag.withDescription(description),
    Flag.map((said) => said === "on"),
    Flag.optional
  )

/** Makes a flag for an optional text. */
export const text = (name: string, metavar: string, description: string): Flag.Flag<Option.Option<string>> =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)
