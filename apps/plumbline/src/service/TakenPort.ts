/** The early refusal of a port at which another program listens, or at which the workers of another service will. */
import { createHash } from "node:crypto"
import { connect, createServer } from "node:net"

import { GatewayError } from "@plumbline/gateway/errors/GatewayError"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

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
      end(isItself ? Effect.void : Effect.fail(taken(host, port)))
    })
    return Effect.sync(() => socket.destroy())
  })

/**
 * Refuses a port as `refuse` does, and keeps the workers of other services from it until the scope closes: they would
 * share the port without an error, and each service would get calls of the other.
 *
 * A connection does not find a service that starts in the same moment. So the service holds a name of the system, which
 * belongs to one process and ends with it. Only Linux has such names (unix(7), abstract sockets). They are seen where the
 * port is seen: in one network namespace. Users share no port, so each has names of its own.
 */
export const hold = (host: string, port: number): Effect.Effect<void, GatewayError, Scope.Scope> =>
  process.platform === "linux" && port !== 0
    ? Effect.andThen(refuse(host, port), Effect.asVoid(Effect.acquireRelease(named(host, port), (end) => end)))
    : refuse(host, port)

/**
 * Returns the port for workers if the settings name none, and holds it: the usual one, or any free port if another
 * program has it.
 */
export const forWorkers = (host: string, usual: number): Effect.Effect<number, never, Scope.Scope> =>
  Effect.match(hold(host, usual), { onSuccess: () => usual, onFailure: () => 0 })

/** Takes the name of a port. Returns an effect that gives it back. */
const named = (host: string, port: number) =>
  Effect.callback<Effect.Effect<void>, GatewayError>((resume) => {
    const name = createHash("sha256")
      .update(JSON.stringify([process.getuid!(), host, port]))
      .digest("hex")
    const server = createServer((socket) => socket.destroy())
    server.once("error", () => resume(Effect.fail(taken(host, port))))
    server.listen(`\0plumbline-${name}`, () => {
      server.unref()
      resume(Effect.succeed(Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))))
    })
  })

const taken = (host: string, port: number): GatewayError =>
  new GatewayError({ reason: { _tag: "CannotListen", host, port, code: "EADDRINUSE" } })

/** The addresses that stand for all addresses of the machine, with one at which a listener there answers. */
const UNSPECIFIED: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" }
