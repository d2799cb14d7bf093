/** Measures the growth of a quantity over time, without the first part of its samples. */

export interface Sample {
  /** The time of the sample, in seconds. */
  readonly at: number
  readonly value: number
}

/** The first quarter of the samples does not count, because caches and compiled code still grow during that time. */
export const WARM_UP = 0.25

/**
 * Returns the mean of the samples, and their growth per minute by least squares. `rise` is the mean of the last third
 * minus the mean of the first third.
 */
export const of = (
  samples: ReadonlyArray<Sample>
): { readonly mean: number; readonly perMinute: number; readonly rise: number } => {
  const warm = samples.slice(Math.floor(samples.length * WARM_UP))
  const mean = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [at, value] = [mean(warm.map((sample) => sample.at)), mean(warm.map((sample) => sample.value))]
  const above = warm.reduce((sum, sample) => sum + (sample.at - at) * (sample.value - value), 0)
  const below = warm.reduce((sum, sample) => sum + (sample.at - at) ** 2, 0)
  const third = Math.max(1, Math.floor(warm.length / 3))
  const part = (from: ReadonlyArray<Sample>) => mean(from.map((sample) => sample.value))
  return {
    mean: value,
    perMinute: below === 0 ? 0 : (above / below) * 60,
    rise: part(warm.slice(-third)) - part(warm.slice(0, third))
  }
}
