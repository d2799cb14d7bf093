/** `metering`: the recording of usage, and the time for which it is kept. */
import * as Metering from "@plumbline/gateway/metering/Metering"

import * as Kinds from "./Kinds.ts"
import * as Sections from "./Sections.ts"

const { count, group, may, wait, word } = Kinds

const usual = Metering.defaults

/** The section `metering` of the configuration file. */
export const section = group(
  {
    gather: wait(
      "Maximum time for which a batch waits for calls. It waits until it has as many calls as the previous batch.",
      usual.gather
    ),
    attempt: wait("Maximum time of one try to write.", usual.attempt),
    patience: wait("Time for which writing is tried before the store counts as down.", usual.patience),
    whenDown: may(
      word(["refuse", "buffer"], {
        description:
          "While usage cannot be written: refuse calls, or buffer it in memory, which is lost with the process.",
        default: usual.whenDown
      })
    ),
    limits: may(
      group(
        {
          rows: count("Rows of one batch.", usual.limits.rows),
          waiting: count("Calls that wait to be written.", usual.limits.waiting)
        },
        "Bounds of the usage in memory."
      )
    ),
    retention: may(
      group(
        {
          minutes: wait("Time for which usage is kept by the minute.", usual.retention.minutes),
          hours: wait("Time for which usage is kept by the hour.", usual.retention.hours),
          days: wait("Time for which usage is kept by the day. Left out: for ever.")
        },
        "Times for which usage is kept."
      )
    )
  },
  "Recording of usage."
)

/** The settings of the section, as the file gives them. */
export type Section = typeof section.Type

/** Returns the section as options of metering. */
export const settings = (section: Section = {}): Metering.Options => {
  const { attempt, gather, limits, patience, retention, whenDown = usual.whenDown } = section
  return {
    gather: gather === undefined ? usual.gather : Kinds.millisOf(gather),
    attempt: attempt === undefined ? usual.attempt : Kinds.millisOf(attempt),
    patience: patience === undefined ? usual.patience : Kinds.millisOf(patience),
    whenDown,
    limits,
    retention: Sections.mapped(retention, Kinds.millisOf)
  }
}

/** Returns the mistakes that the Schema cannot find. */
export const mistakes = (section: Section = {}): Sections.Found => {
  const { attempt, gather, patience } = section
  return [
    ...Sections.timer(["metering", "attempt"], attempt),
    ...Sections.timer(["metering", "patience"], patience),
    ...(gather === undefined || Kinds.millisOf(gather) <= 60_000
      ? []
      : [{ path: ["metering", "gather"], problem: "must be a time up to 1m" }])
  ]
}

/** Returns the settings in the form of the file. */
export const view = ({ attempt, gather, limits, patience, retention, whenDown }: Metering.Options): Sections.Shown => ({
  gather: Kinds.timeOf(Number(gather)),
  attempt: Kinds.timeOf(Number(attempt)),
  patience: Kinds.timeOf(Number(patience)),
  whenDown,
  limits: limits ?? {},
  retention: Sections.mapped(retention, (time) => Kinds.timeOf(Number(time)))
})
