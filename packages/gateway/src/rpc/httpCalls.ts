/** JSON-RPC over HTTP. Each request has one packet of calls. */
import type { HttpExchange } from "../http/httpExchange.ts"
import * as HttpRefusal from "../http/HttpRefusal.ts"
import type { HttpRoute } from "../http/httpRoute.ts"
import type { PacketAnswer } from "../http/PacketAnswer.ts"
import * as RequestBody from "../http/requestBody.ts"
import { proceed, proceedWith } from "../http/requestFibers.ts"
import type { CallerSession } from "../pipeline/Pipeline.ts"
import type { Serving } from "../pipeline/serving.ts"
import * as Tracing from "../tracing/tracing.ts"
import { isWebSocket, type RpcPath, keyedCallerOf, keyedOf } from "./rpcPaths.ts"

export const make = ({ budget, exchanges, fork, inFlight, live, pipeline }: Serving): HttpRoute => {
  const authenticate = (exchange: HttpExchange, target: RpcPath, next: (session: CallerSession) => void) => {
    const { request } = exchange
    const opened = pipeline.open(live.current.settings.callerOf(request), keyedCallerOf(request, target))
    proceed(fork, exchange, opened, (session) => {
      // The caller may have left during the look-up. Then nothing is recorded or charged.
      if (exchange.response.destroyed) return
      exchanges.own(exchange, session)
      next(session)
    })
  }

  const call = (exchange: HttpExchange, session: CallerSession) => {
    const { limits } = session.config.settings
    const refuse = (refusal: HttpRefusal.HttpRefusal) => exchanges.refuse(exchange, session, refusal)
    const refusal = RequestBody.inspect(exchange.request, limits.bodyBytes)
    if (refusal !== undefined) return refuse(refusal)
    if (inFlight.size > limits.requests) return refuse(HttpRefusal.busy)
    const onBody = (body: Uint8Array) => {
      // The exchange was already recorded, so this body arrived too late.
      if (exchange.isAccountedFor) return
      exchange.isAccountedFor = true
      proceedWith(
        fork,
        exchange,
        (onExit) => pipeline.begin(session, body, exchange, fork, onExit),
        (answer: PacketAnswer | HttpRefusal.HttpRefusal) =>
          answer._tag === "Answer" ? exchange.answer(answer) : exchange.refuse(answer)
      )
    }
    RequestBody.read(exchange, limits.bodyBytes, budget, onBody, refuse)
  }

  return {
    name: "rpc",
    upgrades: isWebSocket,
    serve: (exchange, target) => {
      const keyed = keyedOf(target)
      if (keyed === undefined) return false
      exchange.annotates = keyed.annotates
      const { headers, method } = exchange.request
      exchange.span = Tracing.begin(live.current.settings.tracing, "POST /v3", headers, {
        "http.request.method": method ?? "",
        "http.route": keyed._tag === "Rpc" ? "/v3" : "/ws/v3",
        "plumbline.request_id": exchange.requestId
      })
      if (keyed._tag === "WebSocket") {
        // A GET without the upgrade is a mistake. Only a known caller gets the refusal that explains it.
        const refusal = method === "GET" ? HttpRefusal.upgradeRequired : HttpRefusal.methodNotAllowed("GET")
        authenticate(exchange, keyed, (session) => exchanges.refuse(exchange, session, refusal))
      } else if (method === "OPTIONS") {
        // A browser asks for permission without sending credentials. The answer is the same for all callers.
        exchange.preflight()
      } else {
        authenticate(exchange, keyed, (session) => call(exchange, session))
      }
      return true
    }
  }
}
