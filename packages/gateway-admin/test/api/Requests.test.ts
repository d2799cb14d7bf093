/** The admin API against unknown callers, mistakes and attacks. */
import * as net from "node:net"

import { assert, describe, it } from "@effect/vitest"
import { Gateway, Sqlite } from "@plumbline/gateway"
import { AdminApi, AdminServer, BillingCards } from "@plumbline/gateway-admin"
import * as Service from "@plumbline/gateway/support/service"
import * as Random from "@plumbline/seeded/Random"
import { Clock, Context, Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { HttpApi } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

import * as Admin from "../support/admin.ts"

const memory = Sqlite.layer({ file: ":memory:" })

/** Starts a separate service for each test, without logs. */
const open = (
  options: Partial<AdminServer.AdminServerOptions> = {},
  database: typeof memory = memory,
  more?: Parameters<typeof Admin.service>[3]
) => Layer.build(Layer.fresh(Admin.service(database, options, [], more)))

const gateway = (context: Context.Context<Admin.Services>) => Context.get(context, Gateway.Gateway)

const bearer = (token = Admin.TOKEN) => ({ authorization: `Bearer ${token}` })

/** Returns the status and the error's name of an answer that must be an error of the API. */
const tagOf = ({ body, headers, status }: Service.Answer): readonly [number, unknown] => {
  assert.strictEqual(headers["content-type"], "application/json")
  const error = JSON.parse(body)
  assert.isString(error.message)
  return [status, error._tag]
}

const asked = (service: { readonly port: number }, options: Service.Ask = {}) =>
  Service.ask(service, {
    method: "GET",
    path: "/admin/v1/accounts",
    ...options,
    headers: { ...bearer(), ...options.headers }
  })

/** Every endpoint, with values for its parameters. */
const endpoints: Array<{ readonly method: string; readonly path: string }> = []
HttpApi.reflect(AdminApi.Api, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint: { method, path } }) => {
    endpoints.push({ method, path: path.replace(":id", "some-id") })
  }
})

