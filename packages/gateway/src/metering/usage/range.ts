/** From which rows a stretch of time is added up: the coarsest that lie in it whole, and finer ones at its borders. */
import * as Tables from "../tables.ts"

/**
 * A stretch of time in milliseconds since the epoch: from, and up to but not including.
 *
 * @since 0.1.0
 */
export interface Range {
  readonly from: number
  readonly to: number
}

/** A part of it that is read from the rows of one grain. */
export interface Part extends Range {
  readonly grain: Tables.Grain
}

/** From when on each grain is kept, in the order of `Tables.grains`: whole ones of the next grain. */
export type Since = ReadonlyArray<number>

/**
 * The smallest stretch of whole minutes around it that can still be added up: where minutes are forgotten a border is at
 * a full hour, where hours are, at midnight. What no grain has any more is left out at its start.
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

/** The parts of what `widen` gave. With `width` none is of a grain that would lie in two stretches of that length. */
export const parts = (range: Range, width?: number): ReadonlyArray<Part> => {
  const fitting = Tables.grains.filter(({ unit }) => width === undefined || width % unit === 0)
  return split(range, fitting.toReversed())
}

/** The length of time, made so much longer that what it holds is still there in whole grains. */
export const stretch = (width: number, { from }: Range, since: Since): number => {
  const finest = Tables.grains.find((_, i) => from >= since[i]!) ?? Tables.grains.at(-1)!
  return Math.max(finest.unit, ceil(width, finest.unit))
}

export const floor = (at: number, unit: number): number => Math.floor(at / unit) * unit

const ceil = (at: number, unit: number): number => Math.ceil(at / unit) * unit

/** `grains` from the coarsest on. */
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
