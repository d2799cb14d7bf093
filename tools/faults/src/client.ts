/** What every client is made to look like, so that one run fits them all. */
import type { Hash32 } from "@plumbline/codec"
import type { Effect, Scope, Stream } from "effect"

import type { Seen } from "./seen.ts"
import type { Server } from "./server.ts"

/** A client that talks to one server. No effect here fails: what goes wrong is seen. */
export interface Client {
  readonly transaction: (hash: Hash32.Hash32) => Effect.Effect<Seen>
  readonly block: (hash: Hash32.Hash32) => Effect.Effect<Seen>
  readonly slot: Effect.Effect<Seen>
  readonly account: Effect.Effect<Seen>
  /** Follows the heads of the chain: what comes, in order. Only over WebSocket. */
  readonly heads?: Stream.Stream<Seen>
}

export interface Options {
  /** How long to wait for an answer, in milliseconds, where the client can be told; else as the client likes. */
  readonly patience: number | undefined
  /** How often to look for a sign of life, in milliseconds, where the client can be told; else as the client likes. */
  readonly heartbeat: number | undefined
  /** Whether calls at the same time shall travel as one batch. */
  readonly batch: boolean
  /** Runs the client's code, so that an error that escapes from it is known to be of this case. */
  readonly guard: <A>(run: () => A) => A
  /** Whether answers shall be proven, by clients that can. */
  readonly proven: boolean
}

/** The most that a client shall read of one answer, where it can be told: 1 MiB. */
export const MAX_BYTES = 1024 * 1024

/** A client, and what it talks over. */
export interface Contender {
  readonly over: "Http" | "WebSocket"
  /** Makes it for a server, until the end of the scope. */
  readonly open: (server: Server, options: Options) => Effect.Effect<Client, never, Scope.Scope>
}