describe("who is let in", () => {
  it.live("nobody without a token, at any endpoint or any other path", () =>
    Effect.gen(function* () {
      const service = gateway(yield* open())
      assert.isAtLeast(endpoints.length, 25)
      const paths = [...endpoints, { method: "GET", path: "/admin" }, { method: "GET", path: "/admin/v2/x" }]
      for (const { method, path } of paths) {
        for (const headers of [{}, { authorization: "Bearer" }, { authorization: `Basic ${Admin.TOKEN}` }]) {
          const answer = yield* Service.ask(service, {
            method,
            path,
            headers,
            ...(method === "GET" ? {} : { body: "{}" })
          })
          assert.deepStrictEqual(tagOf(answer), [401, "Unauthorized"], `${method} ${path}`)
          assert.strictEqual(answer.headers["www-authenticate"], 'Bearer realm="plumbline admin"')
          assert.strictEqual(answer.headers["cache-control"], "no-store")
        }
      }
    }).pipe(Effect.scoped)
  )

  it.live("nobody on a connection that is closed for it: one that passes requests on could lose the answer", () =>
    Effect.gen(function* () {
      const { port } = gateway(yield* open())
      const answers = yield* Effect.promise(
        () =>
          new Promise<string>((resolve, reject) => {
            let text = ""
            const socket = net.connect(port, "127.0.0.1").setEncoding("latin1").on("error", reject)
            const post = "POST /admin/v1/projects HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}"
            const last = "GET /admin/v1/projects HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
            socket.write(post)
            socket.on("data", (part) => {
              if (text === "") socket.write(last)
              text += part
            })
            socket.once("close", () => resolve(text))
          })
      )
      assert.strictEqual(answers.split("HTTP/1.1 401 ").length, 3)
    }).pipe(Effect.scoped)
  )

  it.live("nobody with a token that is almost right, or an API key", () =>
    Effect.gen(function* () {
      const service = gateway(yield* open())
      for (const token of [
        Admin.TOKEN.slice(1),
        `${Admin.TOKEN}0`,
        Admin.TOKEN.toUpperCase(),
        Service.KEY,
        "x".repeat(600)
      ]) {
        const answer = yield* asked(service, { headers: bearer(token) })
        assert.deepStrictEqual(tagOf(answer), [401, "Unauthorized"])
        assert.notInclude(answer.body, token)
      }
      assert.strictEqual((yield* asked(service, { headers: { authorization: `bearer  ${Admin.TOKEN}` } })).status, 200)
    }).pipe(Effect.scoped)
  )

  it.effect("always the right token, also from an address that has sent ten wrong ones", () =>
    Effect.gen(function* () {
      const service = gateway(yield* open())
      const wrong = asked(service, { headers: bearer("ab".repeat(32)) })
      for (let i = 0; i < 10; i++) assert.strictEqual((yield* wrong).status, 401)
      yield* TestClock.adjust("20 seconds")
      const answer = yield* wrong
      assert.deepStrictEqual(tagOf(answer), [429, "TooManyAttempts"])
      assert.strictEqual(answer.headers["retry-after"], "40")
      assert.strictEqual(JSON.parse(answer.body).retryAfter, 40)
      assert.strictEqual((yield* asked(service)).status, 200)
      assert.strictEqual((yield* Service.ask(service, { path: "/admin/v1/status", method: "GET" })).status, 401)
      // the right token does not end the count of the wrong ones
      assert.strictEqual((yield* wrong).status, 429)
      yield* TestClock.adjust("40 seconds")
      assert.strictEqual((yield* asked(service)).status, 200)
      assert.strictEqual((yield* wrong).status, 401)
    }).pipe(Effect.scoped)
  )

  it.effect("for a minute and not longer, also if the clock is put back meanwhile", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_800_000_000_000)
      const service = gateway(yield* open())
      const wrong = asked(service, { headers: bearer("ab".repeat(32)) })
      for (let i = 0; i < 11; i++) assert.strictEqual((yield* wrong).status, i < 10 ? 401 : 429)
      yield* TestClock.setTime(1_700_000_000_000)
      assert.strictEqual((yield* wrong).headers["retry-after"], "60")
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual((yield* asked(service)).status, 200)
    }).pipe(Effect.scoped)
  )

  it.live("pages of origins that are configured, and of no others", () =>
    Effect.gen(function* () {
      const closed = gateway(yield* open())
      const origin = "https://console.example"
      const preflight = {
        method: "OPTIONS",
        headers: { origin, "access-control-request-method": "POST", authorization: "" }
      }
      assert.strictEqual((yield* asked(closed, preflight)).status, 401)
      assert.notProperty((yield* asked(closed, { headers: { origin } })).headers, "access-control-allow-origin")

      const service = gateway(yield* open({ allowedOrigins: [origin] }))
      const allowed = yield* asked(service, preflight)
      assert.strictEqual(allowed.status, 204)
      assert.strictEqual(allowed.headers["access-control-allow-origin"], origin)
      assert.include(allowed.headers["access-control-allow-headers"], "authorization")
      assert.include(allowed.headers["access-control-allow-methods"], "PATCH")
      const answer = yield* asked(service, { headers: { origin } })
      assert.deepStrictEqual([answer.status, answer.headers["access-control-allow-origin"]], [200, origin])
      assert.strictEqual(answer.headers["vary"], "origin")
      for (const other of ["https://console.example.evil", "null", `${origin}:444`]) {
        const refused = yield* asked(service, { headers: { origin: other } })
        assert.notProperty(refused.headers, "access-control-allow-origin")
        assert.strictEqual(refused.headers["vary"], "origin")
        assert.strictEqual(
          (yield* asked(service, { ...preflight, headers: { ...preflight.headers, origin: other } })).status,
          401
        )
      }
    }).pipe(Effect.scoped)
  )
})

