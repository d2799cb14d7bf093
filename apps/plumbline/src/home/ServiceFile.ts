/**
 * The record that `up` keeps in its data folder. The reading commands find the service and the API key in this record.
 *
 * The key, its secret and the admin token are in no other file (the store of accounts has only digests), so they stay
 * in the record when the service ends. Only the fields about the running process are cleared.
 */

import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import * as Schema from "effect/Schema"

import { DataError, dataError } from "../files/DataError.ts"
import * as WholeFile from "../files/WholeFile.ts"
import { isAlive } from "./ProcessId.ts"

/**
 * A network of the service. `host` is the Host header that reaches it. `url` and `wsUrl` are the service's URLs
 * followed by the network's name. They reach the network with any host: `${url}/v3/${key}`, `${wsUrl}/ws/v3/${key}`.
 */
export const Network = Schema.Struct({
  name: Schema.String,
  host: Schema.String,
  /** The chain id; for a second chain it can be a text, such as `SN_MAIN`. */
  chainId: Schema.Union([Schema.Int, Schema.String]),
  // absent in records of versions without paths of networks
  url: Schema.optionalKey(Schema.String),
  wsUrl: Schema.optionalKey(Schema.String)
})
export type Network = typeof Network.Type

/**
 * The beacon chain of the live chain, for a light client. `url` is the part before `/eth/v1`, and `networkFile` the
 * path of the network's file. `networks` are the networks whose chain this beacon chain proves; `isDefault` is true if
 * one of them is the default network.
 */
export const Beacon = Schema.Struct({
  url: Schema.String,
  checkpoint: Hash32.Hash32,
  networkFile: Schema.String,
  networks: Schema.Array(Schema.String),
  isDefault: Schema.Boolean
})
export type Beacon = typeof Beacon.Type

/**
 * The record. `url`, `wsUrl`, `ipfsUrl` and `pid` are null, and `networks` is empty, while no service runs. The API of
 * IPFS is at `${ipfsUrl}/api/v0`.
 */
export const ServiceRecord = Schema.Struct({
  version: Schema.Literal(1),
  url: Schema.NullOr(Schema.String),
  wsUrl: Schema.NullOr(Schema.String),
  // absent in records of versions without IPFS
  ipfsUrl: Schema.optionalKey(Schema.NullOr(Schema.String)),
  // the address of the admin API, if it has a port of its own
  adminUrl: Schema.optionalKey(Schema.String),
  pid: Schema.NullOr(Schema.Int),
  apiKey: Schema.NonEmptyString,
  apiKeySecret: Schema.NonEmptyString,
  // the token of the admin API; absent in records of versions without one
  adminToken: Schema.optionalKey(Schema.NonEmptyString),
  networks: Schema.Array(Network),
  // the extent of the store of accounts when the record was written; absent in records of versions without it
  accounts: Schema.optionalKey(Schema.Struct({ changes: Schema.Int, projects: Schema.Int })),
  // null without a live chain, and while no service runs; absent in records of versions without a beacon chain
  beacon: Schema.optionalKey(Schema.NullOr(Beacon))
})
export type ServiceRecord = typeof ServiceRecord.Type

/** A record whose service runs. */
export type Running = ServiceRecord & { readonly url: string; readonly pid: number }

/**
 * No service runs from this data folder: none was ever started there (`never`), it was stopped (`stopped`), or its
 * process ended without clearing the record (`gone`).
 */
export class NoServiceError extends Schema.TaggedError<NoServiceError>()("NoServiceError", {
  folder: Schema.String,
  state: Schema.Literals(["never", "stopped", "gone"]),
  /** The flag that names another server; null if the command has none. Default: `--url`. */
  flag: Schema.optionalKey(Schema.NullOr(Schema.String))
}) {
  override get message(): string {
    const what = {
      never: "none was ever started",
      stopped: "the last one was stopped",
      gone: "the last one ended without being stopped"
    }[this.state]
    const { flag = "--url", folder } = this
    return `no service is running in ${folder} (${what}). Start it with "plumbline up", or name the folder of another with --data${flag === null ? "" : `, or pass ${flag}`}.`
  }
}

/** Returns the record of a folder, or `undefined` if no service was ever started there. */
export const read = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const file = yield* pathOf(folder)
  const text = yield* fs.readFileString(file).pipe(
    Effect.catchIf(isNotFound, () => Effect.succeed(undefined)),
    Effect.mapError((error) => dataError(file, "Unreadable", error))
  )
  if (text === undefined) return undefined
  // the issue itself is not shown, because the file holds a secret
  return yield* Effect.mapError(
    decode(text),
    () => new DataError({ path: file, problem: "Damaged", detail: "it is not the record of a service" })
  )
})

/** Replaces the whole record or nothing: otherwise the key could be lost in a power cut. */
export const write = Effect.fnUntraced(function* (folder: string, record: ServiceRecord) {
  yield* WholeFile.replace(yield* pathOf(folder), `${JSON.stringify(record, null, 2)}\n`)
})

/**
 * Reads the record of the service that runs from a folder. It does not check that the service answers. `flag` is the flag
 * that names another server, for the error; null if there is none.
 */
export const running = Effect.fnUntraced(function* (folder: string, flag?: string | null) {
  const record = yield* read(folder)
  const none = (state: NoServiceError["state"]) =>
    new NoServiceError({ folder, state, ...(flag === undefined ? {} : { flag }) })
  if (record === undefined) return yield* none("never")
  if (record.url === null || record.pid === null) return yield* none("stopped")
  // Another program may now use the service's port, and must not receive the key.
  if (!isAlive(record.pid)) return yield* none("gone")
  return { ...record, url: record.url, pid: record.pid } satisfies Running
})

/** Returns a record with the fields about the running process cleared. */
export const stopped = (record: ServiceRecord): ServiceRecord => {
  const { adminUrl: _, ...rest } = record
  return { ...rest, url: null, wsUrl: null, ipfsUrl: null, pid: null, networks: [], beacon: null }
}

const pathOf = (folder: string) => Effect.map(Path.Path, (path) => path.join(folder, "service.json"))

const Json = Schema.fromJsonString(ServiceRecord)
const decode = Schema.decodeUnknownEffect(Json)

const isNotFound = (error: PlatformError.PlatformError): boolean => error.reason._tag === "NotFound"
