/** The entries of the palette for the examples of the embedded chains, for a reader without an address. */
import type { Network } from "../chain/ConsoleNetworks.ts"
import * as ExampleContracts from "../chain/ExampleContracts.ts"
import { short } from "../look/TextFormats.ts"
import { registry } from "../look/useAtom.ts"
import * as ChosenLayouts from "../variables/ChosenLayouts.ts"
import type { FoundLayout } from "../variables/CompilerFiles.ts"
import type { PaletteEntry } from "./paletteEntries.ts"

/** The layouts of the examples, by the names of the contracts. */
export type ExampleLayouts = ReadonlyMap<string, FoundLayout>

/** Reads the layouts. */
export const readLayouts = async (): Promise<ExampleLayouts> => {
  const { exampleLayout } = await import("../variables/KnownLayouts.ts")
  const found = await Promise.all(Object.values(ExampleContracts.NAMES).map(exampleLayout))
  return new Map(found.flatMap((layout) => (layout === undefined ? [] : [[layout.contract, layout]])))
}

/** Returns the variables of the contracts, the contracts, and the accounts. Nothing for a network that is not embedded. */
export const entriesOf = (
  network: Pick<Network, "name" | "chainId">,
  layouts: ExampleLayouts
): ReadonlyArray<PaletteEntry> => {
  const contracts = ExampleContracts.of(network)
  if (contracts === undefined) return []
  const on = { network: network.name, block: "latest" } as const
  const ids = Object.keys(contracts) as ReadonlyArray<keyof typeof contracts>
  const own = ids.map((id): PaletteEntry => ({
    id: `example ${network.name} ${id}`,
    kind: "Contract",
    title: ExampleContracts.NAMES[id],
    detail: `its functions by an ABI, an example of ${network.name}`,
    place: { _tag: "Contract", ...on, address: contracts[id] }
  }))
  const variables = ids.flatMap((id): ReadonlyArray<PaletteEntry> => {
    const name = ExampleContracts.NAMES[id]
    const address = contracts[id]
    const found = layouts.get(name)
    if (found === undefined) return []
    const run = (): void => {
      // the entries of mappings that the reader named stay
      const { named } = registry.get(ChosenLayouts.of(network.name, address))
      if (named?.name !== name) ChosenLayouts.choose(network.name, address, name, found.layout)
    }
    const entry = { kind: "Variable", run, place: { _tag: "Storage", ...on, address } } as const
    return [
      {
        ...entry,
        id: `example ${network.name} ${id} variables`,
        kind: "Variables",
        title: name,
        detail: `${ExampleContracts.SAYS[id]}, an example of ${network.name}`
      },
      ...found.layout.variables.map(({ name: variable }) => ({
        ...entry,
        id: `example ${network.name} ${id} ${variable}`,
        title: variable,
        detail: `of ${name}, an example of ${network.name}`,
        place: { ...entry.place, at: variable }
      }))
    ]
  })
  const accounts = ExampleContracts.ACCOUNTS.map((address): PaletteEntry => ({
    id: `example ${network.name} ${address}`,
    kind: "Account",
    title: short(address),
    detail: `with ether, an example of ${network.name}`,
    place: { _tag: "Account", ...on, address }
  }))
  return [...variables, ...own, ...accounts]
}
