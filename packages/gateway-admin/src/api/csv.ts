/** Rows as CSV (RFC 4180), safe to open in a spreadsheet. */
import * as Effect from "effect/Effect"

/** The value of a field: untrusted text, or a number. */
export type Field = string | number | bigint

/**
 * Returns a header and rows as CSV. Each line ends with CRLF. The function pauses after every thousand rows, so that
 * other calls do not wait.
 */
export const text = Effect.fnUntraced(function* (
  header: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Field>>
) {
  const parts = [line(header)]
  for (let start = 0; start < rows.length; start += STEP) {
    parts.push(
      rows
        .slice(start, start + STEP)
        .map(line)
        .join("")
    )
    yield* Effect.yieldNow
  }
  return parts.join("")
})

const line = (fields: ReadonlyArray<Field>): string => `${fields.map(field).join(",")}\r\n`

/**
 * Writes a field. A spreadsheet runs a field that matches `FORMULA` as a formula, even in quotes, so an apostrophe is
 * added before it. Control characters can break lines and move a terminal's cursor, so they become spaces.
 */
const field = (value: Field): string => {
  if (typeof value !== "string") return String(value)
  const plain = value.replaceAll(/\p{Cc}/gu, " ")
  const safe = FORMULA.test(plain) || plain !== value ? `'${plain}` : plain
  return /[",\s]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Matches text that a spreadsheet runs as a formula, also after white space and with full-width characters. */
const FORMULA = /^\s*[=+\-@|%\uff1d\uff0b\uff0d\uff20]/u

const STEP = 1000
