/** The ports of a service: its own, that of the metrics, and that of the admin API. */
import * as AdminSection from "./AdminSection.ts"
import type { ConfigFile } from "./ConfigFile.ts"
import type { SettingMistake } from "./ConfigMistake.ts"
import * as ServerSection from "./ServerSection.ts"

/** Returns a mistake for each listener whose port another listener has. Port 0 means any free port. */
export const mistakes = ({ admin: section, observability, server }: ConfigFile): ReadonlyArray<SettingMistake> => {
  const { metrics } = observability
  const admin = AdminSection.settings(section, undefined)
  const listeners = [
    { path: ["server", "port"], host: server.host, port: server.port ?? ServerSection.USUAL_PORT },
    { path: ["observability", "metrics", "port"], host: metrics.host, port: metrics.port },
    { path: ["admin", "port"], host: admin.host, port: admin.port }
  ]
  return listeners.flatMap(({ host, path, port }, index) => {
    if (port === undefined || port === 0) return []
    const other = listeners.slice(0, index).find((one) => one.port === port && meet(one.host, host))
    return other === undefined ? [] : [{ path, problem: `must differ from ${other.path.join(".")}` }]
  })
}

/** True if two listeners of the same port are in each other's way. */
const meet = (one: string, other: string): boolean => one === other || [one, other].some((host) => ANY.has(host))

const ANY: ReadonlySet<string> = new Set(["0.0.0.0", "::"])
