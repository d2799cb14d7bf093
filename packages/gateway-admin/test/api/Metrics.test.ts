/** The path of the metrics: its callers, and its own port. */
import { assert, describe, it } from "@effect/vitest"
import { AdminToken, Metrics } from "@plumbline/gateway-admin"
import { Scrape } from "@plumbline/gateway/support/scrape"
import * as Service from "@plumbline/gateway/support/service"
import { Effect, Exit, Redacted, Result, Scope } from "effect"

describe("the path of metrics", () => {
  const token = AdminToken.generate()
  const made = Metrics.make({ tokens: [Result.getOrThrow(AdminToken.make("ops", token))] })
  const bearer = (token: Redacted.Redacted) => ({ authorization: `Bearer ${Redacted.value(token)}` })
  const get = (port: number, headers: Readonly<Record<string, string>> = {}, more: Service.Ask = {}) =>
    Service.ask({ port }, { path: "/metrics", method: "GET", headers, ...more })

  it.live("is for holders of an admin token", () =>
    Effect.gen(function* () {
      const metrics = yield* made
      const works = { call: () => Effect.succeed(new TextEncoder().encode('"0x1"')) }
      const { metrics: text, port } = yield* Service.start(works, { mounts: [metrics.mount] })
      assert.strictEqual((yield* get(port, bearer(token))).status, 503)
      metrics.attach(text)
      const { body, headers, status } = yield* get(port, bearer(token))
      assert.deepStrictEqual([status, headers["content-type"]], [200, "text/plain; version=0.0.4; charset=utf-8"])
      assert.strictEqual(new Scrape(body).value("plumbline_metering_up"), 1)
      assert.strictEqual((yield* get(port)).status, 401)
      assert.strictEqual((yield* get(port, {}, { path: `/v3/${Service.KEY}/metrics` })).status, 404)
      assert.strictEqual((yield* get(port, bearer(token), { path: "/metrics/x" })).status, 404)
      assert.strictEqual((yield* get(port, bearer(token), { method: "POST", body: "{}" })).status, 405)
      for (let tries = 0; tries < 10; tries++) {
        assert.strictEqual((yield* get(port, bearer(AdminToken.generate()))).status, 401)
      }
      assert.strictEqual((yield* get(port, bearer(AdminToken.generate()))).status, 429)
      assert.strictEqual((yield* get(port, bearer(token))).status, 200)
    })
  )

  it.live("needs no token on a port of its own, which closes with its scope", () =>
    Effect.gen(function* () {
      const metrics = yield* made
      metrics.attach(Effect.succeed("a 1\n"))
      const scope = yield* Scope.make()
      const port = yield* Scope.provide(metrics.listen({ host: "127.0.0.1", port: 0 }), scope)
      assert.deepStrictEqual((yield* get(port)).body, "a 1\n")
      assert.strictEqual((yield* get(port, {}, { path: "/health" })).status, 404)
      const busy = yield* Effect.flip(Effect.scoped(metrics.listen({ host: "127.0.0.1", port })))
      assert.include(busy.message, "EADDRINUSE")
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(get(port))))
    })
  )
})
