/** The interface between the listener and the protocols that it serves. */
import type { IncomingMessage } from "node:http"

import type { CallDoor } from "./callDoor.ts"
import type { HttpExchange } from "./httpExchange.ts"
import type { HttpTarget } from "./httpTarget.ts"

/** The handler of one protocol's requests. */
export interface HttpRoute {
  /** The route's name in metrics (default: `other`). */
  readonly name?: string | undefined
  /** Answers the request, at once or later. If the path is not this route's, it does nothing and returns false. */
  readonly serve: (exchange: HttpExchange, target: HttpTarget) => boolean
  /** True if the request asks for an upgrade that this protocol handles (default: false). */
  readonly upgrades?: ((request: IncomingMessage) => boolean) | undefined
  /** Runs calls for listeners that do not use `node:http`. Absent: the protocol has no such calls. */
  readonly door?: CallDoor | undefined
}