describe("what is answered to a request that makes no sense", () => {
  it.live("404 for a path, 405 for a method, each in its own form", () =>
    Effect.gen(function* () {
      const service = gateway(yield* open())
      for (const path of [
        "/admin",
        "/admin/",
        "/admin/v1",
        "/admin/v1/",
        "/admin/v1/nothing",
        "/admin/v1/projects/a/b",
        "/admin/v2/projects",
        "/admin/v1/projects/a/keys/b",
        "/admin/v1/../../v3/key",
        "/admin/docs/x",
        `/admin/v1/projects/${"x".repeat(3000)}`
      ]) {
        assert.deepStrictEqual(tagOf(yield* asked(service, { path })), [404, "NotFound"], path)
      }
      for (const [method, path, allow] of [
        ["PUT", "/admin/v1/projects", "GET, POST"],
        ["POST", "/admin/v1/projects/x", "GET, PATCH, DELETE"],
        ["GET", "/admin/v1/reload", "POST"],
        ["OPTIONS", "/admin/v1/projects", "GET, POST, PUT, PATCH, DELETE"],
        ["TRACE", "/admin/v1/projects", "GET, POST, PUT, PATCH, DELETE"],
        ["PROPFIND", "/admin/v1/projects", "GET, POST, PUT, PATCH, DELETE"],
        ["POST", "/admin/docs", "GET"],
        ["DELETE", "/admin/openapi.json", "GET"]
      ] as const) {
        const answer = yield* asked(service, { method, path })
        assert.deepStrictEqual(tagOf(answer), [405, "MethodNotAllowed"], `${method} ${path}`)
        assert.strictEqual(answer.headers["allow"], allow)
      }
      assert.strictEqual((yield* asked(service, { method: "HEAD" })).status, 405)
    }).pipe(Effect.scoped)
  )

  it.live(
    "404 for a path that is spelt as no other is, so that rules of a proxy for /admin/v1 cannot be gone around",
    () =>
      Effect.gen(function* () {
        const service = gateway(yield* open())
        for (const path of [
          "/admin//v1/accounts",
          "/admin/./v1/accounts",
          "/admin/docs/../v1/accounts",
          "/admin/docs/%2e%2e/v1/accounts",
          "/admin/openapi.json/../v1/accounts",
          "/admin/docs;/../v1/accounts",
          "/admin\\v1\\accounts",
          "/admin/\\v1/accounts",
          "/admin/%761/accounts",
          "/admin/v1/../v1/accounts",
          "/admin/v1//accounts"
        ]) {
          assert.strictEqual((yield* asked(service, { path })).status, 404, path)
        }
        assert.strictEqual((yield* asked(service, { path: "/admin/v1/accounts?limit=1" })).status, 200)
      }).pipe(Effect.scoped)
  )

  it.live("400 with the place of the mistake, and without what stood there", () =>
    Effect.gen(function* () {
      const context = yield* open()
      const service = gateway(context)
      const admin = yield* Effect.provideContext(Admin.client(), context)
      const { project } = yield* admin.projects.create({ headers: {}, payload: { name: "p" } })
      const changes = `/admin/v1/projects/${project.id}`
      const cases: ReadonlyArray<readonly [method: string, path: string, body: unknown, at: string]> = [
        ["POST", "/admin/v1/projects", {}, "payload.name"],
        ["POST", "/admin/v1/projects", { name: "" }, "payload.name"],
        ["POST", "/admin/v1/projects", { name: "SECRET".repeat(50) }, "payload.name"],
        ["POST", "/admin/v1/projects", { name: "SECRET\0" }, "payload.name"],
        ["POST", "/admin/v1/projects", { name: "p", colour: "SECRET" }, "payload.colour"],
        ["POST", "/admin/v1/projects", { name: "p", id: "SECRET" }, "payload.id"],
        ["POST", "/admin/v1/projects", [], "payload"],
        ["POST", "/admin/v1/projects", "SECRET", "payload"],
        ["POST", "/admin/v1/projects", null, "payload"],
        ["PATCH", changes, { limits: { burst: 0 } }, "payload.limits.burst"],
        ["PATCH", changes, { limits: { creditsPerHour: 1 } }, "payload.limits.creditsPerHour"],
        ["PATCH", changes, { limits: null }, "payload.limits"],
        ["PATCH", changes, { allowlist: { methods: ["SECRET !"] } }, "payload.allowlist"],
        ["PATCH", changes, { allowlist: { origin: ["https://SECRET"] } }, "payload.allowlist.origin"],
        [
          "PATCH",
          changes,
          { allowlist: { methods: Array.from({ length: 31 }, (_, i) => `m${i}`) } },
          "payload.allowlist"
        ],
        ["PATCH", changes, { suspended: "SECRET" }, "payload.suspended"],
        ["PATCH", changes, { account: "SECRET" }, "payload.account"],
        ["POST", "/admin/v1/keys/x/rotate", { overlapSeconds: 366 * 24 * 3600 }, "payload.overlapSeconds"],
        ["PUT", `/admin/v1/accounts/${project.account}/card`, { card: 1 }, "payload.card"],
        ["GET", "/admin/v1/projects?limit=0", undefined, "query.limit"],
        ["GET", "/admin/v1/projects?limit=1e2", undefined, "query.limit"],
        ["GET", "/admin/v1/projects?limit=5&limit=6", undefined, "query.limit"],
        ["GET", "/admin/v1/projects?page=SECRET", undefined, "query.page"],
        ["GET", "/admin/v1/projects?after=%00", undefined, "query.after"],
        ["GET", "/admin/v1/usage?window=SECRET", undefined, "query.window"],
        ["GET", "/admin/v1/usage?from=SECRET", undefined, "query.from"],
        ["PUT", `/admin/v1/accounts/${project.account}/card`, {}, "payload"],
        ["GET", "/admin/v1/usage?from=2026-13-45", undefined, "query.from"],
        ["GET", "/admin/v1/usage?from=2026-02-30T00:00:00Z", undefined, "query.from"],
        ["GET", "/admin/v1/usage?from=2026-02-20T00:00:00", undefined, "query.from"],
        ["GET", "/admin/v1/usage/by", undefined, "query.by"],
        ["GET", "/admin/v1/usage/by?by=SECRET", undefined, "query.by.0"],
        ["GET", "/admin/v1/usage/series?everySeconds=59", undefined, "query.everySeconds"],
        ["GET", "/admin/v1/audit?before=-1", undefined, "query.before"]
      ]
      for (const [method, path, body, at] of cases) {
        const about = `${method} ${path} ${JSON.stringify(body)}`
        const answer = yield* asked(service, {
          method,
          path,
          ...(body === undefined ? {} : { body: JSON.stringify(body) })
        })
        assert.deepStrictEqual(tagOf(answer), [400, "BadRequest"], about)
        assert.strictEqual(JSON.parse(answer.body).at, at, about)
        assert.notInclude(answer.body, "SECRET", about)
      }
      const latin = Buffer.from('{"name":"SECRET\xe9"}', "latin1")
      for (const body of ["", "{", "SECRET", '{"name":"p"} {}', Uint8Array.of(0xff, 0xfe), latin]) {
        const answer = yield* asked(service, { method: "POST", path: "/admin/v1/projects", body })
        assert.deepStrictEqual(tagOf(answer), [400, "BadRequest"])
        assert.notInclude(answer.body, "SECRET")
      }
      const header = { "idempotency-key": "with a space" }
      const answer = yield* asked(service, {
        method: "POST",
        path: "/admin/v1/projects",
        headers: header,
        body: '{"name":"p"}'
      })
      assert.strictEqual(JSON.parse(answer.body).at, "headers.idempotency-key")
      assert.deepStrictEqual(yield* admin.projects.get({ params: project }), project)
      assert.lengthOf((yield* admin.projects.list({ query: {} })).projects, 1)
    }).pipe(Effect.scoped)
  )

  it.live("413 for a body above 64 KiB, 415 for one that is not said to be JSON", () =>
    Effect.gen(function* () {
      const service = gateway(yield* open())
      const post = { method: "POST", path: "/admin/v1/accounts" }
      const padded = (size: number) => `{"name":"p"}`.padEnd(size, " ")
      assert.strictEqual((yield* asked(service, { ...post, body: padded(65_536) })).status, 201)
      const large = yield* asked(service, { ...post, body: padded(65_537) })
      assert.deepStrictEqual(tagOf(large), [413, "TooLarge"])
      assert.strictEqual(JSON.parse(large.body).limit, 65_536)
      const chunked = { "transfer-encoding": "chunked", "content-type": "application/json" }
      for (const size of [65_537, 500_000]) {
        const answer = yield* asked(service, { ...post, headers: chunked, body: padded(size) })
        assert.deepStrictEqual(tagOf(answer), [413, "TooLarge"])
      }
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""]) {
        const answer = yield* asked(service, { ...post, headers: { "content-type": type }, body: padded(20) })
        assert.deepStrictEqual(tagOf(answer), [415, "UnsupportedMediaType"], type)
      }
      const charset = { "content-type": "Application/JSON; charset=utf-8" }
      assert.strictEqual((yield* asked(service, { ...post, headers: charset, body: padded(20) })).status, 201)
    }).pipe(Effect.scoped)
  )

  it.effect("408 for a body that does not come, which holds nobody up", () =>
    Effect.gen(function* () {
      const service = gateway(yield* open())
      const head = `POST /admin/v1/accounts HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${Admin.TOKEN}\r\ncontent-type: application/json\r\ncontent-length: 20\r\n\r\n`
      const socket = yield* Effect.acquireRelease(
        Effect.sync(() => net.connect(service.port, "127.0.0.1")),
        (socket) => Effect.sync(() => socket.destroy())
      )
      const heard = new Promise<string>((resolve) => {
        let text = ""
        socket.setEncoding("utf8").on("data", (chunk) => {
          text += chunk
          if (text.includes("}")) resolve(text)
        })
      })
      socket.write(head + `{"name"`)
      assert.strictEqual((yield* asked(service)).status, 200)
      const clock = yield* Clock.Clock
      while ((yield* Effect.promise(() => Promise.race([heard, tick()]))) === undefined) {
        assert.isBelow(clock.currentTimeMillisUnsafe(), 60_000)
        yield* TestClock.adjust("1 second")
      }
      const text = yield* Effect.promise(() => heard)
      assert.match(text, /^HTTP\/1\.1 408 /u)
      assert.include(text, `"_tag":"TooSlow"`)
    }).pipe(Effect.scoped)
  )

  const tick = () => new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)))
})

