/**
 * Passes requests that are no calls from a worker to the supervisor: the admin API, the console, metrics, IPFS, light
 * client data, and the state of the service. They are rare, and each has its place in one process.
 */
import { Agent, type ClientRequest, type IncomingMessage, request as ask } from "node:http"

import * as HttpRefusal from "@plumbline/gateway/http/HttpRefusal"
import type { GatewayProducts } from "@plumbline/gateway/pipeline/GatewayProduct"
import * as Result from "effect/Result"

/** Returns the product whose routes have every path that the gateway's calls do not have, except `own`. */
export const make = (socketPath: string): NonNullable<GatewayProducts["ipfs"]> => {
  return {
    resolved: Result.succeed({
      health: undefined,
      routes: ({ isDraining, live }) => {
        // The worker ends an idle connection before the supervisor does, whose last word could be read as an answer.
        const agent = new Agent({ keepAlive: true, timeout: live.current.settings.timeouts.idle / 2 })
        return [
          {
            name: "supervisor",
            serve: (exchange, { path }) => {
              // A worker says itself that it is alive, and that it drains.
              if (path === "/livez" || (isDraining() && HEALTH.has(path))) return false
              const { request, response } = exchange
              const headers = [
                // Trailers of a request are not passed on, and Node refuses to announce them for a request without a body.
                ...withoutHopHeaders(request, ["trailer"]),
                "x-forwarded-for",
                live.current.settings.callerOf(request),
                "x-request-id",
                exchange.requestId
              ]
              const { method, url } = request
              const passed = ask({ agent, headers, method, path: url, socketPath, setHost: false })
              pass(passed, exchange)
              // The supervisor bounds the time of an upload.
              exchange.upload = { release: () => void request.unpipe(passed) }
              exchange.continue()
              request.pipe(passed)
              response.once("close", () => passed.destroy())
              return true
            }
          }
        ]
      }
    })
  }
}

type Exchange = Parameters<
  ReturnType<Result.Result.Success<NonNullable<GatewayProducts["ipfs"]>["resolved"]>["routes"]>[number]["serve"]
>[0]

/** Sends the supervisor's answer on, with its trailers. */
const pass = (passed: ClientRequest, exchange: Exchange): void => {
  const { response } = exchange
  passed.once("response", (answer: IncomingMessage) => {
    // A refusal of a broken body can wait behind an earlier answer. The exchange then has its answer.
    if (exchange.isSent) return void passed.destroy()
    // The listener frames the answer for its client. Without chunks, as in HTTP/1.0, there are no trailers.
    const isChunked = response.useChunkedEncodingByDefault && !exchange.isHead
    const framing = ["transfer-encoding", ...(isChunked ? [] : ["trailer"])]
    exchange.begin(answer.statusCode ?? 502, withoutHopHeaders(answer, framing))
    answer.pipe(response, { end: false })
    answer.once("end", () => {
      if (answer.rawTrailers.length > 0) response.addTrailers(pairs(answer.rawTrailers))
      exchange.finish()
    })
    answer.once("error", () => response.destroy())
  })
  passed.once("error", () => {
    if (!response.headersSent) exchange.refuse(HttpRefusal.unavailable)
    else response.destroy()
  })
}

const HEALTH: ReadonlySet<string> = new Set(["/health", "/ready", "/readyz"])

/** Headers that Connection cannot take away: the supervisor would read another message. The worker passes trailers on. */
const FRAMING: ReadonlySet<string> = new Set(["content-length", "host", "te", "transfer-encoding"])

/** Headers of one connection only, and those that the worker writes itself. */
const HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "upgrade",
  "expect",
  "x-forwarded-for",
  "x-request-id"
])

/** Returns the headers to pass on: without those of this connection, which its Connection header can add to. */
const withoutHopHeaders = ({ headers, rawHeaders }: IncomingMessage, others: ReadonlyArray<string>): Array<string> => {
  const named = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase())
  const left = new Set([...HOP, ...named.filter((name) => !FRAMING.has(name)), ...others])
  return pairs(rawHeaders)
    .filter(([name]) => !left.has(name.toLowerCase()))
    .flat()
}

const pairs = (raw: ReadonlyArray<string>): Array<[name: string, value: string]> =>
  Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index]!, raw[2 * index + 1]!])
