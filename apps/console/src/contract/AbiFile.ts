/**
 * Reads an ABI as a reader gives it: the JSON of a compiler, an artifact that holds one, or lines such as
 * `function balanceOf(address owner) view returns (uint256)`.
 */
import * as AbiFunctions from "@plumbline/contracts/abi/AbiFunction"
import * as AbiJson from "@plumbline/contracts/abi/AbiJson"
import * as AbiSignature from "@plumbline/contracts/abi/AbiSignature"
import type { Abi, AbiError, AbiFunction } from "@plumbline/contracts/abi/AbiType"
import * as Result from "effect/Result"
import { parseAbi } from "viem/utils"

/** The functions of a contract, and the errors with which it can revert. */
export interface ContractAbi {
  readonly functions: ReadonlyArray<AbiFunction>
  readonly errors: ReadonlyArray<AbiError>
}

/** Maximum number of characters of an ABI. */
export const MAX_TEXT = 256 * 1024

/** Maximum number of functions and errors. */
const MAX_ITEMS = 1000

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
    return Result.fail("The text begins like JSON, but is not JSON.")
  }
  return Result.mapBoth(AbiJson.parse(inMetadata(json)), {
    onSuccess: (abi) => abi.filter(isItem),
    onFailure: ({ message }) => `Not an ABI: ${message}.`
  })
}

const isItem = (item: Abi[number]): item is Item => item.type === "function" || item.type === "error"

/** Returns the member `output` of a compiler's metadata, which holds the ABI; any other JSON is returned as it is. */
const inMetadata = (json: unknown): unknown =>
  typeof json === "object" && json !== null && !("abi" in json) && "output" in json ? json.output : json

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
    const parsed: Abi = parseAbi(worded as unknown as readonly [string])
    return Result.succeed([...items, ...parsed.filter(isItem)])
  } catch (error) {
    return Result.fail(`Not an ABI: ${error instanceof Error ? error.message.split("\n")[0]!.slice(0, 160) : ""}`)
  }
}
