/** `metering`: the recording of usage, and the time for which it is kept. */
import type * as Metering from "@plumbline/gateway/metering/Metering"

import * as Kinds from "./Kinds.ts"
import * as Sections from "./Sections.ts"

const { count, group, may, wait, word } = Kinds

/** Milliseconds. */
const GATHER = 2
const ATTEMPT = 2000
const PATIENCE = 5000

const WHEN_DOWN = "refuse"

/** The section of the file. */
export const section = group(
  {
    gather: wait("How long a batch waits at most for as many calls as the one before had.", GATHER),
    attempt: wait("How long one try to write may take.", ATTEMPT),
    patience: wait("How long writing is tried before the store is said to be down.", PATIENCE),
    whenDown: may(
      word(["refuse", "buffer"], {
        description:
          "While usage cannot be written: refuse calls, or buffer it in memory, which is lost with the process.",
        default: WHEN_DOWN
      })
    ),
    limits: may(
      group(
        {
          rows: count("Rows of one batch.", 10_000),
          waiting: count("Calls that wait to be written.", 100_000)
        },
        "Bounds of what is in memory."
      )
    ),
    retention: may(
      group(
        {
          minutes: wait("How long usage is kept by the minute.", "8 days"),
          hours: wait("How long usage is kept by the hour.", "100 days"),
          days: wait("How long usage is kept by the day. Left out: for ever.")
        },
        "How long usage is kept."
      )
    )
  },
  "How usage is written down."
)

/** The section, where the file has it. */
export type Section = typeof section.Type

/** The section as options of metering. */
export const settings = (section: Section = {}): Metering.Options => {
  const { attempt, gather, limits, patience, retention, whenDown = WHEN_DOWN } = section
  return {
    gather: gather === undefined ? GATHER : Kinds.millisOf(gather),
    attempt: attempt === undefined ? ATTEMPT : Kinds.millisOf(attempt),
    patience: patience === undefined ? PATIENCE : Kinds.millisOf(patience),
    whenDown,
    limits,
    retention: Sections.mapped(retention, Kinds.millisOf)
  }
}

/** The mistakes that the Schema cannot tell. */
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

/** The settings in the form of the file. */
export const view = ({ attempt, gather, limits, patience, retention, whenDown }: Metering.Options): Sections.Shown => ({
  gather: Kinds.timeOf(Number(gather)),
  attempt: Kinds.timeOf(Number(attempt)),
  patience: Kinds.timeOf(Number(patience)),
  whenDown,
  limits: limits ?? {},
  retention: Sections.mapped(retention, (time) => Kinds.timeOf(Number(time)))
})
