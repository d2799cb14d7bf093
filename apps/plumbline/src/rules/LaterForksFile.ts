/**
 * The file of forks that this version does not know: the fields that they append to the header, and their types of transactions.
 *
 * `{ "forks": [{ "name": "bogota", "headerFields": [{ "name": "inclusionListRoot", "kind": "hash" }] }] }`
 */
import type * as LaterForks from "@plumbline/eth-methods/model/LaterForks"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

import { DataError, dataError } from "../files/DataError.ts"

/** `--forks <file>`. */
export const flag: Flag.Flag<Option.Option<string>> = Flag.String("forks").pipe(
  Flag.withMetavar("file"),
  Flag.withDescription(
    "JSON file with the header fields and transaction types of forks that this version does not know, so that their blocks are proven, with --l1 of both chains (default: none)"
  ),
  Flag.optional
)

/** Reads the file that the flag names; undefined without the flag. */
export const ofFlag = (
  given: Option.Option<string>
): Effect.Effect<LaterForks.LaterForks | undefined, DataError, FileSystem.FileSystem> =>
  Option.isNone(given) ? Effect.undefined : read(given.value)

/** Maximum number of bytes of a file. No real one is as large. */
const MAX_BYTES = 1024 * 1024

/** Reads a file. */
export const read = Effect.fnUntraced(function* (
  file: string
): Effect.fn.Return<LaterForks.LaterForks, DataError, FileSystem.FileSystem> {
  const fs = yield* FileSystem.FileSystem
  const damaged = (detail: string) => new DataError({ path: file, problem: "Damaged", detail })
  const { size } = yield* Effect.mapError(fs.stat(file), (error) => dataError(file, "Unreadable", error))
  if (size > BigInt(MAX_BYTES)) return yield* damaged(`it has more than ${MAX_BYTES} bytes`)
  const text = yield* Effect.mapError(fs.readFileString(file), (error) => dataError(file, "Unreadable", error))
  // the parser quotes the text, and a file that is named by mistake may hold a secret
  const json = yield* Effect.mapError(decodeJson(text), () => damaged("it is not JSON"))
  // the help of a command shows the flag, and needs no model
  const { LaterForks } = yield* Effect.promise(() => import("@plumbline/eth-methods/model/LaterForks"))
  return yield* Effect.mapError(Schema.decodeUnknownEffect(LaterForks)(json), ({ message }) =>
    damaged(`it describes no forks: ${message.replaceAll(/\n +at/gu, " at").replaceAll("\n", ", ")}`)
  )
})

const decodeJson = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))
