/** The ports beside the service's own port: that of the admin API and the console, and that of the metrics. */
import { chmod, unlink } from "node:fs/promises"
import { connect } from "node:net"

import type * as GatewayMetrics from "@plumbline/gateway-admin/api/Metrics"
import { PATH } from "@plumbline/gateway-admin/api/Metrics"
import { GatewayError } from "@plumbline/gateway/errors/GatewayError"
import type { Mount } from "@plumbline/gateway/http/Mount"
import * as MountListener from "@plumbline/gateway/MountListener"
import * as Effect from "effect/Effect"

import type * as ObservabilitySection from "../config/ObservabilitySection.ts"
import type { ServiceSettings } from "../config/ServiceSettings.ts"
import * as Certificates from "./Certificates.ts"

/**
 * Opens the port or the socket of the admin API and the console if one is configured. It closes with the scope. A port
 * has the certificate, the limits and the trusted proxies of the service's own port.
 */
export const listenForOperators = Effect.fnUntraced(function* (
  { admin: { host, port, socket }, server, tls }: ServiceSettings,
  mounts: ReadonlyArray<Mount>
) {
  const { limits, timeouts, trustedProxies } = server
  if (socket !== undefined) {
    yield* removeStale(socket)
    const { renew } = yield* named(
      MountListener.listen({ socketPath: socket, limits, timeouts, mounts }),
      "admin.socket"
    )
    // the group of the service may connect, such as a proxy in it
    yield* Effect.ignore(Effect.tryPromise(() => chmod(socket, 0o660)))
    return { url: `unix:${socket}`, origins: [], renew: tls === undefined ? renew : () => Effect.void }
  }
  if (port === undefined) return undefined
  const certificate = yield* Certificates.read(tls)
  const listening = MountListener.listen({ host, port, limits, timeouts, trustedProxies, mounts, tls: certificate })
  const { port: taken, renew } = yield* named(listening, "admin.port")
  const scheme = certificate === undefined ? "http" : "https"
  const names = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/iu.test(host) ? [host, ...LOOPBACK] : [host]
  return {
    url: urlOf(scheme, host, taken),
    /** The origins that pages of this port can have. On every address, the names of the machine are not known. */
    origins: [...new Set(names.map((name) => urlOf(scheme, name.toLowerCase(), taken)))],
    renew
  }
})

/** Removes the socket that a killed process left. A socket at which a process listens stays, so that listening fails. */
const removeStale = (file: string): Effect.Effect<void> =>
  Effect.callback<boolean>((resume) => {
    const probe = connect(file)
    probe.once("error", (error: NodeJS.ErrnoException) => resume(Effect.succeed(error.code === "ECONNREFUSED")))
    probe.once("connect", () => {
      probe.destroy()
      resume(Effect.succeed(false))
    })
  }).pipe(Effect.flatMap((isStale) => (isStale ? Effect.ignore(Effect.tryPromise(() => unlink(file))) : Effect.void)))

/**
 * Returns mounts for the service's own port in place of those of the operators' port. A caller on this machine is told
 * the right address; every other caller gets the answer for a path that does not exist.
 */
export const hints = (mounts: ReadonlyArray<Mount>, url: string): ReadonlyArray<Mount> =>
  mounts.map(({ path }) => ({
    path,
    isFor: ({ headers }, caller) =>
      /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/u.test(caller) &&
      // behind a proxy that is not configured, every caller seems to be on this machine
      PROXIED.every((name) => headers[name] === undefined),
    handle: (request, response) => {
      request.resume()
      response
        .writeHead(404, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" })
        .end(`not found: this port has no ${path}. It is at ${url.startsWith("unix:") ? url : `${url}${path}`}\n`)
    }
  }))

/** Headers that a proxy adds. */
const PROXIED = ["x-forwarded-for", "x-real-ip", "forwarded", "via"]

/** The names by which a browser reaches a listener on the loopback address. */
const LOOPBACK = ["127.0.0.1", "localhost", "::1"]

/** Opens the port of the metrics if one is configured, and returns its URL. The port closes with the scope. */
export const listenForMetrics = Effect.fnUntraced(function* (
  metrics: GatewayMetrics.Metrics,
  { host, port }: ObservabilitySection.ObservabilitySettings["metrics"]
) {
  if (port === undefined) return null
  const taken = yield* named(metrics.listen({ host, port }), "observability.metrics.port")
  return `${urlOf("http", host, taken)}${PATH}`
})

const urlOf = (scheme: "http" | "https", host: string, port: number): string =>
  `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`

/** Adds the setting of the listener's port to its error, so that the error's advice names the right port. */
const named = <A, R>(listening: Effect.Effect<A, GatewayError, R>, setting: string) =>
  Effect.mapError(listening, (error) =>
    error.reason._tag === "CannotListen" ? new GatewayError({ reason: { ...error.reason, setting } }) : error
  )
