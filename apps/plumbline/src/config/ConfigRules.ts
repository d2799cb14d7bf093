/** The rules that a Schema cannot express: rules between settings, and rules of the gateway itself. */
import * as AdminSection from "./AdminSection.ts"
import * as BeaconSection from "./BeaconSection.ts"
import type { ConfigFile } from "./ConfigFile.ts"
import type { SettingMistake } from "./ConfigMistake.ts"
import * as CostsSection from "./CostsSection.ts"
import * as IpfsSection from "./IpfsSection.ts"
import * as NetworksSection from "./NetworksSection.ts"
import * as ObservabilitySection from "./ObservabilitySection.ts"
import * as ServerSection from "./ServerSection.ts"
import * as StateSection from "./StateSection.ts"
import * as WebhooksSection from "./WebhooksSection.ts"
import * as WorkerRules from "./WorkerRules.ts"

/** Returns the mistakes of a file that has passed its Schema. */
export const mistakes = (file: ConfigFile): ReadonlyArray<SettingMistake> => [
  ...NetworksSection.mistakes(file.networks, file.defaultNetwork),
  ...IpfsSection.mistakes(file.ipfs, StateSection.isShared(file.state)),
  ...BeaconSection.mistakes(file.beacon),
  ...StateSection.mistakes(file.state, file.admin),
  ...WebhooksSection.mistakes(file.webhooks),
  ...AdminSection.mistakes(file.admin),
  ...ObservabilitySection.mistakes(file.observability),
  ...WorkerRules.mistakes(file.server.workers, NetworksSection.settings(file.networks, file.server.workers)),
  ...samePorts(file)
]

/** Returns the settings that are allowed, but probably a mistake. */
export const warnings = (file: ConfigFile): ReadonlyArray<SettingMistake> => [
  ...NetworksSection.untrusted(file.networks),
  ...CostsSection.warnings(file.costs, file.networks, file.beacon),
  ...(StateSection.isShared(file.state)
    ? [...StateSection.warnings(file.state), ...NetworksSection.warnings(file.networks)]
    : [])
]

/** Returns a mistake for each listener whose port another listener has. Port 0 means any free port. */
const samePorts = ({ admin: section, observability, server }: ConfigFile): ReadonlyArray<SettingMistake> => {
  const { metrics } = observability
  const admin = AdminSection.settings(section, {})
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
