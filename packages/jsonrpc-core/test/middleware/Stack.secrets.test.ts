/** Checks that no middleware shows a secret of the nodes below it in an error, a log, a span or a metric. */
import { assert, describe, it } from "@effect/vitest"
import { HttpTransport, type Retry, Stack } from "@plumbline/jsonrpc-core"
import { Effect, Redacted } from "effect"

import * as HttpServer from "../support/httpServer.ts"
import { assertSilent, echo, HEADER, secretUrl } from "../support/secrets.ts"

const CALL = { method: "eth_chainId", params: [] }

/** Returns an error object that repeats everything that the server received. */
const remote = (asked: HttpServer.Asked, code: number) => {
  const text = echo(asked)
  const error = (id: unknown) => ({ jsonrpc: "2.0", id, error: { code, message: text, data: { said: [text] } } })
  return Array.isArray(asked.json) ? asked.json.map(({ id }) => error(id)) : error(asked.json.id)
}

const answers: Readonly<Record<string, (asked: HttpServer.Asked) => Response>> = {
  "an error": (asked) => Response.json(remote(asked, -32000)),
  "a limit": (asked) => Response.json(remote(asked, -32005), { status: 429, headers: { "retry-after": "0" } }),
  "a failing status": (asked) => new Response(echo(asked), { status: 503 }),
  "a batch that is too large": (asked) => new Response(echo(asked), { status: Array.isArray(asked.json) ? 413 : 500 }),
  "no JSON": (asked) => new Response(echo(asked))
}

const retry: Retry.RetryOptions = { times: 2, initial: "1 millis" }

/** Stacks that differ in the middleware over the nodes; together they contain every middleware. */
const stacks: Readonly<Record<string, Stack.StackOptions>> = {
  fallback: { retry },
  hedge: { retry, hedge: { delay: "1 millis" } },
  quorum: { retry, quorum: { needed: 2 } }
}

const limits: Stack.StackNodeOptions = {
  rateLimit: { permits: 1000, per: "1 second" },
  circuitBreaker: { failures: 3, cooldown: "1 millis" },
  timeout: "10 seconds"
}

for (const [name, options] of Object.entries(stacks)) {
  describe(`a stack with ${name} shows no secret in`, () => {
    for (const [title, respond] of Object.entries(answers)) {
      it.live(title, () =>
        Effect.gen(function* () {
          let asked = 0
          const node = (name: string) =>
            Effect.map(
              Effect.flatMap(
                HttpServer.responding((request) => {
                  asked++
                  return respond(request)
                }),
                (server) =>
                  HttpTransport.make({
                    url: Redacted.make(secretUrl(server)),
                    headers: { "x-api-key": Redacted.make(HEADER) }
                  })
              ),
              (transport) => ({ name, transport, ...limits })
            )
          const transport = Stack.make([yield* node("own"), yield* node("rented")], options)
          const { metrics, spans } = yield* assertSilent(transport, CALL)
          // Requests, spans and metrics exist, so a secret could have shown.
          assert.isAtLeast(asked, 2)
          assert.isAbove(spans.length, 2)
          assert.isNotEmpty(metrics.filter((metric) => metric.includes("rpc.client.calls")))
        })
      )
    }
  })
}

describe("what middleware says itself", () => {
  it.live("is silent about the node: no answer in time, a limit of its own, an open circuit, no agreement", () =>
    Effect.gen(function* () {
      const server = yield* HttpServer.make(() => {})
      const gone = yield* Effect.scoped(HttpServer.make(() => {}))
      const http = (url: string) => HttpTransport.make({ url: secretUrl(url) })
      const nodes: ReadonlyArray<Stack.StackNode> = [
        { name: "silent", transport: yield* http(server), timeout: "5 millis" },
        {
          name: "limited",
          transport: yield* http(server),
          timeout: "5 millis",
          rateLimit: { permits: 1, per: "1 day", maxWaiting: 0 }
        },
        { name: "gone", transport: yield* http(gone), circuitBreaker: { failures: 1 } }
      ]
      const said: Array<string> = []
      for (const transport of [
        ...nodes.map((node) => Stack.make([node], { retry: false })),
        Stack.make(nodes, { retry: false, quorum: { needed: 2 } })
      ]) {
        const { errors } = yield* assertSilent(transport, CALL)
        said.push(...errors.map(({ message }) => message))
      }
      for (const part of ["no answer within 5ms", "own rate limit", "circuit is open", "ECONNREFUSED", "nodes agree"]) {
        assert.include(said.join(), part)
      }
    })
  )
})
