/**
 * The beacon chains that the light client knows by name, and the files of other ones.
 *
 * A file describes a whole network, or extends a known one by forks that were scheduled after this version:
 * `{ "extends": "mainnet", "forks": [{ "name": "gloas", "version": "0x07000000", "epoch": 500000 }] }`.
 */
import * as Network from "@plumbline/beacon-light-client/network/Network"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"

import { DataError, dataError } from "../files/DataError.ts"

export const known: ReadonlyArray<Network.Network> = [Network.mainnet, Network.sepolia, Network.hoodi]

/** Returns the known network of this name. Any other name is the path of a file, which is read. */
export const named = (name: string): Effect.Effect<Network.Network, DataError, FileSystem.FileSystem> => {
  const found = known.find((network) => network.name === name)
  return found === undefined ? read(name) : Effect.succeed(found)
}

export const read = Effect.fnUntraced(function* (
  file: string
): Effect.fn.Return<Network.Network, DataError, FileSystem.FileSystem> {
  const fs = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(fs.readFileString(file), (error) => dataError(file, "Unreadable", error))
  const damaged = (detail: string) => new DataError({ path: file, problem: "Damaged", detail })
  // the parser quotes the text, and a file that is named by mistake may hold a secret
  const json = yield* Effect.mapError(decodeJson(text), () => damaged("it is not JSON"))
  return yield* Effect.mapError(decode(extended(json)), ({ message }) =>
    damaged(`it describes no beacon chain: ${message}`)
  )
})

/** Adds the forks of a file to the network that it extends. */
const extended = (json: unknown): unknown => {
  const { extends: name, forks }: { readonly extends?: unknown; readonly forks?: unknown } = Object(json)
  const base = known.find((network) => network.name === name)
  if (base === undefined) return json
  const file: { readonly forks?: unknown } = Object(encode(base))
  return { ...file, forks: [file.forks, forks ?? []].flat() }
}

const decodeJson = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))
const decode = Schema.decodeUnknownEffect(Network.Network)
const encode = Schema.encodeSync(Network.Network)
