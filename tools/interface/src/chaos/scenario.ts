/** A fault as a scenario: its name, and what a run of it found. */
import type { Effect, Scope } from "effect"

/** The size of a run. */
export interface Size {
  /** Seconds of each phase: before the fault, during it, and after it. */
  readonly seconds: number
  /** Clients over HTTP and over WebSockets. */
  readonly clients: { readonly http: number; readonly webSocket: number }
  /** WebSockets without a call. */
  readonly idle: number
  readonly subscribers: number
  /** Minutes of saturation. */
  readonly minutes: number
}

/** The sizes of `pnpm chaos`. */
export const full: Size = {
  seconds: 6,
  clients: { http: 12, webSocket: 4 },
  idle: 10_000,
  subscribers: 1000,
  minutes: 5
}

/** The sizes of the tests. */
export const short: Size = {
  seconds: 1.5,
  clients: { http: 3, webSocket: 1 },
  idle: 200,
  subscribers: 40,
  minutes: 0.2
}

/** The findings of a run. */
export interface Finding {
  readonly sent: number
  /** Answered with the true value. */
  readonly right: number
  readonly wrong: number
  /** Refused in a way that the documentation names, by the answer. */
  readonly refused: ReadonlyMap<string, number>
  /** Calls without an answer, or with one that the documentation does not name, by the reason. */
  readonly lost: ReadonlyMap<string, number>
  /** Calls with the outcome `ok` in the usage of all clients. */
  readonly metered: number
  /** Metered calls that were refused, because the store's answer did not come. The documentation permits them. */
  readonly uncertain: number
  /** The longest time in milliseconds in which no client got an answer. */
  readonly pause: number
  /** The signs that the operator saw, in words. */
  readonly operator: ReadonlyArray<string>
  /** Further measurements, in words. */
  readonly measured: ReadonlyArray<string>
  /** Promises that did not hold. */
  readonly broken: ReadonlyArray<string>
}

export interface Scenario {
  readonly name: string
  /** One sentence: the fault, and the promise. */
  readonly about: string
  /** The reason why it cannot run here; undefined if it can. */
  readonly skipped?: string | undefined
  readonly run: (size: Size) => Effect.Effect<Finding, unknown, Scope.Scope>
}

const sumOf = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((sum, n) => sum + n, 0)

/** Returns the number of calls that were lost. */
export const lostOf = ({ lost }: Finding): number => sumOf(lost)

/** Returns the number of calls that were refused in a known way. */
export const refusedOf = ({ refused }: Finding): number => sumOf(refused)

/** Returns every reason why the scenario has failed. */
export const faultsOf = (finding: Finding): ReadonlyArray<string> => {
  const { broken, metered, right, uncertain, wrong } = finding
  const lost = lostOf(finding)
  return [
    ...broken,
    ...(wrong > 0 ? [`${wrong} wrong answers`] : []),
    ...(lost > 0 ? [`${lost} calls lost: ${[...finding.lost.keys()].join("; ")}`] : []),
    ...(metered - uncertain === right + wrong ? [] : [`${right + wrong} acknowledged, ${metered} metered`]),
    ...(finding.sent === 0 ? ["nothing was sent"] : [])
  ]
}
