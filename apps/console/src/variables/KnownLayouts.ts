/** Layouts that many contracts share, for readers who lack the compiler's output. */
import * as Erc20 from "@plumbline/storage-layout/known/Erc20"
import * as Erc721 from "@plumbline/storage-layout/known/Erc721"
import * as Erc1967 from "@plumbline/storage-layout/known/Erc1967"

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
