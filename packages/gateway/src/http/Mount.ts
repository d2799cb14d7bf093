/**
 * A handler of another service on the gateway's listener, such as the admin API.
 */
import type { IncomingMessage, ServerResponse } from "node:http"

/**
 * A handler for all requests to a path and below it, outside the gateway's own routes.
 *
 * The gateway calls `handle` before the body is read, and does not authenticate the caller. The limits on connections
 * and the timeouts for headers and body apply to these requests too. `caller` is the caller's address.
 */
export interface Mount {
  /**
   * A path such as `/admin`. It must begin with `/`, and must not end with `/`. It must not be one of the gateway's own
   * paths.
   */
  readonly path: string
  /** True if a browser that opens `/` is sent to this mount (default: false). */
  readonly isHome?: boolean | undefined
  /** Returns false for a request that gets the answer for an unknown path instead (default: true for every request). */
  readonly isFor?: ((request: IncomingMessage, caller: string) => boolean) | undefined
  readonly handle: (request: IncomingMessage, response: ServerResponse, caller: string) => void
}
