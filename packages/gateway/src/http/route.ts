/** A protocol on the listener. */
import type { IncomingMessage } from "node:http"

import type { HttpExchange } from "./exchange.ts"
import type { Target } from "./target.ts"

/** The paths of one protocol, and the function that answers their requests. */
export interface Route {
  /** Its name in metrics. Default: `other`. */
  readonly name?: string | undefined
  /** Answers the request, at once or later. Returns false, and does nothing, if the path is another route's. */
  readonly serve: (exchange: HttpExchange, target: Target) => boolean
  /** True for an upgrade of the connection that this protocol handles. Default: none. */
  readonly upgrades?: ((request: IncomingMessage) => boolean) | undefined
}
