/**
 * Decodes the data of calls and logs by known ABIs.
 *
 * A selector is four bytes of a hash, so functions of different names can share it, and a decoded call is a guess unless
 * the reader gave the ABI. The first topic of a log is a whole hash: only the names of the parameters are the ABI's.
 */
import type { Hex } from "@plumbline/codec/hex/Hex"
import * as AbiEvents from "@plumbline/contracts/abi/AbiEvent"
import * as AbiFunctions from "@plumbline/contracts/abi/AbiFunction"
import * as AbiParameters from "@plumbline/contracts/abi/AbiParameters"
import * as AbiText from "@plumbline/contracts/abi/AbiText"
import type { AbiEvent, AbiFunction, AbiParameter } from "@plumbline/contracts/abi/AbiType"
import * as Result from "effect/Result"

import type { ContractAbi } from "./AbiFile.ts"
import type { KnownAbi } from "./KnownAbis.ts"

/** A name with values, and the ABI that gave the name. */
export interface DecodedItem {
  readonly name: string
  readonly signature: string
  readonly types: ReadonlyArray<AbiParameter>
  readonly values: ReadonlyArray<AbiText.AbiValue>
  readonly by: KnownAbi
  /** The position of the value that counts units of the contract's own token; undefined if there is none. */
  readonly amountAt: number | undefined
}

/** A decoded call. */
export interface DecodedCall extends DecodedItem {
  /** Other functions of known ABIs that fit the same data, as `signature of ABI`. */
  readonly others: ReadonlyArray<string>
  /** Number of bytes behind the arguments, which the function does not read. */
  readonly extraBytes: number
}

/** Decodes the data of a call. Undefined if no known function fits it. */
export const callOf = (abis: ReadonlyArray<KnownAbi>, input: Hex): DecodedCall | undefined => {
  if (input.length < 10) return undefined
  const data: Hex = `0x${input.slice(10)}`
  const fitting = abis.flatMap((by) =>
    (functionsOf(by.abi).get(input.slice(0, 10).toLowerCase()) ?? []).flatMap((item): ReadonlyArray<DecodedCall> => {
      const decoded = AbiParameters.decode(item.inputs, data)
      if (Result.isFailure(decoded)) return []
      const values = item.inputs.map((type, at) => AbiText.fromDecoded(type, decoded.success[at]))
      const encoded = AbiParameters.encode(item.inputs, values)
      const used = Result.isSuccess(encoded) ? encoded.success.length : data.length
      return [
        {
          name: item.name,
          signature: AbiFunctions.signature(item),
          types: item.inputs,
          values,
          by,
          amountAt: AMOUNTS[AbiFunctions.signature(item)],
          others: [],
          extraBytes: (data.length - used) / 2
        }
      ]
    })
  )
  const [best, ...rest] = fitting
  if (best === undefined) return undefined
  const others = rest.filter(
    (one) => one.signature !== best.signature || (best.by.source === "standard" && namesOf(one) !== namesOf(best))
  )
  return { ...best, others: [...new Set(others.map(({ by, signature }) => `${signature} of ${by.name}`))] }
}

/** The names of the arguments: ERC-20 and ERC-721 share signatures, in which a number is an amount or a token. */
const namesOf = ({ types }: DecodedItem): string => types.map(({ name }) => name).join(" ")

/** The position of the amount in the calls of ERC-20. */
const AMOUNTS: Readonly<Record<string, number>> = {
  "transfer(address,uint256)": 1,
  "transferFrom(address,address,uint256)": 2,
  "approve(address,uint256)": 1
}

/** A log, as far as it is decoded. */
export interface LogSource {
  readonly topics: ReadonlyArray<Hex>
  readonly data: Hex
}

/** Decodes a log. Undefined if no known event fits it. */
export const eventOf = (abis: ReadonlyArray<KnownAbi>, log: LogSource): DecodedItem | undefined => {
  const [first] = log.topics
  if (first === undefined) return undefined
  for (const by of abis) {
    for (const item of eventsOf(by.abi).get(first.toLowerCase()) ?? []) {
      const decoded = AbiEvents.decode([item], log)
      if (Result.isFailure(decoded)) continue
      const { args } = decoded.success
      const types = item.inputs.map((input) => (isHashed(input) ? { ...input, type: "bytes32" } : input))
      return {
        name: item.name,
        signature: AbiEvents.signature(item),
        types,
        values: types.map((type, at) =>
          AbiText.fromDecoded(
            type,
            Array.isArray(args) ? args[at] : (args as Readonly<Record<string, unknown>>)[type.name ?? ""]
          )
        ),
        by,
        amountAt: AMOUNTS_OF_EVENTS.has(AbiEvents.signature(item)) && item.inputs[2]!.indexed !== true ? 2 : undefined
      }
    }
  }
  return undefined
}

/** The events of ERC-20, whose third parameter is an amount unless it is indexed, as it is in ERC-721. */
const AMOUNTS_OF_EVENTS: ReadonlySet<string> = new Set([
  "Transfer(address,address,uint256)",
  "Approval(address,address,uint256)"
])

/** True for an indexed parameter of which a log holds only the hash. */
const isHashed = ({ indexed, type }: AbiEvent["inputs"][number]): boolean =>
  indexed === true && (type === "string" || type === "bytes" || type === "tuple" || type.endsWith("]"))

const functionsOf = (abi: ContractAbi): ReadonlyMap<string, ReadonlyArray<AbiFunction>> =>
  kept(functions, abi, () => Map.groupBy(abi.functions, (item): string => AbiFunctions.selector(item)))

const eventsOf = (abi: ContractAbi): ReadonlyMap<string, ReadonlyArray<AbiEvent>> =>
  kept(events, abi, () =>
    Map.groupBy(
      abi.events.filter(({ anonymous }) => anonymous !== true),
      (item): string => AbiEvents.topic(item)
    )
  )

/** Many calls and logs are decoded by one ABI, so its items are hashed once. */
const functions = new WeakMap<ContractAbi, ReadonlyMap<string, ReadonlyArray<AbiFunction>>>()
const events = new WeakMap<ContractAbi, ReadonlyMap<string, ReadonlyArray<AbiEvent>>>()

const kept = <A extends object, B>(memory: WeakMap<A, B>, key: A, make: () => B): B => {
  const known = memory.get(key)
  if (known !== undefined) return known
  const made = make()
  memory.set(key, made)
  return made
}

/** Says where the name of a call comes from, and how far to believe it. */
export const reasonOfCall = ({ by: { name, source }, others }: DecodedCall): string => {
  const also = others.length === 0 ? "" : ` The same bytes also fit ${others.slice(0, 3).join(" and ")}.`
  switch (source) {
    case "contract":
      return `Named by ${name}, the ABI that you chose for this contract.${also}`
    case "dropped":
      return `Named by ${name}, which you dropped here. Only the first four bytes tie it to this contract.${also}`
    case "standard":
      return `A guess: the first four bytes are those of a function of ${name}. Functions of other names can share them.${also}`
  }
}

/** Says where the name of an event comes from. */
export const reasonOfEvent = ({ by: { name, source }, signature }: DecodedItem): string => {
  const whose =
    source === "contract"
      ? `${name}, the ABI that you chose for this contract`
      : source === "dropped"
        ? `${name}, which you dropped here`
        : name
  return `Topic 0 is the hash of ${signature}. The names of its values are from ${whose}.`
}
