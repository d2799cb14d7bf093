/**
 * `limits`: the limits of new projects, and of addresses.
 */
import * as Limiter from "@plumbline/gateway/limits/Limiter"
import * as Limits from "@plumbline/gateway/limits/Limits"

import * as Kinds from "./Kinds.ts"
import * as Sections from "./Sections.ts"

const { bound, group, may, wait, whole, word } = Kinds

const MAX_CREDITS = 1_000_000_000_000

const { timeout: TIMEOUT, whenDown: WHEN_DOWN } = Limiter.defaults

/** The section of the file. */
export const section = group(
  {
    project: may(
      group(
        {
          creditsPerSecond: bound(1, MAX_CREDITS, {
            number: "Credits that flow into its bucket in a second.",
            description: "Credits that flow into its bucket in a second; null means no limit.",
            default: Limits.defaults.creditsPerSecond
          }),
          burst: bound(1, MAX_CREDITS, {
            number: "Size of its bucket in credits.",
            description: "Size of its bucket in credits; null is the credits of a second.",
            default: Limits.defaults.burst
          }),
          creditsPerDay: bound(0, MAX_CREDITS, {
            number: "The credits of a day by UTC.",
            description: "The credits of a day by UTC; null means no limit.",
            default: Limits.defaults.creditsPerDay
          }),
          concurrency: bound(1, MAX_CREDITS, {
            number: "Calls at a time.",
            description: "Calls at a time; null means no limit.",
            default: Limits.defaults.concurrency
          })
        },
        "Limits of a new project, unless its creator sets others. Existing projects keep their limits."
      )
    ),
    address: may(
      group(
        {
          requestsPerSecond: whole(1, MAX_CREDITS, { description: "Requests of one address in a second." }),
          burst: may(whole(1, MAX_CREDITS, { description: "Requests of one address at once." }))
        },
        "Limits of one address, before the caller is known. Left out: no limit."
      )
    ),
    whenDown: may(
      word(["closed", "open"], {
        description: "While limits cannot be counted: closed refuses calls, open lets them through uncounted.",
        default: WHEN_DOWN
      })
    ),
    timeout: wait("Maximum time for counting.", TIMEOUT)
  },
  "Limits of projects and addresses, in credits."
)

/** The section, if the file has it. */
export type Section = typeof section.Type

/**
 * Returns the limits on calls of a new project: the default for each that the file does not set; null means no limit.
 */
export const project = ({ project }: Section = {}): Limits.Limits => {
  const { ipfsReadsPerSecond: _, ipfsWritesPerSecond: __, ...defaults } = Limits.defaults
  const limits = { ...defaults, ...project }
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== null))
}

/** The options of the limiter. */
export const limiter = ({ address, timeout, whenDown = WHEN_DOWN }: Section = {}): Limiter.Options => ({
  whenDown,
  timeout: timeout === undefined ? TIMEOUT : Kinds.millisOf(timeout),
  address
})

/** Returns the mistakes that the Schema cannot find. */
export const mistakes = (section: Section | undefined): Sections.Found =>
  Sections.timer(["limits", "timeout"], section?.timeout, 60_000)

/** Returns the settings in the form of the file. */
export const view = (limits: Limits.Limits, { address, timeout, whenDown }: Limiter.Options): Sections.Shown => ({
  project: { creditsPerSecond: null, burst: null, creditsPerDay: null, concurrency: null, ...limits },
  ...Sections.given({ address }),
  whenDown,
  timeout: Kinds.timeOf(Number(timeout))
})
