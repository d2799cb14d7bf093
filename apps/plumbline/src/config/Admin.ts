/**
 * `admin`: the admin API.
 */
import * as AdminSession from "@plumbline/gateway/admin/AdminSession"
import type * as Redacted from "effect/Redacted"

import * as Kinds from "./Kinds.ts"
import * as Sections from "./Sections.ts"

const { formed, group, listOf, may, text, wait, whole } = Kinds

/** The loopback address, so that by default only this machine reaches the separate port. */
const HOST = "127.0.0.1"

/** The section `admin` of the configuration file. */
export const section = group(
  {
    token: may(
      formed(/^[0-9a-fA-F]{32,256}$/u, "must be 32 to 256 hex digits, as openssl rand -hex 32 makes them", {
        description: "The token of the admin API. It is never shown. Default: one is made on the first start, and kept."
      })
    ),
    tokenFile: may(text({ description: "A file that contains only the token; relative to this file." })),
    allowedOrigins: may(
      listOf(
        formed(/^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+$/u, "must be an origin such as https://console.example", {
          description: "An origin such as https://console.example, in lower case."
        }),
        { description: "Origins of pages that may call the admin API.", default: [] }
      )
    ),
    host: may(
      formed(/^[A-Za-z0-9._:%-]{1,253}$/u, "must be an IP address or a host name, without a port", {
        description: "Address of the separate port.",
        default: HOST
      })
    ),
    port: may(
      whole(0, 65_535, {
        description:
          "Port that serves /admin and /console, which are then absent from the service's own port; 0 means any free port. Left out, the service's own port serves them."
      })
    ),
    sessionLifetime: wait("Time after which a page's session ends.", AdminSession.defaults.lifetime)
  },
  "The admin API."
).annotate({ not: { required: ["token", "tokenFile"] } })

/** The content of the section `admin`, if the file has this section. */
export type Section = typeof section.Type

/** The settings of the service. */
export interface Settings {
  readonly token: Redacted.Redacted | undefined
  readonly allowedOrigins: ReadonlyArray<string>
  readonly host: string
  /** The separate port. If undefined, the port of the service has the admin API. */
  readonly port: number | undefined
  /** Milliseconds. */
  readonly sessionLifetime: number
}

/** Returns the section as settings. `token` is the content of `tokenFile`. */
export const settings = (section: Section = {}, token: Redacted.Redacted | undefined): Settings => ({
  token: token ?? Sections.secret(section.token),
  allowedOrigins: section.allowedOrigins ?? [],
  host: section.host ?? HOST,
  port: section.port,
  sessionLifetime:
    section.sessionLifetime === undefined ? AdminSession.defaults.lifetime : Kinds.millisOf(section.sessionLifetime)
})

/** Returns the mistakes that the Schema cannot find. */
export const mistakes = ({ host, port, sessionLifetime, token, tokenFile }: Section = {}): Sections.Found => [
  ...(host !== undefined && port === undefined
    ? [{ path: ["admin", "host"], problem: "means nothing without a port of the admin API" }]
    : []),
  ...(token !== undefined && tokenFile !== undefined
    ? [{ path: ["admin", "tokenFile"], problem: "cannot be beside a token" }]
    : []),
  ...(sessionLifetime === undefined || AdminSession.isLifetime(Kinds.millisOf(sessionLifetime))
    ? []
    : [{ path: ["admin", "sessionLifetime"], problem: "must be a time from 1m to 30d" }])
]

/** Returns the settings in the form of the file. */
export const view = ({ allowedOrigins, host, port, sessionLifetime, token }: Settings): Sections.Shown => ({
  ...Sections.given({ token: token && Sections.SECRET }),
  allowedOrigins,
  ...(port === undefined ? {} : { host, port }),
  sessionLifetime: Kinds.timeOf(sessionLifetime)
})
