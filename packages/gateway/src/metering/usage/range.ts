/** Splits a range of time by the rows to read: the coarsest rows inside it, and finer ones at its ends. */
import * as Tables from "../tables.ts"

/**
 * A range of time in milliseconds since the epoch: from, and up to but not including.
 */
export interface Range {
  readonly from: number
  readonly to: number
}

/** A part of a range that is read from the rows of one grain. */
export interface Part extends Range {
  readonly grain: Tables.Grain
}

/** The time from which each grain is kept, in the order of `Tables.grains`, at whole units of the next grain. */
export type Since = ReadonlyArray<number>

/**
 * Returns the smallest range of whole minutes around a range that can still be added up. Where minutes were deleted,
 * its ends are at full hours; where hours were deleted, at midnight. A start that no grain covers any more is cut off.
 */
export const widen = ({ from, to }: Range, since: Since): Range => {
  let [start, end] = [from, to]
  for (const [i, { unit }] of Tables.grains.entries()) {
    const kept = i === 0 ? Number.NEGATIVE_INFINITY : since[i - 1]!
    if (i === 0 || start < kept) start = floor(start, unit)
    if (i === 0 || end < kept) end = ceil(end, unit)
  }
  const oldest = since.at(-1)!
  return { from: Math.max(start, Math.min(oldest, end)), to: end }
}

/**
 * Returns the parts of a range that `widen` returned. With `width`, no part has a grain that would lie in two buckets
 * of that length.
 */
export const parts = (range: Range, width?: number): ReadonlyArray<Part> => {
  const fitting = Tables.grains.filter(({ unit }) => width === undefined || width % unit === 0)
  return split(range, fitting.toReversed())
}

/** Returns the width, extended to whole units of the finest grain that is still kept. */
export const stretch = (width: number, { from }: Range, since: Since): number => {
  const finest = Tables.grains.find((_, i) => from >= since[i]!) ?? Tables.grains.at(-1)!
  return Math.max(finest.unit, ceil(width, finest.unit))
}

export const floor = (at: number, unit: number): number => Math.floor(at / unit) * unit

const ceil = (at: number, unit: number): number => Math.ceil(at / unit) * unit

/** Splits a range; `grains` starts with the coarsest. */
const split = (range: Range, grains: typeof Tables.grains): ReadonlyArray<Part> => {
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
