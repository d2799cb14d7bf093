/** Formats figures as short texts: large counts, rates, times. */
import { grouped } from "../look/TextFormats.ts"

/** Returns a number as short text. From ten million on, the text ends with the letter for a power of a thousand. */
export const brief = (value: number): string => {
  if (value < 10) return String(Math.round(value * 10) / 10)
  if (value < 10_000_000) return grouped(Math.round(value))
  const power = Math.min(4, Math.floor(Math.log10(value) / 3))
  return `${(value / 1000 ** power).toFixed(1)} ${["", "k", "M", "G", "T"][power]}`
}

/** Returns a rate with one decimal below a hundred. */
export const rate = (value: number): string => (value < 100 ? value.toFixed(1) : grouped(Math.round(value)))

const UNITS = [
  [1, "second"],
  [60, "minute"],
  [3600, "hour"],
  [86_400, "day"]
] as const

/** Returns the rate of a count over some seconds, per the shortest time in which there is at least one. */
export const perTime = (count: number, seconds: number): string => {
  const ofUnit = (length: number): number => (count / seconds) * length
  const [length, name] = (count === 0 ? UNITS[0] : UNITS.find(([length]) => ofUnit(length) >= 1)) ?? UNITS[3]
  return `${rate(ofUnit(length))} per ${name}`
}

/** Formats the duration of a call, given in milliseconds. */
export const millis = (value: number): string => {
  if (value >= 10_000) return `${(value / 1000).toFixed(0)} s`
  if (value >= 1000) return `${(value / 1000).toFixed(1)} s`
  return value < 10 ? `${Math.round(value * 10) / 10} ms` : `${Math.round(value)} ms`
}

/** Returns a length of time in its two largest units: `14 h 12 min`. */
export const span = (milliseconds: number): string => {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
  if (seconds >= 100 * 86_400) return `${grouped(Math.floor(seconds / 86_400))} d`
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3600)} h`
}

/** Returns a time of today as the time of day, and any other time with its date, in UTC, to the minute. */
export const moment = (at: number, now: number): string => utc(at, now, 16)

/** Returns the same to the second. */
export const second = (at: number, now: number): string => utc(at, now, 19)

const utc = (at: number, now: number, length: number): string => {
  const text = new Date(at).toISOString().slice(0, length)
  return text.slice(0, 10) === new Date(now).toISOString().slice(0, 10) ? text.slice(11) : text.replace("T", " ")
}
