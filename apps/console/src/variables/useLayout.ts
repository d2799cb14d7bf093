/** The layout of a contract: the one that the reader chose, or else that of an example contract. */
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { useEffect, useState } from "react"

import * as ExampleContracts from "../chain/ExampleContracts.ts"
import * as PageSession from "../chain/PageSession.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import { useExampleContracts } from "../parts/useExampleContracts.ts"
import * as ChosenLayouts from "./ChosenLayouts.ts"

/**
 * Chooses the layout of an example contract, unless the contract has it. Returns false if the console was built without
 * the layout.
 */
export const chooseExample = async (network: string, address: string, name: string): Promise<boolean> => {
  const { exampleLayout } = await import("./KnownLayouts.ts")
  const found = await exampleLayout(name)
  if (found === undefined) return false
  // the entries of mappings that the reader named stay
  const { named } = registry.get(ChosenLayouts.of(network, address))
  if (named?.name !== name) ChosenLayouts.choose(network, address, name, found.layout)
  return true
}

/** Returns the choices for a contract. `isExpected` is true while the layout of an example is being read. */
export const useLayout = (
  network: string,
  address: string
): ChosenLayouts.LayoutChoices & { readonly isExpected: boolean } => {
  const choices = useAtom(ChosenLayouts.of(network, address))
  const start = useAtom(PageSession.start)
  const [isMissing, setMissing] = useState(false)
  const contracts = useExampleContracts(network)
  const id = contracts === undefined ? undefined : ExampleContracts.at(contracts, address)
  const isWanted = choices.named === undefined && !choices.isForgotten && !isMissing
  const name = isWanted && id !== undefined ? ExampleContracts.NAMES[id] : undefined
  useEffect(() => {
    if (name !== undefined) void chooseExample(network, address, name).then((isThere) => setMissing(!isThere))
  }, [network, address, name])
  return { ...choices, isExpected: name !== undefined || (isWanted && AsyncResult.isInitial(start)) }
}
