/** Formats variables of contracts as text: one line for each value of one word, with its path. */
import type * as Address from "@plumbline/codec/value/Address"
import * as StorageKey from "@plumbline/eth-methods/model/StorageKey"
import type { Layout } from "@plumbline/storage-layout/layout/Layout"
import type { StorageType } from "@plumbline/storage-layout/layout/StorageType"
import type { Location } from "@plumbline/storage-layout/location/Location"
import type { AccountState, ChangedVariable, StorageDiff } from "@plumbline/storage-layout/read/ContractStorage"
import type { LeftOutVariable } from "@plumbline/storage-layout/read/Readable"
import { Flaw, type ExternalFunction, type Value } from "@plumbline/storage-layout/value/Value"

import * as AnswerFields from "../answer/AnswerFields.ts"
import type { InBlock } from "../answer/InBlock.ts"
import * as InBlockView from "../answer/InBlockView.ts"
import type { Style } from "../terminal/Style.ts"
import * as TerminalText from "../terminal/TerminalText.ts"
import * as Units from "../terminal/Units.ts"
import * as SlotView from "./SlotView.ts"

/** The contract and the places that are read. */
export interface StorageSubject {
  readonly address: Address.Address
  readonly layout: Layout
  readonly locations: ReadonlyArray<Location>
  readonly style: Style
}

/** Returns the lines of the values, each at its location, and the lines of the variables that were not read. */
export const values = (
  {
    block,
    value
  }: InBlock<{
    readonly account: AccountState
    readonly values: ReadonlyArray<Value>
    readonly left: ReadonlyArray<LeftOutVariable>
  }>,
  { address, layout, locations, style }: StorageSubject,
  claimed: ReadonlySet<string>
): ReadonlyArray<string> => {
  const place = InBlockView.rows(block)
  const rows = locations.flatMap((location, i) => leaves(layout, location, value.values[i]!))
  return [
    style.title(`Storage of ${address}`),
    "",
    ...AnswerFields.lines(place, { style, claimed, label: AnswerFields.labelWidth(place) }),
    ...accountLines(value.account, style),
    ...(rows.length === 0 ? [] : ["", ...lines(rows, style)]),
    ...leftOut(value.left, style)
  ]
}

const accountLines = (state: AccountState, style: Style): ReadonlyArray<string> =>
  state === "contract" ? [] : ["", `  ${style.doubtful(ACCOUNTS[state])}`]

const ACCOUNTS = {
  absent: "There is no account at this address: each variable reads as zero. Check the address.",
  "without code": "The account has no code, so it is not a contract. Check the address."
} as const satisfies Partial<Record<AccountState, string>>

/** Returns the lines with the places of variables, without values. */
export const places = ({ layout, locations, style }: Omit<StorageSubject, "address">): ReadonlyArray<string> => [
  style.title(`Storage of ${TerminalText.printable(layout.contract ?? "a contract")}`),
  "",
  ...locations.flatMap(({ bytes, offset, path, slot, type }) => [
    `  ${style.label(TerminalText.printable(path))}`,
    `    slot ${SlotView.nameOf(StorageKey.fromSlot(slot))}  offset ${offset}  ${Units.grouped(bytes)} ${bytes === 1n ? "byte" : "bytes"}  ${style.faint(TerminalText.printable(type.label))}`
  ])
]

/** Returns the lines of the changes between two blocks. */
export const changes = (
  diff: StorageDiff,
  { address, layout, locations, style }: StorageSubject
): ReadonlyArray<string> => {
  const types = new Map(locations.map((location) => [location.path, location]))
  const rows = [
    AnswerFields.row("from", diff.from.blockNumber ?? diff.from.blockHash),
    AnswerFields.row("to", diff.to.blockNumber ?? diff.to.blockHash)
  ]
  return [
    style.title(`Storage of ${address}`),
    "",
    ...AnswerFields.lines(rows, { style, claimed: new Set(), label: AnswerFields.labelWidth(rows) }),
    "",
    ...(diff.changed.length === 0
      ? ["  nothing changed"]
      : diff.changed.flatMap((changed) => changedLines(layout, types.get(changed.path)!, changed, style))),
    ...leftOut(diff.left, style)
  ]
}

/** A line of output with one value. */
interface Leaf {
  readonly path: string
  readonly text: string
  readonly isFlaw: boolean
}

const lines = (rows: ReadonlyArray<Leaf>, style: Style): ReadonlyArray<string> => {
  const width = rows.reduce((width, { path }) => Math.min(MAX_LABEL, Math.max(width, path.length)), 0)
  return rows.flatMap(({ isFlaw, path, text }) => {
    const shown = isFlaw ? style.bad(text) : text
    return path.length <= width && width + text.length + 4 <= style.columns
      ? [`  ${style.label(path.padEnd(width))}  ${shown}`]
      : [`  ${style.label(path)}`, `    ${shown}`]
  })
}

const MAX_LABEL = 32

/** Maximum number of characters of a change that is shown on one line. */
const MAX_LINE = 80

/** Maximum number of lines that are shown for a variable. */
const MAX_LINES = 64

