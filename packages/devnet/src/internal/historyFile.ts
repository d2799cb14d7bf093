/** Reads the archive of the history chain from its file. */
import { readFile } from "node:fs/promises"

import * as Effect from "effect/Effect"

import * as HistoryChain from "../HistoryChain.ts"
import { HistoryError } from "../HistoryError.ts"
import * as HistoryArchive from "./historyArchive.ts"

export const read = (file: URL): Effect.Effect<HistoryArchive.Archive, HistoryError> =>
  Effect.flatMap(
    Effect.tryPromise({
      try: () => readFile(file),
      catch: (error) => new HistoryError({ problem: "Unreadable", detail: codeOf(error) })
    }),
    (bytes) =>
      Effect.try({
        try: () => check(HistoryArchive.make(bytes)),
        catch: (error) =>
          new HistoryError({ problem: "Damaged", detail: error instanceof Error ? error.message : "it is none" })
      })
  )

/** Blocks follow from the hash of the head, and their states from them: what does not belong to it comes to light. */
const check = (archive: HistoryArchive.Archive): HistoryArchive.Archive => {
  if (archive.head.hash !== HistoryChain.head.hash) throw new Error("its head is not that of this chain")
  return archive
}

/** The system's code (`ENOENT`): its message has the path. */
const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "UNKNOWN"
