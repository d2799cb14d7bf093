/** Settings that cannot change while the service runs, because they are opened at its start. */
import type { Settings } from "../config/Settings.ts"
import * as Fingerprint from "./Fingerprint.ts"

/** Returns the names in the file of the settings that differ. */
export const needRestart = (before: Settings, after: Settings): ReadonlyArray<string> =>
  fixed.flatMap(([name, read]) => (Fingerprint.of(read(before)) === Fingerprint.of(read(after)) ? [] : [name]))

/** Returns the settings after a change, but keeps the old ones that cannot change. */
export const applicable = (before: Settings, after: Settings): Settings => ({
  ...after,
  server: { ...after.server, host: before.server.host, port: before.server.port },
  ipfs: { ...after.ipfs, node: before.ipfs.node, collectEvery: before.ipfs.collectEvery },
  state: before.state,
  limiter: before.limiter,
  metering: before.metering,
  billing: before.billing,
  admin: before.admin
})

const fixed: ReadonlyArray<readonly [name: string, read: (settings: Settings) => unknown]> = [
  ["server.host", ({ server }) => server.host],
  ["server.port", ({ server }) => server.port],
  ["ipfs.node", ({ ipfs }) => ipfs.node],
  ["ipfs.collectEvery", ({ ipfs }) => ipfs.collectEvery],
  ["state", ({ state }) => state],
  ["limits.address", ({ limiter }) => limiter.address],
  ["limits.whenDown", ({ limiter }) => limiter.whenDown],
  ["limits.timeout", ({ limiter }) => limiter.timeout],
  ["metering", ({ metering }) => metering],
  ["billing", ({ billing }) => billing],
  ["admin", ({ admin }) => admin]
]
