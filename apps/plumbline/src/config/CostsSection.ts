/** `costs`: changes to the table of credits. */
import * as Costs from "@plumbline/gateway/metering/Costs"
import * as Setting from "@plumbline/gateway/schema/Setting"

import type * as BeaconSection from "./BeaconSection.ts"
import * as ConfigMistake from "./ConfigMistake.ts"
import type * as NetworksSection from "./NetworksSection.ts"

export const section = Setting.group(
  Costs.fields,
  "Changes to the table of credits. Each entry replaces the default entry of the same name."
)

export type CostsSection = typeof section.Type

/** Warns of costs of methods and networks that no call names: the call then costs the default. */
export const warnings = (
  section: CostsSection,
  networks: NetworksSection.NetworksSection | undefined,
  beacon: BeaconSection.BeaconSection | undefined
): ReadonlyArray<ConfigMistake.SettingMistake> => {
  const extra = Object.values(networks ?? {}).flatMap(({ methods = [], readMethods = [] }) => [
    ...methods,
    ...readMethods
  ])
  const known = [...Object.keys(Costs.defaults.methods), ...extra]
  const unknown = (
    path: ConfigMistake.SettingPath,
    names: object,
    among: ReadonlyArray<string>,
    what: string
  ): ReadonlyArray<ConfigMistake.SettingMistake> =>
    Object.keys(names)
      .filter((name) => !among.includes(name))
      .map((name) => {
        const near = ConfigMistake.nearest(name, among)
        const hint = near === undefined ? "" : `; is ${ConfigMistake.named(near)} meant?`
        return { path: [...path, name], problem: `has no effect: it is the name of no ${what}${hint}` }
      })
  return [
    ...unknown(["costs", "methods"], section.methods ?? {}, known, "method"),
    ...Object.entries(section.networks ?? {}).flatMap(([name, own]) =>
      unknown(["costs", "networks", name], own, known, "method")
    ),
    ...(networks === undefined
      ? []
      : unknown(["costs", "networks"], section.networks ?? {}, Object.keys({ ...networks, ...beacon }), "network"))
  ]
}
