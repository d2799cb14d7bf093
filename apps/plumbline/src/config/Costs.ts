/** `costs`: changes to the table of credits. */
import * as Costs from "@plumbline/gateway/metering/Costs"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import * as Kinds from "./Kinds.ts"
import * as Mistake from "./Mistake.ts"
import type * as Networks from "./Networks.ts"
import type * as Sections from "./Sections.ts"

const { COUNT, entries, group, may, whole } = Kinds

const credits = (description: string, fallback?: number) =>
  whole(0, COUNT, fallback === undefined ? { description } : { description, default: fallback })

/** The section `costs` of the configuration file. */
export const section = group(
  {
    methods: may(entries(credits("Credits of a call."), { description: "By method, on every network." })),
    networks: may(
      entries(entries(credits("Credits of a call."), { description: "By method." }), {
        description: "By network, then by method."
      })
    ),
    events: may(
      entries(
        group(
          {
            credits: credits("Credits for each."),
            per: Schema.Union([
              Schema.Literals(["event", "block"]),
              Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 86_400_000 }))
            ]).annotate({
              description:
                "The unit that is charged: each event, each block that has events, or each span of this many milliseconds.",
              message: "must be event, block, or a number of milliseconds"
            })
          },
          "Costs of a subscription's events."
        ),
        { description: "By kind of subscription." }
      )
    ),
    fallback: may(credits("Cost of a method without an entry.", 80)),
    batch: may(credits("Cost of a batch, in addition to its calls.", 1)),
    refused: may(credits("Cost of a call that was refused with a 4xx other than 402 and 429.", 5))
  },
  "Changes to the table of credits. Each entry replaces the default entry of the same name."
)

/** The content of the section `costs`, if the file has this section. */
export type Section = typeof section.Type

/** Returns the mistakes that the Schema cannot find. */
export const mistakes = (section: Section = {}): Sections.Found => {
  const made = Costs.make(section)
  if (Result.isSuccess(made)) return []
  const { problem, setting } = made.failure
  return [{ path: ["costs", ...setting.split(".").filter((part) => part !== "costs")], problem }]
}

/** Warns of costs of methods and networks that no call names: the call then costs the default. */
export const warnings = (section: Section = {}, networks: Networks.Section | undefined): Sections.Found => {
  const extra = Object.values(networks ?? {}).flatMap(({ methods = [], readMethods = [] }) => [
    ...methods,
    ...readMethods
  ])
  const known = [...Object.keys(Costs.defaults.methods), ...extra]
  const unknown = (path: Mistake.Path, names: object, among: ReadonlyArray<string>, what: string): Sections.Found =>
    Object.keys(names)
      .filter((name) => !among.includes(name))
      .map((name) => {
        const near = Mistake.nearest(name, among)
        const hint = near === undefined ? "" : `; is ${Mistake.named(near)} meant?`
        return { path: [...path, name], problem: `has no effect: it is the name of no ${what}${hint}` }
      })
  return [
    ...unknown(["costs", "methods"], section.methods ?? {}, known, "method"),
    ...Object.entries(section.networks ?? {}).flatMap(([name, own]) =>
      unknown(["costs", "networks", name], own, known, "method")
    ),
    ...(networks === undefined
      ? []
      : unknown(["costs", "networks"], section.networks ?? {}, Object.keys(networks), "network"))
  ]
}
