/**
 * The ABIs that the reader gave, by contract. They stay in the browser's storage, because they hold nothing secret. No
 * link contains one: no block proves an ABI, so a link's receiver would take the sender's names for proven.
 */
import * as Atom from "effect/reactivity/Atom"
import * as Result from "effect/Result"

import { registry } from "../look/useAtom.ts"
import * as AbiFile from "./AbiFile.ts"

/** An ABI with the name that the screen shows, such as that of its file. */
export interface NamedAbi {
  readonly name: string
  readonly text: string
}

/** An ABI that was read. */
export interface ChosenAbi extends NamedAbi {
  readonly abi: AbiFile.ContractAbi
}

const KEY = "plumbline-abis"

/** Maximum number of characters of all kept ABIs. The oldest are dropped first. */
const MAX_KEPT = 2 * 1024 * 1024

type Kept = ReadonlyArray<readonly [contract: string, named: NamedAbi]>

const stored = (): Kept => {
  try {
    const json: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]")
    return Array.isArray(json) ? json.filter(isEntry) : []
  } catch {
    return []
  }
}

const isEntry = (value: unknown): value is Kept[number] => {
  if (!Array.isArray(value) || typeof value[0] !== "string") return false
  const named = value[1] as Partial<NamedAbi> | null | undefined
  return typeof named?.name === "string" && typeof named.text === "string"
}

const all: Atom.Writable<Kept> = Atom.keepAlive(Atom.make<Kept>(stored()))

const keyOf = (network: string, address: string): string => `${network} ${address.toLowerCase()}`

const byContract = Atom.family((key: string) =>
  Atom.make((get): ChosenAbi | undefined => {
    const named = get(all).find(([contract]) => contract === key)?.[1]
    const abi = named === undefined ? undefined : Result.getOrUndefined(AbiFile.read(named.text))
    return named === undefined || abi === undefined ? undefined : { ...named, abi }
  })
)

/** The ABI of a contract, as an atom; undefined if the reader gave none. */
export const of = (network: string, address: string): Atom.Atom<ChosenAbi | undefined> =>
  byContract(keyOf(network, address))

/** Keeps the ABI of a contract, in place of its earlier one. */
export const choose = (network: string, address: string, named: NamedAbi): void => {
  const key = keyOf(network, address)
  change([...registry.get(all).filter(([contract]) => contract !== key), [key, named]])
}

/** Forgets the ABI of a contract. */
export const forget = (network: string, address: string): void => {
  const key = keyOf(network, address)
  change(registry.get(all).filter(([contract]) => contract !== key))
}

const change = (next: Kept): void => {
  const kept = bounded(next)
  registry.set(all, kept)
  try {
    localStorage.setItem(KEY, JSON.stringify(kept))
  } catch {
    // without storage, the page keeps them until it is closed
  }
}

/** Returns the newest ABIs that fit together. */
const bounded = (kept: Kept): Kept => {
  let size = 0
  return kept
    .toReversed()
    .filter(([contract, { name, text }]) => (size += contract.length + name.length + text.length) <= MAX_KEPT)
    .toReversed()
}
