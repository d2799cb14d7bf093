import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"

import { LayoutFileError } from "./LayoutFileError.ts"

/** An object whose members are unknown until they are checked. */
export interface Json {
  readonly [field: string]: unknown
}

/** True if the value is an object but not an array. */
export const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Returns the value if it is an object, else an empty object. */
export const record = (value: unknown): Json => (isRecord(value) ? value : {})

/** Returns the members of an object that are objects, with their names. */
export const records = (value: unknown): ReadonlyArray<readonly [name: string, member: Json]> =>
  Object.entries(record(value)).filter((entry): entry is [string, Json] => isRecord(entry[1]))

/** Returns the value if it is a text. */
export const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** Maximum number of bytes of a file. Build info of large projects has some hundred megabytes. */
const MAX_BYTES = 512 * 2 ** 20

/** Reads the object in a file; `named` is the name that the user gave, for errors. */
export const read = Effect.fnUntraced(function* (file: string, named: string = file) {
  const fs = yield* FileSystem.FileSystem
  const refused = (error: { readonly reason: { readonly _tag: string } }) =>
    unreadable(named, error.reason._tag === "NotFound" ? "there is no such file" : "it cannot be read")
  const { size } = yield* Effect.mapError(fs.stat(file), refused)
  if (size > MAX_BYTES) {
    return yield* unreadable(named, `a file of more than ${MAX_BYTES / 2 ** 20} MiB is not read`)
  }
  const content = yield* Effect.mapError(fs.readFileString(file), refused)
  const json = Result.try((): unknown => JSON.parse(content))
  return Result.isSuccess(json) && isRecord(json.success)
    ? json.success
    : yield* notALayout(named, "it is not a JSON object")
})

/** Reads the object in a file; undefined if the file does not exist or is not JSON. */
export const readIfThere = (file: string) => Effect.orElseSucceed(read(file), () => undefined)

/** Maximum number of characters of an error's detail, because an error repeats names in the file, which can be long. */
const MAX_DETAIL = 600

const failure =
  (problem: LayoutFileError["problem"]) =>
  (path: string, detail: string): LayoutFileError =>
    new LayoutFileError({ path, problem, detail: detail.slice(0, MAX_DETAIL) })

export const unreadable = failure("Unreadable")
export const notALayout = failure("NotALayout")
export const noContract = failure("NoContract")
export const ambiguous = failure("AmbiguousContract")
