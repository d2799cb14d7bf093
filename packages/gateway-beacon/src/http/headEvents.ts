/**
 * Streams of server-sent events: the newest updates of heads, as `eth/v1/events` of the beacon API has them.
 *
 * A stream holds at most one event of each topic that its caller has not read: a newer update replaces it. It ends after
 * ten minutes, at the drain of the gateway, or with the connection. Programs that read events connect again by themselves.
 */
import * as BeaconApi from "@plumbline/beacon-light-client/api/BeaconApi"
import * as Codec from "@plumbline/beacon-light-client/container/Codec"
import type { HttpExchange, Serving } from "@plumbline/gateway/GatewayInternals"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import type { BeaconArchive, HeadKind } from "../archive/BeaconArchive.ts"

/** The topics, with the kinds of heads that they are about. Other topics of the API need a beacon node. */
const TOPICS: ReadonlyMap<string, HeadKind> = new Map([
  ["light_client_finality_update", "finality"],
  ["light_client_optimistic_update", "optimistic"]
])

/** A call for events. */
export interface EventsRequest {
  readonly _tag: "Events"
  readonly kinds: ReadonlySet<HeadKind>
}

/** Reads the topics of a call, in one list or several parameters; a sentence if one is unknown or none is named. */
export const parse = (query: string): EventsRequest | string => {
  const topics = new URLSearchParams(query).getAll("topics").flatMap((list) => list.split(","))
  const kinds = topics.map((topic) => TOPICS.get(topic))
  const known = kinds.filter((kind) => kind !== undefined)
  return known.length === 0 || known.length < kinds.length
    ? `topics must be ${[...TOPICS.keys()].join(" or ")}`
    : { _tag: "Events", kinds: new Set(known) }
}

/** Maximum number of open streams, of all projects and of one. Each is a request in flight. */
const MOST = 256
const MOST_OF_PROJECT = 32

/** Seconds between two looks at the drain, between two comments that keep the connection, and of a whole stream. */
const LOOK = 1
const COMMENT = 15
const WHOLE = 600

const HEADERS = [
  "content-type",
  "text/event-stream",
  "cache-control",
  "no-store",
  "access-control-allow-origin",
  "*",
  "x-accel-buffering",
  "no"
]

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

const KEEP = utf8(":\n\n")

/** The open streams of a gateway. */
export interface HeadEvents {
  /** True if another stream of the project may open. */
  readonly hasRoom: (project: string) => boolean
  /** Begins a stream as the answer of an exchange. */
  readonly begin: (exchange: HttpExchange, archive: BeaconArchive, call: EventsRequest, project: string) => void
}

export const make = ({ fork, isDraining }: Pick<Serving, "fork" | "isDraining">): HeadEvents => {
  const open = new Map<string, number>()
  let all = 0
  const count = (project: string, by: 1 | -1) => {
    all += by
    const own = (open.get(project) ?? 0) + by
    if (own === 0) open.delete(project)
    else open.set(project, own)
  }

  return {
    hasRoom: (project) => all < MOST && (open.get(project) ?? 0) < MOST_OF_PROJECT,
    begin: (exchange, archive, { kinds }, project) => {
      const { response } = exchange
      if (response.destroyed) return
      count(project, 1)
      const writer = writerOf(exchange)
      const leave = archive.onHead((kind, container) => {
        const event = kinds.has(kind) ? eventOf(archive, kind, container) : undefined
        if (event !== undefined) writer.put(kind, event)
      })
      exchange.begin(200, HEADERS)
      writer.put("comment", KEEP)
      const watch = fork(
        Effect.gen(function* () {
          for (let second = LOOK; second <= WHOLE && !isDraining(); second += LOOK) {
            yield* Effect.sleep(LOOK * 1000)
            if (second % COMMENT === 0) writer.put("comment", KEEP)
          }
          exchange.finish()
        })
      )
      response.once("close", () => {
        leave()
        watch.interruptUnsafe()
        count(project, -1)
      })
    }
  }
}

/** Writes as fast as the caller reads. What waits is replaced by what is newer. */
const writerOf = (exchange: HttpExchange) => {
  const waiting = new Map<HeadKind | "comment", Uint8Array>()
  let isFull = false
  const flush = (): void => {
    for (const [name, bytes] of waiting) {
      if (isFull) return
      waiting.delete(name)
      if (exchange.write(bytes)) continue
      isFull = true
      exchange.onDrain(() => {
        isFull = false
        flush()
      })
    }
  }
  return {
    put: (name: HeadKind | "comment", bytes: Uint8Array): void => {
      waiting.set(name, bytes)
      flush()
    }
  }
}

/** Returns the bytes of an event; undefined if the container cannot be read. */
const eventOf = (
  { network }: BeaconArchive,
  kind: HeadKind,
  container: BeaconApi.SszContainer
): Uint8Array | undefined => {
  const json =
    kind === "finality"
      ? BeaconApi.toJson(Codec.finalityUpdate, container, network)
      : BeaconApi.toJson(Codec.optimisticUpdate, container, network)
  return Result.isFailure(json)
    ? undefined
    : utf8(`event: light_client_${kind}_update\ndata: ${JSON.stringify(json.success)}\n\n`)
}
