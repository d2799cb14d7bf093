/**
 * Prints the settings in the form of the file, with every default and without secrets. A URL is shown by its scheme and
 * host, because the rest of the URL may be a secret. A header is shown by its name.
 */
import * as Setting from "@plumbline/gateway/schema/Setting"

import * as Admin from "./Admin.ts"
import { ConfigFile } from "./ConfigFile.ts"
import * as Ipfs from "./Ipfs.ts"
import * as Networks from "./Networks.ts"
import * as Server from "./Server.ts"
import type { Settings } from "./Settings.ts"
import * as State from "./State.ts"

/** A group of settings in the form that `config check` prints. */
type Shown = { readonly [name: string]: unknown }

/** Returns the settings in the form of the file. */
export const file = (settings: Settings): Shown =>
  Setting.encode(ConfigFile, {
    ...settings,
    server: Server.shown(settings.server),
    networks: Networks.shown(settings.networks),
    defaultNetwork: settings.defaultNetwork ?? settings.networks[0]!.name,
    ipfs: Ipfs.shown(settings.ipfs),
    state: State.shown(settings.state),
    admin: Admin.shown(settings.admin)
  }) as Shown

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
