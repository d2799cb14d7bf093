/** The rules that a Schema cannot express: rules between settings, and rules of the gateway itself. */
import * as Admin from "./Admin.ts"
import type { ConfigFile } from "./ConfigFile.ts"
import * as Costs from "./Costs.ts"
import * as Ipfs from "./Ipfs.ts"
import type { Mistake } from "./Mistake.ts"
import * as Networks from "./Networks.ts"
import * as Observability from "./Observability.ts"
import * as Ports from "./Ports.ts"
import * as State from "./State.ts"
import * as Webhooks from "./Webhooks.ts"

/** Returns the mistakes of a file that has passed its Schema. */
export const mistakes = (file: ConfigFile): ReadonlyArray<Mistake> => [
  ...Networks.mistakes(file.networks, file.defaultNetwork),
  ...Ipfs.mistakes(file.ipfs, State.isShared(file.state)),
  ...State.mistakes(file.state, file.admin),
  ...Webhooks.mistakes(file.webhooks),
  ...Admin.mistakes(file.admin),
  ...Observability.mistakes(file.observability),
  ...Ports.mistakes(file)
]

/** Returns the settings that are allowed, but probably a mistake. */
export const warnings = (file: ConfigFile): ReadonlyArray<Mistake> => [
  ...Networks.untrusted(file.networks),
  ...Costs.warnings(file.costs, file.networks),
  ...(State.isShared(file.state) ? [...State.warnings(file.state), ...Networks.warnings(file.networks)] : [])
]
