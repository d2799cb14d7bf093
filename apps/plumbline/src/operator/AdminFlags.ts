/** The flags of operators' commands: the service to ask and the token for it, and the forms that several flags share. */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"

import * as DataFolder from "../home/DataFolder.ts"
import * as RetryFlags from "../node/RetryFlags.ts"
import * as JsonFlag from "../terminal/JsonFlag.ts"

/** The flags that every operator's command has. */
export const flags = {
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

export type AdminFlags = Values<typeof flags>

/** The values of flags and arguments, in the form of their definition. */
export type Values<Config> = Command.Command.Config.InferValue<Config>

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

/** Returns the values of the flags that the user gave. */
export const given = <Values extends Readonly<Record<string, Option.Option<unknown>>>>(values: Values) =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (Option.isSome(value) ? [[name, value.value]] : []))
  ) as { readonly [Name in keyof Values]?: Option.Option.Value<Values[Name]> }
