/** Makes the rows of stations. A row shows the parts of some bytes, with texts. */
import type * as ProofWalk from "@plumbline/merkle-trie/proof/ProofWalk"

import * as TextFormats from "../look/TextFormats.ts"
import type { NamedPart, WordPart, ProofSubject } from "./ProofSubject.ts"
import * as RlpFields from "./RlpFields.ts"
import type { StationCell } from "./Station.ts"
import type * as ValueEvidence from "./ValueEvidence.ts"

/** The names of the tries in titles. */
export const NAMES: Readonly<Record<ValueEvidence.TrieName, string>> = {
  state: "State trie",
  storage: "Storage trie",
  transactions: "Transactions trie",
  receipts: "Receipts trie",
  withdrawals: "Withdrawals trie"
}

/** The range of a cell that covers all bytes. */
export const WHOLE = { offset: 0, head: 0, isInRow: true } as const

/** Returns the cell of a field. */
export const cellOf = ({ head, length, name, offset }: RlpFields.Field, isTaken: boolean): StationCell => ({
  name,
  offset,
  head,
  length,
  state: isTaken ? "taken" : "open",
  isInRow: true
})

/** Returns a copy of a cell, marked as not shown in the row. */
export const outOfRow = (cell: StationCell): StationCell => ({ ...cell, isInRow: false, state: "open" })

const DIGITS = "0123456789abcdef"

/** Returns the parts of a trie node. */
export const cellsOf = (
  { bytes, kind, path, digits: used }: ProofWalk.ProofStep,
  isAbsent: boolean
): ReadonlyArray<StationCell> => {
  const list = RlpFields.items(bytes) ?? []
  if (kind === "branch") {
    const taken = used[0]
    return list.map((item, i) => {
      const isEmpty = item.length === 0 && item.items === undefined
      const isTaken = i === (taken ?? 16)
      return {
        name: DIGITS[i] ?? "value",
        offset: item.offset,
        head: item.head,
        length: item.length,
        state: isTaken ? (isEmpty && isAbsent ? "hollow" : "taken") : isEmpty ? "empty" : "open",
        isInRow: i < 16 || taken === undefined
      }
    })
  }
  if (kind === "broken") return []
  const ends = isAbsent
  return list.map((item, i) => ({
    name: i === 0 ? (kind === "leaf" ? "rest of path" : "path") : kind === "leaf" ? "value" : "child",
    text: i === 0 ? pathText(path) : undefined,
    offset: item.offset,
    head: item.head,
    length: item.length,
    state: i === (ends ? 0 : 1) ? (ends ? "hollow" : "taken") : ends ? "empty" : "open",
    isInRow: true
  }))
}

const pathText = (path: ReadonlyArray<number>): string => {
  const digits = path.map((digit) => DIGITS[digit]).join("")
  return digits.length > 12 ? `${digits.slice(0, 6)}…${digits.slice(-4)}` : digits
}

/** Returns the digits of a word, or the first and last digits of a long word. */
const wordText = (bytes: Uint8Array): string =>
  bytes.length <= 12
    ? TextFormats.spaced(bytes)
    : `${TextFormats.spaced(bytes.subarray(0, 5))} … ${TextFormats.spaced(bytes.subarray(-5))}`

/** A range of bytes in a word. */
interface Run {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly state: "taken" | "open"
}

/**
 * Splits the bytes of a word, without its leading zeros, into the part that a variable occupies and the other parts.
 * Each named part is separate.
 */
const split = (
  content: Uint8Array,
  part: WordPart | undefined,
  shares: ReadonlyArray<NamedPart> = []
): ReadonlyArray<Run> => {
  const { length } = content
  const placeOf = ({ bytes, offset }: WordPart) => {
    const to = Math.max(0, length - offset)
    return { from: Math.max(0, to - bytes), to }
  }
  if (part === undefined) return [{ name: "word", from: 0, to: length, state: "taken" }]
  const own = placeOf(part)
  if (own.from === own.to) return [{ name: "word", from: 0, to: length, state: "taken" }]
  const others = shares
    .filter(({ bytes, offset }) => offset >= part.offset + part.bytes || offset + bytes <= part.offset)
    .map((share): Run => ({ name: share.path, ...placeOf(share), state: "open" }))
  const runs: ReadonlyArray<Run> =
    others.length > 0
      ? [...others, { name: "the variable", ...own, state: "taken" }]
      : [
          { name: "other variables", from: 0, to: own.from, state: "open" },
          { name: "the variable", ...own, state: "taken" },
          { name: "other variables", from: own.to, to: length, state: "open" }
        ]
  return withGaps(
    runs.filter((run) => run.from < run.to).toSorted((a, b) => a.from - b.from),
    length
  )
}