describe("what is answered when the service cannot", () => {
  it.live("503 while the database cannot be asked", () =>
    Effect.gen(function* () {
      const context = yield* open()
      const service = gateway(context)
      const sql = Context.get(context, SqlClient.SqlClient)
      yield* sql`DROP TABLE keys`
      yield* sql`DROP TABLE projects`
      yield* sql`DROP TABLE accounts`
      for (const path of ["/admin/v1/accounts", "/admin/v1/projects/x", "/admin/v1/projects"]) {
        const answer = yield* asked(service, { path })
        assert.deepStrictEqual(tagOf(answer), [503, "Unavailable"])
        assert.notInclude(answer.body, "accounts")
      }
      const answer = yield* asked(service, { method: "POST", path: "/admin/v1/accounts", body: `{"name":"p"}` })
      assert.deepStrictEqual(tagOf(answer), [503, "Unavailable"])
      assert.lengthOf(yield* sql`SELECT id FROM admin_audit`, 0)
    }).pipe(Effect.scoped)
  )

  it.effect("503 for those who come while sixty-four are answered; whoever leaves makes room", () =>
    Effect.gen(function* () {
      const context = yield* open()
      const service = gateway(context)
      const server = Context.get(context, AdminServer.AdminServer)
      const done = yield* Deferred.make<void>()
      let begun = 0
      const full = yield* Deferred.make<void>()
      yield* server.attach({
        reload: Effect.sync(() => ++begun === 64 && Deferred.doneUnsafe(full, Effect.void)).pipe(
          Effect.andThen(Deferred.await(done)),
          Effect.as({ changed: [], restart: [] })
        )
      })
      const head = `POST /admin/v1/reload HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${Admin.TOKEN}\r\ncontent-length: 0\r\n\r\n`
      const sockets = Array.from({ length: 64 }, () =>
        net.connect(service.port, "127.0.0.1").on("error", () => undefined)
      )
      for (const socket of sockets) socket.write(head)
      yield* Deferred.await(full)
      const refused = yield* asked(service)
      assert.deepStrictEqual(tagOf(refused), [503, "Unavailable"])
      assert.strictEqual(refused.headers["retry-after"], "1")
      for (const socket of sockets) socket.destroy()
      const isThere = yield* Effect.repeat(asked(service), { until: ({ status }) => status !== 503 })
      assert.strictEqual(isThere.status, 200)
    }).pipe(Effect.scoped)
  )

  it.effect("503 for what takes longer than half a minute", () =>
    Effect.gen(function* () {
      const context = yield* open()
      const service = gateway(context)
      const begun = yield* Deferred.make<void>()
      yield* Context.get(context, AdminServer.AdminServer).attach({
        reload: Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
      })
      const waiting = yield* Effect.forkChild(asked(service, { method: "POST", path: "/admin/v1/reload" }))
      yield* Deferred.await(begun)
      yield* TestClock.adjust("30 seconds")
      const exit = yield* Fiber.join(waiting)
      assert.deepStrictEqual(tagOf(exit), [503, "Unavailable"])
    }).pipe(Effect.scoped)
  )

  it.live("500 for a mistake of ours, which says nothing of it", () =>
    Effect.gen(function* () {
      const context = yield* open()
      yield* Context.get(context, AdminServer.AdminServer).attach({
        status: Effect.die(new Error("SECRET"))
      })
      const answer = yield* asked(gateway(context), { path: "/admin/v1/status" })
      assert.deepStrictEqual(tagOf(answer), [500, "Failed"])
      assert.notInclude(answer.body, "SECRET")
    }).pipe(Effect.scoped)
  )
})

