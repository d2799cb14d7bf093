import { createReadStream } from "node:fs"

import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Bytes from "@plumbline/codec/hex/Bytes"
import { defaults } from "@plumbline/proof-bundle/bundle/ProofBundle"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Stream from "effect/Stream"

import { DataError, dataError } from "../files/DataError.ts"
import * as Units from "../terminal/Units.ts"

/** Reads the bytes of a file, unless it is larger than a bundle may be. */
export const read = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const unreadable = Effect.mapError((error: Parameters<typeof dataError>[2]) => dataError(path, "Unreadable", error))
  const tooLarge = (bytes: string) =>
    new DataError({ path, problem: "Unreadable", detail: `it has ${bytes} bytes, more than a bundle may have` })
  const { size, type } = yield* unreadable(fs.stat(path))
  if (size > defaults.maxBytes) return yield* tooLarge(Units.grouped(BigInt(size)))
  if (type === "File" || type === "Directory") return yield* unreadable(fs.readFile(path))
  // a pipe does not state its size, and some devices have no end, so the read stops just beyond the limit
  const parts = NodeStream.fromReadable<Uint8Array, DataError>({
    evaluate: () => createReadStream(path, { end: defaults.maxBytes }),
    onError: () => new DataError({ path, problem: "Unreadable", detail: type })
  })
  const bytes = Bytes.concat(...(yield* Stream.runCollect(parts)))
  return bytes.length > defaults.maxBytes
    ? yield* tooLarge(`${Units.grouped(BigInt(defaults.maxBytes))} or more`)
    : bytes
})

/** True if a file with this path exists. */
export const exists = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  return yield* Effect.orElseSucceed(fs.exists(path), () => false)
})
