/** The common interface of all clients, so that the same code runs all of them. */
import type { Hash32 } from "@plumbline/codec"
import type { Effect, Scope, Stream } from "effect"

import type { Seen } from "./clientObservation.ts"
import type { Server } from "./faultyServer.ts"

/** A client that talks to one server. No effect here fails: an error is a value of `Seen`. */
export interface Client {
  readonly transaction: (hash: Hash32.Hash32) => Effect.Effect<Seen>
  readonly block: (hash: Hash32.Hash32) => Effect.Effect<Seen>
  readonly slot: Effect.Effect<Seen>
  readonly account: Effect.Effect<Seen>
  /** The heads of the chain, in the order of their arrival. Only over WebSocket. */
  readonly heads?: Stream.Stream<Seen>
}

export interface Options {
  /**
   * Milliseconds that the client waits for an answer; undefined for the client's default. Clients without this setting
   * ignore it.
   */
  readonly patience: number | undefined
  /**
   * Milliseconds between two checks that the connection is alive; undefined for the client's default. Clients without
   * this setting ignore it.
   */
  readonly heartbeat: number | undefined
  /** True if simultaneous calls go into one batch. */
  readonly batch: boolean
  /** Runs the client's code. An error that escapes from it is assigned to this case. */
  readonly guard: <A>(run: () => A) => A
  /** True if clients that can prove answers must do so. */
  readonly proven: boolean
}

/** Maximum number of bytes that a client may read of one answer: 1 MiB. Some clients have no setting for this. */
export const MAX_BYTES = 1024 * 1024

/** A client and its transport. */
export interface Contender {
  readonly over: "Http" | "WebSocket"
  /** Opens a client of a server, until the end of the scope. */
  readonly open: (server: Server, options: Options) => Effect.Effect<Client, never, Scope.Scope>
}
