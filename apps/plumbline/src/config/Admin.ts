/**
 * `admin`: the admin API.
 */
import type * as Redacted from "effect/Redacted"

import * as Kinds from "./Kinds.ts"
import * as Sections from "./Sections.ts"

const { formed, group, listOf, may, text } = Kinds

/** The section of the file. */
export const section = group(
  {
    token: may(
      formed(/^[0-9a-fA-F]{32,256}$/u, "must be 32 to 256 hex digits, as openssl rand -hex 32 makes them", {
        description: "The token of the admin API. It is never shown. Default: one is made on the first start, and kept."
      })
    ),
    tokenFile: may(text({ description: "A file that holds the token alone; relative to this file." })),
    allowedOrigins: may(
      listOf(
        formed(/^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+$/u, "must be an origin such as https://console.example", {
          description: "An origin such as https://console.example, in lower case."
        }),
        { description: "Origins of pages that may call the admin API.", default: [] }
      )
    )
  },
  "The admin API."
).annotate({ not: { required: ["token", "tokenFile"] } })

/** The section, if the file has it. */
export type Section = typeof section.Type

/** The settings of the service. */
export interface Settings {
  readonly token: Redacted.Redacted | undefined
  readonly allowedOrigins: ReadonlyArray<string>
}

/** Returns the section as settings. `token` is the content of `tokenFile`. */
export const settings = (section: Section = {}, token: Redacted.Redacted | undefined): Settings => ({
  token: token ?? Sections.secret(section.token),
  allowedOrigins: section.allowedOrigins ?? []
})

/** Returns the mistakes that the Schema cannot find. */
export const mistakes = ({ token, tokenFile }: Section = {}): Sections.Found =>
  token !== undefined && tokenFile !== undefined
    ? [{ path: ["admin", "tokenFile"], problem: "cannot be beside a token" }]
    : []

/** Returns the settings in the form of the file. */
export const view = ({ allowedOrigins, token }: Settings): Sections.Shown => ({
  ...Sections.given({ token: token && Sections.SECRET }),
  allowedOrigins
})
