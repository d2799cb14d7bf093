/** Computes positions for charts: stacked lines, and labels that do not overlap. */

/** A line of a chart. A null is a time without a value. */
export interface ChartLine {
  readonly name: string
  readonly values: ReadonlyArray<number | null>
}

/** The name of the line with the sum of all values that have no separate line. */
export const REST = "others"

/** Returns the stacked lines, the first one at the bottom. A missing value counts as 0. */
export const stacked = (lines: ReadonlyArray<ChartLine>): Array<Array<number>> => {
  const below: Array<number> = Array.from({ length: lines[0]?.values.length ?? 0 }, () => 0)
  return lines.map(({ values }) => {
    for (let at = 0; at < below.length; at++) below[at]! += values[at] ?? 0
    return below.slice()
  })
}

/**
 * Returns the heights of the labels at the ends of lines. They are as close as possible to the given heights, in the
 * same order, at least `gap` apart, and between `from` and `to`. Labels that do not fit keep the gap and exceed `to`. Of
 * lines at the same height, the later one is above, as in a stack.
 */
export const spread = (wished: ReadonlyArray<number>, gap: number, from: number, to: number): ReadonlyArray<number> => {
  const order = wished.map((height, at) => ({ at, height })).sort((a, b) => a.height - b.height || b.at - a.at)
  const heights: Array<number> = []
  for (const { height } of order) heights.push(Math.max(height, from, (heights.at(-1) ?? -Infinity) + gap))
  let limit = to
  for (let i = heights.length - 1; i >= 0; i--) {
    heights[i] = Math.max(Math.min(heights[i]!, limit), from + i * gap)
    limit = heights[i]! - gap
  }
  const result: Array<number> = []
  order.forEach(({ at }, i) => (result[at] = heights[i]!))
  return result
}
