/** Prints outcomes as a table in Markdown. */
import type { Outcome } from "./measure.ts"

export const heading = (name: string): string =>
  [
    `\n### ${name}\n`,
    "| row | ours | best peer | ratio | goal | others |",
    "| --- | ---: | ---: | ---: | ---: | --- |"
  ].join("\n")

/** Prints a row. `show` writes nanoseconds per operation, as they are or as a quantity that follows from them. */
export const line = (
  { name, goal, ours, peers, yardsticks }: Outcome,
  show: (nanoseconds: number) => string = duration
): string => {
  const [best, ...others] = peers
  const ratio = (time: number) => `${(time / ours).toFixed(2)}x`
  return `| ${[
    name,
    show(ours),
    best === undefined ? "-" : `${best.name} ${show(best.time)}`,
    best === undefined ? "-" : ratio(best.time),
    goal === undefined ? "-" : `${goal.toFixed(2)}x${best !== undefined && best.time / ours < goal ? " missed" : ""}`,
    [
      ...others.map((peer) => `${peer.name} ${ratio(peer.time)}`),
      ...yardsticks.map((yardstick) => `(${yardstick.name} ${ratio(yardstick.time)})`)
    ].join(", ")
  ].join(" | ")} |`
}

/** Operations per second. */
export const rate = (nanoseconds: number): string => `${Math.round(1e9 / nanoseconds).toLocaleString("en")}/s`

const duration = (nanoseconds: number): string => {
  if (nanoseconds < 1e3) return `${nanoseconds.toFixed(nanoseconds < 100 ? 1 : 0)} ns`
  if (nanoseconds < 1e6) return `${(nanoseconds / 1e3).toFixed(2)} us`
  return `${(nanoseconds / 1e6).toFixed(2)} ms`
}
