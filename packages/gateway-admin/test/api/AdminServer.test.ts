/** The admin API with its own client, over both databases. */
import { assert, describe, it } from "@effect/vitest"
import { Accounts, Gateway, Metering, SettingError, Sqlite, UsageReport } from "@plumbline/gateway"
import { AdminApi, AdminServer, BillingCards } from "@plumbline/gateway-admin"
import * as Databases from "@plumbline/gateway/support/databases"
import * as Service from "@plumbline/gateway/support/service"
import { Deferred, Duration, Effect, Fiber, Layer, Logger, Redacted, Result } from "effect"
import { HttpApi } from "effect/http-api"
import { SqlClient } from "effect/sql"

import * as Admin from "../support/admin.ts"

const nothing = { headers: {} }

describe.each(Databases.kinds)("the admin API over $name", (kind) => {
  const test = (
    name: string,
    body: Effect.Effect<void, unknown, Admin.Services>,
    more?: Parameters<typeof Admin.service>[3]
  ) =>
    it.live.skipIf(kind.skipped)(name, () =>
      Effect.flatMap(kind.fresh, ({ layer }) => Effect.provide(body, Admin.service(layer, {}, [], more))).pipe(
        Effect.scoped
      )
    )

  test(
    "makes, shows, changes and removes accounts and projects",
    Effect.gen(function* () {
      const admin = yield* Admin.client()
      const accounts = yield* Accounts.Accounts
      const account = yield* admin.accounts.create({ ...nothing, payload: { name: "Ada & é 🪺" } })
      assert.deepStrictEqual(account, { id: account.id, name: "Ada & é 🪺", card: false })
      const params = { id: account.id }
      yield* admin.accounts.update({ params, payload: { card: true } })
      assert.isTrue((yield* accounts.account(account.id))?.card)
      assert.strictEqual((yield* admin.accounts.card({ params })).source, "manual")
      assert.strictEqual((yield* admin.accounts.setCard({ params, payload: { card: false } })).source, "none")
      assert.isFalse((yield* admin.accounts.get({ params })).card)

      const allowlist = { networks: ["live"], methods: ["eth_call"], addresses: [], origins: [], userAgents: ["curl"] }
      const { project } = yield* admin.projects.create({
        ...nothing,
        payload: { name: "wallet", account: account.id, secretRequired: true, allowlist, limits: { creditsPerDay: 5 } }
      })
      assert.deepStrictEqual(project, {
        id: project.id,
        account: account.id,
        name: "wallet",
        suspended: false,
        secretRequired: true,
        allowlist,
        limits: { creditsPerDay: 5 }
      })
      const changed = yield* admin.projects.update({
        params: project,
        payload: { suspended: true, limits: { concurrency: 3 } }
      })
      assert.deepStrictEqual(changed, { ...project, suspended: true, limits: { concurrency: 3 } })
      assert.deepStrictEqual(yield* accounts.project(project.id), changed)
      assert.deepStrictEqual(yield* admin.projects.get({ params: project }), changed)
      const own = yield* admin.projects.list({ query: { account: account.id } })
      assert.deepStrictEqual(own, { projects: [changed], next: null })

      const full = yield* Effect.flip(admin.accounts.remove({ params }))
      assert.deepStrictEqual([full._tag, full._tag === "Conflict" && full.reason], ["Conflict", "NotEmpty"])
      yield* admin.projects.remove({ params: project })
      yield* admin.accounts.remove({ params })
      assert.strictEqual(yield* accounts.account(account.id), undefined)
      for (const gone of [
        yield* Effect.flip(admin.accounts.get({ params })),
        yield* Effect.flip(admin.accounts.update({ params, payload: { name: "x" } })),
        yield* Effect.flip(admin.accounts.remove({ params })),
        yield* Effect.flip(admin.accounts.card({ params })),
        yield* Effect.flip(admin.accounts.setCard({ params, payload: { card: true } })),
        yield* Effect.flip(admin.projects.create({ ...nothing, payload: { name: "x", account: account.id } }))
      ]) {
        assert.deepStrictEqual(gone._tag === "NotFound" && [gone.kind, gone.id, gone.message], [
          "account",
          account.id,
          `there is no account ${account.id}`
        ])
      }
    })
  )

  test(
    "issues keys with settings of their own, changes them, and refuses what makes no sense",
    Effect.gen(function* () {
      const admin = yield* Admin.client()
      const accounts = yield* Accounts.Accounts
      const { project } = yield* admin.projects.create({ ...nothing, payload: { name: "wallet" } })
      const expiresAt = Date.UTC(2040, 1, 3, 4, 5, 6, 789)
      const settings = { label: "page", expiresAt, limits: { requestsPerSecond: 3, creditsPerDay: 1000 } }
      const { apiKey, key } = yield* admin.keys.issue({ ...nothing, params: project, payload: settings })
      assert.deepStrictEqual({ ...key, ...settings }, key)
      assert.deepStrictEqual((yield* accounts.lookup(Redacted.value(apiKey)))?.key, key)
      const params = { id: key.id }
      assert.deepStrictEqual(yield* admin.keys.get({ params }), key)
      const payload = { label: null, limits: { burst: 7 } }
      const changed = yield* admin.keys.update({ params, payload })
      assert.deepStrictEqual(changed, { ...key, ...payload })
      assert.deepStrictEqual((yield* admin.keys.list({ params: project })).keys[1], changed)
      const past = yield* Effect.flip(admin.keys.update({ params, payload: { expiresAt: 1 } }))
      assert.strictEqual(past._tag === "BadRequest" && past.at, "expiresAt")
      const absent = { params: { id: "nobody" } }
      assert.strictEqual((yield* Effect.flip(admin.keys.get(absent)))._tag, "NotFound")
      assert.strictEqual((yield* Effect.flip(admin.keys.update({ ...absent, payload: {} })))._tag, "NotFound")
    })
  )

  test(
    "makes an account of the same name for a project without one, with a card if it says so",
    Effect.gen(function* () {
      const admin = yield* Admin.client()
      const { project } = yield* admin.projects.create({ ...nothing, payload: { name: "paid", card: true } })
      const account = yield* admin.accounts.get({ params: { id: project.account } })
      assert.deepStrictEqual(account, { id: project.account, name: "paid", card: true })
      const wrong = yield* Effect.flip(
        admin.projects.create({ ...nothing, payload: { name: "x", account: account.id, card: true } })
      )
      assert.deepStrictEqual(wrong._tag === "BadRequest" && wrong.at, "payload.card")
      assert.lengthOf((yield* admin.projects.list({ query: {} })).projects, 1)
      assert.lengthOf((yield* admin.accounts.list({ query: {} })).accounts, 1)
    })
  )

  test(
    "issues, rotates and revokes keys, which the gateway then takes or refuses",
    Effect.gen(function* () {
      const admin = yield* Admin.client()
      const gateway = yield* Gateway.Gateway
      const status = (key: Redacted.Redacted) =>
        Effect.map(
          Service.ask(gateway, { path: `/v3/${Redacted.value(key)}`, body: Service.call("eth_chainId") }),
          (answer) => answer.status
        )
      const first = yield* admin.projects.create({ ...nothing, payload: { name: "wallet" } })
      const params = { id: first.project.id }
      assert.strictEqual(yield* status(first.apiKey), 200)
      const second = yield* admin.keys.issue({ ...nothing, params, payload: {} })
      assert.strictEqual(yield* status(second.apiKey), 200)
      const third = yield* admin.keys.rotate({ params: { id: first.key.id }, payload: { overlapSeconds: 3600 } })
      assert.deepStrictEqual([yield* status(first.apiKey), yield* status(third.apiKey)], [200, 200])
      const again = yield* Effect.flip(admin.keys.rotate({ params: { id: first.key.id }, payload: {} }))
      assert.deepStrictEqual(again._tag === "Conflict" && again.reason, "Ending")
      const fourth = yield* admin.keys.rotate({ params: { id: second.key.id }, payload: {} })
      assert.deepStrictEqual([yield* status(second.apiKey), yield* status(fourth.apiKey)], [401, 200])
      yield* admin.keys.revoke({ params: { id: fourth.key.id } })
      assert.strictEqual(yield* status(fourth.apiKey), 401)

      const { keys } = yield* admin.keys.list({ params })
      assert.deepStrictEqual(
        keys.map(({ endsAt, id }) => [id, endsAt !== null]),
        [
          [first.key.id, true],
          [third.key.id, false]
        ]
      )
      while (keys.length < 10) {
        const issued = yield* Effect.result(admin.keys.issue({ ...nothing, params, payload: {} }))
        if (Result.isSuccess(issued)) continue
        assert.deepStrictEqual(issued.failure._tag === "Conflict" && issued.failure.reason, "TooManyKeys")
        break
      }
      const absent = { params: { id: "nobody" } }
      for (const gone of [
        yield* Effect.flip(admin.keys.list(absent)),
        yield* Effect.flip(admin.keys.issue({ ...nothing, ...absent, payload: {} })),
        yield* Effect.flip(admin.keys.rotate({ ...absent, payload: {} })),
        yield* Effect.flip(admin.keys.revoke(absent))
      ]) {
        assert.strictEqual(gone._tag, "NotFound")
      }
    })
  )

  test(
    "gives lists in pages to their end, in the order of ids",
    Effect.gen(function* () {
      const admin = yield* Admin.client()
      const accounts = yield* Accounts.Accounts
      const made: Array<string> = []
      for (let i = 0; i < 23; i++) made.push((yield* accounts.createAccount({ name: `a${i}` })).id)
      const seen: Array<string> = []
      let after: string | undefined
      do {
        const page = yield* admin.accounts.list({ query: { limit: 10, ...(after === undefined ? {} : { after }) } })
        assert.isAtMost(page.accounts.length, 10)
        seen.push(...page.accounts.map(({ id }) => id))
        after = page.next ?? undefined
      } while (after !== undefined)
      assert.deepStrictEqual(seen, made.toSorted())
    })
  )

  test(
    "carries out a request once for each idempotency key",
    Effect.gen(function* () {
      const admin = yield* Admin.client()
      const other = yield* Admin.client(Admin.OTHER_TOKEN)
      const headers = { "idempotency-key": "order-1" }
      const payload = { name: "once" }
      const results = yield* Effect.all(
        Array.from({ length: 6 }, () => Effect.result(admin.projects.create({ headers, payload }))),
        { concurrency: "unbounded" }
      )
      const made = results.filter(Result.isSuccess).map(({ success }) => success.project.id)
      assert.lengthOf(made, 1)
      for (const { failure } of results.filter(Result.isFailure)) {
        assert.deepStrictEqual(failure._tag === "Conflict" && [failure.reason, failure.id], ["AlreadyDone", made[0]!])
      }
      assert.lengthOf((yield* admin.projects.list({ query: {} })).projects, 1)
      assert.lengthOf((yield* admin.accounts.list({ query: {} })).accounts, 1)
      // Idempotency keys are separate for each token. A failed request does not use its key up.
      yield* other.projects.create({ headers, payload })
      const failing = { headers: { "idempotency-key": "order-2" }, payload: { name: "x", account: "nobody" } }
      assert.strictEqual((yield* Effect.flip(admin.projects.create(failing)))._tag, "NotFound")
      yield* admin.accounts.create({ headers: failing.headers, payload })
      const key = { headers: { "idempotency-key": "order-3" }, params: { id: made[0]! }, payload: {} }
      yield* admin.keys.issue(key)
      assert.strictEqual((yield* Effect.flip(admin.keys.issue(key)))._tag, "Conflict")
      assert.lengthOf((yield* admin.keys.list(key)).keys, 2)
    })
  )

  test(
    "takes an idempotency key for a new one after a day",
    Effect.gen(function* () {
      const admin = yield* Admin.client()
      const sql = yield* SqlClient.SqlClient
      const request = { headers: { "idempotency-key": "daily" }, payload: { name: "x" } }
      yield* admin.accounts.create(request)
      yield* sql`UPDATE admin_done SET at = at - ${Duration.toMillis("1 day") - 60_000}`
      assert.strictEqual((yield* Effect.flip(admin.accounts.create(request)))._tag, "Conflict")
      yield* sql`UPDATE admin_done SET at = at - 60000`
      yield* admin.accounts.create({ headers: { "idempotency-key": "another" }, payload: { name: "y" } })
      assert.deepStrictEqual(yield* sql`SELECT request FROM admin_done`, [{ request: "another" }])
      yield* admin.accounts.create(request)
      yield* sql`UPDATE admin_done SET at = at - ${Duration.toMillis("1 day")} WHERE request = 'daily'`
      yield* admin.accounts.create(request)
      assert.strictEqual((yield* Effect.flip(admin.accounts.create(request)))._tag, "Conflict")
    })
  )

  test(
    "writes down who has changed what, and nothing of what was not changed",
    Effect.gen(function* () {
      const admin = yield* Admin.client()
      const other = yield* Admin.client(Admin.OTHER_TOKEN)
      const before = Date.now()
      const { key, project } = yield* admin.projects.create({ ...nothing, payload: { name: "wallet", card: true } })
      yield* other.projects.update({ params: project, payload: { limits: { burst: 1 }, suspended: true } })
      yield* Effect.flip(admin.projects.update({ params: { id: "nobody" }, payload: { suspended: true } }))
      yield* Effect.flip(admin.accounts.remove({ params: { id: project.account } }))
      const { key: second } = yield* other.keys.rotate({ params: key, payload: { overlapSeconds: 5 } })
      yield* admin.keys.revoke({ params: key })
      yield* admin.projects.remove({ params: project })
      yield* other.accounts.update({ params: { id: project.account }, payload: { name: "gone" } })
      const { entries, next } = yield* admin.service.audit({ query: {} })
      assert.deepStrictEqual(
        entries.map(({ action, by, changed, target }) => [by, action, target, changed.toSorted().join()]),
        [
          ["billing", "account.update", project.account, "name"],
          ["ops", "project.remove", project.id, ""],
          ["ops", "key.revoke", key.id, ""],
          ["billing", "key.rotate", key.id, "overlapSeconds"],
          ["billing", "key.issue", second.id, ""],
          ["billing", "project.update", project.id, "limits,suspended"],
          ["billing", "project.suspend", project.id, ""],
          ["ops", "project.create", project.id, "card,name"],
          ["ops", "key.issue", key.id, ""],
          ["ops", "account.create", project.account, ""]
        ]
      )
      assert.strictEqual(next, null)
      assert.isTrue(entries.every(({ at }) => at >= before && at <= Date.now()))
      const pages: Array<number> = []
      let last: number | undefined
      do {
        const page = yield* admin.service.audit({
          query: { limit: 2, ...(last === undefined ? {} : { before: last }) }
        })
        pages.push(...page.entries.map(({ id }) => id))
        last = page.next ?? undefined
      } while (last !== undefined)
      assert.deepStrictEqual(
        pages,
        entries.map(({ id }) => id)
      )
    })
  )

  test(
    "keeps what a change made different, with the address, and exports it",
    Effect.gen(function* () {
      const admin = yield* Admin.client()
      const { apiKey, apiKeySecret, key, project } = yield* admin.projects.create({
        ...nothing,
        payload: { name: "=1+1", card: true }
      })
      const longList = Array.from({ length: 30 }, (_, index) => `agent ${index} ${"a".repeat(200)}`)
      yield* admin.projects.update({ params: project, payload: { name: "same", suspended: false } })
      yield* admin.projects.update({ params: project, payload: { name: "same" } })
      yield* admin.projects.update({
        params: project,
        payload: { allowlist: { ...project.allowlist, userAgents: longList } }
      })
      yield* admin.keys.update({ params: key, payload: { label: "page" } })
      yield* admin.keys.revoke({ params: key })
      const { entries } = yield* admin.service.audit({ query: {} })
      const shown = entries.map(({ action, after, before, from }) => [action, from, before, after] as const)
      assert.deepStrictEqual(shown.slice(1, 5), [
        ["key.update", "127.0.0.1", { label: null }, { label: "page" }],
        [
          "project.update",
          "127.0.0.1",
          { allowlist: project.allowlist },
          { allowlist: `${JSON.stringify({ ...project.allowlist, userAgents: longList }).length} characters of JSON` }
        ],
        ["project.update", "127.0.0.1", {}, {}],
        ["project.update", "127.0.0.1", { name: "=1+1" }, { name: "same" }]
      ])
      assert.deepStrictEqual([shown[0]![2]?.["label"], shown[0]![3]], ["page", null])
      assert.deepStrictEqual([shown[6]![2], shown[6]![3]], [null, { ...project }])
      const ndjson = yield* admin.exports.auditNdjson({ query: {} })
      assert.deepStrictEqual(
        ndjson
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line)),
        entries.map((entry) => ({ ...entry, at: new Date(entry.at).toISOString() }))
      )
      const csv = yield* admin.exports.auditCsv({ query: {} })
      const lines = csv.trimEnd().split("\r\n")
      assert.strictEqual(lines[0], "id,at,by,from,action,target,changed,before,after")
      assert.lengthOf(lines, entries.length + 1)
      assert.match(
        lines[5]!,
        /^\d+,\S+Z,ops,127\.0\.0\.1,project\.update,\S+,"name suspended","\{""name"":""=1\+1""\}",/u
      )
      for (const text of [csv, ndjson]) {
        for (const secret of [apiKey, apiKeySecret]) assert.notInclude(text, Redacted.value(secret))
        assert.notInclude(text, Admin.TOKEN)
      }
      const later = { from: Date.now() + 60_000 }
      assert.strictEqual(yield* admin.exports.auditNdjson({ query: later }), "")
      assert.strictEqual(yield* admin.exports.auditNdjson({ query: { to: Date.now() - 600_000 } }), "")
      assert.strictEqual(yield* admin.exports.auditNdjson({ query: { from: 0, to: later.from } }), ndjson)
    })
  )

  test(
    "changes nothing that cannot be written down",
    Effect.gen(function* () {
      const admin = yield* Admin.client()
      const sql = yield* SqlClient.SqlClient
      const { key, project } = yield* admin.projects.create({ ...nothing, payload: { name: "before" } })
      yield* sql`ALTER TABLE admin_audit RENAME TO elsewhere`
      const retried = { headers: { "idempotency-key": "later" }, payload: { name: "x" } }
      for (const refused of [
        yield* Effect.flip(admin.projects.create(retried)),
        yield* Effect.flip(admin.projects.update({ params: project, payload: { name: "after" } })),
        yield* Effect.flip(admin.projects.remove({ params: project })),
        yield* Effect.flip(admin.accounts.update({ params: { id: project.account }, payload: { card: true } })),
        yield* Effect.flip(admin.keys.rotate({ params: key, payload: {} })),
        yield* Effect.flip(admin.keys.revoke({ params: key }))
      ]) {
        assert.strictEqual(refused._tag, "Unavailable")
      }
      yield* sql`ALTER TABLE elsewhere RENAME TO admin_audit`
      assert.deepStrictEqual((yield* admin.projects.list({ query: {} })).projects, [project])
      assert.deepStrictEqual((yield* admin.keys.list({ params: project })).keys, [key])
      assert.lengthOf((yield* admin.service.audit({ query: {} })).entries, 3)
      yield* admin.projects.create(retried)
    })
  )

  test(
    "makes many changes at once, each with its entry",
    Effect.gen(function* () {
      const admin = yield* Admin.client()
      const { project } = yield* admin.projects.create({ ...nothing, payload: { name: "shared" } })
      const changes: Array<Effect.Effect<unknown, { readonly _tag: string }>> = []
      for (let i = 0; i < 8; i++) {
        const headers = { "idempotency-key": `k${i % 4}` }
        changes.push(
          Effect.ignore(admin.accounts.create({ headers, payload: { name: `a${i}` } })),
          admin.projects.create({ ...nothing, payload: { name: `p${i}` } }),
          admin.projects.update({ params: project, payload: { limits: { burst: i + 1 } } }),
          Effect.flatMap(admin.keys.issue({ ...nothing, params: project, payload: {} }), ({ key }) =>
            admin.keys.revoke({ params: key })
          )
        )
      }
      yield* Effect.all(changes, { concurrency: "unbounded" })
      const { entries } = yield* admin.service.audit({ query: {} })
      const count = (action: string) => entries.filter((entry) => entry.action === action).length
      assert.deepStrictEqual(
        ["account.create", "project.create", "project.update", "key.issue", "key.revoke"].map(count),
        // Creating a project also creates an account and a key.
        [4 + 9, 9, 8, 8 + 9, 8]
      )
      assert.deepStrictEqual(
        entries.map(({ id }) => id),
        entries.map(({ id }) => id).toSorted((a, b) => b - a)
      )
    })
  )

  test(
    "keeps the newest hundred thousand entries",
    Effect.gen(function* () {
      const admin = yield* Admin.client()
      const sql = yield* SqlClient.SqlClient
      const overriding = sql.literal(sql.onDialectOrElse({ pg: () => "OVERRIDING SYSTEM VALUE", orElse: () => "" }))
      for (const id of [-100_000, -99_998, -1]) {
        yield* sql`
          INSERT INTO admin_audit (id, at, actor, action, target, changed) ${overriding}
          VALUES (${id}, 0, 'a', 'b', 'c', '')`
      }
      yield* admin.accounts.create({ ...nothing, payload: { name: "x" } })
      const rows = yield* sql<{ readonly id: number }>`SELECT id FROM admin_audit ORDER BY id`
      assert.deepStrictEqual(
        rows.map(({ id }) => id),
        [-99_998, -1, 1]
      )
    })
  )

  test(
    "tells usage exactly, also beyond what a double holds",
    Effect.gen(function* () {
      const admin = yield* Admin.client()
      const metering = yield* Metering.Metering
      const usage = {
        project: "p1",
        product: "rpc",
        network: "live",
        method: "eth_call",
        status: 200,
        key: "k1",
        calls: 1,
        credits: 2 ** 44,
        bytesIn: 7,
        bytesOut: 9
      } as const
      yield* metering.recordAll(Array.from({ length: 1025 }, () => usage))
      yield* metering.recordAll([
        { ...usage, credits: 1, method: "eth_getLogs" },
        { ...usage, status: 429, credits: 5, project: "p2" },
        {
          ...usage,
          product: "ipfs",
          network: "ipfs",
          method: "add",
          credits: 0,
          ipfs: { uploaded: 2 ** 40, downloaded: 3, stored: 2 ** 41 }
        }
      ])
      const credits = 1025n * 2n ** 44n
      const report = yield* admin.usage.report({ query: { window: "1h", project: "p1" } })
      assert.deepStrictEqual(
        report.rows.map((row) => [row.product, row.network, row.method, row.status, row.calls, row.credits]),
        [
          ["ipfs", "ipfs", "add", 200, 1n, 0n],
          ["rpc", "live", "eth_call", 200, 1025n, credits],
          ["rpc", "live", "eth_getLogs", 200, 1n, 1n]
        ]
      )
      assert.deepStrictEqual(report.totals.credits, credits + 1n)
      assert.notStrictEqual(BigInt(Number(credits + 1n)), credits + 1n)
      assert.include(UsageReport.toJson(report), `"credits":${credits + 1n}`)
      const from = Date.parse(report.from)
      assert.deepStrictEqual(
        yield* admin.usage.report({ query: { from, to: Date.parse(report.to), project: "p1" } }),
        report
      )

      const { totals } = yield* admin.usage.totals({ query: { window: "15m", status: 429 } })
      assert.deepStrictEqual([totals.calls, totals.credits], [1n, 5n])
      const { rows, totals: all } = yield* admin.usage.by({
        query: { window: "24h", by: ["network", "method"], top: 1, order: "uploaded" }
      })
      assert.deepStrictEqual(
        rows.map(({ method, network, uploaded }) => [network, method, uploaded]),
        [["ipfs", "add", 2n ** 40n]]
      )
      assert.deepStrictEqual(all.credits, credits + 6n)
      const series = yield* admin.usage.series({
        query: { window: "1h", everySeconds: 3600, by: ["project"], product: "rpc" }
      })
      assert.strictEqual(series.everySeconds, 3600)
      assert.deepStrictEqual(
        series.lines.map(({ counts, of }) => [of, counts.reduce((sum, { credits }) => sum + credits, 0n)]),
        [
          [{ project: "p1" }, credits + 1n],
          [{ project: "p2" }, 5n]
        ]
      )
      assert.isTrue(series.lines.every(({ counts }) => counts.length === series.times.length))
      const stored = yield* admin.usage.stored({ query: { project: "p1", everySeconds: 3600 } })
      assert.deepStrictEqual(
        stored.levels.map(({ bytes }) => bytes),
        [2n ** 41n]
      )
    })
  )

  test(
    "tells thousands of rows, all of them and in order",
    Effect.gen(function* () {
      const admin = yield* Admin.client()
      const metering = yield* Metering.Metering
      const names = Array.from({ length: 2500 }, (_, i) => `p${String(i).padStart(5, "0")}`)
      const call = { product: "rpc", network: "live", method: "eth_call", status: 200, key: "k1", calls: 1 } as const
      yield* metering.recordAll(names.map((project, i) => ({ ...call, project, credits: i, bytesIn: 0, bytesOut: 1 })))
      const { rows, totals } = yield* admin.usage.report({ query: {} })
      assert.deepStrictEqual(
        rows.map(({ credits, project }) => [project, credits]),
        names.map((project, i) => [project, BigInt(i)])
      )
      assert.strictEqual(totals.credits, 3_123_750n)
    })
  )

  test(
    "says which stretch of time makes no sense",
    Effect.gen(function* () {
      const admin = yield* Admin.client()
      const at = (query: Parameters<typeof admin.usage.report>[0]["query"]) =>
        Effect.map(Effect.flip(admin.usage.report({ query })), (error) => error._tag === "BadRequest" && error.at)
      assert.strictEqual(yield* at({ to: 5 }), "query.from")
      assert.strictEqual(yield* at({ from: 5, window: "1h" }), "query.window")
      assert.strictEqual(yield* at({ from: 5, to: 5 }), "query")
      const wide = yield* Effect.flip(admin.usage.series({ query: { from: 0, everySeconds: 60 } }))
      assert.strictEqual(wide._tag, "BadRequest")
    })
  )

  test(
    "shows cards of the payment provider, and whose customer an account is",
    Effect.gen(function* () {
      const admin = yield* Admin.client()
      const { id } = yield* admin.accounts.create({ ...nothing, payload: { name: "Ada" } })
      const other = yield* admin.accounts.create({ ...nothing, payload: { name: "Eve" } })
      const link = (params: { readonly id: string }) =>
        admin.accounts.setCard({ params, payload: { customer: "cus_1", card: true } })
      const none = { provider: null, brand: null, last4: null, expiry: null }
      const card = { card: true, source: "manual", ...none, customer: "cus_1" } as const
      assert.deepStrictEqual(yield* link({ id }), card)
      assert.deepStrictEqual(yield* admin.accounts.card({ params: { id } }), card)
      const taken = yield* Effect.flip(link(other))
      assert.deepStrictEqual(taken._tag === "Conflict" && taken.reason, "Taken")
      assert.isFalse((yield* admin.accounts.get({ params: other })).card)
      const unlinked = yield* admin.accounts.setCard({ params: { id }, payload: { customer: null } })
      assert.deepStrictEqual(unlinked, { ...card, customer: null })
      yield* link(other)
      const { entries } = yield* admin.service.audit({ query: { limit: 1 } })
      assert.deepStrictEqual(
        entries.map(({ action, target }) => [action, target]),
        [["account.card", other.id]]
      )
    }),
    BillingCards.layer()
  )

  test(
    "has no customers without a payment provider",
    Effect.gen(function* () {
      const admin = yield* Admin.client()
      const { id } = yield* admin.accounts.create({ ...nothing, payload: { name: "Ada" } })
      const none = yield* Effect.flip(admin.accounts.setCard({ params: { id }, payload: { customer: "cus_1" } }))
      assert.deepStrictEqual(none._tag === "NotFound" && none.kind, "service")
    })
  )

  it.live.skipIf(kind.skipped)("is one API in several processes: what one changes, others show", () =>
    Effect.gen(function* () {
      const database = yield* kind.fresh
      const layer = Admin.service(database.layer)
      const client = Effect.map(Layer.build(Layer.fresh(layer)), (context) =>
        Effect.provideContext(Admin.client(), context)
      ).pipe(Effect.flatten)
      const [one, two] = [yield* client, yield* client]
      const request = { headers: { "idempotency-key": "k" }, payload: { name: "shared" } }
      const results = yield* Effect.all(
        [one, two].map((admin) => Effect.result(admin.projects.create(request))),
        {
          concurrency: "unbounded"
        }
      )
      assert.lengthOf(results.filter(Result.isSuccess), 1)
      const [project] = (yield* one.projects.list({ query: {} })).projects
      yield* two.projects.update({ params: project!, payload: { suspended: true } })
      assert.isTrue((yield* one.projects.get({ params: project! })).suspended)
      const { entries } = yield* one.service.audit({ query: {} })
      assert.deepStrictEqual(
        entries.map(({ action }) => action),
        ["project.update", "project.suspend", "project.create", "key.issue", "account.create"]
      )
    }).pipe(Effect.scoped)
  )
})

