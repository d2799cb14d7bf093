/** JSON-RPC over HTTP. Each request has one packet of calls. */
import type { CallDoor, CallExchange, CallHead } from "../http/callDoor.ts"
import type { HttpExchange } from "../http/httpExchange.ts"
import * as HttpRefusal from "../http/HttpRefusal.ts"
import type { HttpRoute } from "../http/httpRoute.ts"
import type { PacketAnswer } from "../http/PacketAnswer.ts"
import * as RequestBody from "../http/requestBody.ts"
import { proceed, proceedWith } from "../http/requestFibers.ts"
import type { CallerSession } from "../pipeline/Pipeline.ts"
import type { Serving } from "../pipeline/serving.ts"
import * as Tracing from "../tracing/tracing.ts"
import { headOf, isWebSocket, keyedOf } from "./rpcPaths.ts"

export const make = ({ budget, exchanges, fork, inFlight, live, pipeline }: Serving): HttpRoute => {
  /** Admits the caller of a request, and continues with its session. */
  const open = (
    exchange: CallExchange,
    head: CallHead,
    address: string,
    next: (session: CallerSession) => void
  ): void => {
    const opened = pipeline.open(address, head.caller, head.session as CallerSession | undefined)
    proceed(fork, exchange, opened, (session) => {
      // The caller may have left during the look-up. Then nothing is recorded or charged.
      if (exchange.isGone) return
      head.session = session
      exchanges.own(exchange, session)
      next(session)
    })
  }

  /** Runs the calls of a body whose caller was admitted. */
  const run = (exchange: CallExchange, session: CallerSession, body: Uint8Array): void => {
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

  /** True if the service has its maximum number of requests. */
  const isBusy = ({ config }: CallerSession): boolean => inFlight.size > config.settings.limits.requests

  const call = (exchange: HttpExchange, session: CallerSession): void => {
    const { bodyBytes } = session.config.settings.limits
    const refuse = (refusal: HttpRefusal.HttpRefusal) => exchanges.refuse(exchange, session, refusal)
    const refusal = RequestBody.inspect(exchange.request, bodyBytes)
    if (refusal !== undefined) return refuse(refusal)
    if (isBusy(session)) return refuse(HttpRefusal.busy)
    RequestBody.read(exchange, bodyBytes, budget, (body) => run(exchange, session, body), refuse)
  }

  const door: CallDoor = {
    headOf: (target, headers) => {
      const keyed = keyedOf(target)
      const { tracing } = live.current.settings
      if (keyed?._tag !== "Rpc" || tracing !== undefined || RequestBody.flawOf(headers) !== undefined) return undefined
      return headOf(keyed, headers, "POST")
    },
    serve: (exchange, head, address, body) =>
      open(exchange, head, address, (session) =>
        isBusy(session) ? exchanges.refuse(exchange, session, HttpRefusal.busy) : run(exchange, session, body)
      )
  }

  return {
    name: "rpc",
    upgrades: isWebSocket,
    door,
    serve: (exchange, target) => {
      const keyed = keyedOf(target)
      if (keyed === undefined) return false
      exchange.annotates = keyed.annotates
      const { request } = exchange
      const { headers, method } = request
      exchange.span = Tracing.begin(live.current.settings.tracing, "POST /v3", headers, {
        "http.request.method": method ?? "",
        "http.route": keyed._tag === "Rpc" ? "/v3" : "/ws/v3",
        "plumbline.request_id": exchange.requestId
      })
      if (keyed._tag === "Rpc" && method === "OPTIONS") {
        // A browser asks for permission without sending credentials. The answer is the same for all callers.
        exchange.preflight()
        return true
      }
      const head = headOf(keyed, headers, method)
      open(exchange, head, live.current.settings.callerOf(request), (session) => {
        if (keyed._tag === "Rpc") return call(exchange, session)
        // A GET without the upgrade is a mistake. Only a known caller gets the refusal that explains it.
        const refusal = method === "GET" ? HttpRefusal.upgradeRequired : HttpRefusal.methodNotAllowed("GET")
        return exchanges.refuse(exchange, session, refusal)
      })
      return true
    }
  }
}
