/**
 * Reads an ABI as a reader gives it: the JSON of a compiler, an artifact that holds one, or lines such as
 * `function balanceOf(address owner) view returns (uint256)`.
 */
import * as AbiFunctions from "@plumbline/contracts/abi/AbiFunction"
import * as AbiJson from "@plumbline/contracts/abi/AbiJson"
import * as AbiSignature from "@plumbline/contracts/abi/AbiSignature"
import type { AbiError, AbiEvent, AbiFunction } from "@plumbline/contracts/abi/AbiType"
import * as Result from "effect/Result"
import { parseAbi } from "viem/utils"

/** The functions of a contract, its events, and the errors with which it can revert. */
export interface ContractAbi {
  readonly functions: ReadonlyArray<AbiFunction>
  readonly events: ReadonlyArray<AbiEvent>
  readonly errors: ReadonlyArray<AbiError>
}

/** Maximum number of characters of an ABI. */
export const MAX_TEXT = 256 * 1024

/** Maximum number of functions, events and errors. */
const MAX_ITEMS = 1000

/** Reads the text. Fails with a sentence. */
export const read = (text: string): Result.Result<ContractAbi, string> => {
  if (text.length > MAX_TEXT) return Result.fail(`The ABI has more than ${MAX_TEXT} characters.`)
  const trimmed = text.trim()
  if (trimmed === "") return Result.fail("Paste an ABI: JSON, or one function a line.")
  return Result.flatMap(/^[[{]/u.test(trimmed) ? fromJson(trimmed) : fromLines(trimmed), (items) => {
    if (items.length > MAX_ITEMS) return Result.fail(`The ABI has more than ${MAX_ITEMS} functions, events and errors.`)
    const functions = items.filter((item) => item.type === "function")
    const events = items.filter((item) => item.type === "event")
    return functions.length + events.length === 0
      ? Result.fail("The ABI has no function and no event.")
      : Result.succeed({
          functions: [...new Map(functions.map((item) => [AbiFunctions.signature(item), item])).values()],
          events,
          errors: items.filter((item) => item.type === "error")
        })
  })
}

type Item = AbiFunction | AbiEvent | AbiError

const fromJson = (text: string): Result.Result<ReadonlyArray<Item>, string> =>
  Result.flatMap(jsonOf(text), (json) => itemsOf(abiIn(json)))

const jsonOf = (text: string): Result.Result<unknown, string> =>
  Result.try({
    try: (): unknown => JSON.parse(text),
    catch: () => "The text begins like JSON, but is not JSON."
  })

/** Returns the ABI in an artifact or in a compiler's metadata; any other JSON is returned as it is. */
const abiIn = (json: unknown): unknown => {
  const file = json as { readonly abi?: unknown; readonly output?: { readonly abi?: unknown } } | null
  return file?.abi ?? file?.output?.abi ?? json
}

/** Returns the ABI in the text of an artifact, without the artifact's other parts; any other text is returned as it is. */
export const abiOf = (text: string): string => {
  const abi = abiIn(Result.getOrUndefined(jsonOf(text)))
  return Array.isArray(abi) ? JSON.stringify(abi) : text
}

/** Maximum size of a file, in bytes. An artifact also holds code, which is dropped. */
const MAX_FILE = 8 * 1024 * 1024

/** Reads the ABI in a file as its text. Fails with a sentence. */
export const textOf = async (file: Pick<File, "name" | "size" | "text">): Promise<Result.Result<string, string>> => {
  if (file.size > MAX_FILE) return Result.fail(`${file.name} has more than ${MAX_FILE} bytes.`)
  const text = abiOf(await file.text())
  return Result.map(read(text), () => text)
}

const itemsOf = (abi: unknown): Result.Result<ReadonlyArray<Item>, string> =>
  Result.mapBoth(AbiJson.parse(abi), {
    onSuccess: (items) =>
      items.filter((item) => item.type === "function" || item.type === "event" || item.type === "error"),
    onFailure: ({ message }) => `Not an ABI: ${message}.`
  })

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
  if (worded.some((line) => line.length > AbiSignature.MAX_LENGTH) || worded.length > MAX_ITEMS || !isBounded(worded)) {
    return Result.fail("The ABI is too long.")
  }
  return Result.try({
    try: () => parseAbi(worded),
    catch: (error) => `Not an ABI: ${error instanceof Error ? error.message.split("\n")[0]!.slice(0, 160) : ""}`
  }).pipe(
    Result.flatMap(itemsOf),
    Result.map((more) => [...items, ...more])
  )
}

/** Maximum number of words in lines whose structs are written out. */
const MAX_WORDS = 65_536

/** Maximum number of structs within one another. */
const MAX_DEPTH = 32

/**
 * True if the lines stay short once each struct in them is replaced by its members. Without this bound, 30 structs that
 * each hold the next one twice would become a billion members.
 */
const isBounded = (lines: ReadonlyArray<string>): boolean => {
  const structs = new Map<string, ReadonlyArray<string>>()
  for (const line of lines) {
    const [, name, members = ""] = /^struct\s+([\w$]+)\s*\{(.*)$/u.exec(line) ?? []
    if (name !== undefined) structs.set(name, members.split(";").flatMap(typesOf))
  }
  let left = MAX_WORDS
  const fits = (words: ReadonlyArray<string>, depth: number): boolean =>
    depth <= MAX_DEPTH && words.every((word) => (left -= 1) >= 0 && fits(structs.get(word) ?? [], depth + 1))
  return lines.every((line) => fits(wordsOf(line), 0))
}

const wordsOf = (text: string): ReadonlyArray<string> => text.match(/[\w$]+/gu) ?? []

/** Returns the types of a member: its first word, or all words of a tuple. */
const typesOf = (member: string): ReadonlyArray<string> =>
  member.includes("(") ? wordsOf(member) : wordsOf(member).slice(0, 1)
