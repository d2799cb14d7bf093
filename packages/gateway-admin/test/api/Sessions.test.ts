/** Sessions of pages: how they begin, what they permit, and when they end. */
import type { IncomingMessage } from "node:http"

import { assert, describe, it } from "@effect/vitest"
import { Gateway } from "@plumbline/gateway"
import { AdminApi, AdminClient, type AdminServer } from "@plumbline/gateway-admin"
import * as Databases from "@plumbline/gateway/support/databases"
import * as Service from "@plumbline/gateway/support/service"
import { Clock, Context, Effect, Layer, Logger, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { HttpApi } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

import * as Cookies from "../../src/api/cookies.ts"
import * as Admin from "../support/admin.ts"

type Server = { readonly port: number }

interface SignedIn {
  /** The cookie as the browser sends it. */
  readonly cookie: string
  readonly csrf: string
  readonly setCookie: string
  readonly body: Record<string, unknown>
}

const bearer = (token = Admin.TOKEN) => ({ authorization: `Bearer ${token}` })

const basic = (key: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString("base64")}`
})

const ask = (
  service: Server,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: object
): Effect.Effect<Service.Answer> =>
  Service.ask(service, {
    method,
    path: `/admin/v1${path}`,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })

const signIn = Effect.fnUntraced(function* (
  service: Server,
  credentials: Readonly<Record<string, string>> = bearer(),
  more: Readonly<Record<string, string>> = {}
): Effect.fn.Return<SignedIn> {
  const answer = yield* ask(service, "POST", "/session", { ...credentials, ...more })
  assert.strictEqual(answer.status, 201, answer.body)
  const [setCookie] = answer.headers["set-cookie"]!
  const body = JSON.parse(answer.body)
  return { cookie: setCookie!.split(";")[0]!, csrf: body.csrfToken, setCookie: setCookie!, body }
})

const as = ({ cookie, csrf }: SignedIn, more: Readonly<Record<string, string>> = {}) => ({
  cookie,
  "x-csrf-token": csrf,
  ...more
})

const tagOf = ({ body, status }: Service.Answer): readonly [number, string, string | undefined] => {
  const { _tag, reason } = JSON.parse(body)
  return [status, _tag, reason]
}

const create = (service: Server, name = "wallet") =>
  Effect.map(ask(service, "POST", "/projects", bearer(), { name, card: true }), ({ body }) => JSON.parse(body))

describe.each(Databases.kinds)("sessions over $name", (kind) => {
  const test = (
    name: string,
    body: (
      service: Gateway.Gateway["Service"],
      database: Databases.Database
    ) => Effect.Effect<void, unknown, Admin.Services>,
    options: Partial<AdminServer.AdminServerOptions> = {}
  ) =>
    it.live.skipIf(kind.skipped)(name, () =>
      Effect.flatMap(kind.fresh, (database) =>
        Effect.flatMap(Gateway.Gateway, (service) => body(service, database)).pipe(
          Effect.provide(Admin.service(database.layer, options))
        )
      ).pipe(Effect.scoped)
    )

  test("stand for the token, in a cookie that no script can read", (service) =>
    Effect.gen(function* () {
      const session = yield* signIn(service)
      assert.match(session.setCookie, /^plumbline=[\w-]{43}; Path=\/admin; HttpOnly; SameSite=Strict; Max-Age=43200$/u)
      assert.deepStrictEqual(session.body, {
        kind: "operator",
        label: "ops",
        project: null,
        role: "owner",
        projects: null,
        grants: [{ role: "owner", projects: null }],
        signOutUrl: null,
        csrfToken: session.csrf,
        endsAt: session.body["endsAt"]
      })
      assert.notInclude(JSON.stringify(session.body), session.cookie.slice("plumbline=".length))
      assert.strictEqual((yield* ask(service, "GET", "/projects", as(session))).status, 200)
      const made = yield* ask(service, "POST", "/accounts", as(session), { name: "Ada" })
      assert.strictEqual(made.status, 201)
      const { entries } = JSON.parse((yield* ask(service, "GET", "/audit", as(session))).body)
      assert.deepStrictEqual(
        entries.map(({ action, by }: Record<string, string>) => [action, by]),
        [
          ["account.create", "ops"],
          ["session.create", "ops"]
        ]
      )
      // A page sends this request after a reload.
      const again = yield* ask(service, "GET", "/session", { cookie: `other=1; ${session.cookie}; last=x` })
      assert.deepStrictEqual([again.status, JSON.parse(again.body)], [200, session.body])
    }))

  test("need their csrf token, and pages of the service's own origin", (service) =>
    Effect.gen(function* () {
      const session = yield* signIn(service)
      const other = yield* signIn(service)
      const { cookie, csrf } = session
      const host = `127.0.0.1:${service.port}`
      for (const [headers, reason] of [
        [{ cookie }, "NoCsrfToken"],
        [{ cookie, "x-csrf-token": "" }, "NoCsrfToken"],
        [{ cookie, "x-csrf-token": other.csrf }, "NoCsrfToken"],
        [{ cookie, "x-csrf-token": `${csrf}a` }, "NoCsrfToken"],
        [as(session, { "sec-fetch-site": "cross-site" }), "OtherOrigin"],
        [as(session, { "sec-fetch-site": "same-site" }), "OtherOrigin"],
        [as(session, { "sec-fetch-site": "none" }), "OtherOrigin"],
        [as(session, { origin: "http://evil.example" }), "OtherOrigin"],
        [as(session, { origin: "null" }), "OtherOrigin"],
        [as(session, { origin: `http://127.0.0.1:${service.port + 1}` }), "OtherOrigin"]
      ] as const) {
        for (const method of ["GET", "POST"]) {
          const answer = yield* ask(service, method, "/accounts", headers, method === "GET" ? undefined : { name: "x" })
          assert.deepStrictEqual(tagOf(answer), [403, "Forbidden", reason], JSON.stringify(headers))
        }
      }
      assert.lengthOf(JSON.parse((yield* ask(service, "GET", "/accounts", bearer())).body).accounts, 0)
      for (const more of [
        { "sec-fetch-site": "same-origin", origin: "https://seen.example" },
        { origin: `http://${host}` }
      ]) {
        const secure = "sec-fetch-site" in more ? yield* signIn(service, bearer(), more) : session
        assert.strictEqual((yield* ask(service, "GET", "/accounts", as(secure, more))).status, 200)
      }
      // A session cannot begin another session; only the token can. So it cannot renew itself for ever.
      assert.deepStrictEqual(tagOf(yield* ask(service, "POST", "/session", as(session))).slice(0, 2), [
        401,
        "Unauthorized"
      ])
    }))

  test("are for TLS alone where there is TLS", (service) =>
    Effect.gen(function* () {
      for (const tls of [{ origin: `https://127.0.0.1:${service.port}` }, { "x-forwarded-proto": "https" }]) {
        const session = yield* signIn(service, bearer(), tls)
        assert.match(
          session.setCookie,
          /^__Host-plumbline=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=43200$/u
        )
        assert.strictEqual((yield* ask(service, "GET", "/accounts", as(session, tls))).status, 200)
        // Over TLS the cookie without the prefix is refused: another subdomain could have set it.
        const plain = yield* signIn(service)
        assert.strictEqual((yield* ask(service, "GET", "/accounts", as(plain, tls))).status, 401)
        const both = `${plain.cookie}; ${session.cookie}`
        assert.strictEqual((yield* ask(service, "GET", "/accounts", as({ ...session, cookie: both }))).status, 200)
      }
    }))

  test("tell a project when it was suspended, and not which operator did it", (service) =>
    Effect.gen(function* () {
      const { apiKey, apiKeySecret, project } = yield* create(service)
      const session = yield* signIn(service, basic(apiKey, apiKeySecret))
      yield* ask(service, "PATCH", `/projects/${project.id}`, bearer(), { suspended: true })
      const { body } = yield* ask(service, "GET", `/projects/${project.id}/access`, as(session))
      const { suspended } = JSON.parse(body)
      assert.isNull(suspended.by)
      assert.isString(suspended.at)
    }))

  test("end when they are signed out, and no others with them", (service) =>
    Effect.gen(function* () {
      const [session, other] = [yield* signIn(service), yield* signIn(service)]
      const out = yield* ask(service, "DELETE", "/session", as(session))
      assert.deepStrictEqual(
        [out.status, out.headers["set-cookie"]],
        [204, ["plumbline=; Path=/admin; HttpOnly; SameSite=Strict; Max-Age=0"]]
      )
      const after = yield* ask(service, "GET", "/accounts", as(session))
      assert.deepStrictEqual(tagOf(after).slice(0, 2), [401, "Unauthorized"])
      assert.deepStrictEqual(after.headers["set-cookie"], out.headers["set-cookie"])
      assert.strictEqual((yield* ask(service, "GET", "/accounts", as(other))).status, 200)
      const { entries } = JSON.parse((yield* ask(service, "GET", "/audit", bearer())).body)
      assert.deepStrictEqual([entries[0].action, entries[0].by], ["session.remove", "ops"])
      // A request with the token itself has no session that could be shown or ended.
      for (const method of ["GET", "DELETE"]) {
        assert.deepStrictEqual(tagOf(yield* ask(service, method, "/session", bearer())).slice(0, 2), [404, "NotFound"])
      }
    }))

  test("hold in every process and after a restart, until their token is no longer accepted", (service, { layer }) =>
    Effect.gen(function* () {
      const session = yield* signIn(service)
      const inAnother = (
        options: Partial<AdminServer.AdminServerOptions>,
        use: (service: Server) => Effect.Effect<void>
      ) =>
        Effect.flatMap(Gateway.Gateway, use).pipe(
          Effect.provide(Layer.fresh(Admin.service(Layer.fresh(layer), options)))
        )
      yield* inAnother({}, (second) =>
        Effect.gen(function* () {
          assert.strictEqual((yield* ask(second, "GET", "/accounts", as(session))).status, 200)
        })
      )
      const changed = { label: "ops", digest: "ab".repeat(32) }
      yield* inAnother({ tokens: [changed, Admin.tokens[1]!] }, (second) =>
        Effect.gen(function* () {
          assert.strictEqual((yield* ask(second, "GET", "/accounts", as(session))).status, 401)
          const other = yield* signIn(second, bearer(Admin.OTHER_TOKEN))
          assert.strictEqual((yield* ask(second, "GET", "/accounts", as(other))).status, 200)
        })
      )
    }))

  test("of one token are fifty at most: the oldest ends", (service) =>
    Effect.gen(function* () {
      const other = yield* signIn(service, bearer(Admin.OTHER_TOKEN))
      const all: Array<SignedIn> = []
      for (let i = 0; i < 52; i++) all.push(yield* signIn(service))
      const statuses = yield* Effect.forEach(
        [...all, other],
        (session) => Effect.map(ask(service, "GET", "/session", as(session)), ({ status }) => status),
        { concurrency: 8 }
      )
      assert.deepStrictEqual(statuses.filter((status) => status === 401).length, 2)
      assert.strictEqual(statuses.at(-1), 200)
      assert.strictEqual(statuses.at(-2), 200)
    }))

  test("of a project read what concerns it, and nothing else", (service) =>
    Effect.gen(function* () {
      const mine = yield* create(service)
      const theirs = yield* create(service, "other")
      const session = yield* signIn(service, basic(mine.apiKey, mine.apiKeySecret))
      assert.deepStrictEqual(session.body, {
        kind: "project",
        label: null,
        project: mine.project.id,
        role: null,
        projects: [mine.project.id],
        grants: [],
        signOutUrl: null,
        csrfToken: session.csrf,
        endsAt: session.body["endsAt"]
      })
      const { id } = mine.project
      const keys = { kid: "1", kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }
      yield* ask(service, "PUT", `/projects/${id}/tokens`, bearer(), { keys })
      for (const path of [
        `/projects/${id}`,
        `/projects/${id}/keys`,
        `/projects/${id}/keys/history`,
        `/projects/${id}/limits`,
        `/projects/${id}/access`,
        `/projects/${id}/tokens`,
        `/usage?project=${id}`,
        `/usage/totals?project=${id}&window=1h`,
        `/usage/by?project=${id}&by=method`,
        `/usage/series?project=${id}&everySeconds=60&window=15m`,
        `/usage/stored?project=${id}&everySeconds=60&window=15m`,
        "/session"
      ]) {
        const answer = yield* ask(service, "GET", path, as(session))
        assert.strictEqual(answer.status, 200, `${path} ${answer.body}`)
        assert.notInclude(answer.body, mine.apiKeySecret)
        assert.notInclude(answer.body, mine.apiKey)
      }
      // this service has no alerts: the project gets the same error as an operator
      for (const path of [`/projects/${id}/alerts`, `/projects/${id}/alerts/fired`]) {
        const answer = yield* ask(service, "GET", path, as(session))
        assert.deepInclude(JSON.parse(answer.body), { _tag: "NotFound", kind: "service" }, path)
      }
      const refused: Array<string> = []
      HttpApi.reflect(AdminApi.Api, {
        onGroup: () => undefined,
        onEndpoint: ({ endpoint: { method, path } }) => {
          for (const [one, projects] of [
            [theirs.project.id, ""],
            [theirs.key.id, ""],
            [theirs.project.account, ""],
            [theirs.project.id, `?project=${theirs.project.id}`],
            [theirs.project.id, `?project=${id}&project=${theirs.project.id}`]
          ]) {
            if (!path.startsWith("/admin/v1/session")) refused.push(`${method} ${path.replace(":id", one)}${projects}`)
          }
          if (method !== "GET" && !path.startsWith("/admin/v1/session"))
            refused.push(`${method} ${path.replace(":id", id)}`)
        }
      })
      refused.push(
        `GET /admin/v1/projects/${id}%2f..%2f${theirs.project.id}`,
        `GET /admin/v1/accounts/${mine.project.account}`
      )
      assert.isAbove(refused.length, 100)
      for (const one of refused) {
        const [method, path] = one.split(" ") as [string, string]
        const answer = yield* ask(
          service,
          method,
          path.slice("/admin/v1".length),
          as(session),
          method === "GET" ? undefined : {}
        )
        assert.deepStrictEqual(tagOf(answer), [403, "Forbidden", "NotYours"], one)
      }
      // A key and its secret can only begin a session. Any other request with them is refused.
      const direct = yield* ask(service, "GET", `/projects/${id}`, basic(mine.apiKey, mine.apiKeySecret))
      assert.strictEqual(direct.status, 401)
      const { entries } = JSON.parse((yield* ask(service, "GET", "/audit", bearer())).body)
      assert.notInclude(JSON.stringify(entries), "session.create")
      // The session ends when its key is revoked.
      assert.strictEqual((yield* ask(service, "DELETE", `/keys/${mine.key.id}`, bearer())).status, 204)
      assert.strictEqual((yield* ask(service, "GET", `/projects/${id}`, as(session))).status, 401)
    }))

  test("are there for the typed client too", (service) =>
    Effect.gen(function* () {
      const { apiKey, apiKeySecret, project } = yield* create(service)
      const client = (options: Omit<AdminClient.AdminClientOptions, "url">, cookie = "") =>
        AdminClient.make({ url: service.url, ...options }).pipe(
          Effect.provide(FetchHttpClient.layer),
          Effect.provideService(FetchHttpClient.RequestInit, { headers: { cookie } })
        )
      const pair = { apiKey: Redacted.make(apiKey as string), apiKeySecret: Redacted.make(apiKeySecret as string) }
      const begun = yield* Effect.flatMap(client({ project: pair }), (admin) => admin.session.create())
      assert.deepStrictEqual([begun.kind, begun.project], ["project", project.id])
      const operator = yield* Effect.flatMap(client({ token: Redacted.make(Admin.TOKEN) }), (admin) =>
        admin.session.create()
      )
      assert.deepStrictEqual([operator.kind, operator.label], ["operator", "ops"])
      assert.isBelow(Math.abs(operator.endsAt - Date.now() - 12 * 3_600_000), 60_000)
      const wrong = yield* Effect.flip(
        Effect.flatMap(client({ project: { ...pair, apiKey: Redacted.make("0".repeat(32)) } }), (admin) =>
          admin.session.create()
        )
      )
      assert.strictEqual(wrong._tag, "Unauthorized")
      const signed = yield* signIn(service)
      // A browser would send the cookie by itself. In Node the client must set it.
      const page = yield* client({ csrfToken: signed.csrf }, signed.cookie)
      const listed = yield* page.projects.list({ query: {} })
      assert.lengthOf(listed.projects, 1)
      const forbidden = yield* Effect.flip(
        Effect.flatMap(client({ csrfToken: "x" }, signed.cookie), (admin) => admin.projects.list({ query: {} }))
      )
      assert.strictEqual(forbidden._tag === "Forbidden" && forbidden.reason, "NoCsrfToken")
    }))

  test("come to a folder of an earlier version", (_, { layer }) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const table of [
        "admin_sessions",
        "admin_ended_keys",
        "admin_lies",
        "admin_lie_drills",
        "admin_tokens",
        "admin_secrets"
      ]) {
        yield* sql`DROP TABLE ${sql(table)}`
      }
      yield* sql`DROP INDEX admin_audit_of`
      for (const column of ["address", "state_before", "state_after"]) {
        yield* sql`ALTER TABLE admin_audit DROP COLUMN ${sql(column)}`
      }
      yield* sql`UPDATE plumbline_versions SET version = 1 WHERE part = 'admin'`
      yield* Effect.gen(function* () {
        const service = yield* Gateway.Gateway
        assert.strictEqual((yield* ask(service, "GET", "/session", as(yield* signIn(service)))).status, 200)
      }).pipe(Effect.provide(Layer.fresh(Admin.service(Layer.fresh(layer)))))
    }))
})

