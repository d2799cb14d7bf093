/** The beacon API of a `BeaconChain` on a port of this machine. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

import { BeaconChain } from "./BeaconChain.ts"

/** A listening server. */
export class BeaconServer extends Context.Service<
  BeaconServer,
  {
    /** The URL without `/eth/v1`, such as `http://127.0.0.1:34315`. */
    readonly url: string
  }
>()("@plumbline/devnet/BeaconServer") {}

/** Options of a server. */
export interface BeaconServerOptions {
  /** Port on 127.0.0.1. Default: 0, which means any free port. */
  readonly port?: number | undefined
}

/** The defaults of the options. */
export const defaults: { readonly port: number } = { port: 0 }

/** Provides the server of a chain. Dies if the port is in use. */
export const layer = (options: BeaconServerOptions = {}): Layer.Layer<BeaconServer, never, BeaconChain> =>
  Layer.effect(
    BeaconServer,
    Effect.flatMap(BeaconChain, ({ handle }) => make(handle, options))
  )

/** Starts a server for a handler. The server ends with the scope. Dies if the port is in use. */
export const make = (
  handle: BeaconChain["Service"]["handle"],
  { port = defaults.port }: BeaconServerOptions = {}
): Effect.Effect<BeaconServer["Service"], never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const server = createServer({ requestTimeout: 10_000 }, handle)
        server.once("error", (error) => resume(Effect.die(error)))
        server.listen(port, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    ),
    (server) => ({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  )
