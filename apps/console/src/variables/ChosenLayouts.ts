/**
 * The layouts and keys that the reader gave, by contract. They are kept only in the memory of the open page.
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
}

const NOTHING: LayoutChoices = { named: undefined, entries: [] }

const all: Atom.Writable<ReadonlyMap<string, LayoutChoices>> = Atom.keepAlive(
  Atom.make<ReadonlyMap<string, LayoutChoices>>(new Map())
)
const byId = new Map<number, NamedLayout>()

const keyOf = (network: string, address: string): string => `${network} ${address.toLowerCase()}`

/** The choices for a contract, as an atom. */
export const choicesOf = Atom.family((key: string) => Atom.make((get) => get(all).get(key) ?? NOTHING))

/** The choices for a contract of a network. */
export const of = (network: string, address: string): Atom.Atom<LayoutChoices> => choicesOf(keyOf(network, address))

/** Returns the layout with an id. Fails with a defect for an id that this page did not make. */
export const withId = (id: number): NamedLayout => byId.get(id)!

/** Sets the layout of a contract, and forgets the keys that belonged to its earlier layout. */
export const choose = (network: string, address: string, name: string, layout: Layout): void => {
  const named = { id: byId.size + 1, name, layout }
  byId.set(named.id, named)
  change(network, address, () => ({ named, entries: [] }))
}

/** Forgets the layout of a contract. */
export const forget = (network: string, address: string): void => change(network, address, () => NOTHING)

/** Adds an entry of a mapping. */
export const addEntry = (network: string, address: string, entry: TypedEntry): void =>
  change(network, address, (before) =>
    before.entries.some(({ path }) => path === entry.path)
      ? before
      : { ...before, entries: [...before.entries, entry].slice(-MAX_ENTRIES) }
  )

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
  registry.set(all, new Map([...before, [key, next(before.get(key) ?? NOTHING)]]))
}