/** The endpoints that change something: all except GET. */
const changing: Array<string> = []
HttpApi.reflect(AdminApi.Api, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint, group }) => {
    const id = `${group.identifier}.${endpoint.identifier}`
    // Calls to a chain are not recorded: they change nothing, and there are many.
    if (endpoint.method !== "GET" && id !== "networks.call") changing.push(id)
  }
})

describe("the audit log", () => {
  it.live("has an entry for every id that is made, and for every request that changes something", () =>
    Effect.gen(function* () {
      const admin = yield* Admin.client()
      const server = yield* AdminServer.AdminServer
      yield* server.attach({ reload: Effect.succeed({ changed: [], restart: [] }), collect: Effect.succeed(0) })
      const seen = new Set<string>()
      let last = 0
      /** Runs a request, and compares the new entries of the audit log with the expected ones, oldest first. */
      const logged = Effect.fnUntraced(function* <A, E>(
        id: string,
        request: Effect.Effect<A, E>,
        expected: (answer: A) => ReadonlyArray<readonly [action: string, target: string]>
      ) {
        const answer = yield* request
        const { entries } = yield* admin.service.audit({ query: {} })
        const added = entries.filter((entry) => entry.id > last).toReversed()
        last = entries[0]?.id ?? last
        assert.deepStrictEqual(
          added.map(({ action, target }) => [action, target]),
          expected(answer).map((entry) => [...entry]),
          id
        )
        seen.add(id)
        return answer
      })
      const account = yield* logged(
        "accounts.create",
        admin.accounts.create({ ...nothing, payload: { name: "a" } }),
        ({ id }) => [["account.create", id]]
      )
      const params = { id: account.id }
      yield* logged("accounts.update", admin.accounts.update({ params, payload: { name: "b" } }), () => [
        ["account.update", account.id]
      ])
      yield* logged("accounts.setCard", admin.accounts.setCard({ params, payload: { card: true } }), () => [
        ["account.card", account.id]
      ])
      const own = { name: "p", account: account.id }
      const made = yield* logged("projects.create", admin.projects.create({ ...nothing, payload: own }), (answer) => [
        ["key.issue", answer.key.id],
        ["project.create", answer.project.id]
      ])
      const other = yield* logged(
        "projects.create",
        admin.projects.create({ ...nothing, payload: { name: "q" } }),
        ({ key, project }) => [
          ["account.create", project.account],
          ["key.issue", key.id],
          ["project.create", project.id]
        ]
      )
      const project = { params: { id: made.project.id } }
      yield* logged("projects.update", admin.projects.update({ ...project, payload: { suspended: true } }), () => [
        ["project.suspend", made.project.id],
        ["project.update", made.project.id]
      ])
      const issued = yield* logged(
        "keys.issue",
        admin.keys.issue({ ...nothing, ...project, payload: {} }),
        ({ key }) => [["key.issue", key.id]]
      )
      const keys = { kid: "1", kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }
      yield* logged("tokens.set", admin.tokens.set({ ...project, payload: { keys } }), () => [
        ["project.tokens", made.project.id]
      ])
      yield* logged("tokens.remove", admin.tokens.remove(project), () => [["project.tokens.remove", made.project.id]])
      // This service has no alerts.
      const thresholds = { percentOfDay: [75], creditsOfDay: [] }
      yield* logged("alerts.set", Effect.flip(admin.alerts.set({ ...project, payload: thresholds })), () => [])
      yield* logged("alerts.remove", Effect.flip(admin.alerts.remove(project)), () => [])
      // This service has no webhooks either.
      const hook = { name: "hook", url: "https://hooks.example/" }
      const held = { params: { id: "hook" } }
      yield* logged("webhooks.create", Effect.flip(admin.webhooks.create({ payload: hook })), () => [])
      yield* logged("webhooks.attempt", Effect.flip(admin.webhooks.attempt({ ...held, payload: {} })), () => [])
      yield* logged("webhooks.remove", Effect.flip(admin.webhooks.remove(held)), () => [])
      const ownKey = { params: { id: issued.key.id } }
      yield* logged("keys.update", admin.keys.update({ ...ownKey, payload: { label: "x" } }), () => [
        ["key.update", issued.key.id]
      ])
      yield* logged("keys.rotate", admin.keys.rotate({ params: { id: issued.key.id }, payload: {} }), ({ key }) => [
        ["key.issue", key.id],
        ["key.rotate", issued.key.id]
      ])
      yield* logged("keys.revoke", admin.keys.revoke({ params: { id: made.key.id } }), () => [
        ["key.revoke", made.key.id]
      ])
      yield* logged("projects.remove", admin.projects.remove(project), () => [["project.remove", made.project.id]])
      yield* logged("accounts.remove", admin.accounts.remove({ params }), () => [["account.remove", account.id]])
      yield* logged("service.reload", admin.service.reload(), () => [["service.reload", ""]])
      yield* logged("service.collect", admin.service.collect(), () => [["ipfs.collect", ""]])
      let left = 0
      const orders: Array<string> = []
      const liar = {
        left: (network: string) => (network === "live" ? left : undefined),
        nodeOf: (network: string) => `${network}-1`,
        begin: (_: string, by: string) => {
          orders.push(by)
          left = 59_999.5
        },
        lastsMillis: 60_000
      }
      const lie = (id: string) => admin.networks.lie({ params: { id } })
      yield* logged("networks.lie", Effect.flip(lie("live")), () => [])
      yield* server.attach({ liar })
      yield* logged("networks.lie", Effect.flip(lie("other")), () => [])
      // two orders at once are one: each entry has its lie
      const sql = yield* SqlClient.SqlClient
      const twice = Effect.gen(function* () {
        // the entry waits for the database, so that both orders are under way
        const [isHeld, isFree] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const other = sql.withTransaction(Effect.andThen(Deferred.succeed(isHeld, undefined), Deferred.await(isFree)))
        yield* Effect.forkChild(other)
        yield* Deferred.await(isHeld)
        const both = Effect.all([lie("live"), lie("live")], { concurrency: "unbounded" })
        const fiber = yield* Effect.forkChild(both, { startImmediately: true })
        yield* Effect.sleep("300 millis")
        yield* Deferred.succeed(isFree, undefined)
        return yield* Fiber.join(fiber)
      })
      const begun = yield* logged("networks.lie", twice, () => [["network.lie", "live-1 of live for 60 s"]])
      assert.deepStrictEqual(begun, [{ leftMillis: 60_000 }, { leftMillis: 60_000 }])
      const [entry] = (yield* admin.service.audit({ query: {} })).entries
      assert.deepStrictEqual([entry?.by, entry?.from, entry?.before], ["ops", "127.0.0.1", null])
      assert.deepStrictEqual(entry?.after, { network: "live", node: "live-1", seconds: 60 })
      // a second order while the node lies changes nothing, and has no entry
      yield* logged("networks.lie", lie("live"), () => [])
      assert.deepStrictEqual(orders, ["ops"])
      yield* logged("session.create", admin.session.create(), () => [["session.create", ""]])
      const { sessions } = yield* admin.operators.sessions()
      const session = { params: { id: sessions[0]!.id } }
      yield* logged("operators.end", admin.operators.end(session), () => [["session.end", session.params.id]])
      const { token } = yield* logged(
        "operators.create",
        admin.operators.create({ payload: { label: "new", role: "support" } }),
        (made) => [["token.create", made.token.id ?? ""]]
      )
      const id = token.id ?? ""
      yield* logged("operators.revoke", admin.operators.revoke({ params: { id } }), () => [["token.revoke", id]])
      // Refused requests have no entry, and neither do reads, because they change nothing.
      yield* logged("session.remove", Effect.flip(admin.session.remove()), () => [])
      yield* logged("projects.get", admin.projects.get({ params: { id: other.project.id } }), () => [])
      yield* logged("accounts.remove", Effect.flip(admin.accounts.remove({ params })), () => [])
      assert.deepStrictEqual(
        changing.filter((id) => !seen.has(id)),
        []
      )
    }).pipe(Effect.provide(Admin.service(Sqlite.layer({ file: ":memory:" }))), Effect.scoped)
  )
})

