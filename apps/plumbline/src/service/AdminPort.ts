/** The separate port for the admin API and the console. */
import type { Mount } from "@plumbline/gateway/http/Mount"
import * as MountListener from "@plumbline/gateway/MountListener"
import * as Effect from "effect/Effect"

import type { ServiceSettings } from "../config/ServiceSettings.ts"
import * as Certificates from "./Certificates.ts"
import * as SidePort from "./SidePort.ts"

/**
 * Opens the port if one is configured. It closes with the scope. It has the certificate, the limits and the trusted
 * proxies of the service's own port.
 */
export const listen = Effect.fnUntraced(function* (
  { admin: { host, port }, server, tls }: ServiceSettings,
  mounts: ReadonlyArray<Mount>
) {
  if (port === undefined) return undefined
  const { limits, timeouts, trustedProxies } = server
  const certificate = yield* Certificates.read(tls)
  const listening = MountListener.listen({ host, port, limits, timeouts, trustedProxies, mounts, tls: certificate })
  const { port: taken, renew } = yield* SidePort.named(listening, "admin.port")
  const scheme = certificate === undefined ? "http" : "https"
  const names = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/iu.test(host) ? [host, ...LOOPBACK] : [host]
  return {
    url: SidePort.urlOf(scheme, host, taken),
    /** The origins that pages of this port can have. On every address, the names of the machine are not known. */
    origins: [...new Set(names.map((name) => SidePort.urlOf(scheme, name.toLowerCase(), taken)))],
    renew
  }
})

/** The names by which a browser reaches a listener on the loopback address. */
const LOOPBACK = ["127.0.0.1", "localhost", "::1"]
