/** A contract of Vyper 0.4.3 with a variable of every kind, from `vyper -f layout`, `-f abi` and `-f bytecode`. */
import { readFileSync } from "node:fs"

import type { Abi, Hex } from "viem"

interface Compiled {
  readonly abi: Abi
  readonly creationCode: Hex
  /** The layout in the form that vyper prints. */
  readonly layout: any
}

export const kinds: Compiled = JSON.parse(readFileSync(new URL("./vyper/Kinds.json", import.meta.url), "utf8"))
