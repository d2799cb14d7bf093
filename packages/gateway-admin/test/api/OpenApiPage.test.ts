/**
 * The OpenAPI document of the admin API, and its documentation page. Independent implementations of OpenAPI and JSON
 * Schema read the document.
 */
import { execFile, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { promisify } from "node:util"

import { assert, describe, it } from "@effect/vitest"
import { Gateway, Metering, Sqlite } from "@plumbline/gateway"
import { AdminApi, AdminServer } from "@plumbline/gateway-admin"
import * as Service from "@plumbline/gateway/support/service"
import { Validator } from "@seriousme/openapi-schema-validator"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Context, Effect, Layer } from "effect"
import { HttpApi } from "effect/http-api"

import * as Admin from "../support/admin.ts"

/** Opens a service with some data. */
const open = Effect.gen(function* () {
  const context = yield* Layer.build(Layer.fresh(Admin.service(Sqlite.layer({ file: ":memory:" }))))
  const call = { product: "rpc", network: "live", method: "eth_call", status: 200, key: "k1", calls: 1 } as const
  const ipfs = { uploaded: 2, downloaded: 3, stored: 4 }
  const usage = { ...call, project: "p1", credits: 2 ** 40, bytesIn: 5, bytesOut: 6, ipfs }
  yield* Context.get(context, Metering.Metering).recordAll([usage, { ...usage, project: "p2" }])
  const { read } = Context.get(context, Gateway.Gateway)
  yield* Context.get(context, AdminServer.AdminServer).attach({ read })
  return Context.get(context, Gateway.Gateway)
})

const get = (service: { readonly port: number }, path: string) => Service.ask(service, { method: "GET", path })

const document = Effect.map(
  Effect.flatMap(open, (service) => get(service, "/admin/openapi.json")),
  (answer) => {
    assert.deepStrictEqual([answer.status, answer.headers["content-type"]], [200, "application/json"])
    return JSON.parse(answer.body)
  }
)

const operations: Array<{ readonly id: string; readonly method: string; readonly path: string }> = []
HttpApi.reflect(AdminApi.Api, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint, group }) => {
    const path = endpoint.path.replaceAll(/:(\w+)/gu, "{$1}")
    operations.push({ id: `${group.identifier}.${endpoint.identifier}`, method: endpoint.method.toLowerCase(), path })
  }
})

const hasCurl = spawnSync("curl", ["--version"]).status === 0

