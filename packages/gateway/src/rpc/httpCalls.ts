/** JSON-RPC over HTTP. Each request has one packet of calls. */
import type { CallDoor, CallExchange, CallHead } from "../http/callDoor.ts"
import type { HttpExchange } from "../http/httpExchange.ts"
import * as HttpRefusal from "../http/HttpRefusal.ts"
import type { HttpRoute } from "../http/httpRoute.ts"
import * as RequestBody from "../http/requestBody.ts"
import { proceed, RequestEnd } from "../http/requestFibers.ts"
import type { CallerSession, PacketReply } from "../pipeline/Pipeline.ts"
import type { Serving } from "../pipeline/serving.ts"
import * as Tracing from "../tracing/tracing.ts"
import * as CallHeads from "./callHeads.ts"
import { headOf, isWebSocket, keyedOf } from "./rpcPaths.ts"

export const make = ({ budget, exchanges, fork, inFlight, live, pipeline }: Serving): HttpRoute => {
  /** Admits the caller of a request, and continues with its session. */
  const open = (
    exchange: CallExchange,
    head: CallHead,
    address: string,
    next: (session: CallerSession) => void
  ): void => {
    const last = head.session as CallerSession | undefined
    if (last !== undefined && pipeline.reopen(address, last)) {
      exchanges.own(exchange, last)
      return next(last)
    }
    return proceed(fork, exchange, pipeline.open(address, head.caller), (session) => {
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
    const end = new RequestEnd(fork, exchange, send)
    try {
      end.waitFor(pipeline.begin(session, body, exchange, fork, end))
    } catch (defect) {
      end.threw(defect)
    }
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
      const { request } = exchange
      const { headers, method } = request
      const { callerOf, tracing } = live.current.settings
      const known = CallHeads.of(request)
      const keyed = known === undefined ? keyedOf(target) : undefined
      if (known === undefined && keyed === undefined) return false
      const isSocket = keyed?._tag === "WebSocket"
      const head = known ?? headOf(keyed!, headers, method)
      exchange.annotates = head.annotates
      if (tracing !== undefined) {
        exchange.span = Tracing.begin(tracing, "POST /v3", headers, {
          "http.request.method": method ?? "",
          "http.route": isSocket ? "/ws/v3" : "/v3",
          "plumbline.request_id": exchange.requestId
        })
      }
      if (isSocket) {
        // A GET without the upgrade is a mistake. Only a known caller gets the refusal that explains it.
        const refusal = method === "GET" ? HttpRefusal.upgradeRequired : HttpRefusal.methodNotAllowed("GET")
        open(exchange, head, callerOf(request), (session) => exchanges.refuse(exchange, session, refusal))
      } else if (method === "OPTIONS") {
        // A browser asks for permission without sending credentials. The answer is the same for all callers.
        exchange.preflight()
      } else {
        if (known === undefined && method === "POST") CallHeads.keep(request, head)
        open(exchange, head, callerOf(request), (session) => call(exchange, session))
      }
      return true
    }
  }
}

const send = (reply: PacketReply, exchange: CallExchange): void =>
  reply._tag === "Answer" ? exchange.answer(reply) : exchange.refuse(reply)
