/**
 * The ABIs by which calls and logs are decoded: that of the contract, as the reader chose it; those that the reader
 * dropped on a screen; and those of token standards.
 */
import * as Atom from "effect/reactivity/Atom"

import { registry } from "../look/useAtom.ts"
import type * as AbiFile from "./AbiFile.ts"
import * as ChosenAbis from "./ChosenAbis.ts"
import * as StandardAbis from "./StandardAbis.ts"

/** An ABI, and the reason why it may fit a contract. */
export interface KnownAbi {
  readonly name: string
  /**
   * `contract`: the reader chose it for this contract. `dropped`: the reader dropped it, for whichever contract it fits.
   * `standard`: a token standard, which nobody named for this contract.
   */
  readonly source: "contract" | "dropped" | "standard"
  readonly abi: AbiFile.ContractAbi
}

/** The ABIs that the reader dropped. They are forgotten with the page. */
export const dropped: Atom.Writable<ReadonlyArray<KnownAbi>> = Atom.keepAlive(Atom.make<ReadonlyArray<KnownAbi>>([]))

/** Maximum number of dropped ABIs. The oldest is forgotten first. */
const MAX_DROPPED = 16

/** Adds a dropped ABI, in place of one with its name. */
export const drop = (name: string, abi: AbiFile.ContractAbi): void => {
  const others = registry.get(dropped).filter((one) => one.name !== name)
  registry.set(dropped, [...others, { name, source: "dropped", abi } as const].slice(-MAX_DROPPED))
}

/** Forgets a dropped ABI. */
export const forget = (name: string): void =>
  registry.set(
    dropped,
    registry.get(dropped).filter((one) => one.name !== name)
  )

const standards = StandardAbis.all.map(({ name }): KnownAbi => ({
  name,
  source: "standard",
  abi: StandardAbis.of(name)
}))

const known = Atom.family((id: string) => {
  const [network = "", address = ""] = id.split(" ")
  return Atom.make((get): ReadonlyArray<KnownAbi> => {
    const chosen = get(ChosenAbis.of(network, address))
    const own = chosen === undefined ? [] : [{ name: chosen.name, source: "contract", abi: chosen.abi } as const]
    return [...own, ...get(dropped), ...standards]
  })
})

/** Returns the ABIs to try for a contract, the likeliest first. */
export const of = (network: string, address: string): Atom.Atom<ReadonlyArray<KnownAbi>> =>
  known(`${network} ${address.toLowerCase()}`)