describe("secrets", () => {
  it.live("are in no answer but that which issues them", () =>
    Effect.gen(function* () {
      const context = yield* open()
      const service = gateway(context)
      const post = (path: string, body = "{}") => asked(service, { method: "POST", path, body })
      const created = JSON.parse((yield* post("/admin/v1/projects", `{"name":"p"}`)).body)
      assert.match(created.apiKey, /^[0-9a-f]{32}$/u)
      assert.match(created.apiKeySecret, /^[0-9a-f]{32}$/u)
      const { id } = created.project
      const issued = JSON.parse((yield* post(`/admin/v1/projects/${id}/keys`)).body)
      const rotated = JSON.parse((yield* post(`/admin/v1/keys/${issued.key.id}/rotate`, `{"overlapSeconds":60}`)).body)
      const sql = Context.get(context, SqlClient.SqlClient)
      const rows = yield* sql<{ readonly digest: string; readonly secret_hash: string }>`SELECT * FROM keys`
      const hidden = [
        ...[created, issued, rotated].flatMap(({ apiKey, apiKeySecret }) => [apiKey, apiKeySecret]),
        ...rows.flatMap(({ digest, secret_hash }) => [digest, secret_hash]),
        Admin.TOKEN
      ]
      assert.strictEqual(new Set(hidden).size, 13)
      for (const path of endpoints.filter(({ method }) => method === "GET").map((endpoint) => endpoint.path)) {
        const account = path.includes("accounts") ? created.project.account : id
        const query = path.endsWith("/by") ? "?by=key" : path.endsWith("/series") ? "?everySeconds=3600&by=key" : ""
        const answer = yield* asked(service, { path: path.replace("some-id", account) + query })
        for (const secret of hidden) assert.notInclude(answer.body, secret, path)
      }
      const all = yield* asked(service, {
        method: "PATCH",
        path: `/admin/v1/projects/${id}`,
        body: `{"suspended":true}`
      })
      for (const secret of hidden) assert.notInclude(all.body, secret)
    }).pipe(Effect.scoped)
  )
})