describe("the OpenAPI document", () => {
  it.live("is valid OpenAPI 3.1", () =>
    Effect.gen(function* () {
      const text = yield* document
      const { errors, valid } = yield* Effect.promise(() => new Validator().validate(structuredClone(text)))
      assert.isTrue(valid, JSON.stringify(errors))
      assert.match(text.openapi, /^3\.1\./u)
      delete text.info.title
      const broken = yield* Effect.promise(() => new Validator().validate(text))
      assert.isFalse(broken.valid)
    }).pipe(Effect.scoped)
  )

  it.live("has every endpoint, each with the token, a sentence, and the errors that it may have", () =>
    Effect.gen(function* () {
      const { components, paths } = yield* document
      assert.strictEqual(components.securitySchemes.adminToken.scheme.toLowerCase(), "bearer")
      let count = 0
      for (const { id, method, path } of operations) {
        const operation = paths[path]?.[method]
        assert.strictEqual(operation?.operationId, id)
        assert.deepStrictEqual(operation.security, [{ adminToken: [] }, { session: [] }])
        assert.isAbove(operation.summary.length, 5)
        const statuses = Object.keys(operation.responses)
        assert.includeMembers(statuses, ["400", "401", "403", "429", "500", "503"], id)
        assert.deepStrictEqual(statuses.includes("413"), operation.requestBody !== undefined, id)
        assert.deepStrictEqual(
          statuses.includes("404"),
          /\{id\}|reload|collect|events|^alerts\.list|^webhooks\.create|^projects\.create|^session\.(?:get|remove)/u.test(
            `${id} ${path}`
          ) || id === "projects.create",
          id
        )
        count++
      }
      assert.strictEqual(count, Object.values<object>(paths).flatMap((item) => Object.keys(item)).length)
    }).pipe(Effect.scoped)
  )

  it.live("describes the answers that the service gives", () =>
    Effect.gen(function* () {
      const service = yield* open
      const spec = JSON.parse((yield* get(service, "/admin/openapi.json")).body)
      const ajv = new Ajv2020({ strict: false, validateFormats: false })
      ajv.addSchema({ $id: "spec", ...spec })
      const seen = new Set<string>()
      /** Sends a request, and validates the answer against the schema of its status. */
      const check = Effect.fnUntraced(function* (
        id: string,
        params: { readonly id?: string; readonly query?: string },
        body?: unknown
      ) {
        const { method, path } = operations.find((operation) => operation.id === id)!
        const answer = yield* Service.ask(service, {
          method: method.toUpperCase(),
          path: path.replace("{id}", params.id ?? "") + (params.query ?? ""),
          headers: { authorization: `Bearer ${Admin.TOKEN}` },
          ...(body === undefined ? {} : { body: JSON.stringify(body) })
        })
        const described = spec.paths[path][method].responses[String(answer.status)]
        assert.isDefined(described, `${id} ${answer.status}`)
        seen.add(id)
        if (answer.status === 204) return assert.notProperty(described, "content")
        if (answer.headers["content-type"] !== "application/json") {
          assert.property(described.content, String(answer.headers["content-type"]))
          return answer.body
        }
        const pointer = [
          "paths",
          path,
          method,
          "responses",
          String(answer.status),
          "content",
          "application/json",
          "schema"
        ]
          .map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1"))
          .map(encodeURIComponent)
        const validate = ajv.getSchema(`spec#/${pointer.join("/")}`)!
        const value = JSON.parse(answer.body)
        assert.isTrue(validate(value), `${id} ${answer.status} ${answer.body} ${JSON.stringify(validate.errors)}`)
        // The schema rejects an answer with one more member.
        assert.isFalse(validate({ ...value, more: 1 }), id)
        if (id.startsWith("usage.") && id !== "usage.latency")
          assert.match(answer.body, /"credits":"2199023255552"|"bytes":"4"|"1099511627776"/u)
        return value
      })
      yield* check("session.create", {})
      yield* check("session.get", {})
      yield* check("session.remove", {})
      const account = yield* check("accounts.create", {}, { name: "a", card: true })
      yield* check("accounts.get", account)
      yield* check("accounts.get", { id: "nobody" })
      yield* check("accounts.update", account, { name: "b" })
      yield* check("accounts.list", {})
      yield* check("accounts.card", account)
      yield* check("accounts.setCard", account, { card: true })
      const { key, project } = yield* check("projects.create", {}, { name: "p", account: account.id })
      yield* check("projects.create", {}, { name: 5 })
      yield* check("projects.get", project)
      yield* check("projects.list", { query: "?limit=1" })
      yield* check("limits.get", project)
      yield* check("limits.account", account)
      yield* check("limits.list", {})
      yield* check("standing.access", project)
      yield* check("service.lies", {})
      yield* check("service.changes", {})
      yield* check("networks.call", { id: "live" }, { jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] })
      yield* check("standing.keyHistory", project)
      yield* check("usage.latency", { query: "?window=1h&by=network&everySeconds=600" })
      yield* check("projects.update", project, { limits: {}, allowlist: { methods: ["eth_call"] } })
      yield* check("accounts.remove", account)
      yield* check("keys.list", project)
      yield* check("keys.issue", project)
      yield* check("keys.issue", project, { label: "page", limits: { requestsPerSecond: 1 } })
      yield* check("keys.get", key)
      yield* check("keys.update", key, { label: "app", expiresAt: "2040-01-02T03:04:05Z", limits: { burst: 2 } })
      yield* check("keys.rotate", key, { overlapSeconds: 60 })
      yield* check("keys.rotate", key, { overlapSeconds: 60 })
      yield* check("keys.revoke", key)
      const ed25519 = { kid: "1", kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }
      yield* check("tokens.get", project)
      yield* check("tokens.set", project, { keys: ed25519, userLimits: { creditsPerDay: 5 } })
      yield* check("tokens.set", project, { keys: { ...ed25519, d: "secret" } })
      yield* check("tokens.get", project)
      yield* check("tokens.remove", project)
      yield* check("usage.report", {})
      yield* check("usage.totals", { query: "?window=30d" })
      yield* check("usage.by", { query: "?by=method&by=status&top=5" })
      yield* check("usage.series", { query: "?everySeconds=3600" })
      yield* check("usage.stored", { query: `?everySeconds=3600&project=p1` })
      assert.include(yield* check("exports.usage", {}), ",1099511627776,")
      yield* check("alerts.set", project, { percentOfDay: [75], creditsOfDay: [10] })
      yield* check("alerts.get", project)
      yield* check("alerts.events", {})
      yield* check("alerts.list", { query: "?limit=1" })
      yield* check("alerts.fired", project)
      yield* check("alerts.remove", project)
      const hook = { id: "hook" }
      yield* check("webhooks.create", {}, { name: "hook", url: "https://hooks.example/", events: ["usage.day"] })
      yield* check("webhooks.list", {})
      yield* check("webhooks.tries", hook)
      yield* check("webhooks.attempt", hook, { event: 1 })
      yield* check("webhooks.remove", hook)
      yield* check("networks.lie", { id: "live" })
      yield* check("service.status", {})
      yield* check("service.reload", {})
      yield* check("service.collect", {})
      yield* check("service.collection", {})
      yield* check("service.audit", {})
      assert.include(yield* check("exports.auditCsv", {}), ",ops,127.0.0.1,account.update,")
      assert.include(yield* check("exports.auditNdjson", {}), '"by":"ops","from":"127.0.0.1"')
      const { token } = yield* check("operators.create", {}, { label: "new", role: "support", expiresAt: "2040-01-02" })
      yield* check("operators.create", {}, { label: "new", role: "support" })
      yield* check("operators.tokens", {})
      yield* check("operators.revoke", token)
      yield* check("session.create", {})
      const { sessions } = yield* check("operators.sessions", {})
      yield* check("operators.end", sessions[0])
      yield* check("operators.end", { id: "nobody" })
      yield* check("projects.remove", project)
      assert.deepStrictEqual([...seen].toSorted(), operations.map(({ id }) => id).toSorted())
    }).pipe(Effect.scoped)
  )
})

