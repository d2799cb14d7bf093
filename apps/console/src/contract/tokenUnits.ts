/** Reads the units of a token's amounts from its contract. */
import type { AbiFunction } from "@plumbline/contracts/abi/AbiType"
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Atom from "effect/reactivity/Atom"
import * as Result from "effect/Result"

import * as ContractReads from "./ContractReads.ts"
import type { TokenUnits } from "./DecodedValue.tsx"
import * as FunctionResult from "./FunctionResult.ts"
import type { ShownContract } from "./ShownContract.ts"

/** The units of a token's amounts, as the contract names them; undefined if it names none. */
export const unitsOf = (
  at: ShownContract["at"],
  functions: ReadonlyArray<AbiFunction>
): Atom.Atom<TokenUnits | undefined> => {
  const named = (name: string) => functions.find((item) => item.name === name && item.inputs.length === 0)
  const [decimals, symbol] = [named("decimals"), named("symbol")]
  return decimals === undefined ? none : units(JSON.stringify([at, decimals, symbol], bigText))
}

/** No units. */
export const none: Atom.Atom<TokenUnits | undefined> = Atom.make((): TokenUnits | undefined => undefined)

const bigText = (_: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value)

const units = Atom.family((id: string) => {
  const [at, decimals, symbol] = JSON.parse(id) as readonly [ShownContract["at"], AbiFunction, AbiFunction | null]
  return Atom.make((get): TokenUnits | undefined => {
    const read = (item: AbiFunction | null) => {
      if (item === null) return undefined
      const answer = Option.getOrUndefined(
        AsyncResult.value(get(ContractReads.call({ ...at, data: FunctionResult.dataOf(item) })))
      )
      const values = answer === undefined ? undefined : FunctionResult.valuesOf(item, answer.end)
      return answer !== undefined && values !== undefined && Result.isSuccess(values)
        ? { value: values.success[0], isVerified: answer.isVerified }
        : undefined
    }
    const [places, name] = [read(decimals), read(symbol)]
    return typeof places?.value === "bigint" && places.value <= 77n
      ? {
          decimals: Number(places.value),
          symbol: typeof name?.value === "string" ? name.value : "",
          isVerified: places.isVerified && name?.isVerified !== false
        }
      : undefined
  })
})
