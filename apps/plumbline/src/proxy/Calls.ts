/** JSON-RPC packets in, proven answers out: the calls of a door, alone, in batches and over a connection. */
import * as Dispatcher from "@plumbline/jsonrpc-core/server/Dispatcher"
import type { ProvingNode } from "@plumbline/provider/node/ProvingNode"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

import * as Tally from "./Tally.ts"

/** Bytes of a request. */
export const MAX_BYTES = 2 * 1024 * 1024

/** Calls of a batch. */
const MAX_BATCH = 100

/** The fate of a call, and what of its answer is no proven fact. */
export interface Told {
  readonly fate: Tally.Fate
  /** The check that refuted it. */
  readonly check?: string | undefined
  /** The fields of the answer that are only claimed. */
  readonly claimed: ReadonlyArray<string>
}

/** Told the fate of each call of a packet. */
export class Listener extends Context.Service<Listener, (told: Told) => void>()("plumbline/proxy/Listener") {}

/** Makes the server of a door's calls. */
export const make = ({ answer }: ProvingNode["Service"]): Dispatcher.Dispatcher<Listener> =>
  Dispatcher.make<Listener>({
    limits: { maxBytes: MAX_BYTES, maxBatch: MAX_BATCH },
    call: ({ method, params }) =>
      Effect.flatMap(Listener, (tell) =>
        answer({ method, params }).pipe(
          Effect.tapError(({ code, data }) =>
            Effect.sync(() => tell({ fate: Tally.fateOf(code), check: checkOf(data), claimed: [] }))
          ),
          Effect.map(({ result, verdict }) => {
            tell({ fate: verdict._tag, claimed: verdict.claimed.map(({ field }) => field) })
            return encoder.encode(JSON.stringify(result) ?? "null")
          })
        )
      )
  })

const encoder = new TextEncoder()

const checkOf = (data: unknown): string | undefined =>
  typeof data === "object" && data !== null && "check" in data && typeof data.check === "string"
    ? data.check
    : undefined
