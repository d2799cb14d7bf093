/** The ports beside the service's own port: that of the admin API and the console, and that of the metrics. */
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
 * Opens the port of the admin API and the console if one is configured. It closes with the scope. It has the certificate, the limits and the trusted
 * proxies of the service's own port.
 */
export const listenForOperators = Effect.fnUntraced(function* (
  { admin: { host, port }, server, tls }: ServiceSettings,
  mounts: ReadonlyArray<Mount>
) {
  if (port === undefined) return undefined
  const { limits, timeouts, trustedProxies } = server
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
