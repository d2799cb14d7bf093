/** Splits a range of time into the rows to read: the coarsest rows inside the range, and finer rows at its two ends. */
import * as UsageTables from "../usageTables.ts"

/**
 * A range of time in milliseconds since the epoch. It includes `from` and excludes `to`.
 */
export interface TimeRange {
  readonly from: number
  readonly to: number
}

/** The part of a range that is read from the rows of one grain. */
export interface TimeRangePart extends TimeRange {
  readonly grain: UsageTables.UsageGrain
}

/**
 * The time from which each grain is kept, in the order of `Tables.grains`. Each time is the start of a unit of the next
 * grain.
 */
export type RetainedGrains = ReadonlyArray<number>

/**
 * Returns the smallest range of whole minutes that covers the given range and can still be summed. Where minutes were
 * deleted, the range begins and ends at full hours; where hours were deleted, at midnight. A part that is older than
 * all kept rows is cut off.
 */
export const widen = ({ from, to }: TimeRange, since: RetainedGrains): TimeRange => {
  let [start, end] = [from, to]
  for (const [i, { unit }] of UsageTables.grains.entries()) {
    const kept = i === 0 ? Number.NEGATIVE_INFINITY : since[i - 1]!
    if (i === 0 || start < kept) start = floor(start, unit)
    if (i === 0 || end < kept) end = ceil(end, unit)
  }
  const oldest = since.at(-1)!
  return { from: Math.max(start, Math.min(oldest, end)), to: end }
}

/**
 * Splits a range that `widen` returned into parts. With `width`, each row of a part lies in a single bucket of that
 * length.
 */
export const parts = (range: TimeRange, width?: number): ReadonlyArray<TimeRangePart> => {
  const fitting = UsageTables.grains.filter(({ unit }) => width === undefined || width % unit === 0)
  return split(range, fitting.toReversed())
}

/** Rounds a width up to whole units of the finest grain that is still kept. */
export const stretch = (width: number, { from }: TimeRange, since: RetainedGrains): number => {
  const finest = UsageTables.grains.find((_, i) => from >= since[i]!) ?? UsageTables.grains.at(-1)!
  return Math.max(finest.unit, ceil(width, finest.unit))
}

export const floor = (at: number, unit: number): number => Math.floor(at / unit) * unit

const ceil = (at: number, unit: number): number => Math.ceil(at / unit) * unit

/** Splits a range. `grains` starts with the coarsest grain. */
const split = (range: TimeRange, grains: typeof UsageTables.grains): ReadonlyArray<TimeRangePart> => {
  const [coarsest, ...finer] = grains
  if (coarsest === undefined || range.from >= range.to) return []
  const from = ceil(range.from, coarsest.unit)
  const to = floor(range.to, coarsest.unit)
  if (from >= to) return split(range, finer)
  return [
    ...split({ from: range.from, to: from }, finer),
    { grain: coarsest.grain, from, to },
    ...split({ from: to, to: range.to }, finer)
  ]
}
