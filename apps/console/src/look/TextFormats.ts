/** Formats values as text: short forms, groups of digits, times. */

/** Returns the short form of a hash or an address: its first six digits, an ellipsis, and its last four digits. */
export const short = (hex: string): string => (hex.length <= 16 ? hex : `${hex.slice(0, 8)}…${hex.slice(-4)}`)

/** Returns a decimal with commas between thousands. */
export const grouped = (value: bigint | number): string => String(value).replaceAll(/\B(?=(\d{3})+$)/gu, ",")

/** Returns a byte as two hexadecimal digits. */
export const digitsOf = (byte: number): string => byte.toString(16).padStart(2, "0")

/** Returns bytes as two digits each, with a space between. */
export const spaced = (bytes: Uint8Array): string => Array.from(bytes, digitsOf).join(" ")

/** Returns an amount of wei as ether: exact, without trailing zeros. */
export const ether = (wei: bigint): string => {
  const whole = wei / ETHER
  const rest = (wei % ETHER).toString().padStart(18, "0").replace(/0+$/u, "")
  return rest === "" ? `${grouped(whole)} ether` : `${grouped(whole)}.${rest} ether`
}

const ETHER = 10n ** 18n

/** Returns a price in wei as gwei: exact, without trailing zeros. One gwei is 10^9 wei. */
export const gwei = (wei: bigint): string => {
  const rest = (wei % GWEI).toString().padStart(9, "0").replace(/0+$/u, "")
  return `${grouped(wei / GWEI)}${rest === "" ? "" : `.${rest}`} gwei`
}

const GWEI = 10n ** 9n

/** Returns a part of a whole in percent, with one decimal. */
export const percent = (part: bigint, whole: bigint): string =>
  whole === 0n ? "0 %" : `${(Number((part * 1000n) / whole) / 10).toFixed(1)} %`

/** Returns a time as text, to the second, in UTC; undefined if the number of seconds is not a valid date. */
export const time = (seconds: bigint): string | undefined => {
  const millis = Number(seconds) * 1000
  if (!(Math.abs(millis) <= 8.64e15)) return undefined
  return new Date(millis)
    .toISOString()
    .replace("T", " ")
    .replace(/\.\d+Z$/u, " UTC")
}

/**
 * Returns the time since a point in time, in the largest unit that fits twice: `40 seconds ago`, `6 years ago`. `now` is
 * in milliseconds since 1970. Clocks differ, so a time up to 15 seconds ahead counts as now.
 */
export const age = (seconds: bigint, now: number): string => {
  const passed = Math.floor(now / 1000) - Number(seconds)
  if (passed < -15) return `${elapsed(-passed)} ahead of your clock`
  return passed < 2 ? "just now" : `${elapsed(passed)} ago`
}

const elapsed = (seconds: number): string => {
  const [size, noun] = AGES.find(([size]) => seconds >= 2 * size) ?? [1, "second"]
  return count(Math.floor(seconds / size), noun)
}

const DAY = 86_400
const AGES: ReadonlyArray<readonly [seconds: number, noun: string]> = [
  [365.25 * DAY, "year"],
  [30.44 * DAY, "month"],
  [DAY, "day"],
  [3600, "hour"],
  [60, "minute"]
]

/** Returns the text of bytes that are printable ASCII; undefined for other bytes. */
export const printable = (bytes: Uint8Array): string | undefined =>
  bytes.length > 0 && bytes.every((byte) => byte >= 0x20 && byte < 0x7f) ? String.fromCharCode(...bytes) : undefined

/** Returns a number with its noun: `1 field`, `21 fields`, `2 hashes`. */
export const count = (
  amount: number | bigint,
  one: string,
  many = `${one}${/(?:s|sh|ch|x)$/u.test(one) ? "es" : "s"}`
): string => `${grouped(amount)} ${BigInt(amount) === 1n ? one : many}`

/**
 * Returns the eight heights of a hash's skyline. They are the eight hexadecimal digits, 0 to 15, of the XOR of all
 * 32-bit words of the hash. The skyline helps readers to compare hashes, and proves nothing.
 */
export const skyline = (hex: string): ReadonlyArray<number> => {
  const digits = hex.replace(/^0x/u, "")
  const heights = Array.from({ length: 8 }, () => 0)
  for (let i = 0; i < digits.length; i++) heights[i % 8]! ^= Number.parseInt(digits[i]!, 16)
  return heights
}

/** Returns a number of bytes in its largest binary unit (a power of 1,024), with one decimal: `12.5 KiB`. */
export const bytes = (amount: number): string => {
  const unit = amount < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(amount) / 10))
  return unit === 0
    ? count(amount, "byte")
    : `${(amount / 1024 ** unit).toFixed(1).replace(/\.0$/u, "")} ${UNITS[unit]}`
}

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"] as const

/**
 * Returns the end of a wait as a time of day and as a duration from now: `at 14:03:22 UTC, in 12 seconds`. If the wait
 * takes two minutes or more, the text is to the minute. If it ends after midnight, the text has the date. `now` is in
 * milliseconds since 1970.
 */
export const until = (seconds: number, now: number): string => {
  const isShort = seconds < 120
  const end = now + 1000 * seconds
  const text = new Date(isShort ? end : Math.round(end / MINUTE) * MINUTE).toISOString()
  const [today] = new Date(now).toISOString().split("T")
  const [day = "", hour = ""] = text.split("T")
  const date = day === today ? "" : `on ${day} `
  return `${date}at ${hour.slice(0, isShort ? 8 : 5)} UTC, in ${span(seconds)}`
}

const MINUTE = 60_000

/** Returns a number of seconds in the largest unit that fits into it at least twice. */
const span = (seconds: number): string =>
  seconds < 120
    ? count(Math.ceil(seconds), "second")
    : seconds < 7200
      ? count(Math.round(seconds / 60), "minute")
      : count(Math.round(seconds / 3600), "hour")
