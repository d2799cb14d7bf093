import * as AdminSettings from "@plumbline/gateway-admin/api/AdminSettings"
import * as Setting from "@plumbline/gateway/schema/Setting"
import type * as Redacted from "effect/Redacted"

import type * as ConfigMistake from "./ConfigMistake.ts"

const { integer, optional, pattern, secret, struct, text } = Setting

export const section = Setting.withDefaults(
  struct(
    {
      token: optional(
        secret(
          pattern(/^[0-9a-fA-F]{32,256}$/u, "must be 32 to 256 hex digits, as openssl rand -hex 32 makes them", {
            description:
              "The token of the admin API. It is never shown. Default: one is made on the first start, and kept."
          })
        )
      ),
      tokenFile: optional(text({ description: "A file that contains only the token; relative to this file." })),
      ...AdminSettings.fields,
      oidc: optional(
        struct(
          {
            ...AdminSettings.oidc,
            clientSecretFile: optional(
              text({ description: "A file that contains only the client secret; relative to this file." })
            )
          },
          "Sign-on of operators with OpenID Connect."
        ).annotate({ not: { required: ["clientSecret", "clientSecretFile"] } })
      ),
      host: optional(
        pattern(/^[A-Za-z0-9._:%-]{1,253}$/u, "must be an IP address or a host name, without a port", {
          description: "Address of the separate port.",
          // the loopback address, so that by default only this machine reaches the separate port
          default: "127.0.0.1"
        })
      ),
      port: optional(
        integer(0, 65_535, {
          description:
            "Port that serves /admin and /console, which are then absent from the service's own port; 0 means any free port. Left out, the service's own port serves them."
        })
      ),
      socket: optional(
        text({
          description:
            "File of a Unix socket in place of the port, for a proxy on this machine that sets X-Forwarded-For to the caller's address; relative to this file."
        })
      )
    },
    "The admin API."
  ).annotate({ not: { required: ["token", "tokenFile"] } })
)

/** The content of the section `admin`. If `port` is undefined, the port of the service has the admin API. */
export type AdminSection = typeof section.Type

export interface Settings extends Omit<AdminSection, "tokenFile" | "oidc"> {
  readonly host: string
  readonly oidc?: Omit<NonNullable<AdminSection["oidc"]>, "clientSecretFile">
}

/** The contents of the files that the section names. */
export interface Secrets {
  readonly token?: Redacted.Redacted | undefined
  readonly clientSecret?: Redacted.Redacted | undefined
}

const HOST = Setting.usualOf(section.to.fields.host.schema)

/** Returns the settings of the service, in which the contents of files take their place. */
export const settings = (section: AdminSection, { clientSecret, token }: Secrets): Settings => {
  const { oidc, tokenFile: _, ...settings } = section
  const { clientSecretFile: _file, ...provider } = oidc ?? {}
  return {
    ...settings,
    ...(token === undefined ? {} : { token }),
    ...(oidc === undefined
      ? {}
      : { oidc: { ...(provider as typeof oidc), ...(clientSecret === undefined ? {} : { clientSecret }) } }),
    host: settings.host ?? HOST
  }
}

/** Returns the settings as they are shown: a host only beside a port. */
export const shown = ({ host, ...settings }: Settings): AdminSection =>
  settings.port === undefined ? settings : { ...settings, host }

export const mistakes = ({
  host,
  oidc,
  port,
  socket,
  token,
  tokenFile
}: AdminSection): ReadonlyArray<ConfigMistake.SettingMistake> => [
  ...(host !== undefined && port === undefined
    ? [{ path: ["admin", "host"], problem: "means nothing without a port of the admin API" }]
    : []),
  ...(socket !== undefined && port !== undefined
    ? [{ path: ["admin", "socket"], problem: "cannot be beside a port" }]
    : []),
  ...(token !== undefined && tokenFile !== undefined
    ? [{ path: ["admin", "tokenFile"], problem: "cannot be beside a token" }]
    : []),
  ...(oidc === undefined ? [] : mistakesOf(oidc))
]

const mistakesOf = ({
  clientSecret,
  clientSecretFile,
  groups
}: NonNullable<AdminSection["oidc"]>): ReadonlyArray<ConfigMistake.SettingMistake> => {
  const flaw = AdminSettings.flawOfGroups(groups)
  return [
    ...(clientSecret !== undefined && clientSecretFile !== undefined
      ? [{ path: ["admin", "oidc", "clientSecretFile"], problem: "cannot be beside a clientSecret" }]
      : []),
    ...(flaw === undefined
      ? []
      : [{ path: ["admin", "oidc", "groups", flaw.group, "projects"], problem: flaw.problem }])
  ]
}
