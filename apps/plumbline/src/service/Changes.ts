/** Settings that cannot change while the service runs, because the parts that they describe are opened at its start. */
import type { Settings } from "../config/Settings.ts"
import * as Fingerprint from "./Fingerprint.ts"

/** Returns the names, as in the file, of the settings that differ. */
export const needRestart = (before: Settings, after: Settings): ReadonlyArray<string> =>
  fixed.flatMap(([name, read]) => (Fingerprint.of(read(before)) === Fingerprint.of(read(after)) ? [] : [name]))

/** Returns the settings after a change. Settings that cannot change keep their old values. */
export const applicable = (before: Settings, after: Settings): Settings => ({
  ...after,
  server: { ...after.server, host: before.server.host, port: before.server.port },
  tls: (before.tls === undefined) === (after.tls === undefined) ? after.tls : before.tls,
  ipfs: {
    ...after.ipfs,
    node: before.ipfs.node,
    fallbacks: before.ipfs.fallbacks,
    tryTimeout: before.ipfs.tryTimeout,
    timeout: before.ipfs.timeout,
    cache: before.ipfs.cache,
    reserve: before.ipfs.reserve,
    collectEvery: before.ipfs.collectEvery
  },
  cache: before.cache,
  state: before.state,
  limiter: before.limiter,
  metering: before.metering,
  billing: before.billing,
  webhooks: before.webhooks,
  admin: before.admin,
  observability: { ...before.observability, slowCall: after.observability.slowCall }
})

const fixed: ReadonlyArray<readonly [name: string, read: (settings: Settings) => unknown]> = [
  ["server.host", ({ server }) => server.host],
  ["server.port", ({ server }) => server.port],
  // a new certificate takes effect at once; switching TLS on or off needs a restart
  ["tls", ({ tls }) => tls !== undefined],
  ["ipfs.node", ({ ipfs }) => ipfs.node],
  ["ipfs.fallbacks", ({ ipfs }) => ipfs.fallbacks],
  ["ipfs.tryTimeout", ({ ipfs }) => ipfs.tryTimeout],
  ["ipfs.timeout", ({ ipfs }) => ipfs.timeout],
  ["ipfs.cache", ({ ipfs }) => ipfs.cache],
  ["ipfs.reserve", ({ ipfs }) => ipfs.reserve],
  ["ipfs.collectEvery", ({ ipfs }) => ipfs.collectEvery],
  ["cache", ({ cache }) => cache],
  ["state", ({ state }) => state],
  ["limits.address", ({ limiter }) => limiter.address],
  ["limits.whenDown", ({ limiter }) => limiter.whenDown],
  ["limits.timeout", ({ limiter }) => limiter.timeout],
  ["metering", ({ metering }) => metering],
  ["billing", ({ billing }) => billing],
  ["webhooks", ({ webhooks }) => webhooks],
  ["admin", ({ admin }) => admin],
  ["observability.logs", ({ observability }) => observability.logs],
  ["observability.traces", ({ observability }) => observability.traces],
  ["observability.metrics", ({ observability }) => observability.metrics]
]
