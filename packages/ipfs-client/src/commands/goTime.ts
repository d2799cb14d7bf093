/**
 * Converts times between seconds since 1970 and the text that Go writes into JSON: RFC 3339 with up to nine digits of a
 * second. Go's zero time, the first second of the year 1, stands for no time.
 *
 * Source: Go `time.Time.MarshalJSON`.
 */

/** The text of no time. */
export const NONE = "0001-01-01T00:00:00Z"

/** The form of a time. Go writes the zone of the machine, so an offset may stand in place of `Z`. */
export const PATTERN =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d{1,9}))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/u

/** Seconds since 1970, and nanoseconds within the second if there are any. Empty without a time. */
export interface UnixTime {
  readonly mtime?: number | undefined
  readonly mtimeNsecs?: number | undefined
}

/** Returns the time of a text that has the form of `PATTERN`, and no time for `NONE` and for any other text. */
export const parse = (text: string): { readonly mtime?: number; readonly mtimeNsecs?: number } => {
  const [, second, fraction = "", zone] = (text === NONE ? null : PATTERN.exec(text)) ?? []
  if (second === undefined) return {}
  const mtimeNsecs = Number(fraction.padEnd(9, "0"))
  return { mtime: Date.parse(second + zone) / 1000, ...(mtimeNsecs === 0 ? {} : { mtimeNsecs }) }
}

const YEAR_0 = -62_167_219_200
const YEAR_10000 = 253_402_300_800

/** Returns the text of a time in UTC, and `NONE` for no time and for years that have not four digits. */
export const format = ({ mtime, mtimeNsecs = 0 }: UnixTime): string => {
  if (mtime === undefined || mtime < YEAR_0 || mtime >= YEAR_10000) return NONE
  const fraction = String(mtimeNsecs).padStart(9, "0").replace(/0+$/u, "")
  return `${new Date(mtime * 1000).toISOString().slice(0, 19)}${fraction === "" ? "" : `.${fraction}`}Z`
}