/** Fills the gaps between runs: bytes that belong to no variable. */
const withGaps = (runs: ReadonlyArray<Run>, length: number): ReadonlyArray<Run> => {
  const filled: Array<Run> = []
  let at = 0
  for (const run of runs) {
    if (run.from > at) filled.push({ name: "unused by variables", from: at, to: run.from, state: "open" })
    filled.push(run)
    at = run.to
  }
  return at < length ? [...filled, { name: "unused by variables", from: at, to: length, state: "open" }] : filled
}

/** Returns the kind of a trie node in words. */
export const subtitleOf = ({ digits, kind }: ProofWalk.ProofStep, isAbsent: boolean): string => {
  const path = digits.map((digit) => DIGITS[digit]).join("")
  switch (kind) {
    case "branch":
      return isAbsent ? `branch, child ${path} is empty` : `branch, child ${path}`
    case "extension":
      return isAbsent ? "extension of another path" : `extension, ${path}`
    case "leaf":
      return isAbsent ? "leaf of another key" : "leaf"
    case "broken":
      return "no trie node"
  }
}

/** Returns the text of a trie node's row. */
export const noteOf = ({ bytes, kind, path }: ProofWalk.ProofStep, isAbsent: boolean): string => {
  switch (kind) {
    case "branch": {
      const open = (RlpFields.items(bytes) ?? [])
        .slice(0, 16)
        .filter(({ items, length }) => length > 0 || items !== undefined)
      return isAbsent ? "the child is empty" : `16 children, ${open.length} in use`
    }
    case "extension":
      return `${path.length} digits at once`
    default:
      return isAbsent ? "so the entry does not exist" : ""
  }
}

/**
 * Returns the field of a trie's value that is the subject, or leads to it. Returns the empty text for the whole value.
 */
export const wantedIn = (trie: ValueEvidence.TrieName, subject: ProofSubject): string => {
  if (trie !== "state") return subject._tag === "Item" ? subject.field : ""
  if (subject._tag !== "Account") return "storageRoot"
  return subject.field === "code" ? "codeHash" : subject.field
}

/** Returns the value at the end of a path as a row: an account's fields, a slot's word, an item's fields. */
export const leafOf = (part: ValueEvidence.TriePart, value: Uint8Array, node: Uint8Array, subject: ProofSubject) => {
  const at = value.byteOffset - node.byteOffset
  if (part.trie === "state") {
    const wanted = wantedIn(part.trie, subject)
    const fields = RlpFields.read("account", value, at) ?? []
    return {
      id: "account",
      kind: "account" as const,
      title: "Account",
      subtitle: `leaf, ${fields.length} fields`,
      note: wanted === "storageRoot" ? "holds the root of its storage" : `holds its ${wanted}`,
      cells: fields.map((field) => {
        const kind = RlpFields.kindOf("account", field)
        const text = kind === "bytes" ? undefined : `${field.name} ${shortNumber(field.content)}`
        return { ...cellOf(field, field.name === wanted), text }
      })
    }
  }
  if (part.trie === "storage") {
    // a byte below 0x80 is its own encoding; other words have a head of one byte
    const head = value.length === 1 && value[0]! < 0x80 ? 0 : 1
    const length = value.length - head
    const place = { head, isInRow: true, offset: at } as const
    const content = value.subarray(head)
    const { part: variable, shares } = subject._tag === "Slot" ? subject : {}
    const word: ReadonlyArray<StationCell> = split(content, variable, shares).map(({ from, name, state, to }) => ({
      ...place,
      name,
      text: wordText(content.subarray(from, to)),
      // the head belongs to the first part
      head: from === 0 ? head : 0,
      offset: from === 0 ? at : at + head + from,
      length: to - from,
      state
    }))
    const zeros: StationCell = {
      ...WHOLE,
      name: "zeros that are left out",
      text: `00 × ${32 - length}`,
      length: 0,
      state: "empty"
    }
    return {
      id: "slot",
      kind: "slot" as const,
      title: "Slot, 32 bytes",
      subtitle: `leaf, ${length === 32 ? "no zeros" : `${32 - length} zeros`} left out`,
      note: "the word of this slot",
      cells: length === 32 ? word : [zeros, ...word]
    }
  }
  const form = part.trie
  const wanted = wantedIn(form, subject)
  const fields = RlpFields.read(form, value, at) ?? []
  const one = form.slice(0, -1)
  const name = one.charAt(0).toUpperCase() + one.slice(1)
  const cells =
    wanted === ""
      ? [{ ...WHOLE, name: one, offset: at, length: value.length, state: "taken" as const }]
      : fields.map((field) => cellOf(field, field.name === wanted))
  return {
    id: "item",
    kind: "item" as const,
    title: `${name} ${subject._tag === "Item" ? subject.index : ""}`.trim(),
    subtitle: `leaf, ${fields.length} fields`,
    note: wanted === "" ? "whole" : `holds ${wanted}`,
    cells
  }
}

const shortNumber = (bytes: Uint8Array): string => {
  const text = String(RlpFields.numberOf(bytes))
  return text.length > 9 ? `${text.slice(0, 3)}…${text.slice(-2)}` : text
}