const leaves = (layout: Layout, { part, path, type }: Location, value: Value): ReadonlyArray<Leaf> => {
  const found: Array<Leaf> = []
  let count = 0
  const add = (path: string, text: string, isFlaw = false) => {
    if (count++ < MAX_LINES) found.push({ path: TerminalText.printable(path), text, isFlaw })
  }
  const walk = (type: StorageType, path: string, value: Value): void => {
    if (value instanceof Flaw) add(path, flawText(value), true)
    else if (type._tag === "Struct") {
      const members = type.members.filter(({ name }) => Object.hasOwn(value as object, name))
      if (members.length === 0) add(path, "nothing but mappings")
      for (const { name, type: id } of members) {
        walk(layout.types.get(id)!, `${path}.${name}`, (value as Record<string, Value>)[name]!)
      }
    } else if ("base" in type) {
      const elements = value as ReadonlyArray<Value>
      if (elements.length === 0) add(path, "no elements")
      for (const [i, element] of elements.entries()) walk(layout.types.get(type.base)!, `${path}[${i}]`, element)
    } else add(path, scalar(type, value))
  }
  if (part === "length" && !(value instanceof Flaw)) add(path, Units.word(value as bigint))
  else walk(type, path, value)
  return count > MAX_LINES
    ? [...found, { path: "", text: `${Units.count(count - MAX_LINES, "more line")}, whole with --json`, isFlaw: false }]
    : found
}

const scalar = (type: StorageType, value: Value): string => {
  if (typeof value === "bigint") return value < 0n ? `-${Units.word(-value)}` : Units.word(value)
  if (typeof value === "boolean") return String(value)
  if (typeof value === "string") {
    if (!("text" in type)) return TerminalText.printable(value)
    return type.text ? long(TerminalText.json(value)) : AnswerFields.data(value)
  }
  const { address, selector } = value as ExternalFunction
  return `${selector} of ${address}`
}

const long = (text: string): string =>
  text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…  whole with --json`

const MAX_TEXT = 400

/** Returns the text of a word that is not a valid value of its type. */
const flawText = ({ bytes, reason }: Flaw): string =>
  reason === "OutOfRange"
    ? flaws[reason]
    : `${flaws[reason]}${bytes === undefined ? "" : `: ${AnswerFields.data(bytes)}`}`

const flaws: Readonly<Record<Flaw["reason"], string>> = {
  NotABool: "corrupt, neither true nor false",
  NotAMember: "corrupt, beyond the enum's last member",
  NotPadded: "corrupt, the word has more than the value",
  BadLength: "corrupt, a length that no program writes",
  NotUtf8: "not text",
  OutOfRange: "none: the array ends before",
  TooLarge: "not read: it is too large",
  TooDeep: "not read: it is too deep"
}

const changedLines = (
  layout: Layout,
  location: Location,
  { changes }: ChangedVariable,
  style: Style
): ReadonlyArray<string> => {
  const shown = changes.slice(0, MAX_LINES).flatMap(({ from, path, to }) => {
    const name = TerminalText.printable(path)
    const before = sideText(layout, location, path, from)
    const after = sideText(layout, location, path, to)
    return name.length + before.length + after.length + 8 <= Math.min(style.columns, MAX_LINE)
      ? [`  ${style.label(name)}  ${before} ${style.faint("->")} ${after}`]
      : [`  ${style.label(name)}`, `    ${style.faint("from")}  ${before}`, `    ${style.faint("to")}    ${after}`]
  })
  const more = changes.length - MAX_LINES
  return more > 0 ? [...shown, `    ${Units.count(more, "more change")}, whole with --json`] : shown
}

/** Returns the text of a part of a value. The path of the part in the whole value gives its type. */
const sideText = (layout: Layout, whole: Location, path: string, value: Value | undefined): string => {
  if (value === undefined) return "none"
  const type = typeAt(layout, whole, path.slice(whole.path.length))
  return leaves(layout, { ...whole, path: "", type }, value)
    .map(({ path, text }) => (path === "" ? text : `${path.replace(/^\./u, "")} ${text}`))
    .join(", ")
}

const typeAt = (layout: Layout, { type }: Location, steps: string): StorageType => {
  let inner = type
  for (const [, name] of steps.matchAll(/\.([\w$]+)|\[\d+\]/gu)) {
    const id =
      inner._tag === "Struct"
        ? inner.members.find((member) => member.name === name)!.type
        : "base" in inner
          ? inner.base
          : undefined
    if (id !== undefined) inner = layout.types.get(id)!
  }
  return inner
}

const leftOut = (left: ReadonlyArray<LeftOutVariable>, style: Style): ReadonlyArray<string> => {
  if (left.length === 0) return []
  const more = left.length - MAX_LINES
  return [
    "",
    `  ${style.label("not read")}`,
    ...left
      .slice(0, MAX_LINES)
      .map(({ path, reason, type }) => `    ${TerminalText.printable(path)}  ${style.faint(why(reason, type))}`),
    ...(more > 0 ? [`    ${Units.count(more, "more", "more")}, all with --json`] : [])
  ]
}

const why = (reason: LeftOutVariable["reason"], type: string): string =>
  ({
    Mapping: `${TerminalText.printable(type)}: name the keys`,
    TooLarge: "too large",
    TooDeep: "too deep",
    NoPath: "several variables have this name: only the syntax tree tells them apart"
  })[reason]
