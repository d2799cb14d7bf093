/** Rows as CSV (RFC 4180), safe to open in a spreadsheet. */
import * as Effect from "effect/Effect"

/** A field: text from outside, or a number. */
export type Field = string | number | bigint

/**
 * Returns a header and rows, each line with its CRLF. It pauses after every thousand rows, so that the calls of others do
 * not wait.
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
 * Spreadsheets run a field that begins with one of these as a formula, even in quotes. An apostrophe before it makes it
 * text. Control characters, which can break lines and move a terminal's cursor, become spaces.
 */
const field = (value: Field): string => {
  if (typeof value !== "string") return String(value)
  const plain = value.replaceAll(/\p{Cc}/gu, " ")
  const safe = FORMULA.test(plain) || plain !== value ? `'${plain}` : plain
  return /[",\s]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Matches a text that a spreadsheet takes for a formula, also after white space and with full-width characters. */
const FORMULA = /^\s*[=+\-@|%\uff1d\uff0b\uff0d\uff20]/u

const STEP = 1000
