/** The rules that a Schema cannot express: rules between settings, and rules of the gateway itself. */
import * as AdminSection from "./AdminSection.ts"
import type { ConfigFile } from "./ConfigFile.ts"
import type { SettingMistake } from "./ConfigMistake.ts"
import * as CostsSection from "./CostsSection.ts"
import * as IpfsSection from "./IpfsSection.ts"
import * as NetworksSection from "./NetworksSection.ts"
import * as ObservabilitySection from "./ObservabilitySection.ts"
import * as Ports from "./Ports.ts"
import * as StateSection from "./StateSection.ts"
import * as WebhooksSection from "./WebhooksSection.ts"

/** Returns the mistakes of a file that has passed its Schema. */
export const mistakes = (file: ConfigFile): ReadonlyArray<SettingMistake> => [
  ...NetworksSection.mistakes(file.networks, file.defaultNetwork),
  ...IpfsSection.mistakes(file.ipfs, StateSection.isShared(file.state)),
  ...StateSection.mistakes(file.state, file.admin),
  ...WebhooksSection.mistakes(file.webhooks),
  ...AdminSection.mistakes(file.admin),
  ...ObservabilitySection.mistakes(file.observability),
  ...Ports.mistakes(file)
]

/** Returns the settings that are allowed, but probably a mistake. */
export const warnings = (file: ConfigFile): ReadonlyArray<SettingMistake> => [
  ...NetworksSection.untrusted(file.networks),
  ...CostsSection.warnings(file.costs, file.networks),
  ...(StateSection.isShared(file.state)
    ? [...StateSection.warnings(file.state), ...NetworksSection.warnings(file.networks)]
    : [])
]
