/** Records the time limit that a transport itself enforces, so that middleware does not repeat it. */
import type * as Duration from "effect/Duration"

import type { Transport } from "./Transport.ts"

const bounds = /* @__PURE__ */ new WeakMap<Transport["Service"], Duration.Duration>()

/**
 * Records that a transport ends every packet within `limit`: the packet's calls then fail with a `TimeoutError` that
 * contains `limit`.
 */
export const bounded = (transport: Transport["Service"], limit: Duration.Duration): Transport["Service"] => {
  bounds.set(transport, limit)
  return transport
}

/** Returns the recorded limit, or `undefined`. */
export const of = (transport: Transport["Service"]): Duration.Duration | undefined => bounds.get(transport)
