/** The flags for the settings of a key. */
import type * as Flag from "effect/cli/Flag"
import type * as Option from "effect/Option"

import * as AdminFlags from "./AdminFlags.ts"

/** The values of the flags. A limit is a number or `none`. */
export interface KeyFlags {
  readonly label: Option.Option<string>
  readonly expires: Option.Option<string>
  readonly requestsPerSecond: Option.Option<string>
  readonly burst: Option.Option<string>
  readonly creditsPerDay: Option.Option<string>
}

const limit = (name: string, what: string) => AdminFlags.text(name, "number|none", what)

/** The flags, to be used in the config of a command. */
export const flags: { readonly [Name in keyof KeyFlags]: Flag.Flag<KeyFlags[Name]> } = {
  label: AdminFlags.text("label", "text|none", "A name for people, such as the program that has the key"),
  expires: AdminFlags.text(
    "expires",
    "time|never",
    "The time from which the key is refused: an ISO time, a day, or 30d for 30 days from now (default: never)"
  ),
  requestsPerSecond: limit("requests-per-second", "Requests per second of this key"),
  burst: limit(
    "burst",
    "Requests that can be sent at once, such as the calls of a batch (default: the requests per second)"
  ),
  creditsPerDay: limit("credits-per-day", "Credits per day of this key; a day begins at midnight UTC")
}
