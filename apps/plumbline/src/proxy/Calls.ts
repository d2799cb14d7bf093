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

/** Told the fate of each call of a packet. */
export class Told extends Context.Service<Told, (fate: Tally.Fate, check?: string) => void>()("plumbline/proxy/Told") {}

/** Makes the server of a door's calls. */
export const make = ({ answer }: ProvingNode["Service"]): Dispatcher.Dispatcher<Told> =>
  Dispatcher.make<Told>({
    limits: { maxBytes: MAX_BYTES, maxBatch: MAX_BATCH },
    call: ({ method, params }) =>
      Effect.flatMap(Told, (tell) =>
        answer({ method, params }).pipe(
          Effect.tapError(({ code, data }) => Effect.sync(() => tell(Tally.fateOf(code), checkOf(data)))),
          Effect.map(({ result, verdict }) => {
            tell(verdict._tag)
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
