/** The entries of the palette for a text: what the text names, the places before, screens, projects and actions. */
import { short } from "../look/TextFormats.ts"
import type { ConsoleRoute } from "../route/ConsoleRoute.ts"
import * as Route from "../route/ConsoleRoute.ts"
import { recognise } from "../route/Recognise.ts"
import { groups } from "./screens.ts"

/** An entry: a place to go to, or an action. */
export interface PaletteEntry {
  /** Unique among the entries that are shown together. */
  readonly id: string
  /** The kind of the thing, such as `Block`. */
  readonly kind: string
  readonly title: string
  readonly detail: string
  readonly place?: ConsoleRoute | undefined
  /** A hash that the reader typed, which the screen may trust. */
  readonly typed?: string | undefined
  readonly run?: (() => void) | undefined
}

/** Entries below one heading. */
export interface PaletteSection {
  readonly name: string
  readonly entries: ReadonlyArray<PaletteEntry>
}

/** The knowledge of the palette besides the text. */
export interface PaletteFacts {
  /** The network of hashes, numbers and addresses; undefined if the service has none. */
  readonly network: string | undefined
  /** All networks of Ethereum's methods. */
  readonly networks: ReadonlyArray<string>
  /** The numbers of the newest blocks, by network, as far as they are known. */
  readonly heads: ReadonlyMap<string, bigint>
  readonly recent: ReadonlyArray<PaletteEntry>
  /** The projects that the session may see. */
  readonly projects: ReadonlyArray<{ readonly id: string; readonly name: string }>
  /** The examples of the embedded chains, those of the reader's network first. */
  readonly examples: ReadonlyArray<PaletteEntry>
  readonly actions: ReadonlyArray<PaletteEntry>
}

/** Maximum number of other networks, of projects and of examples that are offered. */
const OTHERS = 2
const PROJECTS = 5
const EXAMPLES = 8

/** Returns the sections for a text. Sections without entries are left out. */
export const sectionsOf = (text: string, facts: PaletteFacts): ReadonlyArray<PaletteSection> => {
  const asked = text.trim()
  const { actions, examples, network, recent } = facts
  const words = asked.toLowerCase().split(/\s+/u)
  const fits = ({ detail, kind, title }: PaletteEntry): boolean => {
    const text = `${kind} ${title} ${detail}`.toLowerCase()
    return words.every((word) => text.includes(word))
  }
  const named = asked === "" ? [] : namedBy(asked, facts)
  // a recent place has the address of a named one, which is enough
  const hrefs = new Set(named.flatMap(({ place }) => (place === undefined ? [] : [Route.link(place).href])))
  const before = recent.filter(
    (one) => fits(one) && (one.place === undefined || !hrefs.has(Route.link(one.place).href))
  )
  const screens = groups.flatMap(({ name: group, screens }) =>
    screens.flatMap(({ does, name, placeOf }): ReadonlyArray<PaletteEntry> => {
      const place = placeOf(network)
      return place === undefined ? [] : [{ id: `screen ${name}`, kind: group, title: name, detail: does, place }]
    })
  )
  const sections = [
    { name: "Found", entries: named },
    { name: "Recent", entries: before },
    { name: "Examples", entries: examplesIn(asked.toLowerCase(), fits, examples) },
    { name: "Screens", entries: screens.filter(fits) },
    { name: "Actions", entries: actions.filter(fits) }
  ]
  return sections.filter(({ entries }) => entries.length > 0)
}

/** Returns the examples for a text, those that it names first. Without a text, there is none. */
const examplesIn = (
  asked: string,
  fits: (entry: PaletteEntry) => boolean,
  examples: ReadonlyArray<PaletteEntry>
): ReadonlyArray<PaletteEntry> => {
  if (asked === "") return []
  const fitting = examples.filter(fits)
  const isNamed = ({ title }: PaletteEntry): boolean => title.toLowerCase().startsWith(asked)
  return [...fitting.filter(isNamed), ...fitting.filter((entry) => !isNamed(entry))].slice(0, EXAMPLES)
}

/** Returns the sentence for a text that names nothing; undefined if it names something. */
export const nothingIn = (text: string, sections: ReadonlyArray<PaletteSection>, network: string): string | undefined =>
  sections.length > 0 ? undefined : recognise(text, network).says

/** Returns the networks on which a text is looked up: this one first, then others. */
export const searched = (network: string | undefined, networks: ReadonlyArray<string>): ReadonlyArray<string> => {
  const others = networks.filter((one) => one !== network).slice(0, OTHERS)
  return network === undefined ? others : [network, ...others]
}

/** Returns the number of the block that a text names; undefined if it names none. */
export const heightIn = (text: string): bigint | undefined => {
  const { place } = recognise(text, "")
  return place?._tag === "Block" && /^\d+$/u.test(place.block) ? BigInt(place.block) : undefined
}

/** Returns the entries for what a text names: on this network first, then on others. */
const namedBy = (text: string, { heads, network, networks, projects }: PaletteFacts): ReadonlyArray<PaletteEntry> => {
  const found = searched(network, networks).flatMap((one) => entriesOn(text, one, heads.get(one)))
  const words = text.toLowerCase()
  const own = projects
    .filter(({ id, name }) => name.toLowerCase().includes(words) || id === words)
    .slice(0, PROJECTS)
    .map(({ id, name }) => ({
      id: `project ${id}`,
      kind: "Project",
      title: name,
      detail: id.slice(0, 8),
      place: { _tag: "Project", id } as const
    }))
  // what belongs to no network is found once
  return [...new Map([...found, ...own].map((entry) => [entry.id, entry])).values()]
}

/** Returns the entries for what a text names on one network, whose newest block is `head`. */
const entriesOn = (text: string, network: string, head: bigint | undefined): ReadonlyArray<PaletteEntry> => {
  const { place } = recognise(text, network)
  if (place === undefined) return []
  const on = { id: Route.link(place).href, detail: `on ${network}`, place }
  switch (place._tag) {
    case "Transaction": {
      const { hash } = place
      const block = { _tag: "Block", network, block: hash, trust: hash } as const
      return [
        { ...on, kind: "Transaction", title: short(hash), typed: hash },
        { ...on, id: Route.link(block).href, kind: "Block", title: short(hash), place: block }
      ]
    }
    case "Block": {
      const height = heightIn(text)
      const isAhead = head !== undefined && height !== undefined && height > head
      const detail = isAhead ? `not there yet: ${network} is at ${head}` : on.detail
      return [{ ...on, kind: "Block", title: place.block, detail }]
    }
    case "Account":
      return [{ ...on, kind: "Address", title: short(place.address) }]
    case "Name":
      return [{ ...on, kind: "Name", title: place.name, detail: `its address in ENS, on ${network}` }]
    case "Verify":
      return [{ ...on, kind: "Bundle", title: short(place.cid ?? ""), detail: "a proof to verify" }]
    case "Ipfs":
      return [
        { ...on, kind: "CID", title: [short(place.cid ?? ""), ...(place.path ?? [])].join("/"), detail: "on IPFS" }
      ]
    default:
      return []
  }
}
