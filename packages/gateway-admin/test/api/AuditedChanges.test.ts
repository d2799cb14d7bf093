/** Tests the admin API's answers about changes that a page waits for, and about the lies of nodes. */
import { assert, describe, it } from "@effect/vitest"
import { Gateway } from "@plumbline/gateway"
import { AdminServer } from "@plumbline/gateway-admin"
import * as Databases from "@plumbline/gateway/support/databases"
import { Effect, Fiber, Layer, Redacted } from "effect"

import * as Admin from "../support/admin.ts"

describe.each(Databases.kinds)("over $name", (kind) => {
  const test = (name: string, body: (database: Databases.Database) => Effect.Effect<void, unknown, Admin.Services>) =>
    it.live.skipIf(kind.skipped)(name, () =>
      Effect.flatMap(kind.fresh, (database) => Effect.provide(body(database), Admin.service(database.layer))).pipe(
        Effect.scoped
      )
    )

  test("a page waits for a change, and is told what has changed", () =>
    Effect.gen(function* () {
      const admin = yield* Admin.client()
      const gateway = yield* Gateway.Gateway
      const server = yield* AdminServer.AdminServer
      const first = yield* admin.service.changes({ query: {} })
      assert.deepStrictEqual(first.changed, ["accounts", "audit", "networks", "stores", "lies"])
      const same = yield* admin.service.changes({ query: { since: first.version } })
      assert.deepStrictEqual(same, { version: first.version, changed: [] })
      const waiting = yield* Effect.forkChild(
        admin.service.changes({ query: { since: first.version, waitSeconds: 25 } }),
        { startImmediately: true }
      )
      yield* admin.accounts.create({ headers: {}, payload: { name: "Ada" } })
      const second = yield* Fiber.join(waiting)
      assert.deepStrictEqual(second.changed, ["accounts", "audit"])
      yield* server.attach({ status: gateway.status })
      const third = yield* admin.service.changes({ query: { since: second.version, waitSeconds: 25 } })
      assert.deepStrictEqual(third.changed, ["networks"])
      const none = yield* admin.service.changes({ query: { since: third.version, waitSeconds: 1 } })
      assert.deepStrictEqual(none, { version: third.version, changed: [] })
      // If the version is unknown, all parts count as changed.
      const foreign = yield* admin.service.changes({ query: { since: "x", waitSeconds: 25 } })
      assert.lengthOf(foreign.changed, 5)
    }))

  test("one operator cannot take the places of all that wait", () =>
    Effect.gen(function* () {
      const admin = yield* Admin.client()
      const { url } = yield* Gateway.Gateway
      const made = yield* admin.operators.create({ payload: { label: "other", role: "read-only" } })
      const { version } = yield* admin.service.changes({ query: {} })
      const ask = (token: string) =>
        Effect.promise(async (signal) => {
          const query = `since=${version}&waitSeconds=25`
          const headers = { authorization: `Bearer ${token}` }
          return (await fetch(`${url}/admin/v1/changes?${query}`, { headers, signal })).status
        })
      const greedy = yield* Effect.forEach(Array.from({ length: 40 }), () =>
        Effect.forkChild(ask(Admin.TOKEN), { startImmediately: true })
      )
      const fair = yield* Effect.forkChild(ask(Redacted.value(made.secret)), { startImmediately: true })
      const ended = () => greedy.filter((fiber) => fiber.pollUnsafe() !== undefined).length
      yield* Effect.sleep("50 millis").pipe(
        Effect.repeat({ until: () => ended() >= 34 }),
        Effect.timeoutOrElse({ duration: "15 seconds", orElse: () => Effect.void })
      )
      yield* Effect.sleep("500 millis")
      assert.deepStrictEqual([ended(), fair.pollUnsafe()], [34, undefined])
      yield* Effect.forEach([...greedy, fair], Fiber.interrupt, { concurrency: "unbounded" })
    }))

  test("lies of nodes are kept, of all processes and each once", ({ layer }) =>
    Effect.gen(function* () {
      const admin = yield* Admin.client()
      const server = yield* AdminServer.AdminServer
      const lastAt = Date.UTC(2026, 10, 30, 12)
      const lie = { network: "live", node: "own", method: "eth_getProof", check: "state root", lastAt }
      const counts = Effect.map(admin.service.lies(), ({ lies }) =>
        lies.map(({ check, count, method, network, node }) => [network, node, method, check, Number(count)])
      )
      assert.deepStrictEqual(yield* counts, [])
      let count = 2
      let at = lastAt - 60_000
      let got = "0x2"
      yield* server.attach({ lies: () => [{ ...lie, count, lastAt: at, expected: "0x1", got }] })
      for (let again = 0; again < 3; again++) {
        assert.deepStrictEqual(yield* counts, [["live", "own", "eth_getProof", "state root", 2]])
      }
      at = lastAt
      count = 5
      got = "0x3"
      assert.strictEqual((yield* counts)[0]?.[4], 5)
      // The network was made again after a reload, so its count starts at zero.
      count = 1
      assert.strictEqual((yield* counts)[0]?.[4], 6)
      yield* Effect.gen(function* () {
        const second = yield* Admin.client()
        const before = { ...lie, count: 10, lastAt: lastAt - 1, expected: "0x4", got: "0x5" }
        yield* (yield* AdminServer.AdminServer).attach({ lies: () => [before] })
        yield* second.service.lies()
      }).pipe(Effect.provide(Layer.fresh(Admin.service(Layer.fresh(layer)))))
      assert.strictEqual((yield* counts)[0]?.[4], 16)
      const [row] = (yield* admin.service.lies()).lies
      assert.strictEqual(row!.firstAt, lastAt - 60_000, "the earliest that was written")
      assert.strictEqual(row!.lastAt, lastAt, "the latest of all processes")
      assert.deepStrictEqual([row!.expected, row!.got], ["0x1", "0x3"], "those of the latest lie")
    }))
})
