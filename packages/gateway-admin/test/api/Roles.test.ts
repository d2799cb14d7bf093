/** Roles and projects of operators: what each may do, over every method of the admin API. */
import { assert, describe, it } from "@effect/vitest"
import { Gateway } from "@plumbline/gateway"
import { AdminApi, type AdminRole, AdminServer } from "@plumbline/gateway-admin"
import * as Databases from "@plumbline/gateway/support/databases"
import * as Service from "@plumbline/gateway/support/service"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"

import * as Admin from "../support/admin.ts"

type Server = { readonly port: number }

const ROLES = ["read-only", "support", "operator", "owner"] as const

/**
 * The needs of each method: the lowest role, and the rights of a holder of some projects: `own` with one of its own
 * projects, `any` always, `none` never.
 */
const EXPECTED: Readonly<Record<string, readonly [role: AdminRole.AdminRole, limited: "own" | "any" | "none"]>> = {
  "POST /session": ["read-only", "any"],
  "GET /session": ["read-only", "any"],
  "DELETE /session": ["read-only", "any"],
  "GET /accounts": ["read-only", "any"],
  "POST /accounts": ["operator", "none"],
  "GET /accounts/:id": ["read-only", "none"],
  "PATCH /accounts/:id": ["operator", "none"],
  "DELETE /accounts/:id": ["operator", "none"],
  "GET /accounts/:id/card": ["read-only", "none"],
  "GET /accounts/:id/limits": ["read-only", "none"],
  "PUT /accounts/:id/card": ["operator", "none"],
  "GET /projects": ["read-only", "any"],
  "POST /projects": ["operator", "none"],
  "GET /projects/:id": ["read-only", "own"],
  "PATCH /projects/:id": ["support", "own"],
  "DELETE /projects/:id": ["operator", "own"],
  "GET /projects/:id/limits": ["read-only", "own"],
  "GET /limits": ["read-only", "any"],
  "GET /projects/:id/access": ["read-only", "own"],
  "GET /projects/:id/keys/history": ["read-only", "own"],
  "GET /projects/:id/keys": ["read-only", "own"],
  "POST /projects/:id/keys": ["support", "own"],
  "GET /keys/:id": ["read-only", "own"],
  "PATCH /keys/:id": ["support", "own"],
  "POST /keys/:id/rotate": ["support", "own"],
  "DELETE /keys/:id": ["support", "own"],
  "GET /projects/:id/tokens": ["read-only", "own"],
  "PUT /projects/:id/tokens": ["support", "own"],
  "DELETE /projects/:id/tokens": ["support", "own"],
  "POST /networks/:id/rpc": ["read-only", "any"],
  "POST /networks/:id/lie": ["operator", "none"],
  "GET /usage": ["read-only", "own"],
  "GET /usage/totals": ["read-only", "own"],
  "GET /usage/by": ["read-only", "own"],
  "GET /usage/series": ["read-only", "own"],
  "GET /usage/latency": ["read-only", "any"],
  "GET /usage/stored": ["read-only", "own"],
  "GET /exports/usage.csv": ["read-only", "own"],
  "GET /exports/audit.csv": ["read-only", "any"],
  "GET /exports/audit.ndjson": ["read-only", "any"],
  "GET /projects/:id/alerts": ["read-only", "own"],
  "PUT /projects/:id/alerts": ["support", "own"],
  "DELETE /projects/:id/alerts": ["support", "own"],
  "GET /exports/events": ["read-only", "none"],
  "GET /alerts": ["read-only", "any"],
  "GET /projects/:id/alerts/fired": ["read-only", "own"],
  "GET /webhooks": ["read-only", "none"],
  "POST /webhooks": ["operator", "none"],
  "DELETE /webhooks/:id": ["operator", "none"],
  "GET /webhooks/:id/tries": ["read-only", "none"],
  "POST /webhooks/:id/tries": ["operator", "none"],
  "GET /operators/tokens": ["owner", "none"],
  "POST /operators/tokens": ["owner", "none"],
  "DELETE /operators/tokens/:id": ["owner", "none"],
  "GET /operators/sessions": ["owner", "none"],
  "DELETE /operators/sessions/:id": ["owner", "none"],
  "GET /status": ["read-only", "any"],
  "GET /lies": ["read-only", "any"],
  "GET /changes": ["read-only", "any"],
  "POST /reload": ["operator", "none"],
  "GET /ipfs/collect": ["read-only", "none"],
  "POST /ipfs/collect": ["operator", "none"],
  "GET /audit": ["read-only", "any"]
}

