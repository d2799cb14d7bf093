/** The route of the IPFS HTTP API: the paths below `/api/v0/`. */
import type { HttpExchange } from "../../http/exchange.ts"
import { proceed } from "../../http/fork.ts"
import * as Refusal from "../../http/Refusal.ts"
import type { Route } from "../../http/route.ts"
import { IPFS_PLACE } from "../../networks/places.ts"
import { callerOf } from "../../pipeline/exchanges.ts"
import type { Serving } from "../../pipeline/serving.ts"
import type { Settings } from "../../settings/GatewayOptions.ts"
import * as Tracing from "../../tracing/tracing.ts"
import * as Call from "./call.ts"
import * as Rates from "./rates.ts"
import * as IpfsServer from "./server.ts"

const PREFIX = "/api/v0/"

export const make = ({ budget, exchanges, fork, inFlight, live, pipeline, turns }: Serving): Route => {
  /** The server for each configuration. */
  const servers = new WeakMap<Settings, IpfsServer.IpfsServer>()
  const serverNow = (): IpfsServer.IpfsServer | undefined => {
    const { settings } = live.current
    if (settings.ipfs === undefined) return undefined
    let server = servers.get(settings)
    if (server === undefined) {
      server = IpfsServer.make({ settings: settings.ipfs, budget, settlement: pipeline.settlement, turns, fork })
      servers.set(settings, server)
    }
    return server
  }

  const command = (exchange: HttpExchange, server: IpfsServer.IpfsServer, target: IpfsServer.Target) => {
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
    const method = Call.find(target.path)?.name
    proceed(fork, exchange, pipeline.openBasic(from, caller, IPFS_PLACE, Rates.terms, method), (admitted) => {
      // If the caller disconnected during the lookup of the project, work that starts now would never be interrupted.
      if (exchange.response.destroyed) return
      if (inFlight.size > admitted.config.settings.limits.requests) {
        return exchanges.refuse(exchange, admitted, Refusal.busy)
      }
      server.call(exchange, admitted, target)
    })
  }

  return {
    name: "ipfs",
    serve: (exchange, { path, query }) => {
      if (!path.startsWith(PREFIX)) return false
      const server = serverNow()
      if (server === undefined) return false
      command(exchange, server, { path: path.slice(PREFIX.length), query })
      return true
    }
  }
}
