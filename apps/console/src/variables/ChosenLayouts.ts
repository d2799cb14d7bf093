/**
 * The layouts and keys that the reader gave, by contract. They stay in the session of the tab, so that a reload keeps
 * them.
 *
 * No block proves a layout, so no link contains one: the receiver of a link would believe that the sender's names are
 * proven.
 */
import type { Layout } from "@plumbline/storage-layout/layout/Layout"
import * as Atom from "effect/reactivity/Atom"

import { registry } from "../look/useAtom.ts"

/** A layout that the reader chose for a contract. */
export interface NamedLayout {
  /** The number of a layout on this page, starting at 1. */
  readonly id: number
  readonly name: string
  readonly layout: Layout
}

/** An entry of a mapping whose key the reader typed. */
export interface TypedEntry {
  /** The path of the mapping. */
  readonly of: string
  readonly path: string
}

/** The choices for one contract. */
export interface LayoutChoices {
  readonly named: NamedLayout | undefined
  readonly entries: ReadonlyArray<TypedEntry>
  /** True if the reader asked for another layout than the last one. */
  readonly isForgotten: boolean
}

const NOTHING: LayoutChoices = { named: undefined, entries: [], isForgotten: false }

const byId = new Map<number, NamedLayout>()

/** The layouts as text, by their ids. A layout never changes. */
const texts = new Map<number, string>()

const KEY = "plumbline-layouts"

/** Maximum number of characters that are kept. The contracts that were chosen first are dropped first. */
const MAX_KEPT = 2 * 1024 * 1024

type Choices = ReadonlyMap<string, LayoutChoices>

/** A contract in the session: its key, the name and the text of its layout, and the entries. */
type Kept = readonly [contract: string, name: string, layout: string, entries: ReadonlyArray<TypedEntry>]

const named = (name: string, layout: Layout): NamedLayout => {
  const one = { id: byId.size + 1, name, layout }
  byId.set(one.id, one)
  return one
}

/** Writes a layout as JSON, which has neither bigints nor maps. */
export const toText = (layout: Layout): string =>
  JSON.stringify(layout, (_, value: unknown) =>
    typeof value === "bigint" ? { bigint: String(value) } : value instanceof Map ? { map: [...value] } : value
  )

/** Reads the text of a layout. */
export const fromText = (text: string): Layout =>
  JSON.parse(text, (_, value: unknown) => {
    if (typeof value !== "object" || value === null) return value
    const { bigint, map } = value as { readonly bigint?: string; readonly map?: Iterable<readonly [unknown, unknown]> }
    // an array has a method of that name
    return bigint !== undefined ? BigInt(bigint) : map !== undefined && !Array.isArray(value) ? new Map(map) : value
  }) as Layout

const stored = (): Choices => {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "[]") as ReadonlyArray<Kept>
    return new Map(
      kept.map(([contract, name, text, entries]) => [
        contract,
        { named: named(name, fromText(text)), entries, isForgotten: false }
      ])
    )
  } catch {
    return new Map()
  }
}

const all: Atom.Writable<Choices> = Atom.keepAlive(Atom.make<Choices>(stored()))

const keyOf = (network: string, address: string): string => `${network} ${address.toLowerCase()}`

/** The choices for a contract, as an atom. */
export const choicesOf = Atom.family((key: string) => Atom.make((get) => get(all).get(key) ?? NOTHING))

/** The choices for a contract of a network. */
export const of = (network: string, address: string): Atom.Atom<LayoutChoices> => choicesOf(keyOf(network, address))

/** Returns the layout with an id. Fails with a defect for an id that this page did not make. */
export const withId = (id: number): NamedLayout => byId.get(id)!

/** Sets the layout of a contract, and forgets the keys that belonged to its earlier layout. */
export const choose = (network: string, address: string, name: string, layout: Layout): void =>
  change(network, address, () => ({ ...NOTHING, named: named(name, layout) }))

/** Forgets the layout of a contract. */
export const forget = (network: string, address: string): void =>
  change(network, address, () => ({ ...NOTHING, isForgotten: true }))

/** Returns the entries with further ones. */
export const withEntries = (
  entries: ReadonlyArray<TypedEntry>,
  more: ReadonlyArray<TypedEntry>
): ReadonlyArray<TypedEntry> => {
  const added = more.filter(({ path }) => entries.every((entry) => entry.path !== path))
  return added.length === 0 ? entries : [...entries, ...added].slice(-MAX_ENTRIES)
}

/** Adds entries of mappings. */
export const addEntries = (network: string, address: string, entries: ReadonlyArray<TypedEntry>): void =>
  change(network, address, (before) => {
    const after = withEntries(before.entries, entries)
    return after === before.entries ? before : { ...before, entries: after }
  })

/** Removes an entry, and the entries within it. */
export const removeEntry = (network: string, address: string, path: string): void =>
  change(network, address, (before) => ({
    ...before,
    entries: before.entries.filter((entry) => entry.path !== path && !entry.of.startsWith(path))
  }))

/** Maximum number of entries of one contract that are kept. */
const MAX_ENTRIES = 256

const change = (network: string, address: string, next: (before: LayoutChoices) => LayoutChoices): void => {
  const key = keyOf(network, address)
  const before = registry.get(all)
  const old = before.get(key) ?? NOTHING
  const choices = next(old)
  if (choices === old) return
  const after = new Map([...before, [key, choices]])
  registry.set(all, after)
  keep(after)
}

const keep = (choices: Choices): void => {
  let size = 0
  const kept = [...choices].toReversed().flatMap(([contract, { entries, named }]): ReadonlyArray<Kept> => {
    if (named === undefined) return []
    const text = texts.get(named.id) ?? toText(named.layout)
    texts.set(named.id, text)
    // one that is too large does not push out the others
    if (size + text.length > MAX_KEPT) return []
    size += text.length
    return [[contract, named.name, text, entries]]
  })
  try {
    sessionStorage.setItem(KEY, JSON.stringify(kept.toReversed()))
  } catch {
    // without storage, the page keeps them until it is closed
  }
}