/** Every method of the API, as `GET /projects/:id`. */
const METHODS: ReadonlyArray<string> = (() => {
  const found: Array<string> = []
  HttpApi.reflect(AdminApi.Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint: { method, path } }) => {
      found.push(`${method} ${path.slice("/admin/v1".length).replace(/(?<=.)\/$/u, "")}`)
    }
  })
  return found
})()

const ask = (service: Server, token: string, request: string, body?: object, headers: Record<string, string> = {}) => {
  const [method = "", path = ""] = request.split(" ")
  return Effect.map(
    Service.ask(service, {
      method,
      path: `/admin/v1${path}`,
      headers: { ...(token === "" ? {} : { authorization: `Bearer ${token}` }), ...headers },
      ...(method === "GET" || method === "DELETE" ? {} : { body: JSON.stringify(body ?? {}) })
    }),
    (answer) => ({
      ...answer,
      json: answer.headers["content-type"] === "application/json" ? JSON.parse(answer.body) : undefined
    })
  )
}

const make = (service: Server, payload: object) =>
  Effect.map(ask(service, Admin.TOKEN, "POST /operators/tokens", payload), ({ body, json, status }) => {
    assert.strictEqual(status, 201, body)
    return json as { readonly secret: string; readonly token: { readonly id: string } }
  })

const isRefused = ({ json, status }: { readonly status: number; readonly json: any }, reason: string): boolean =>
  status === 403 && json._tag === "Forbidden" && json.reason === reason

describe("the table of roles", () => {
  it("has every method of the admin API, and no other", () => {
    assert.deepStrictEqual(METHODS.toSorted(), Object.keys(EXPECTED).toSorted())
  })
})

