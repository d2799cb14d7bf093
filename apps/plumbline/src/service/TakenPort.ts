/** The early refusal of a port at which another program listens. */
import { connect } from "node:net"

import { GatewayError } from "@plumbline/gateway/errors/GatewayError"
import * as Effect from "effect/Effect"

/** Milliseconds for an answer. This machine's own addresses answer at once. */
const MOST = 1000

/**
 * Fails if the port is taken, before anything is started that takes time.
 *
 * A connection finds that out. A listener that is opened only to see whether it can be would accept the calls of a proxy
 * in front, and its end would reset them. The final listener reports the ports that cannot be opened for other reasons.
 */
export const refuse = (host: string, port: number): Effect.Effect<void, GatewayError> =>
  Effect.callback<void, GatewayError>((resume) => {
    const socket = connect({ host: UNSPECIFIED[host] ?? host, port, timeout: MOST })
    const end = (outcome: Effect.Effect<void, GatewayError>) => {
      socket.destroy()
      resume(outcome)
    }
    socket.once("error", () => end(Effect.void))
    socket.once("timeout", () => end(Effect.void))
    socket.once("connect", () => {
      // a connection to a free port can reach itself, if the system gives it the same port
      const isItself = socket.localPort === socket.remotePort
      const reason = { _tag: "CannotListen", host, port, code: "EADDRINUSE" } as const
      end(isItself ? Effect.void : Effect.fail(new GatewayError({ reason })))
    })
    return Effect.sync(() => socket.destroy())
  })

/** The addresses that stand for all addresses of the machine, with one at which a listener there answers. */
const UNSPECIFIED: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" }
