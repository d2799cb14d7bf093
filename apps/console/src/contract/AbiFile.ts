/**
 * Reads an ABI as a reader gives it: the JSON of a compiler, an artifact that holds one, or lines such as
 * `function balanceOf(address owner) view returns (uint256)`.
 */
import * as AbiFunctions from "@plumbline/contracts/abi/AbiFunction"
import * as AbiSignature from "@plumbline/contracts/abi/AbiSignature"
import * as Result from "effect/Result"
import type { Abi, AbiFunction, AbiParameter } from "viem"
import { parseAbi } from "viem/utils"

/** An error with which a contract can revert. */
export type AbiError = Extract<Abi[number], { readonly type: "error" }>

/** The functions of a contract, and the errors with which it can revert. */
export interface ContractAbi {
  readonly functions: ReadonlyArray<AbiFunction>
  readonly errors: ReadonlyArray<AbiError>
}

/** Maximum number of characters of an ABI. */
export const MAX_TEXT = 256 * 1024

/** Maximum number of functions and errors. */
const MAX_ITEMS = 1000

/** Maximum number of types within one another. */
const MAX_DEPTH = 16

/** Reads the text. Fails with a sentence. */
export const read = (text: string): Result.Result<ContractAbi, string> => {
  if (text.length > MAX_TEXT) return Result.fail(`The ABI has more than ${MAX_TEXT} characters.`)
  const trimmed = text.trim()
  if (trimmed === "") return Result.fail("Paste an ABI: JSON, or one function a line.")
  return Result.flatMap(/^[[{]/u.test(trimmed) ? fromJson(trimmed) : fromLines(trimmed), (items) => {
    if (items.length > MAX_ITEMS) return Result.fail(`The ABI has more than ${MAX_ITEMS} functions and errors.`)
    const functions = items.filter((item) => item.type === "function")
    return functions.length === 0
      ? Result.fail("The ABI has no function.")
      : Result.succeed({
          functions: [...new Map(functions.map((item) => [AbiFunctions.signature(item), item])).values()],
          errors: items.filter((item) => item.type === "error")
        })
  })
}

type Item = AbiFunction | AbiError

const fromJson = (text: string): Result.Result<ReadonlyArray<Item>, string> => {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return Result.fail("The text begins like JSON, and is none.")
  }
  const list = listOf(json)
  if (list === undefined) return Result.fail('The JSON has no ABI: neither a list, nor an object with "abi".')
  const items: Array<Item> = []
  for (const [at, one] of list.entries()) {
    const item = itemOf(one)
    if (item === undefined) return Result.fail(`Entry ${at + 1} of the ABI is malformed.`)
    if (item !== "other") items.push(item)
  }
  return Result.succeed(items)
}

/** Returns the list of an ABI: the JSON itself, or its member `abi`, which artifacts of Foundry and Hardhat have. */
const listOf = (json: unknown): ReadonlyArray<unknown> | undefined => {
  if (Array.isArray(json)) return json
  if (!isObject(json)) return undefined
  const { abi, output } = json
  return Array.isArray(abi) ? abi : isObject(output) && Array.isArray(output["abi"]) ? output["abi"] : undefined
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const NAME = /^[A-Za-z_$][\w$]{0,255}$/u

const MUTABILITIES = ["pure", "view", "nonpayable", "payable"] as const

/** Reads an entry; undefined if it is malformed. Events, constructors and the like are `other`. */
const itemOf = (value: unknown): Item | "other" | undefined => {
  if (!isObject(value)) return undefined
  const { constant, inputs = [], name, outputs = [], stateMutability, type = "function" } = value
  if (type !== "function" && type !== "error") return typeof type === "string" ? "other" : undefined
  const [read, returned] = [parametersOf(inputs, 0), parametersOf(outputs, 0)]
  if (typeof name !== "string" || !NAME.test(name) || read === undefined || returned === undefined) return undefined
  if (type === "error") return { type, name, inputs: read }
  // compilers before 0.5 write constant in place of stateMutability
  const mutability = MUTABILITIES.find((one) => one === stateMutability) ?? (constant === true ? "view" : "nonpayable")
  return { type, name, inputs: read, outputs: returned, stateMutability: mutability }
}

const parametersOf = (value: unknown, depth: number): ReadonlyArray<AbiParameter> | undefined => {
  if (!Array.isArray(value) || depth > MAX_DEPTH || value.length > MAX_ITEMS) return undefined
  const all = value.map((one) => parameterOf(one, depth))
  return all.includes(undefined) ? undefined : (all as ReadonlyArray<AbiParameter>)
}

const TYPE =
  /^(address|bool|string|function|bytes(?:[1-9]|[12]\d|3[0-2])?|u?int(?:[1-9]\d{0,2})?|tuple)((?:\[\d{0,9}\]){0,8})$/u

const parameterOf = (value: unknown, depth: number): AbiParameter | undefined => {
  if (!isObject(value)) return undefined
  const { components, name = "", type } = value
  const [, base, arrays = ""] = (typeof type === "string" ? TYPE.exec(type) : null) ?? []
  if (base === undefined || typeof name !== "string" || (name !== "" && !NAME.test(name))) return undefined
  const named = name === "" ? {} : { name }
  if (base === "tuple") {
    const members = parametersOf(components, depth + 1)
    return members === undefined ? undefined : { type: `tuple${arrays}`, ...named, components: members }
  }
  const whole = base === "function" ? "bytes24" : base.endsWith("int") ? `${base}256` : base
  return { type: `${whole}${arrays}`, ...named }
}

/** Reads one item a line. A line in the form of `plumbline call`, such as `owner()(address)`, is a function that reads. */
const fromLines = (text: string): Result.Result<ReadonlyArray<Item>, string> => {
  const lines = text
    .split("\n")
    .map((line) => line.trim().replace(/;$/u, ""))
    .filter((line) => line !== "" && !line.startsWith("//"))
  const items: Array<Item> = []
  const worded: Array<string> = []
  for (const line of lines) {
    if (/^(?:function|error|struct|event|constructor|receive|fallback)\b/u.test(line)) {
      worded.push(line)
      continue
    }
    const signature = AbiSignature.parse(line)
    if (Result.isFailure(signature)) return Result.fail(`Not an item of an ABI: ${line.slice(0, 80)}`)
    items.push({ ...signature.success.item, stateMutability: "view" })
  }
  if (worded.length === 0) return Result.succeed(items)
  const long = worded.find((line) => line.length > AbiSignature.MAX_LENGTH)
  if (long !== undefined || worded.length > MAX_ITEMS) return Result.fail("The ABI is too long.")
  try {
    const parsed = parseAbi(worded as unknown as readonly [string]) as ReadonlyArray<{ readonly type: string }>
    return Result.succeed([
      ...items,
      ...parsed.filter((item): item is Item => item.type === "function" || item.type === "error")
    ])
  } catch (error) {
    return Result.fail(`Not an ABI: ${error instanceof Error ? error.message.split("\n")[0]!.slice(0, 160) : ""}`)
  }
}
