/** Layouts that many contracts share, for readers who lack the compiler's output. */
import * as Erc20 from "@plumbline/storage-layout/known/Erc20"
import * as Erc721 from "@plumbline/storage-layout/known/Erc721"
import * as Erc1967 from "@plumbline/storage-layout/known/Erc1967"
import * as Result from "effect/Result"

import * as CompilerFiles from "./CompilerFiles.ts"
import type { FoundLayout } from "./CompilerFiles.ts"

/** The layouts. `contract` is the name that the reader chooses from. */
export const all: ReadonlyArray<FoundLayout> = [
  { contract: "ERC-20 of OpenZeppelin", layout: Erc20.openZeppelin.layout },
  { contract: "ERC-20 of OpenZeppelin 5, upgradeable", layout: Erc20.openZeppelinUpgradeable5.layout },
  { contract: "ERC-20 of solmate", layout: Erc20.solmate.layout },
  { contract: "WETH9", layout: Erc20.weth9.layout },
  { contract: "ERC-721 of OpenZeppelin", layout: Erc721.openZeppelin.layout },
  { contract: "ERC-721 of solmate", layout: Erc721.solmate.layout },
  { contract: "Proxy of ERC-1967", layout: Erc1967.layout }
]

// the compiler's output beside the contracts, read when the console is built
const layouts = import.meta.glob<string>(
  "../../../../packages/devnet/state/layouts/{Cabinet,Counter,CounterV2,Proxy,Token}.json",
  {
    query: "?raw",
    import: "default"
  }
)

/** Reads the layout of one of `ExampleContracts` by its name; undefined if the console was built without it. */
export const exampleLayout = async (name: string): Promise<FoundLayout | undefined> => {
  const load = layouts[`../../../../packages/devnet/state/layouts/${name}.json`]
  if (load === undefined) return undefined
  const read = CompilerFiles.read(`${name}.json`, await load())
  const [found] = Result.getOrElse(read, () => [])
  return found === undefined ? undefined : { contract: name, layout: found.layout }
}
