/** The tables of a replay, as Markdown. */
import type { Replayed, Tally } from "./replay.ts"

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map((_, at) => (at < 2 ? "---" : "---:")), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const number = (value: number): string => value.toLocaleString("en-US")

/** Returns a quotient, which is 0 for no divisor. */
const per = (value: number, of: number): number => (of === 0 ? 0 : value / of)

/** Returns the name of a check without the hashes, numbers and indexes of one lie. */
const kindOf = (check: string): string =>
  check
    .replace(/^block \d+ before the trusted block 0x[0-9a-f]+$/u, "another block than the trusted chain has")
    .replaceAll(/\[\d+\]/gu, "[]")
    .replaceAll(/ node \d+$/gu, " node")

const outcomes = (tallies: ReadonlyArray<Tally>): string =>
  table(
    ["chain", "way", "lies heard", "lies accepted", "true answers", "refused", "no answer", "mean s", "longest s"],
    tallies.map((one) => [
      one.scene,
      one.way,
      number(one.told),
      number(one.accepted),
      number(one.honest),
      number(one.open),
      number(one.unanswered),
      (per(one.millis, one.honest) / 1000).toFixed(1),
      (one.longest / 1000).toFixed(0)
    ])
  )

const costs = (tallies: ReadonlyArray<Tally>): string =>
  table(
    ["chain", "way", "reads", "true answers", "calls per read", "requests per read"],
    tallies.map(({ scene, steady, way }) => [
      scene,
      way,
      number(steady.reads),
      number(steady.answered),
      per(steady.calls, steady.reads).toFixed(2),
      per(steady.requests, steady.reads).toFixed(2)
    ])
  )

const checks = (tallies: ReadonlyArray<Tally>): string => {
  const counts = new Map<string, number>()
  for (const { checks } of tallies) {
    for (const [check, count] of checks) counts.set(kindOf(check), (counts.get(kindOf(check)) ?? 0) + count)
  }
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a)
  const shown = sorted.slice(0, MOST_CHECKS)
  const rest = sorted.slice(MOST_CHECKS)
  const others = rest.reduce((sum, [, count]) => sum + count, 0)
  const rows = shown.map(([check, count]) => [`\`${check}\``, number(count)])
  return table(
    ["check", "lies found"],
    rest.length === 0 ? rows : [...rows, [`${rest.length} other checks`, number(others)]]
  )
}

const MOST_CHECKS = 14

/** Returns the report of some scenes. */
export const write = (scenes: ReadonlyArray<Replayed>): string => {
  const tallies = scenes.flatMap((scene) => scene.tallies)
  const lies = scenes.flatMap(({ passed, unanswered }) => [...passed, ...unanswered]).map((lie) => JSON.stringify(lie))
  return [outcomes(tallies), costs(tallies), checks(tallies), ...lies].join("\n\n")
}
