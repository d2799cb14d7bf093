/**
 * Prints the settings in the form of the file, with every default and without secrets. The URL of a node is shown by its
 * scheme and host, because the rest of the URL may be a secret. A header is shown by its name.
 */
import * as Setting from "@plumbline/gateway/schema/Setting"
import * as FreeText from "@plumbline/redaction/FreeText"

import * as AdminSection from "./AdminSection.ts"
import { ConfigFile } from "./ConfigFile.ts"
import * as IpfsSection from "./IpfsSection.ts"
import * as NetworksSection from "./NetworksSection.ts"
import * as ServerSection from "./ServerSection.ts"
import type { ServiceSettings } from "./ServiceSettings.ts"
import * as StateSection from "./StateSection.ts"

/** A group of settings in the form that `config check` prints. */
type Shown = { readonly [name: string]: unknown }

export const file = (settings: ServiceSettings): Shown =>
  withoutSecrets(
    Setting.encode(ConfigFile, {
      ...settings,
      server: ServerSection.shown(settings.server),
      networks: NetworksSection.shown(settings.networks),
      defaultNetwork: settings.defaultNetwork ?? settings.networks[0]!.name,
      ipfs: IpfsSection.shown(settings.ipfs),
      state: StateSection.shown(settings.state),
      admin: AdminSection.shown(settings.admin)
    })
  ) as Shown

/**
 * Removes the secrets that stand where no secret belongs: a URL in place of a name that the file chooses, and the
 * password of a URL in any text.
 */
const withoutSecrets = (value: unknown): unknown => {
  if (typeof value === "string") return FreeText.withoutKeys(value)
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [FreeText.withoutUrls(name), withoutSecrets(member)])
  )
}

/** Returns the settings as lines of a `path` and a `value`. Empty settings are left out. */
export const lines = (settings: ServiceSettings): ReadonlyArray<readonly [path: string, value: string]> => {
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
