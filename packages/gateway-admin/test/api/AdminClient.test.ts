/** The admin client without a server, and with a server that is not an admin API. */
import { readFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { inspect } from "node:util"

import { assert, describe, it } from "@effect/vitest"
import { AdminApi, AdminClient, type AdminError } from "@plumbline/gateway-admin"
import * as Spans from "@plumbline/seeded/Spans"
import { Effect, Fiber, Redacted, Tracer } from "effect"
import { FetchHttpClient } from "effect/http"
import { OpenApi } from "effect/http-api"
import { TestClock } from "effect/testing"

const TOKEN = "5ec7e7".repeat(8)

const listen = (answer: RequestListener) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve) => {
          const server = createServer(answer).listen(0, "127.0.0.1", () => resolve(server))
        })
    ),
    (server) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  ).pipe(Effect.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`))

const client = (url: string) =>
  Effect.provide(AdminClient.make({ url, token: Redacted.make(TOKEN) }), FetchHttpClient.layer)

const status = (url: string) => Effect.flatMap(client(url), (admin) => Effect.flip(admin.service.status()))

/** True if an error contains no URL and no token. */
const isSafe = (error: unknown, url: string) => {
  const text = inspect(error, { depth: 20, showHidden: true }) + JSON.stringify(error) + String(error)
  assert.notInclude(text, TOKEN)
  assert.notInclude(text, url)
  return error as AdminError.NoAnswer
}

describe("the admin client", () => {
  it.live("says what came instead of an answer, without the URL and the token", () =>
    Effect.gen(function* () {
      const answers: ReadonlyArray<readonly [RequestListener, AdminError.NoAnswer["problem"], number | null]> = [
        [(_, response) => response.writeHead(502, { "content-type": "text/html" }).end("<html>"), "NotUnderstood", 502],
        [(_, response) => response.writeHead(404).end(), "NotUnderstood", 404],
        [
          (_, response) => response.writeHead(200, { "content-type": "application/json" }).end("{"),
          "NotUnderstood",
          200
        ],
        [
          (_, response) => response.writeHead(200, { "content-type": "application/json" }).end(`{"status":"ok"}`),
          "NotUnderstood",
          200
        ],
        [
          (_, response) => response.writeHead(401, { "content-type": "application/json" }).end(`{"error":1}`),
          "NotUnderstood",
          401
        ],
        [(request) => request.socket.destroy(), "Unreachable", null]
      ]
      for (const [answer, problem, code] of answers) {
        const url = yield* listen(answer)
        const error = isSafe(yield* status(url), url)
        assert.deepStrictEqual([error._tag, error.problem, error.status], ["NoAnswer", problem, code])
      }
    }).pipe(Effect.scoped)
  )

  it.live("says that nobody is there", () =>
    Effect.gen(function* () {
      const url = yield* Effect.scoped(listen(() => undefined))
      const error = isSafe(yield* status(url), url)
      assert.deepStrictEqual([error._tag, error.problem], ["NoAnswer", "Unreachable"])
      const bad = isSafe(yield* status("not a url"), "not a url")
      assert.strictEqual(bad._tag, "NoAnswer")
    })
  )

  it.effect("says that it does not accept the certificate", () =>
    Effect.gen(function* () {
      const cause = Object.assign(new Error("self-signed certificate"), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" })
      const asked = status("https://node.example").pipe(
        Effect.provideService(FetchHttpClient.Fetch, () => Promise.reject(new TypeError("fetch failed", { cause })))
      )
      const error = isSafe(yield* asked, "node.example")
      assert.deepStrictEqual([error._tag, error.problem, error.status], ["NoAnswer", "BadCertificate", null])
    })
  )

  it.effect("waits for forty seconds", () =>
    Effect.gen(function* () {
      const asked = Promise.withResolvers<void>()
      const url = yield* listen(() => asked.resolve())
      const waiting = yield* Effect.forkChild(status(url))
      yield* Effect.promise(() => asked.promise)
      yield* TestClock.adjust("39 seconds")
      assert.strictEqual(waiting.pollUnsafe(), undefined)
      yield* TestClock.adjust("1 second")
      const error = isSafe(yield* Fiber.join(waiting), url)
      assert.strictEqual(error.problem, "TimedOut")
    }).pipe(Effect.scoped)
  )

  it.live("does not send what makes no sense", () =>
    Effect.gen(function* () {
      let asked = 0
      const url = yield* listen((_, response) => void (asked++, response.end()))
      const admin = yield* client(url)
      const wrong = yield* Effect.flip(
        admin.projects.create({ headers: {}, payload: { name: "", limits: { burst: 0 } } })
      )
      assert.deepStrictEqual(wrong._tag === "BadRequest" && wrong.at, "request.name")
      assert.strictEqual(asked, 0)
    }).pipe(Effect.scoped)
  )

  it.live("sends the token in its header, and an id that stays one part of the path", () =>
    Effect.gen(function* () {
      const asked: Array<unknown> = []
      const url = yield* listen((request, response) => {
        asked.push([request.method, request.url, request.headers.authorization])
        response.writeHead(204).end()
      })
      const admin = yield* client(`${url}/`)
      yield* admin.keys.revoke({ params: { id: "a/../b?c#d é" } })
      assert.deepStrictEqual(asked, [["DELETE", "/admin/v1/keys/a%2F..%2Fb%3Fc%23d%20%C3%A9", `Bearer ${TOKEN}`]])
    }).pipe(Effect.scoped)
  )
})

describe("the methods", () => {
  it.effect("have a span each, whose id the service gets, and no token in it", () =>
    Effect.gen(function* () {
      const parents: Array<unknown> = []
      const url = yield* listen(({ headers }, response) => {
        parents.push(headers["traceparent"])
        response.end("{}")
      })
      const { spans, tracer } = Spans.collecting()
      yield* Effect.provideService(status(url), Tracer.Tracer, tracer)
      const sent = spans.find(({ kind }) => kind === "client")
      assert.deepStrictEqual(parents, [`00-${sent?.traceId}-${sent?.spanId}-01`])
      assert.notInclude(inspect(spans, { depth: 20 }), TOKEN)
    })
  )

  it("are those of the API, each with the API's own sentence", () => {
    const source = readFileSync(new URL("../../src/api/adminMethods.ts", import.meta.url), "utf8")
    const sentences = Array.from(
      source.matchAll(
        /\/\*\*((?:[^*]|\*(?!\/))*)\*\/\n {2}readonly (\w+): AdminMethod<Endpoints<"(\w+)">\["(\w+)"\]>/gu
      )
    ).map(([, comment, name, group, method]) => {
      assert.strictEqual(name, method)
      return [`${group}.${method}`, comment!.replaceAll(/\s*\n\s*\* ?/gu, " ").trim()]
    })
    const paths: Readonly<Record<string, object>> = OpenApi.fromApi(AdminApi.Api).paths
    const summaries = Object.values(paths).flatMap((path) =>
      Object.values(path).map(({ operationId, summary }) => [operationId, `${summary}.`])
    )
    assert.sameDeepMembers(sentences, summaries)
    assert.isAbove(summaries.length, 40)
  })
})
