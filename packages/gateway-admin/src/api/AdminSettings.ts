/** The settings of the admin API. They stand apart from the server, so that a check of a configuration does not load it. */
import * as Setting from "@plumbline/gateway/schema/Setting"

import * as AdminRole from "./AdminRole.ts"

const isOrigin = (text: string): boolean =>
  /^https?:\/\//u.test(text) && URL.canParse(text) && new URL(text).origin === text

/** True for a URL over TLS, or to this machine. */
const isSafeUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { hash, hostname, password, protocol, search, username } = new URL(text)
  const isLocal = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/u.test(hostname)
  return (
    (protocol === "https:" || (protocol === "http:" && isLocal)) &&
    [hash, password, search, username].every((part) => part === "")
  )
}

/** The path of the service to which the identity provider sends the browser back. */
export const CALLBACK = "/admin/sign-in/callback"

/** The settings of an identity provider for sign-on with OpenID Connect. */
export const oidc = {
  issuer: Setting.textThat(isSafeUrl, "must be a URL with https://, or with http:// on this machine, without a query", {
    description: "The issuer. Its metadata is read from /.well-known/openid-configuration below it."
  }),
  clientId: Setting.text({ description: "The id of this service at the provider." }),
  clientSecret: Setting.optional(
    Setting.secret(
      Setting.text({ description: "The secret of this service at the provider. It is never shown. Default: none." })
    )
  ),
  redirectUrl: Setting.textThat(
    (text) => isSafeUrl(text) && new URL(text).pathname === CALLBACK,
    `must be the URL of the admin API that ends with ${CALLBACK}`,
    { description: `The address of ${CALLBACK} as browsers see it, registered at the provider.` }
  ),
  scopes: Setting.defaulted(
    Setting.array(Setting.text({ description: "A scope." }), {
      description: "Scopes to ask for, beside openid.",
      default: ["email"]
    })
  ),
  groupsClaim: Setting.defaulted(
    Setting.text({ description: "The claim of the ID token that lists the groups of a person.", default: "groups" })
  ),
  groups: Setting.record(
    Setting.struct(
      {
        role: Setting.literal(AdminRole.roles, { description: "What members may do." }),
        projects: Setting.optional(
          Setting.array(Setting.text({ description: "The id of a project." }), {
            description: "Projects that members see and change. Left out, members have all projects."
          })
        )
      },
      "The role of a group."
    ),
    { description: "Groups by name, as the provider names them. A person without one of them is refused." }
  ),
  clockTolerance: Setting.defaulted(
    Setting.duration({
      description: "Time by which the clocks of the provider and of this machine may differ.",
      default: "30s",
      least: 1000,
      most: 300_000
    })
  )
}

/** The settings of the server. */
export const fields = {
  allowedOrigins: Setting.defaulted(
    Setting.array(
      Setting.textThat(isOrigin, "must be an origin such as https://console.example", {
        description: "An origin such as https://console.example, in lower case."
      }),
      { description: "Origins of pages that may call the admin API.", default: [] }
    )
  ),
  sessionLifetime: Setting.defaulted(
    Setting.duration({
      description: "Time after which a page's session ends.",
      default: "12h",
      least: 60_000,
      most: 30 * 86_400_000
    })
  ),
  oidc: Setting.optional(Setting.struct(oidc, "Sign-on of operators with OpenID Connect."))
}

/** Returns the first mistake of a table of groups, by the name of the group; undefined if there is none. */
export const flawOfGroups = (
  groups: Readonly<Record<string, AdminRole.AdminGrant>>
): { readonly group: string; readonly problem: string } | undefined => {
  for (const [group, grant] of Object.entries(groups)) {
    const problem = AdminRole.problemOf(grant)
    if (problem !== undefined) return { group, problem }
  }
  return undefined
}