describe("the OpenAPI document's words", () => {
  interface Described {
    readonly $ref?: string
    readonly description?: string
    readonly items?: Described
    readonly anyOf?: ReadonlyArray<Described>
    readonly properties?: Readonly<Record<string, Described>>
  }

  /** Returns the members that have no description and no named schema. */
  const silent = (schema: Described | undefined, at: string): ReadonlyArray<string> =>
    schema === undefined
      ? []
      : [
          ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [
            ...(name === "_tag" || (member.$ref ?? member.items?.$ref ?? member.description) !== undefined
              ? []
              : [`${at}.${name}`]),
            ...silent(member, `${at}.${name}`)
          ]),
          ...silent(schema.items, at),
          ...(schema.anyOf ?? []).flatMap((one) => silent(one, at))
        ]

  it.live("say of every parameter and every member what it is", () =>
    Effect.gen(function* () {
      const { components, paths } = yield* document
      const found: Array<string> = []
      for (const [name, schema] of Object.entries<Described>(components.schemas)) found.push(...silent(schema, name))
      for (const { id, method, path } of operations) {
        const { parameters, requestBody, responses } = paths[path][method]
        for (const { description, name } of parameters) if (description === undefined) found.push(`${id} ${name}`)
        for (const { content } of [requestBody, ...Object.values<any>(responses)].filter(Boolean)) {
          found.push(...silent(content?.["application/json"]?.schema, id))
        }
      }
      // These values depend on the method of the chain, so they have no schema and no description.
      assert.deepStrictEqual(found, ["RpcAnswer.result", "RpcAnswer.error.data", "RpcCall.params"])
    }).pipe(Effect.scoped)
  )

  it.live("call forms by their names, each of which is there", () =>
    Effect.gen(function* () {
      const spec = yield* document
      const names = Object.keys(spec.components.schemas)
      assert.includeMembers(names, ["Account", "Project", "Key", "NewProject", "Report", "BadRequest", "Conflict"])
      assert.deepStrictEqual(
        names.filter((name) => name.endsWith("Encoded")),
        []
      )
      const refs = [...JSON.stringify(spec).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/gu)]
      assert.deepStrictEqual([...new Set(refs.map(([, name]) => name!))].toSorted(), names)
      const { parameters } = spec.paths["/admin/v1/projects"].get
      assert.deepStrictEqual(
        parameters.map((parameter: any) => [parameter.name, parameter.schema.type]),
        [
          ["after", "string"],
          ["limit", "integer"],
          ["account", "string"]
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.live("have times for times: no number of milliseconds is on the wire", () =>
    Effect.gen(function* () {
      const { Key, AuditEntry } = (yield* document).components.schemas
      assert.deepStrictEqual(
        [Key.properties.createdAt.type, Key.properties.endsAt.anyOf[0].type, AuditEntry.properties.at.type],
        ["string", "string", "string"]
      )
    }).pipe(Effect.scoped)
  )
})

describe("the page of the reference", () => {
  it.live.skipIf(!hasCurl)("has lines for a shell that do what they say", () =>
    Effect.gen(function* () {
      const service = yield* open
      const page = readFileSync(new URL("../../../../docs/reference/gateway-admin.md", import.meta.url), "utf8")
      const [, lines] = /```sh\n([^]*?)```/u.exec(page)!
      const env = { PATH: process.env["PATH"], PLUMBLINE_URL: service.url, PLUMBLINE_ADMIN_TOKEN: Admin.TOKEN }
      const answers: Array<Record<string, unknown>> = []
      for (const line of lines!.trim().split(/(?<!\\)\n/u)) {
        const { stdout } = yield* Effect.promise(() => promisify(execFile)("sh", ["-c", `${line} -sS`], { env }))
        answers.push(JSON.parse(stdout))
      }
      assert.deepStrictEqual(
        answers.map((answer) => Object.keys(answer).toSorted().join()),
        ["apiKey,apiKeySecret,key,project", "from,rows,to,totals"]
      )
      assert.lengthOf(answers[1]!["rows"] as ReadonlyArray<unknown>, 1)
    }).pipe(Effect.scoped)
  )
})

describe("the reference", () => {
  it.live("has every path of the API, and no other", () =>
    Effect.sync(() => {
      const reference = readFileSync(new URL("../../../../docs/reference/gateway-admin.md", import.meta.url), "utf8")
      const [table] = /^\| path below `\/admin\/v1`[^]*?\n\n/mu.exec(reference)!
      const written = [...table.matchAll(/`(\/[^`]*)`/gu)]
        .map(([, path]) => path!)
        .filter((path) => path !== "/admin/v1")
      const paths = new Set(operations.map(({ path }) => path.replace("/admin/v1", "").replace("{id}", ":id")))
      assert.deepStrictEqual(written.toSorted(), [...paths].toSorted())
    })
  )
})

describe("the page", () => {
  it.live("has every operation, and asks for nothing from anywhere", () =>
    Effect.gen(function* () {
      const service = yield* open
      const { body, headers, status } = yield* get(service, "/admin/docs")
      assert.deepStrictEqual([status, headers["content-type"]], [200, "text/html; charset=utf-8"])
      for (const { id, path } of operations) {
        assert.include(body, `<article id="${id}">`)
        assert.include(body, `<code>${path}</code>`)
      }
      // The page runs nothing and loads nothing: no script, frame, form, image, stylesheet or event handler.
      assert.notMatch(body, /<(?:script|iframe|form|img|link|object|embed|base|svg|video|audio)\b/iu)
      assert.notMatch(body, /\s(?:on\w+|src|srcset|style|action|formaction)\s*=/iu)
      assert.notMatch(body, /url\(|@import|expression\(/iu)
      // The only URL of the page is part of an example command.
      assert.notMatch(body.replaceAll("https://hooks.example/plumbline", ""), /https?:|\/\/[a-z]/iu)
      const links = [...body.matchAll(/href="([^"]*)"/gu)].map(([, link]) => link!)
      assert.isAbove(links.length, 10)
      for (const link of links) {
        if (link === "/admin/openapi.json") continue
        assert.match(link, /^#/u)
        assert.include(body, `id="${link.slice(1)}"`)
      }
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(!hasCurl)("has lines for a shell that the service takes, each on its own", () =>
    Effect.gen(function* () {
      const service = yield* open
      const { body } = yield* get(service, "/admin/docs")
      const lines = [...body.matchAll(/<pre class="curl">([^<]*)<\/pre>/gu)].map(([, line]) =>
        line!.replaceAll(/&#(\d+);/gu, (_, code) => String.fromCharCode(code))
      )
      assert.lengthOf(lines, operations.length)
      const env = { PATH: process.env["PATH"], PLUMBLINE_URL: service.url, PLUMBLINE_ADMIN_TOKEN: Admin.TOKEN }
      const told = yield* Effect.forEach(
        lines,
        (line) =>
          Effect.promise(() =>
            promisify(execFile)("sh", ["-c", `${line} -sS -w '\n%{http_code}'`], { env }).then(({ stdout }) => stdout)
          ),
        { concurrency: 4 }
      )
      // An unknown id or an absent service gets 404. No request is invalid.
      const wrong = told.flatMap((text, at) => (/\n(?:200|201|204|404)$/u.test(text) ? [] : [`${lines[at]}: ${text}`]))
      assert.deepStrictEqual(wrong, [])
    }).pipe(Effect.scoped)
  )

  it.live("comes with a policy that allows its own style and nothing else", () =>
    Effect.gen(function* () {
      const { body, headers } = yield* get(yield* open, "/admin/docs")
      const [, style] = /<style>([^<]*)<\/style>/u.exec(body)!
      const digest = createHash("sha256").update(style!).digest("base64")
      assert.strictEqual(
        headers["content-security-policy"],
        `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
      )
      assert.strictEqual(headers["x-content-type-options"], "nosniff")
      assert.strictEqual(headers["referrer-policy"], "no-referrer")
    }).pipe(Effect.scoped)
  )

  it.live("is well-formed: every element that begins ends where it should", () =>
    Effect.gen(function* () {
      const { body } = yield* get(yield* open, "/admin/docs")
      const stack: Array<string> = []
      for (const [, end, name] of body.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^<>]*>/gu)) {
        if (name === "meta") continue
        if (end === "") stack.push(name!)
        else assert.strictEqual(stack.pop(), name)
      }
      assert.deepStrictEqual(stack, [])
    }).pipe(Effect.scoped)
  )
})
