/** Makes random layouts, and random numbers for walking them. */
import * as Random from "@plumbline/seeded/Random"
import { Layout } from "@plumbline/storage-layout"
import { Result } from "effect"

import * as SlotOracle from "./slotOracle.ts"
import * as Solidity from "./solidity.ts"
import { DEFINITIONS } from "./valueKinds.ts"

/** Makes a random Solidity contract, with its layout in solc's form. */
export const solidity = (seed: number) => {
  const random = Random.make(seed)
  const source = SlotOracle.declarations(random, 30)
  const { contract, output } = Solidity.compile(`${DEFINITIONS} ${source}`)
  const layout = Result.getOrThrow(Layout.fromSolcOutput(output, "Drawn"))
  return { random, layout, json: contract("Drawn").storageLayout }
}

/** Makes a random layout of Vyper, with variables that directly follow each other. */
export const vyper = (seed: number) => {
  const random = Random.make(seed)
  let slot = 0n
  const variables = Array.from({ length: 12 }, (_, i) => {
    const variable = { name: `v${i}`, slot, type: SlotOracle.vyperType(random, 0, true) }
    slot += variable.type.slots
    return variable
  })
  const json = Object.fromEntries(
    variables.map(({ name, slot, type }) => [
      name,
      { type: type.text, slot: Number(slot), n_slots: Number(type.slots) }
    ])
  )
  return { random, variables, end: slot, layout: Result.getOrThrow(Layout.fromVyper({ storage_layout: json })) }
}
