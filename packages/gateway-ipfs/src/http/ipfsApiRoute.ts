/** The route of the IPFS HTTP API: the paths below `/api/v0/`. */
import {
  type HttpExchange,
  type HttpRoute,
  proceed,
  IPFS_PLACE,
  callerOf,
  type Serving,
  Tracing
} from "@plumbline/gateway/GatewayInternals"
import * as HttpRefusal from "@plumbline/gateway/http/HttpRefusal"

import type { IpfsSettings } from "../IpfsOptions.ts"
import * as CommandCall from "./commandCall.ts"
import * as CommandRateLimit from "./commandRateLimit.ts"
import * as IpfsServer from "./ipfsServer.ts"

const PREFIX = "/api/v0/"

export const make = (
  { budget, exchanges, fork, inFlight, live, pipeline, turns }: Serving,
  settings: IpfsSettings
): HttpRoute => {
  const { settlement } = pipeline
  const server = IpfsServer.make({ settings, budget, settlement, turns, fork })

  const command = (exchange: HttpExchange, target: IpfsServer.CommandTarget) => {
    const { request } = exchange
    const { tracing } = live.current.settings
    exchange.span = Tracing.begin(tracing, "POST /api/v0", request.headers, {
      "http.request.method": request.method ?? "",
      "http.route": "/api/v0",
      "plumbline.request_id": exchange.requestId
    })
    // The nodes of this configuration stay open until the request has ended.
    const { users } = live.current
    users.add(exchange)
    exchange.response.once("close", () => users.delete(exchange))
    server.begin(exchange)
    if (request.method === "OPTIONS") return server.preflight(exchange)
    const caller = { ...callerOf(request), key: undefined, host: request.headers.host, network: undefined }
    const from = live.current.settings.callerOf(request)
    const method = CommandCall.find(target.path)?.name
    proceed(
      fork,
      exchange,
      pipeline.openBasic(from, caller, IPFS_PLACE, CommandRateLimit.terms, method),
      (admitted) => {
        // If the caller disconnected during the lookup of the project, work that starts now would never be interrupted.
        if (exchange.response.destroyed) return
        if (inFlight.size > admitted.config.settings.limits.requests) {
          return exchanges.refuse(exchange, admitted, HttpRefusal.busy)
        }
        server.call(exchange, admitted, target)
      }
    )
  }

  return {
    name: "ipfs",
    serve: (exchange, { path, query }) => {
      if (!path.startsWith(PREFIX)) return false
      command(exchange, { path: path.slice(PREFIX.length), query })
      return true
    }
  }
}
