/** HTTP statuses, with and without a JSON-RPC answer in the body. */
import { type Family, type Fault, http, trueAnswer } from "../fault.ts"
import type { JsonObject } from "../liveAnswers.ts"

type Headers = Readonly<Record<string, string | number>>

interface Page {
  readonly headers?: Headers
  readonly body?: string
}

/** A failing status without a JSON-RPC answer. */
const bare = (status: number, name: string, ours: string, { headers = {}, body = "" }: Page = {}): Fault => ({
  name: `${status} ${name}`,
  read: "transaction",
  server: http(({ response }) => {
    response.writeHead(status, { "content-type": body.startsWith("<") ? "text/html" : "text/plain", ...headers })
    response.end(body)
  }),
  ours
})

const html = { body: "<html><h1>nginx</h1></html>" }

/** The status 429 with a header that says when to retry. */
const later = (name: string, retryAfter: () => string, ours: string): Fault => ({
  name: `429 Retry-After: ${name}`,
  read: "transaction",
  server: http(({ response }) => {
    response.writeHead(429, { "retry-after": retryAfter() })
    response.end()
  }),
  ours
})

/** A failing status with an error object in the body. */
const refusal = (
  status: number,
  name: string,
  error: JsonObject & { readonly code: number; readonly message: string },
  ours: string,
  { headers = {}, hasId = true }: { readonly headers?: Headers; readonly hasId?: boolean } = {}
): Fault => ({
  name: `${status} with an error object: ${name}`,
  read: "transaction",
  server: http(({ call, response }) => {
    response.writeHead(status, { "content-type": "application/json", ...headers })
    response.end(JSON.stringify({ jsonrpc: "2.0", ...(hasId ? { id: call.id } : {}), error }))
  }),
  words: typeof error["details"] === "string" ? error["details"] : error.message,
  ours
})

const redirect = (status: number): Fault => ({
  name: `${status} to where no such transaction is known`,
  read: "transaction",
  server: http(({ call, response, url }) => {
    if (url.endsWith("/elsewhere")) {
      response.end(JSON.stringify({ jsonrpc: "2.0", id: call.id, result: null }))
    } else {
      response.writeHead(status, { location: "/elsewhere" })
      response.end()
    }
  }),
  ours: `TransportError ${status}`
})

const rate = {
  code: -32005,
  message: "project ID request rate exceeded",
  data: { current_rps: 13.333, allowed_rps: 10, backoff_seconds: 30 }
}
const notFound = { code: -32000, message: "header not found" }

export const family: Family = {
  name: "HTTP statuses",
  faults: [
    {
      name: "103 before the answer",
      read: "transaction",
      server: http((exchange) => {
        const { response } = exchange
        response.writeEarlyHints({ link: "</style.css>; rel=preload" }, () => {
          response.setHeader("content-type", "application/json")
          response.end(trueAnswer(exchange))
        })
      }),
      honest: true,
      ours: "the truth"
    },
    bare(204, "nothing", "ProtocolError"),
    redirect(301),
    redirect(302),
    redirect(307),
    redirect(308),
    bare(400, "nothing", "TransportError 400"),
    bare(401, "invalid project id", "TransportError 401", {
      body: "invalid project id\n",
      headers: { "www-authenticate": 'Basic realm="Auth failure, invalid project id"' }
    }),
    bare(403, "HTML", "TransportError 403", html),
    bare(404, "HTML", "TransportError 404", html),
    bare(413, "text", "TransportError 413", { body: "content length too large (9000000>5242880)" }),
    bare(415, "text", "TransportError 415", { body: "invalid content type, only application/json is supported" }),
    bare(429, "nothing", "TransportError 429, retryable"),
    later("1", () => "1", "TransportError 429, retryable, after 1 s"),
    later(
      "the date in an hour",
      () => new Date(Date.now() + 3_600_000).toUTCString(),
      "TransportError 429, retryable, after 60 min"
    ),
    later("soon", () => "soon", "TransportError 429, retryable"),
    later("-1", () => "-1", "TransportError 429, retryable"),
    later("30 digits", () => "9".repeat(30), "TransportError 429, retryable"),
    bare(500, "HTML", "TransportError 500", html),
    bare(502, "HTML", "TransportError 502, retryable", html),
    bare(503, "HTML and Retry-After", "TransportError 503, retryable, after 2 s", {
      ...html,
      headers: { "retry-after": 2 }
    }),
    bare(504, "HTML", "TransportError 504, retryable", html),
    {
      name: "500 with the true result",
      read: "transaction",
      server: http((exchange) => {
        exchange.response.writeHead(500, { "content-type": "application/json" })
        exchange.response.end(trueAnswer(exchange))
      }),
      ours: "TransportError 500"
    },
    refusal(500, "header not found", notFound, "RemoteError -32000 notFound"),
    refusal(400, "no id", { code: -32700, message: "parse error" }, "RemoteError -32700 invalidRequest", {
      hasId: false
    }),
    refusal(
      403,
      "Infura's allowlist",
      { code: -32002, message: "rejected due to project ID settings" },
      "RemoteError -32002 unauthorized",
      { hasId: false }
    ),
    refusal(
      402,
      "Infura's quota since 2024",
      { code: 402, event: -33_000, message: "Payment Required", details: "You have reached your daily credit limit." },
      "RemoteError 402 quotaExceeded"
    ),
    refusal(
      429,
      "Infura's throughput since 2024",
      {
        code: 429,
        event: -33_200,
        message: "Too Many Requests",
        details: "You have surpassed your allowed throughput limit."
      },
      "RemoteError 429 rateLimited, retryable"
    ),
    refusal(429, "Infura's rate before", rate, "RemoteError -32005 rateLimited, retryable, after 30 s"),
    refusal(429, "Infura's rate, and Retry-After", rate, "RemoteError -32005 rateLimited, retryable, after 7 s", {
      headers: { "retry-after": 7 }
    }),
    refusal(
      429,
      "Infura's quota before",
      { code: -32005, message: "daily request count exceeded, request rate limited" },
      "RemoteError -32005 quotaExceeded"
    ),
    refusal(
      503,
      "no backend",
      { code: -32011, message: "no backend is currently healthy to serve traffic" },
      "RemoteError -32011 unavailable, retryable"
    ),
    refusal(
      504,
      "gateway timeout",
      { code: -32015, message: "gateway timeout" },
      "RemoteError -32015 timedOut, retryable"
    )
  ]
}