describe("a session", () => {
  const [memory] = Databases.kinds as [Databases.Kind]
  const open = (
    options: Partial<AdminServer.AdminServerOptions> = {},
    loggers: ReadonlyArray<Logger.Logger<unknown, unknown>> = []
  ) =>
    Effect.flatMap(memory.fresh, ({ layer }) => Layer.build(Layer.fresh(Admin.service(layer, options, loggers)))).pipe(
      Effect.map((context) => Context.get(context, Gateway.Gateway))
    )

  it.effect("ends after its time, whatever is done with it", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_800_000_000_000)
      const service = yield* open({ sessionLifetime: "1 hour" })
      const session = yield* signIn(service)
      assert.strictEqual(session.body["endsAt"], new Date(1_800_003_600_000).toISOString())
      assert.include(session.setCookie, "Max-Age=3600")
      yield* TestClock.adjust("3599 seconds")
      assert.strictEqual((yield* ask(service, "GET", "/accounts", as(session))).status, 200)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* ask(service, "GET", "/accounts", as(session))).status, 401)
      assert.strictEqual(yield* Clock.currentTimeMillis, 1_800_003_600_000)
    }).pipe(Effect.scoped)
  )

  it.effect("is begun by the right key or token, also from an address that has sent ten wrong ones", () =>
    Effect.gen(function* () {
      const service = yield* open()
      const { apiKey, apiKeySecret } = yield* create(service)
      const session = yield* signIn(service)
      for (let i = 0; i < 10; i++) {
        const wrong = [
          basic(apiKey, apiKey),
          basic(apiKeySecret, apiKeySecret),
          basic("", ""),
          { authorization: "Basic x" },
          bearer("0".repeat(64))
        ]
        const answer = yield* ask(service, "POST", "/session", wrong[i % wrong.length]!)
        assert.deepStrictEqual(tagOf(answer).slice(0, 2), [401, "Unauthorized"])
        assert.isUndefined(answer.headers["set-cookie"])
      }
      yield* TestClock.adjust("15 seconds")
      for (const wrong of [basic(apiKey, apiKey), bearer("0".repeat(64))]) {
        const answer = yield* ask(service, "POST", "/session", wrong)
        assert.deepStrictEqual(tagOf(answer).slice(0, 2), [429, "TooManyAttempts"])
        assert.strictEqual(answer.headers["retry-after"], "45")
      }
      for (const right of [basic(apiKey, apiKeySecret), bearer()]) {
        assert.strictEqual((yield* ask(service, "POST", "/session", right)).status, 201)
      }
      assert.strictEqual((yield* ask(service, "GET", "/accounts", as(session))).status, 200)
      // A request with an ended session does not count as a wrong token.
      const ended = { cookie: `plumbline=${"a".repeat(43)}`, csrf: "x" }
      for (let i = 0; i < 20; i++) yield* ask(service, "GET", "/session", { cookie: ended.cookie })
      yield* TestClock.adjust("45 seconds")
      yield* signIn(service)
      yield* signIn(service, basic(apiKey, apiKeySecret))
    }).pipe(Effect.scoped)
  )

  it.live("leaves nothing in logs by which it, its token or its key could be used", () =>
    Effect.gen(function* () {
      const logged: Array<string> = []
      const logger = Logger.make((entry) =>
        logged.push(JSON.stringify([entry.message, entry.fiber.getRef(Logger.CurrentLoggers).size]))
      )
      const text = Logger.map(Logger.formatStructured, (entry) => logged.push(JSON.stringify(entry)))
      const service = yield* open({}, [logger, text])
      const { apiKey, apiKeySecret } = yield* create(service)
      const all = [yield* signIn(service), yield* signIn(service, basic(apiKey, apiKeySecret))]
      yield* ask(service, "POST", "/session", basic(apiKey, "wrong-secret-of-somebody"))
      yield* ask(service, "POST", "/accounts", as(all[0]!), { name: "x" })
      for (const session of all) yield* ask(service, "DELETE", "/session", as(session))
      const whole = logged.join("\n")
      assert.include(whole, "session.create")
      assert.include(whole, "wrong project key or secret")
      for (const secret of [
        Admin.TOKEN,
        apiKey,
        apiKeySecret,
        "wrong-secret-of-somebody",
        ...all.flatMap(({ cookie, csrf }) => [cookie.split("=")[1]!, csrf])
      ]) {
        assert.notInclude(whole, secret)
      }
    }).pipe(Effect.scoped)
  )

  it.live("is not there for a lifetime that makes no sense", () =>
    Effect.gen(function* () {
      for (const sessionLifetime of ["59 seconds", "31 days", Infinity] as const) {
        const failed = yield* Effect.flip(open({ sessionLifetime }))
        assert.match(failed.message, /^sessionLifetime: must be a time (?:from 1m to 30d|such as)/u)
      }
    }).pipe(Effect.scoped)
  )
})

it("are for TLS alone where the gateway itself has the certificate", () => {
  const plain = `plumbline=${"a".repeat(43)}`
  // a navigation has no Origin header
  const request = (encrypted: boolean) =>
    ({ headers: { cookie: plain }, socket: { encrypted } }) as unknown as IncomingMessage
  assert.strictEqual(Cookies.secretOf(request(false)), "a".repeat(43))
  assert.isUndefined(Cookies.secretOf(request(true)))
  assert.match(Cookies.clear(request(true)), /^__Host-plumbline=; /u)
})
