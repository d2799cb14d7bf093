/** The separate port for the admin API and the console. */
import type { Mount } from "@plumbline/gateway/http/Mount"
import * as MountListener from "@plumbline/gateway/MountListener"
import * as Effect from "effect/Effect"

import type { Settings } from "../config/Settings.ts"
import * as Certificates from "./Certificates.ts"
import * as SidePort from "./SidePort.ts"

/**
 * Opens the port if one is configured. It closes with the scope. It has the certificate, the limits and the trusted
 * proxies of the service's own port.
 */
export const listen = Effect.fnUntraced(function* (
  { admin: { host, port }, server, tls }: Settings,
  mounts: ReadonlyArray<Mount>
) {
  if (port === undefined) return undefined
  const { limits, timeouts, trustedProxies } = server
  const certificate = yield* Certificates.read(tls)
  const listening = MountListener.listen({ host, port, limits, timeouts, trustedProxies, mounts, tls: certificate })
  const { port: taken, renew } = yield* SidePort.named(listening, "admin.port")
  return { url: SidePort.urlOf(certificate === undefined ? "http" : "https", host, taken), renew }
})
