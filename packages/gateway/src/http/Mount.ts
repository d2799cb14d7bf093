/**
 * A part of the gateway's listener that another program serves, such as the admin API.
 */
import type { IncomingMessage, ServerResponse } from "node:http"

/**
 * A handler for all requests below a path, outside the gateway's own routes, such as the admin API.
 *
 * The request is handed over as it arrives, on `path` and below it, without authentication and before its body is read.
 * The bounds of connections and the timeouts for headers and body apply to it too. `caller` is the address of the
 * request's sender.
 */
export interface Mount {
  /**
   * A path such as `/admin`: it begins with `/`, does not end with it, and must not be one of the gateway's own paths.
   */
  readonly path: string
  readonly handle: (request: IncomingMessage, response: ServerResponse, caller: string) => void
}