describe.each(Databases.kinds)("roles over $name", (kind) => {
  const test = (
    name: string,
    body: (service: Gateway.Gateway["Service"]) => Effect.Effect<void, unknown, Admin.Services>
  ) =>
    it.live.skipIf(kind.skipped)(name, () =>
      Effect.flatMap(kind.fresh, (database) =>
        Effect.flatMap(Gateway.Gateway, body).pipe(Effect.provide(Admin.service(database.layer)))
      ).pipe(Effect.scoped)
    )

  test("permit each method or refuse it, as the table says", (service) =>
    Effect.gen(function* () {
      for (const role of ROLES) {
        const { secret } = yield* make(service, { label: role, role })
        for (const [request, [least]] of Object.entries(EXPECTED)) {
          // A made-up id, so that nothing is changed.
          const answer = yield* ask(service, secret, request.replace(":id", "none"))
          const isPermitted = ROLES.indexOf(role) >= ROLES.indexOf(least)
          assert.strictEqual(isRefused(answer, "Role"), !isPermitted, `${role}: ${request} ${answer.body}`)
          assert.strictEqual(answer.status === 403, !isPermitted, `${role}: ${request} ${answer.body}`)
        }
      }
      // A session has the rights of its token.
      const { secret } = yield* make(service, { label: "page", role: "support" })
      const begun = yield* ask(service, secret, "POST /session")
      const session = { cookie: begun.headers["set-cookie"]![0]!.split(";")[0]!, "x-csrf-token": begun.json.csrfToken }
      assert.deepInclude(begun.json, { label: "page", role: "support", projects: null })
      assert.strictEqual((yield* ask(service, "", "GET /projects", undefined, session)).status, 200)
      assert.isTrue(isRefused(yield* ask(service, "", "POST /accounts", { name: "x" }, session), "Role"))
      // A cookie of one role is of no use beside the CSRF token of another.
      const owner = yield* ask(service, Admin.TOKEN, "POST /session")
      const mixed = { ...session, "x-csrf-token": owner.json.csrfToken }
      assert.isTrue(isRefused(yield* ask(service, "", "GET /operators/tokens", undefined, mixed), "NoCsrfToken"))
    }))

  test("limited to projects permit nothing about others", (service) =>
    Effect.gen(function* () {
      const project = (name: string) =>
        Effect.map(ask(service, Admin.TOKEN, "POST /projects", { name }), ({ json }) => ({
          project: json.project.id as string,
          key: json.key.id as string,
          name
        }))
      const [mine, theirs] = [yield* project("mine and only mine"), yield* project("theirs")]
      const at = (request: string, { key, project }: typeof mine): string => {
        const path = request.replace(":id", request.includes("/keys/:id") ? key : project)
        return /^GET \/(?:usage(?!\/latency)|exports\/usage)/u.test(request) ? `${path}?project=${project}` : path
      }
      for (const role of ["read-only", "support", "operator"] as const) {
        const { secret } = yield* make(service, { label: `${role} of mine`, role, projects: [mine.project] })
        for (const [request, [least, limited]] of Object.entries(EXPECTED)) {
          const isRole = ROLES.indexOf(role) >= ROLES.indexOf(least)
          const other = yield* ask(service, secret, at(request, theirs))
          const why = `${role}: ${request} ${other.body}`
          if (!isRole) assert.isTrue(isRefused(other, "Role"), why)
          else if (limited === "any") assert.notStrictEqual(other.status, 403, why)
          else assert.isTrue(isRefused(other, "NotYours"), why)
          for (const text of [theirs.project, theirs.key, theirs.name]) assert.notInclude(other.body, text, why)
          // What is permitted for the own project is tried on reads, because a change would end the test.
          if (!isRole || limited !== "own" || !request.startsWith("GET")) continue
          const own = yield* ask(service, secret, at(request, mine))
          assert.notStrictEqual(own.status, 403, `${role}: ${request} ${own.body}`)
        }
        for (const request of [
          "GET /usage/totals",
          `GET /usage/totals?project=${mine.project}&project=${theirs.project}`,
          `GET /usage/totals?project=${theirs.project}&project=${mine.project}`,
          "GET /keys/none",
          `GET /keys/${theirs.key}?project=${mine.project}`,
          `GET /PROJECTS/${theirs.project}`,
          `GET /Keys/${theirs.key}`
        ]) {
          const answer = yield* ask(service, secret, request)
          assert.isTrue(isRefused(answer, "NotYours"), `${request} ${answer.body}`)
        }
        for (const list of ["projects", "limits"]) {
          const { body, json } = yield* ask(service, secret, `GET /${list}`)
          assert.lengthOf(json[list === "projects" ? "projects" : "standings"], 1, body)
          assert.include(body, mine.name)
          assert.lengthOf(
            (yield* ask(service, secret, `GET /${list}?after=${mine.project}`)).json[
              list === "projects" ? "projects" : "standings"
            ],
            0
          )
        }
      }
      // The lists of accounts and changes have what concerns the own project, and nothing else.
      const limited = yield* make(service, { label: "reader", role: "read-only", projects: [mine.project] })
      const accounts = yield* ask(service, limited.secret, "GET /accounts")
      const owner = yield* ask(service, Admin.TOKEN, `GET /projects/${mine.project}`)
      assert.deepStrictEqual(
        accounts.json.accounts.map(({ id }: { readonly id: string }) => id),
        [owner.json.account]
      )
      assert.lengthOf(
        (yield* ask(service, limited.secret, `GET /accounts?after=${owner.json.account}`)).json.accounts,
        0
      )
      yield* ask(service, Admin.TOKEN, `DELETE /keys/${theirs.key}`)
      const second = (yield* ask(service, Admin.TOKEN, `POST /projects/${mine.project}/keys`, {})).json.key.id
      yield* ask(service, Admin.TOKEN, `DELETE /keys/${second}`)
      const targets = (json: any): ReadonlyArray<string> => [
        ...new Set<string>(json.entries.map(({ target }: { readonly target: string }) => target))
      ]
      const own = yield* ask(service, limited.secret, "GET /audit")
      assert.sameMembers([...targets(own.json)], [mine.project, mine.key, second])
      const [newest] = own.json.entries
      assert.deepInclude(newest, { action: "key.revoke", target: second })
      const page = yield* ask(service, limited.secret, `GET /audit?limit=1&before=${newest.id}`)
      assert.deepInclude(page.json.entries[0], { action: "key.issue", target: second })
      assert.includeMembers([...targets((yield* ask(service, Admin.TOKEN, "GET /audit")).json)], [theirs.key])
      // Lies are those of nodes, but the parameters are those of a customer, and the order that of an operator.
      const lie = { network: "live", node: "own", method: "eth_getBalance", check: "balance", count: 1, lastAt: 1 }
      const drill = { by: "ops", at: 1, until: 2 }
      yield* (yield* AdminServer.AdminServer).attach({
        lies: () => [
          { ...lie, params: '["0x1"]' },
          { ...lie, params: '["0x2"]', drill }
        ]
      })
      const told = Effect.fnUntraced(function* (secret: string) {
        const { json } = yield* ask(service, secret, "GET /lies")
        return json.lies.map((one: any) => [one.params, one.drill === null ? null : (one.drill.by ?? "an operator")])
      })
      assert.sameDeepMembers(yield* told(limited.secret), [
        [null, null],
        [null, "an operator"]
      ])
      assert.sameDeepMembers(yield* told(Admin.TOKEN), [
        ['["0x1"]', null],
        ['["0x2"]', "ops"]
      ])
      const lines = (yield* ask(service, limited.secret, "GET /exports/audit.csv")).body.trim().split("\n")
      assert.lengthOf(lines, own.json.entries.length + 1)
      // A refusal names the role that is needed, and a session has the roles with their projects.
      const refused = yield* ask(service, limited.secret, `PATCH /projects/${mine.project}`, { name: "x" })
      assert.deepInclude(refused.json, { reason: "Role", needs: "support" })
      assert.include(refused.json.message, "it needs the role support")
      assert.isNull((yield* ask(service, limited.secret, "GET /webhooks")).json.needs)
      const begun = yield* ask(service, limited.secret, "POST /session")
      assert.deepStrictEqual(begun.json.grants, [{ role: "read-only", projects: [mine.project] }])
      // A change of the own project and its key.
      const { secret } = yield* make(service, { label: "team", role: "support", projects: [mine.project] })
      assert.strictEqual((yield* ask(service, secret, `PATCH /projects/${mine.project}`, { name: "new" })).status, 200)
      assert.strictEqual((yield* ask(service, secret, `POST /keys/${mine.key}/rotate`, {})).status, 201)
      // An owner has all projects, so nobody with some projects can make a token for others.
      for (const payload of [
        { label: "bad", role: "owner", projects: [mine.project] },
        { label: "bad", role: "support", projects: [] },
        { label: "bad", role: "root" },
        { label: "", role: "support" },
        { label: "oidc:ada@example.com", role: "support" },
        { label: "bad", role: "support", expiresAt: "2020-01-01" }
      ]) {
        assert.strictEqual((yield* ask(service, Admin.TOKEN, "POST /operators/tokens", payload)).status, 400)
      }
    }))
})
