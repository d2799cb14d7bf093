/**
 * Formats a field of an answer as a line: its wire name, its value in readable form, and its wire form.
 *
 * Only this file knows the unit of each field.
 */
import * as Hex from "@plumbline/codec/hex/Hex"

import type { Style } from "../terminal/Style.ts"
import * as TerminalText from "../terminal/TerminalText.ts"
import * as Units from "../terminal/Units.ts"

/** A line before it is aligned. */
export interface FieldRow {
  readonly field: string
  readonly text: string
  /** The wire form, if it differs from the text. */
  readonly wire?: string | undefined
}

/** Returns the row of a field. `note` adds a remark. */
export const row = (field: string, value: unknown, note?: string): FieldRow => {
  const { text, wire } = show(field, value)
  return { field, text: note === undefined ? text : `${text}  ${note}`, wire }
}

/** Returns the rows of those fields that a value has. */
export const rows = (value: object, fields: ReadonlyArray<string>): ReadonlyArray<FieldRow> =>
  fields.flatMap((field) => {
    const said: unknown = Reflect.get(value, field)
    return said === undefined ? [] : [row(field, said)]
  })

/**
 * Returns rows as lines. Rows in `claimed` are marked; the verdict below gives the reason. A text that does not fit
 * beside its name is printed below the name.
 */
export const lines = (
  rows: ReadonlyArray<FieldRow>,
  options: { readonly style: Style; readonly claimed: ReadonlySet<string>; readonly label: number }
): ReadonlyArray<string> => {
  const { claimed, label, style } = options
  const width = Math.max(0, ...rows.filter((row) => row.wire !== undefined).map((row) => row.text.length))
  return rows.flatMap(({ field, text, wire }) => {
    const isClaimed = claimed.has(field)
    const name = TerminalText.printable(field)
    const paint = isClaimed ? style.doubtful : style.label
    const notes = [
      ...(wire === undefined ? [] : [{ text: wire, shown: style.faint(wire) }]),
      ...(isClaimed ? [{ text: "claimed", shown: style.doubtful("claimed") }] : [])
    ]
    const beside = label + 4
    const under = (indent: number): ReadonlyArray<string> =>
      notes.length === 0 ? [] : [" ".repeat(indent) + notes.map(({ shown }) => shown).join("  ")]
    if (beside + text.length > style.columns) {
      return [`  ${paint(name)}`, `    ${text}`, ...under(4)]
    }
    const value = wire === undefined ? text : text.padEnd(width)
    const whole = [value, ...notes.map((note) => note.text)].join("  ")
    const first = `  ${paint(name.padEnd(label))}  `
    return beside + whole.length <= style.columns
      ? [first + [value, ...notes.map(({ shown }) => shown)].join("  ")]
      : [first + text, ...under(beside)]
  })
}

/**
 * Returns the width of the longest name among rows, so that several groups of rows can have one alignment. A limit
 * applies, because a node's own fields can have names of any length.
 */
export const labelWidth = (rows: ReadonlyArray<FieldRow>): number =>
  Math.min(MAX_LABEL, Math.max(0, ...rows.map((row) => TerminalText.printable(row.field).length)))

const MAX_LABEL = 24

/** Returns data whole if it is short, or else its beginning and its size. */
export const data = (hex: string): string => {
  const bytes = (hex.length - 2) / 2
  if (bytes === 0) return "empty"
  return bytes <= WHOLE_DATA
    ? hex
    : `${hex.slice(0, 2 + 2 * SHOWN_DATA)}…  ${Units.count(bytes, "byte")}, whole with --json`
}

/**
 * Maximum number of bytes of data that are shown whole: hashes, keys, words and a call with one argument are shorter.
 */
const WHOLE_DATA = 64
const SHOWN_DATA = 32

interface Shown {
  readonly text: string
  readonly wire?: string | undefined
}

const show = (field: string, value: unknown): Shown => {
  if (value === null) return { text: field === "to" ? "none: it creates a contract" : "null" }
  if (typeof value === "bigint")
    return { text: (units[field] ?? Units.grouped)(value), wire: `0x${value.toString(16)}` }
  if (typeof value !== "string") return { text: bounded(TerminalText.json(value)) }
  if (field === "logsBloom") return { text: bloom(value) }
  if (field === "extraData") return { text: `${data(value)}${ascii(value)}` }
  return { text: Hex.isHex(value) ? data(value) : bounded(TerminalText.printable(value)) }
}

/** Cuts a text, because the value of an unknown field can be of any length. */
const bounded = (text: string): string =>
  text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…  whole with --json`

const MAX_TEXT = 200

const fee = (wei: bigint): string => Units.gwei(wei)
const time = (seconds: bigint): string => Units.utc(seconds) ?? Units.grouped(seconds)
const bytes = (n: bigint): string => `${Units.grouped(n)} bytes`

const units: Readonly<Record<string, (n: bigint) => string>> = {
  timestamp: time,
  blockTimestamp: time,
  baseFeePerGas: fee,
  gasPrice: fee,
  maxFeePerGas: fee,
  maxPriorityFeePerGas: fee,
  maxFeePerBlobGas: fee,
  value: Units.ether,
  mint: Units.ether,
  l1Fee: Units.ether,
  l1GasPrice: fee,
  l1BlobBaseFee: fee,
  balance: Units.ether,
  size: bytes,
  type: (type) => `${Units.grouped(type)}  ${typeNames[Number(type)] ?? "not known here"}`
}

const typeNames: Readonly<Record<number, string>> = {
  0: "legacy",
  1: "access list (EIP-2930)",
  2: "dynamic fee (EIP-1559)",
  3: "blob (EIP-4844)",
  4: "set code (EIP-7702)",
  0x7e: "deposit (OP stack)"
}

/** Returns the share of bits that a bloom filter sets, because its bits mean little to a person. */
const bloom = (hex: string): string => {
  let bits = 0
  for (const digit of hex.slice(2)) bits += bitsOf[Number.parseInt(digit, 16)] ?? 0
  return bits === 0 ? "empty" : `${Units.grouped(BigInt(bits))} of 2,048 bits set`
}

const bitsOf = Array.from({ length: 16 }, (_, digit) => digit.toString(2).replaceAll("0", "").length)

/** Returns the text that a miner wrote into the block, if it is text. */
const ascii = (hex: string): string => {
  const bytes = Hex.toBytes(hex)
  if (bytes._tag === "Failure" || bytes.success.length === 0) return ""
  const text = String.fromCharCode(...bytes.success)
  return /^[\u0020-\u007e]+$/u.test(text) ? `  "${text}"` : ""
}
