/**
 * Prints the settings in the form of the file, with every default and without secrets. A URL is shown by its scheme and
 * host, because the rest of the URL may be a secret. A header is shown by its name.
 */
import * as Admin from "./Admin.ts"
import * as Billing from "./Billing.ts"
import * as Cache from "./Cache.ts"
import * as Ipfs from "./Ipfs.ts"
import * as Limits from "./Limits.ts"
import * as Metering from "./Metering.ts"
import * as Networks from "./Networks.ts"
import * as Observability from "./Observability.ts"
import { given, type Shown } from "./Sections.ts"
import * as Server from "./Server.ts"
import type { Settings } from "./Settings.ts"
import * as State from "./State.ts"
import * as Webhooks from "./Webhooks.ts"

/** Returns the settings in the form of the file. */
export const file = (settings: Settings): Shown => ({
  server: Server.view(settings.server),
  ...given({ tls: settings.tls }),
  networks: Networks.view(settings.networks),
  defaultNetwork: settings.defaultNetwork ?? settings.networks[0]?.name,
  cache: Cache.view(settings.cache),
  ipfs: Ipfs.view(settings.ipfs),
  state: State.view(settings.state),
  limits: Limits.view(settings.limits, settings.limiter),
  metering: Metering.view(settings.metering),
  policies: { card: settings.card },
  costs: settings.costs,
  billing: Billing.view(settings.billing),
  webhooks: Webhooks.view(settings.webhooks),
  admin: Admin.view(settings.admin),
  wording: settings.wording,
  observability: Observability.view(settings.observability)
})

/** Returns the settings as lines of a `path` and a `value`. Empty settings are left out. */
export const lines = (settings: Settings): ReadonlyArray<readonly [path: string, value: string]> => {
  const found: Array<readonly [string, string]> = []
  const walk = (value: unknown, path: string): void => {
    if (Array.isArray(value)) {
      if (value.every((item) => typeof item !== "object")) {
        if (value.length > 0) found.push([path, value.join(", ")])
      } else value.forEach((item, index) => walk(item, `${path}[${index}]`))
    } else if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value)) walk(member, path === "" ? name : `${path}.${name}`)
    } else if (value !== null) found.push([path, typeof value === "string" ? value : JSON.stringify(value)])
  }
  walk(file(settings), "")
  return found
}
