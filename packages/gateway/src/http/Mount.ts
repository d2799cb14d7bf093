/**
 * A part of the gateway's listener that another program serves, such as the admin API.
 *
 * @since 0.1.0
 */
import type { IncomingMessage, ServerResponse } from "node:http"

/**
 * What is served below a path by somebody else, such as the admin API.
 *
 * The request is handed over as it comes, on `path` and below it, without authentication and before its body is read; the
 * bounds of connections and the timeouts for headers and body hold for it too. `caller` is the address that it comes from.
 *
 * @since 0.1.0
 */
export interface Mount {
  /** Such as `/admin`: it begins with `/`, does not end with it, and is none of the gateway's own. */
  readonly path: string
  readonly handle: (request: IncomingMessage, response: ServerResponse, caller: string) => void
}
