/** The common interface of all clients, so that one run fits them all. */
import type { Hash32 } from "@plumbline/codec"
import type { Effect, Scope, Stream } from "effect"

import type { Seen } from "./seen.ts"
import type { Server } from "./server.ts"

/** A client that talks to one server. No effect here fails: an error is a value of `Seen`. */
export interface Client {
  readonly transaction: (hash: Hash32.Hash32) => Effect.Effect<Seen>
  readonly block: (hash: Hash32.Hash32) => Effect.Effect<Seen>
  readonly slot: Effect.Effect<Seen>
  readonly account: Effect.Effect<Seen>
  /** Follows the heads of the chain, in the order in which they come. Only over WebSocket. */
  readonly heads?: Stream.Stream<Seen>
}

export interface Options {
  /**
   * The time to wait for an answer, in milliseconds, for clients that take such a setting (undefined: the client's
   * default).
   */
  readonly patience: number | undefined
  /**
   * The interval between checks for a sign of life, in milliseconds, for clients that take such a setting (undefined:
   * the client's default).
   */
  readonly heartbeat: number | undefined
  /** True if simultaneous calls go into one batch. */
  readonly batch: boolean
  /** Runs the client's code. An error that escapes from it is assigned to this case. */
  readonly guard: <A>(run: () => A) => A
  /** True if answers are to be proven, by clients that can. */
  readonly proven: boolean
}

/** Maximum number of bytes that a client may read of one answer, if the client takes such a setting: 1 MiB. */
export const MAX_BYTES = 1024 * 1024

/** A client and its transport. */
export interface Contender {
  readonly over: "Http" | "WebSocket"
  /** Opens a client of a server, until the end of the scope. */
  readonly open: (server: Server, options: Options) => Effect.Effect<Client, never, Scope.Scope>
}
