/** The type of a scenario, which tests one fault, and of the findings of a run. */
import type { Effect, Scope } from "effect"

/** The size of a run. */
export interface Size {
  /** Length of each phase in seconds. The phases are before, during and after the fault. */
  readonly seconds: number
  /** Number of clients over HTTP, and number of clients over WebSockets. */
  readonly clients: { readonly http: number; readonly webSocket: number }
  /** Number of WebSockets that stay open without a call. */
  readonly idle: number
  readonly subscribers: number
  /** Minutes of saturation. */
  readonly minutes: number
}

/** The size of a full run of `pnpm lab chaos`. */
export const full: Size = {
  seconds: 6,
  clients: { http: 12, webSocket: 4 },
  idle: 10_000,
  subscribers: 1000,
  minutes: 5
}

/** The size of a short run, as in the tests. */
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
  /** Number of calls that were answered with the true value. */
  readonly right: number
  readonly wrong: number
  /** For each documented refusal, the number of calls that got it. */
  readonly refused: ReadonlyMap<string, number>
  /** Lost calls, which got no answer or an undocumented one: their number for each reason. */
  readonly lost: ReadonlyMap<string, number>
  /** Number of calls with the outcome `ok` in the usage of all clients. */
  readonly metered: number
  /**
   * Number of calls that were refused because the store did not answer, but were metered. The documentation permits
   * this.
   */
  readonly uncertain: number
  /** The longest time without an answer to any client, in milliseconds. */
  readonly pause: number
  /** Sentences that describe what the metrics and health checks showed the operator during the run. */
  readonly operator: ReadonlyArray<string>
  /** Sentences with further measurements. */
  readonly measured: ReadonlyArray<string>
  /** Sentences about promises that did not hold. */
  readonly broken: ReadonlyArray<string>
}

export interface Scenario {
  readonly name: string
  /** One sentence about the fault and the promise. */
  readonly about: string
  /** The reason why the scenario cannot run here; undefined if it can. */
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