describe("a key, a secret or a token that somebody takes for an id", () => {
  it.live("is not repeated in the answer", () =>
    Effect.gen(function* () {
      const context = yield* open({}, memory, BillingCards.layer())
      const service = gateway(context)
      const admin = yield* Effect.provideContext(Admin.client(), context)
      const made = yield* admin.projects.create({ headers: {}, payload: { name: "p" } })
      const secrets = [Redacted.value(made.apiKey), Redacted.value(made.apiKeySecret).toUpperCase(), Admin.TOKEN]
      for (const secret of secrets) {
        for (const { method, path } of endpoints.filter((endpoint) => endpoint.path.includes("some-id"))) {
          for (const body of ["{}", `{"card":true}`, `{"customer":"cus_1"}`]) {
            if (method === "GET" && body !== "{}") continue
            const asking = method === "GET" || method === "DELETE" ? {} : { body }
            const answer = yield* asked(service, { method, path: path.replace("some-id", secret), ...asking })
            assert.isAtLeast(answer.status, 400)
            assert.notInclude(answer.body.toLowerCase(), secret.toLowerCase(), `${method} ${path} ${body}`)
          }
        }
        const body = JSON.stringify({ name: "q", account: secret })
        const answer = yield* asked(service, { method: "POST", path: "/admin/v1/projects", body })
        assert.deepStrictEqual(tagOf(answer), [404, "NotFound"])
        assert.notInclude(answer.body.toLowerCase(), secret.toLowerCase())
      }
    }).pipe(Effect.scoped)
  )
})

