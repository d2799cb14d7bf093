/** Prints outcomes as one table in Markdown. */
import type { Measured, Outcome } from "./turns.ts"

export const heading = [
  "| part | row | ours | best peer | ratio | goal | verdict | others | p99 |",
  "| --- | --- | ---: | ---: | ---: | ---: | --- | --- | --- |"
].join("\n")

/** The verdict on a row: `met`, `missed`, or `-` if it has no goal. */
export const verdict = ({ ours, peers, row }: Outcome): "met" | "missed" | "-" => {
  if (row.goal === undefined && row.ceiling === undefined) return "-"
  const best = peers[0]
  const isBehind = row.goal !== undefined && best !== undefined && best.time / ours < row.goal
  return isBehind || (row.ceiling !== undefined && ours > row.ceiling) ? "missed" : "met"
}

/** Prints a row of a part. */
export const line = (part: string, outcome: Outcome): string => {
  const { ours, peers, row, tails = [], yardsticks } = outcome
  const show = row.isRate === true ? rate : duration
  const [best, ...others] = peers
  const ratio = (time: number) => `${(time / ours).toFixed(2)}x`
  const cell = ({ name, time }: Measured) => `${name} ${ratio(time)}`
  const goals = [
    ...(row.goal === undefined ? [] : [`${row.goal.toFixed(2)}x`]),
    ...(row.ceiling === undefined ? [] : [row.isRate === true ? `>= ${show(row.ceiling)}` : `<= ${show(row.ceiling)}`])
  ]
  return `| ${[
    part,
    row.name,
    show(ours),
    best === undefined ? "-" : `${best.name} ${show(best.time)}`,
    best === undefined ? "-" : ratio(best.time),
    goals.length === 0 ? "-" : goals.join(", "),
    verdict(outcome),
    [...others.map(cell), ...yardsticks.map((yardstick) => `(${cell(yardstick)})`)].join(", "),
    tails.map(({ name, time }) => `${name} ${duration(time)}`).join(", ")
  ].join(" | ")} |`
}

/** Returns the operations per second of one core. */
const rate = (nanoseconds: number): string => `${Math.round(1e9 / nanoseconds).toLocaleString("en")}/s`

/** Returns a duration as text in a suitable unit. */
export const duration = (nanoseconds: number): string => {
  if (nanoseconds < 1e3) return `${nanoseconds.toFixed(nanoseconds < 100 ? 1 : 0)} ns`
  if (nanoseconds < 1e6) return `${(nanoseconds / 1e3).toFixed(2)} us`
  if (nanoseconds < 1e9) return `${(nanoseconds / 1e6).toFixed(2)} ms`
  return `${(nanoseconds / 1e9).toFixed(2)} s`
}
