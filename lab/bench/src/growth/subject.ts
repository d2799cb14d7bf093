/** Measures work of different sizes, and the exponent by which its processor time grows. */

export interface Subject {
  readonly name: string
  /** Prepares work of a given size. Only `run` is measured. */
  readonly prepare: (size: number) => Promise<Prepared>
}

export interface Prepared {
  /** Does the work once. */
  readonly run: () => unknown
  /** True if `run` can be done only once. */
  readonly isOnce?: boolean
  readonly close?: () => Promise<void>
}

export interface Point {
  readonly size: number
  /** Nanoseconds of processor time, the smallest of the repetitions. */
  readonly time: number
}

/**
 * Work that takes fewer nanoseconds than this is repeated. The first repetitions do not count, because they include
 * compilation.
 */
const ENOUGH = 60e6
const REPETITIONS = 3

const usedHere = (): number => {
  const { system, user } = process.cpuUsage()
  return (user + system) * 1e3
}

/**
 * Measures work of one size. The shortest of several repetitions counts, because other programs disturbed it least.
 */
export const measure = async (subject: Subject, size: number): Promise<Point> => {
  let least = Infinity
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    const { close, isOnce = false, run } = await subject.prepare(size)
    try {
      let best = Infinity
      const began = usedHere()
      const until = isOnce ? 0 : began + ENOUGH
      do {
        const before = usedHere()
        await run()
        best = Math.min(best, usedHere() - before)
      } while (usedHere() < until)
      least = Math.min(least, best)
      if (usedHere() - began > 2e9) break
    } finally {
      await close?.()
    }
  }
  return { size, time: least }
}

/**
 * Returns the slope of log time over log size, by least squares. Sizes below `from` are left out, because fixed costs
 * hide the growth there.
 */
export const exponent = (points: ReadonlyArray<Point>, from: number): number => {
  const upper = points
    .filter(({ size }) => size >= from)
    .map(({ size, time }) => [Math.log(size), Math.log(time)] as const)
  const mean = (at: 0 | 1) => upper.reduce((sum, point) => sum + point[at], 0) / upper.length
  const [x, y] = [mean(0), mean(1)]
  const over = upper.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0)
  return over / upper.reduce((sum, point) => sum + (point[0] - x) ** 2, 0)
}
