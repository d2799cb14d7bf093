/** Reads the archive of the history chain from its file. */
import { readFile } from "node:fs/promises"

import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Effect from "effect/Effect"

import { record } from "./chainRecord.ts"
import * as HistoryArchive from "./historyArchive.ts"
import { HistoryError } from "./HistoryError.ts"

export const read = (file: URL): Effect.Effect<HistoryArchive.HistoryArchive, HistoryError> =>
  Effect.flatMap(
    Effect.tryPromise({
      try: () => readFile(file),
      catch: (error) => new HistoryError({ problem: "Unreadable", detail: codeOf(error) })
    }),
    (bytes) => {
      // without this hash some damage, such as a wrong sender, would stay undetected
      const hash = Keccak256.hashHex(bytes)
      return hash === record.archive
        ? Effect.sync(() => HistoryArchive.make(bytes))
        : Effect.fail(new HistoryError({ problem: "Damaged", detail: `its Keccak-256 is ${hash}` }))
    }
  )

/** Returns the system's code (such as `ENOENT`), because the error's message contains the path. */
const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "UNKNOWN"