describe("the service's own part of the admin API", () => {
  const memory = Databases.kinds[0]!
  const test = (name: string, body: Effect.Effect<void, unknown, Admin.Services>) =>
    it.live(name, () =>
      Effect.flatMap(memory.fresh, ({ layer }) => Effect.provide(body, Admin.service(layer))).pipe(Effect.scoped)
    )

  test(
    "says how limits and metering are, and of networks what the gateway says",
    Effect.gen(function* () {
      const admin = yield* Admin.client()
      const accounts = { store: "up" } as const
      const limiter = { store: "untried", whenDown: "closed" } as const
      const metering = { store: "up", waiting: 0, rows: 0 } as const
      const before = yield* admin.service.status()
      const absent = { unauthorized: null, cache: null }
      assert.deepStrictEqual(before, { at: before.at, networks: [], accounts, limiter, metering, ...absent })
      const server = yield* AdminServer.AdminServer
      const gateway = yield* Gateway.Gateway
      yield* server.attach({ status: gateway.status })
      const live = { name: "live", chainId: 31_337, upstream: "untried", upstreams: [] } as const
      const unknown = { hosts: [], checked: false, head: null, anchor: null, nodes: [] }
      const { at, ...status } = yield* admin.service.status()
      assert.deepStrictEqual(status, { networks: [{ ...live, ...unknown }], accounts, limiter, metering, ...absent })
      assert.isBelow(Math.abs(at - Date.now()), 60_000)
      const own = { name: "own", state: "down", behind: undefined } as const
      const provider = { name: "provider", state: "up", behind: 3 } as const
      const networks = [{ ...live, chainId: "SN_MAIN", upstream: "up", upstreams: [own, provider] }] as const
      yield* server.attach({
        status: Effect.succeed({ networks, limiter, metering, accounts })
      })
      assert.deepStrictEqual((yield* admin.service.status()).networks, [
        { ...networks[0], ...unknown, upstreams: [{ ...own, behind: null }, provider] }
      ])
    })
  )

  test(
    "has the configuration read again, and says what is wrong with it",
    Effect.gen(function* () {
      const admin = yield* Admin.client()
      const server = yield* AdminServer.AdminServer
      const none = yield* Effect.flip(admin.service.reload())
      assert.deepStrictEqual(none._tag === "NotFound" && none.kind, "service")
      yield* server.attach({ reload: Effect.succeed({ changed: ["costs"], restart: ["server.port"] }) })
      assert.deepStrictEqual(yield* admin.service.reload(), { changed: ["costs"], restart: ["server.port"] })
      const mistake = new SettingError.SettingError({ setting: "networks[0].name", problem: "is missing" })
      yield* server.attach({ reload: Effect.fail(mistake) })
      const wrong = yield* Effect.flip(admin.service.reload())
      assert.deepStrictEqual(wrong._tag === "Conflict" && [wrong.reason, wrong.id, wrong.message], [
        "Misconfigured",
        "networks[0].name",
        "networks[0].name: is missing"
      ])
      const { entries } = yield* admin.service.audit({ query: {} })
      assert.deepStrictEqual(
        entries.map(({ action }) => action),
        ["service.reload", "service.reload"]
      )
    })
  )

  test(
    "collects garbage once at a time, and says how it ended",
    Effect.gen(function* () {
      const admin = yield* Admin.client()
      const server = yield* AdminServer.AdminServer
      assert.strictEqual((yield* Effect.flip(admin.service.collect()))._tag, "NotFound")
      assert.strictEqual((yield* Effect.flip(admin.service.collection()))._tag, "NotFound")
      const done = yield* Deferred.make<number>()
      let begun = 0
      yield* server.attach({
        collect: Effect.andThen(
          Effect.sync(() => begun++),
          Deferred.await(done)
        )
      })
      assert.deepStrictEqual(yield* admin.service.collection(), { running: false, last: null })
      for (let i = 0; i < 3; i++) assert.deepStrictEqual(yield* admin.service.collect(), { running: true, last: null })
      assert.strictEqual(begun, 1)
      yield* Deferred.succeed(done, 12)
      const ended = yield* admin.service.collection()
      assert.deepStrictEqual([ended.running, ended.last?.removed], [false, 12])
      yield* server.attach({ collect: Effect.fail("broken") })
      yield* admin.service.collect()
      assert.deepStrictEqual((yield* admin.service.collection()).last?.removed, null)
    })
  )

  it.effect("is not made with tokens or origins that make no sense", () =>
    Effect.gen(function* () {
      const [one] = Admin.tokens
      for (const [options, setting] of [
        [{ tokens: [] }, "tokens"],
        [{ tokens: [one!, one!] }, "tokens"],
        [{ tokens: [{ label: "x", digest: Admin.TOKEN.slice(1) }] }, "tokens[0].digest"],
        [{ allowedOrigins: ["https://console.example/"] }, "allowedOrigins[0]"],
        [{ allowedOrigins: ["https://console.example", "*"] }, "allowedOrigins[1]"]
      ] as const) {
        const { layer } = yield* memory.fresh
        const error = yield* Effect.flip(Layer.build(Admin.service(layer, options)))
        assert.strictEqual(error._tag === "SettingError" && error.setting, setting)
      }
    }).pipe(Effect.scoped)
  )

  it.live("logs each change with its author, and no secret or body", () =>
    Effect.gen(function* () {
      const { layer } = yield* memory.fresh
      const lines: Array<string> = []
      const logger = Logger.map(Logger.formatJson, (line) => void lines.push(line))
      const secrets = yield* Effect.gen(function* () {
        const admin = yield* Admin.client()
        const made = yield* admin.projects.create({ ...nothing, payload: { name: "a name to be kept" } })
        yield* Effect.flip(admin.projects.get({ params: { id: "nobody" } }))
        yield* Effect.flip(Effect.flatMap(Admin.client("ab".repeat(32)), (wrong) => wrong.service.status()))
        return [made.apiKey, made.apiKeySecret].map(Redacted.value)
      }).pipe(Effect.provide(Admin.service(layer, {}, [logger])))
      const text = lines.join("\n")
      assert.include(text, `"by":"ops"`)
      assert.include(text, `"action":"project.create"`)
      assert.include(text, "wrong admin token")
      for (const hidden of [...secrets, Admin.TOKEN, "ab".repeat(32), "a name to be kept"]) {
        assert.notInclude(text, hidden)
      }
    }).pipe(Effect.scoped)
  )
})
