/** The row of a proven answer in the store: the line of its anchor, then the answer's JSON. */

/** A proven answer, with its anchor as `Anchor.toText` writes it. */
export interface StoredAnswer {
  readonly answer: Uint8Array
  readonly anchor: string
}

/** Returns the bytes of a row. */
export const encode = (answer: Uint8Array, anchor: string): Uint8Array => {
  const line = encoder.encode(`${anchor}\n`)
  const row = new Uint8Array(line.length + answer.length)
  row.set(line)
  row.set(answer, line.length)
  return row
}

/** Returns the answer of a row; undefined if the row has no line of an anchor. JSON on one line has no line break. */
export const decode = (row: Uint8Array): StoredAnswer | undefined => {
  const end = row.indexOf(NEWLINE)
  return end < 1 ? undefined : { anchor: decoder.decode(row.subarray(0, end)), answer: row.subarray(end + 1) }
}

const NEWLINE = 0x0a

const encoder = new TextEncoder()
const decoder = new TextDecoder()
