/** Mounts: handlers of other services on the same listener. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"

import * as Service from "../support/service.ts"
import { KEY } from "../support/service.ts"

const upstream = { call: () => Effect.succeed(new TextEncoder().encode("1")) }

describe("a mount", () => {
  it.live("gets what is on its path and below it, as it came, with the caller's address, and nothing else", () =>
    Effect.gen(function* () {
      const seen: Array<ReadonlyArray<unknown>> = []
      const service = yield* Service.start(upstream, {
        trustedProxies: ["127.0.0.1"],
        mounts: [
          {
            path: "/admin",
            handle: (request, response, caller) => {
              const chunks: Array<Buffer> = []
              request.on("data", (chunk: Buffer) => chunks.push(chunk))
              request.on("end", () => {
                seen.push([request.method, request.url, caller, Buffer.concat(chunks).toString()])
                response.writeHead(201, { "x-mounted": "yes" }).end("mounted")
              })
            }
          }
        ]
      })
      const answer = yield* Service.ask(service, {
        path: "/admin/v1/projects?after=1",
        method: "PUT",
        headers: { "x-forwarded-for": "1.1.1.1", expect: "100-continue" },
        body: "body"
      })
      assert.deepStrictEqual([answer.status, answer.body, answer.headers["x-mounted"]], [201, "mounted", "yes"])
      assert.isUndefined(answer.headers["access-control-allow-origin"])
      assert.strictEqual((yield* Service.ask(service, { path: "/admin", method: "OPTIONS" })).status, 201)
      assert.strictEqual((yield* Service.ask(service, { path: "/administrator" })).status, 404)
      assert.strictEqual((yield* Service.ask(service, { path: `/v3/${KEY}/admin` })).status, 404)
      assert.strictEqual((yield* Service.ask(service, { body: Service.call("eth_chainId") })).status, 200)
      assert.deepStrictEqual(seen, [
        ["PUT", "/admin/v1/projects?after=1", "1.1.1.1", "body"],
        ["OPTIONS", "/admin", "127.0.0.1", ""]
      ])
    }).pipe(Effect.scoped)
  )

  it.live("that throws is 500, and the service goes on", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(upstream, {
        mounts: [
          {
            path: "/admin",
            handle: () => {
              throw new Error("a mistake")
            }
          }
        ]
      })
      const answer = yield* Service.ask(service, { path: "/admin/x" })
      assert.deepStrictEqual([answer.status, answer.body], [500, "internal error\n"])
      assert.strictEqual((yield* Service.ask(service, { body: Service.call("eth_chainId") })).status, 200)
    }).pipe(Effect.scoped)
  )

  it.live("is waited for at the end of the service, within the time for it", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<() => void>()
      const scope = yield* Scope.make()
      const service = yield* Service.start(upstream, {
        mounts: [
          {
            path: "/admin",
            handle: (_request, response) => {
              Deferred.doneUnsafe(
                asked,
                Exit.succeed(() => void response.end("late"))
              )
            }
          }
        ]
      }).pipe(Scope.provide(scope))
      const asking = yield* Effect.forkChild(Service.ask(service, { path: "/admin" }))
      const answer = yield* Deferred.await(asked)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* Effect.sleep(20)
      answer()
      assert.strictEqual((yield* Fiber.join(asking)).body, "late")
      yield* Fiber.join(closing)
    })
  )
})
