/** The items of an ABI, by their kind and name. */
import * as Nearest from "@plumbline/codec/text/Nearest"

import { AbiNameError } from "./AbiError.ts"
import type { Abi, AbiEvent, AbiFunction } from "./AbiType.ts"

interface Named {
  readonly function: AbiFunction
  readonly event: AbiEvent
}

const ofKind = <Kind extends keyof Named>(abi: Abi, kind: Kind): ReadonlyArray<Named[Kind]> =>
  abi.filter((item): item is Named[Kind] => item.type === kind)

/** Returns the items of a kind with this name: overloads share one. */
export const named = <Kind extends keyof Named>(abi: Abi, kind: Kind, name: string): ReadonlyArray<Named[Kind]> =>
  ofKind(abi, kind).filter((item) => item.name === name)

/** Returns the error for a name that the ABI does not have. */
export const unknown = (abi: Abi, kind: keyof Named, name: string): AbiNameError =>
  new AbiNameError({
    kind,
    wanted: name,
    overloads: [],
    nearest: Nearest.find(
      name,
      ofKind(abi, kind).map((item) => item.name)
    )
  })

/** Returns the error for a name that several items have. */
export const ambiguous = (kind: keyof Named, name: string, overloads: ReadonlyArray<string>): AbiNameError =>
  new AbiNameError({ kind, wanted: name, overloads, nearest: [] })