describe("whatever is sent", () => {
  it.live("is answered in a form of the API, and never with 500", () =>
    Effect.gen(function* () {
      const context = yield* open()
      const service = gateway(context)
      const random = Random.make(20261121)
      const words = [
        "",
        "name",
        "p",
        "card",
        "limits",
        "burst",
        "__proto__",
        "constructor",
        "\0",
        "é",
        "..",
        "%2e",
        "%zz",
        "%00",
        "a/b",
        "🪺",
        "'",
        ";--",
        "2026-11-21",
        "1e999",
        "-1",
        "x".repeat(200)
      ]
      const value = (depth: number): unknown =>
        Random.pick<() => unknown>(random, [
          () => Random.pick(random, words),
          () => Random.int(random, 1000) - 5,
          () => Random.pick(random, [null, true, false, 1.5, 2 ** 60, -0]),
          () =>
            depth > 3
              ? {}
              : Object.fromEntries(
                  Array.from({ length: Random.int(random, 4) }, () => [Random.pick(random, words), value(depth + 1)])
                ),
          () => (depth > 3 ? [] : Array.from({ length: Random.int(random, 4) }, () => value(depth + 1)))
        ])()
      for (let run = 0; run < Random.runs(300); run++) {
        const { method, path } = Random.pick(random, endpoints)
        const id = encodeURIComponent(Random.pick(random, words))
        const query = Array.from(
          { length: Random.int(random, 3) },
          () =>
            `${encodeURIComponent(Random.pick(random, [...words, "by", "window", "from", "limit", "after", "everySeconds"]))}=${Random.pick(random, ["", "1", "%", "1h", "%00", "%f0", "key"])}`
        )
        const target = `${path.replace("some-id", Random.int(random, 3) === 0 ? Random.pick(random, ["%", "%zz", "%c0%af", "a%2fb", "..", "?", "%00"]) : id)}${query.length === 0 ? "" : `?${query.join("&")}`}`
        const json = JSON.stringify(value(0))
        const cut = Random.int(random, 4) === 0 ? json.slice(0, Random.int(random, json.length)) : json
        const answer = yield* asked(service, {
          method: Random.int(random, 8) === 0 ? Random.pick(random, ["PUT", "GET", "DELETE", "PATCH"]) : method,
          path: target,
          ...(method === "GET" ? {} : { body: Random.int(random, 10) === 0 ? Random.bytes(random, 50) : cut })
        })
        const about = `${method} ${target} ${cut} -> ${answer.status} ${answer.body}`
        if (answer.status < 300) continue
        assert.include([400, 404, 405, 409, 415], answer.status, about)
        tagOf(answer)
      }
    }).pipe(Effect.scoped)
  )
})
