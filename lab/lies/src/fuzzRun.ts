/** Runs a target over seeds and counts the outcomes. */
import type { Outcome, Target } from "./fuzzTarget.ts"
import type { Difference } from "./leaves.ts"

export interface Report {
  readonly target: string
  readonly runs: number
  readonly seconds: number
  /** The number of times that each outcome occurred: `refused: <check>`, `claimed`, `true`, `false`. */
  readonly tally: ReadonlyMap<string, number>
  /** The first false leaves, at most ten. */
  readonly lies: ReadonlyArray<Difference & { readonly seed: number }>
}

export interface Options {
  readonly runs: number
  /** The seed of the first run. Each later run uses the next number. */
  readonly seed: number
  readonly onProgress?: (done: number) => void
}

const SHOWN_LIES = 10

const PROGRESS_EVERY = 10_000

export const run = async (target: Target, { onProgress, runs, seed }: Options): Promise<Report> => {
  const round = await target.prepare()
  const tally = new Map<string, number>()
  const lies: Array<Difference & { readonly seed: number }> = []
  const began = performance.now()
  for (let at = seed; at < seed + runs; at++) {
    const outcome = await settled(round, at)
    const key = keyOf(outcome)
    tally.set(key, (tally.get(key) ?? 0) + 1)
    if (outcome._tag === "False" && lies.length < SHOWN_LIES) {
      const { expected, got, leaf } = outcome
      lies.push({ seed: at, leaf, expected, got })
    }
    if (onProgress !== undefined && (at - seed + 1) % PROGRESS_EVERY === 0) onProgress(at - seed + 1)
  }
  return { target: target.name, runs, seconds: (performance.now() - began) / 1000, tally, lies }
}

const settled = (round: (seed: number) => Outcome | Promise<Outcome>, seed: number): Outcome | Promise<Outcome> => {
  try {
    const outcome = round(seed)
    return outcome instanceof Promise ? outcome.catch(defect) : outcome
  } catch (thrown) {
    return defect(thrown)
  }
}

const defect = (thrown: unknown): Outcome => ({
  _tag: "False",
  leaf: "defect",
  expected: "a typed failure",
  got: thrown instanceof Error ? (thrown.stack ?? thrown.message).slice(0, 600) : String(thrown)
})

const keyOf = (outcome: Outcome): string =>
  outcome._tag === "Refused" ? `refused: ${outcome.check.replaceAll(/\[\d+\]/gu, "[]")}` : outcome._tag.toLowerCase()

/** Returns the number of outcomes that begin with `kind`. */
export const count = (report: Report, kind: "refused" | "claimed" | "true" | "false"): number => {
  let sum = 0
  for (const [key, times] of report.tally) if (key === kind || key.startsWith(`${kind}:`)) sum += times
  return sum
}

/** Returns a report as text, with the most frequent outcomes first. */
export const shown = ({ lies, runs, seconds, tally, target }: Report): string =>
  [
    `${target}: ${runs} runs in ${seconds.toFixed(1)} s, ${Math.round(runs / seconds)} a second`,
    ...[...tally].toSorted(([, a], [, b]) => b - a).map(([key, times]) => `${String(times).padStart(9)}  ${key}`),
    ...lies.map(({ expected, got, leaf, seed }) => `FALSE seed ${seed}: ${leaf}: expected ${expected}, got ${got}`)
  ].join("\n")
