/** The calls of the beacon API: their names in allowlists, prices and usage, and their answers from an archive. */
import * as BeaconApi from "@plumbline/beacon-light-client/api/BeaconApi"
import * as Codec from "@plumbline/beacon-light-client/container/Codec"
import * as Bytes from "@plumbline/codec/hex/Bytes"
import type { StateError } from "@plumbline/gateway/state/StateError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import type { BeaconArchive, KeptUpdate } from "../archive/BeaconArchive.ts"
import type * as HeadEvents from "./headEvents.ts"

/** The whole answer to a call. */
export interface BeaconAnswer {
  readonly status: number
  readonly headers: ReadonlyArray<string>
  readonly body: Uint8Array
}

/** A call: of light clients, or for events. */
export type BeaconCall = BeaconApi.LightClientRequest | HeadEvents.EventsRequest

/** The name of each call: its path in the API, without the place of its parameters. */
export const NAMES: Readonly<Record<Exclude<BeaconCall["_tag"], "Invalid">, string>> = {
  Events: "light_client/events",
  Bootstrap: "light_client/bootstrap",
  Updates: "light_client/updates",
  FinalityUpdate: "light_client/finality_update",
  OptimisticUpdate: "light_client/optimistic_update",
  Genesis: "beacon/genesis",
  Spec: "config/spec",
  Health: "node/health"
}

const SSZ = ["content-type", BeaconApi.SSZ_TYPE, "vary", "accept"]
const JSON_BODY = ["content-type", BeaconApi.JSON_TYPE, "vary", "accept"]
const VERSION = "eth-consensus-version"
/** Pages of other origins may read the header with the fork, without which SSZ cannot be read. */
const EXPOSED = ["access-control-expose-headers", VERSION]

const utf8 = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))

const json = (value: unknown, extra: ReadonlyArray<string> = []): BeaconAnswer => ({
  status: 200,
  headers: [...JSON_BODY, ...extra],
  body: utf8(value)
})

/** Returns an error in the form of the API: `{"code": 404, "message": ...}`. */
export const failure = (code: number, message: string, extra: ReadonlyArray<string> = []): BeaconAnswer => ({
  status: code,
  headers: ["content-type", BeaconApi.JSON_TYPE, ...extra],
  body: utf8({ code, message })
})

/** Answers a call. `hasRoom` takes memory for a body, and is false if there is none. */
export const answer = (
  archive: BeaconArchive,
  call: BeaconApi.LightClientRequest,
  accept: string,
  hasRoom: (bytes: number) => boolean
): Effect.Effect<BeaconAnswer, StateError> => {
  const { network } = archive
  const isSsz = BeaconApi.prefersSsz(accept)

  const one = <A>(
    codec: Codec.ContainerCodec<A>,
    found: Effect.Effect<BeaconApi.SszContainer | undefined, StateError>,
    missing: string
  ): Effect.Effect<BeaconAnswer, StateError> =>
    Effect.map(found, (container) => {
      if (container === undefined) return failure(404, missing)
      if (!hasRoom(sizeOf([container], isSsz))) return busy
      const version = [VERSION, container.fork, ...EXPOSED]
      if (isSsz) return { status: 200, headers: [...SSZ, ...version], body: container.bytes }
      return Result.match(BeaconApi.toJson(codec, container, network), {
        onSuccess: (value) => json(value, version),
        // the bytes in the database are damaged
        onFailure: () => failure(404, missing)
      })
    })

  switch (call._tag) {
    case "Invalid":
      return Effect.succeed(failure(400, call.problem))
    case "Bootstrap":
      return one(Codec.bootstrap, archive.bootstrap(call.root), "no bootstrap of this block is kept")
    case "FinalityUpdate":
      return one(Codec.finalityUpdate, archive.finalityUpdate, "no finality update is kept yet")
    case "OptimisticUpdate":
      return one(Codec.optimisticUpdate, archive.optimisticUpdate, "no optimistic update is kept yet")
    case "Updates":
      return Effect.flatMap(archive.updates(call.startPeriod, call.count), (updates) =>
        hasRoom(sizeOf(updates, isSsz)) ? range(archive, updates, isSsz) : Effect.succeed(busy)
      )
    case "Genesis":
      return Effect.succeed(json(BeaconApi.genesis(network)))
    case "Spec":
      return Effect.succeed(json(BeaconApi.spec(network)))
    case "Health":
      // 206: it serves data, and is not at the head of the chain
      return Effect.map(archive.status, ({ follows }) => ({
        status: follows ? 200 : 206,
        headers: [],
        body: new Uint8Array()
      }))
  }
}

/** The beginning of a stream of events; the rest is written as it comes. */
export const streamed: BeaconAnswer = {
  status: 200,
  headers: ["content-type", "text/event-stream"],
  body: new Uint8Array()
}

export const busy = failure(503, "service busy", ["retry-after", "1"])

/** Returns the bytes that a body takes, at most. JSON has two digits for a byte, and a copy as text. */
const sizeOf = (containers: ReadonlyArray<BeaconApi.SszContainer>, isSsz: boolean): number =>
  containers.reduce((sum, { bytes }) => sum + bytes.length, 0) * (isSsz ? 2 : 6)

/** Writes updates: in SSZ as chunks, in JSON as an array. Other work runs between two of them. */
const range = Effect.fnUntraced(function* (
  { network }: BeaconArchive,
  updates: ReadonlyArray<KeptUpdate>,
  isSsz: boolean
): Effect.fn.Return<BeaconAnswer> {
  if (isSsz) {
    const chunks = updates.map((update) => BeaconApi.chunk(update, update.slot, network))
    return { status: 200, headers: SSZ, body: Bytes.join(chunks) }
  }
  const parts: Array<Uint8Array> = [OPEN]
  for (const [at, update] of updates.entries()) {
    const read = BeaconApi.toJson(Codec.update, update, network)
    // the bytes in the database are damaged: the answer ends before them
    if (Result.isFailure(read)) break
    if (at > 0) parts.push(COMMA)
    parts.push(utf8(read.success))
    yield* Effect.yieldNow
  }
  return { status: 200, headers: JSON_BODY, body: Bytes.join([...parts, CLOSE]) }
})

const [OPEN, COMMA, CLOSE] = ["[", ",", "]"].map((text) => new TextEncoder().encode(text)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array
]
