/** Serves HTTP requests to the beacon API. */
import type { IncomingMessage, ServerResponse } from "node:http"

import type { BeaconApiResponse, BeaconApiRequest } from "./beaconApi.ts"

/**
 * Makes a listener. It ignores request bodies, because no endpoint needs one. It sends no CORS headers: a page of another
 * origin must not read a chain of this machine.
 */
export const make =
  (answer: (question: BeaconApiRequest) => BeaconApiResponse) =>
  ({ headers, method, url = "" }: IncomingMessage, response: ServerResponse): void => {
    if (method !== "GET") {
      response.writeHead(405, { allow: "GET", connection: "close" }).end()
      return
    }
    const {
      body,
      headers: own,
      status
    } = answer({
      // the path before /eth/v1/ is the path at which the API is mounted
      target: url.slice(Math.max(0, url.indexOf("/eth/v1/"))),
      accept: headers.accept ?? ""
    })
    response.writeHead(status, { ...own, "content-length": body.length }).end(body)
  }
