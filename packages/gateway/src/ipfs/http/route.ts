/** The route of the IPFS HTTP API: the paths below `/api/v0/`. */
import type { HttpExchange } from "../../http/exchange.ts"
import { proceed } from "../../http/fork.ts"
import * as Refusal from "../../http/Refusal.ts"
import type { Route } from "../../http/route.ts"
import { IPFS_PLACE } from "../../networks/places.ts"
import { callerOf } from "../../pipeline/exchanges.ts"
import type { Serving } from "../../pipeline/serving.ts"
import type { Settings } from "../../settings/GatewayOptions.ts"
import * as Rates from "./rates.ts"
import * as IpfsServer from "./server.ts"

const PREFIX = "/api/v0/"

export const make = ({ budget, exchanges, fork, inFlight, live, pipeline }: Serving): Route => {
  /** The server for each configuration. */
  const servers = new WeakMap<Settings, IpfsServer.IpfsServer>()
  const serverNow = (): IpfsServer.IpfsServer | undefined => {
    const { settings } = live.current
    if (settings.ipfs === undefined) return undefined
    let server = servers.get(settings)
    if (server === undefined) {
      server = IpfsServer.make({ settings: settings.ipfs, budget, settle: pipeline.settle, fork })
      servers.set(settings, server)
    }
    return server
  }

  const command = (exchange: HttpExchange, server: IpfsServer.IpfsServer, target: IpfsServer.Target) => {
    const { request } = exchange
    // Its nodes stay open until the request has ended.
    const { users } = live.current
    users.add(exchange)
    exchange.response.once("close", () => users.delete(exchange))
    server.begin(exchange)
    if (request.method === "OPTIONS") return server.preflight(exchange)
    const caller = { ...callerOf(request), key: undefined, host: request.headers.host, network: undefined }
    const from = live.current.settings.callerOf(request)
    proceed(fork, exchange, pipeline.openBasic(from, caller, IPFS_PLACE, Rates.terms), (admitted) => {
      // The caller left while its project was looked up, and its work would never be interrupted.
      if (exchange.response.destroyed) return
      if (inFlight.size > admitted.config.settings.limits.requests) {
        return exchanges.refuse(exchange, admitted, Refusal.busy)
      }
      server.call(exchange, admitted, target)
    })
  }

  return {
    serve: (exchange, { path, query }) => {
      if (!path.startsWith(PREFIX)) return false
      const server = serverNow()
      if (server === undefined) return false
      command(exchange, server, { path: path.slice(PREFIX.length), query })
      return true
    }
  }
}
