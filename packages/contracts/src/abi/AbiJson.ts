/**
 * Reads an ABI as compilers write it: as JSON, alone or as the member `abi` of an artifact.
 *
 * Everything that the other modules rely on is checked, so that a wrong file is an error here and not a failure later.
 *
 * Source: Solidity's documentation (contract ABI specification, JSON).
 */
import * as Result from "effect/Result"

import { AbiJsonError } from "./AbiError.ts"
import type { Abi, AbiParameter } from "./AbiType.ts"

/** Maximum number of items of an ABI, of parameters of an item, and of members of a tuple. */
export const MAX_ITEMS = 4096

/** Maximum number of tuples within one another. */
const MAX_DEPTH = 32

/** Maximum number of parameters and members of all items together. */
const MAX_PARAMETERS = 65_536

/**
 * Returns the ABI in a value that `JSON.parse` gave. Members that no module needs, such as `internalType`, are left out.
 *
 * ```ts import.meta.vitest
 * import { AbiJson } from "@plumbline/contracts"
 * import { Result } from "effect"
 *
 * const artifact = { abi: [{ type: "function", name: "owner", inputs: [], outputs: [{ type: "address" }] }] }
 * const [item] = Result.getOrThrow(AbiJson.parse(artifact))
 * item // => { type: "function", name: "owner", stateMutability: "nonpayable", inputs: [], outputs: [{ type: "address" }] }
 *
 * const wrong = AbiJson.parse([{ type: "function", name: "owner", inputs: [{ type: "adress" }] }])
 * Result.isFailure(wrong) && wrong.failure.message // => "the ABI is wrong at [0].inputs[0].type: it is no type"
 * ```
 */
export const parse = (json: unknown): Result.Result<Abi, AbiJsonError> => {
  const list = isObject(json) && "abi" in json ? json["abi"] : json
  try {
    const reader: Reader = { parameters: 0 }
    return Result.succeed(
      listAt(list, "").flatMap((item, at) => {
        const read = itemOf(item, `[${at}]`, reader)
        return read === undefined ? [] : [read]
      })
    )
  } catch (error) {
    if (error instanceof AbiJsonError) return Result.fail(error)
    throw error
  }
}

interface Reader {
  /** The number of parameters that were read. */
  parameters: number
}

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const fault = (path: string, detail: string): AbiJsonError => new AbiJsonError({ path, detail })

const listAt = (value: unknown, path: string): ReadonlyArray<unknown> => {
  if (!Array.isArray(value)) throw fault(path, "it is no list")
  if (value.length > MAX_ITEMS) throw fault(path, `it has more than ${MAX_ITEMS} items`)
  return value
}

const MUTABILITY = ["pure", "view", "nonpayable", "payable"] as const

/** Returns an item; undefined for one of a kind that later compilers may have. */
const itemOf = (item: unknown, path: string, reader: Reader): Abi[number] | undefined => {
  if (!isObject(item)) throw fault(path, "it is no object")
  const { type = "function" } = item
  switch (type) {
    case "function":
      return {
        type,
        name: nameAt(item, path),
        stateMutability: mutabilityOf(item),
        inputs: parametersAt(item["inputs"], `${path}.inputs`, reader),
        outputs: parametersAt(item["outputs"] ?? [], `${path}.outputs`, reader)
      }
    case "error":
      return { type, name: nameAt(item, path), inputs: parametersAt(item["inputs"], `${path}.inputs`, reader) }
    case "event": {
      const inputs = listAt(item["inputs"], `${path}.inputs`).map((input, at) => ({
        ...parameterOf(input, `${path}.inputs[${at}]`, 0, reader),
        indexed: isObject(input) && input["indexed"] === true
      }))
      return { type, name: nameAt(item, path), inputs, ...(item["anonymous"] === true ? { anonymous: true } : {}) }
    }
    default:
      // nothing here reads a constructor, a fallback or a receive function
      return undefined
  }
}

/** Old compilers wrote `constant` and `payable` instead. */
const mutabilityOf = (item: Json): (typeof MUTABILITY)[number] =>
  MUTABILITY.find((name) => name === item["stateMutability"]) ??
  (item["constant"] === true ? "view" : item["payable"] === true ? "payable" : "nonpayable")

const IDENTIFIER = /^[A-Za-z_$][\w$]{0,255}$/u

const nameAt = (item: Json, path: string): string => {
  const { name } = item
  if (typeof name !== "string" || !IDENTIFIER.test(name)) throw fault(`${path}.name`, "it is no name")
  return name
}

const parametersAt = (value: unknown, path: string, reader: Reader): ReadonlyArray<AbiParameter> =>
  listAt(value, path).map((parameter, at) => parameterOf(parameter, `${path}[${at}]`, 0, reader))

const TYPE =
  /^(?:u?int\d{0,3}|bytes\d{0,2}|address|bool|string|function|u?fixed(?:\d{1,3}x\d{1,2})?|tuple)(?:\[\d{0,10}\]){0,32}$/u

const parameterOf = (value: unknown, path: string, depth: number, reader: Reader): AbiParameter => {
  reader.parameters += 1
  if (reader.parameters > MAX_PARAMETERS) throw fault(path, `there are more than ${MAX_PARAMETERS} parameters`)
  if (depth > MAX_DEPTH) throw fault(path, `more than ${MAX_DEPTH} tuples are within one another`)
  if (!isObject(value)) throw fault(path, "it is no object")
  const { components, name, type } = value
  if (typeof type !== "string" || !TYPE.test(type)) throw fault(`${path}.type`, "it is no type")
  if (name !== undefined && typeof name !== "string") throw fault(`${path}.name`, "it is no name")
  const named = name === undefined ? {} : { name }
  if (!type.startsWith("tuple")) return { ...named, type }
  const members = listAt(components, `${path}.components`).map((member, at) =>
    parameterOf(member, `${path}.components[${at}]`, depth + 1, reader)
  )
  return { ...named, type, components: members }
}
