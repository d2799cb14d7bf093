/** Limits on wrong tokens per address, and requests that reach the endpoints without the check of the token. */
import { assert, describe, it } from "@effect/vitest"
import {
  AccessPolicy,
  Accounts,
  Limiter,
  LimiterStore,
  Metering,
  MeteringStore,
  Sqlite,
  UsageFigures
} from "@plumbline/gateway"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

import type { AdminIdentity } from "../../src/api/adminIdentity.ts"
import * as AdminRole from "../../src/api/AdminRole.ts"
import { AdminTokenCheck, MAX_TRIES } from "../../src/api/adminTokenCheck.ts"
import * as AdminApp from "../../src/api/app.ts"
import * as AdminAuditedChanges from "../../src/api/auditedChanges.ts"
import * as OperatorTokens from "../../src/api/operatorTokens.ts"
import * as Admin from "../support/admin.ts"

const right = `Bearer ${Admin.TOKEN}`
const wrong = `Bearer ${"ab".repeat(32)}`

describe("admin tokens", () => {
  it.effect("are told apart by their labels", () =>
    Effect.sync(() => {
      const tokens = new AdminTokenCheck(Admin.tokens)
      assert.deepStrictEqual(tokens.check(right, "192.0.2.1", 0), { _tag: "Accepted", label: "ops" })
      const other = `Bearer ${Admin.OTHER_TOKEN}`
      assert.deepStrictEqual(tokens.check(other, "192.0.2.1", 0), { _tag: "Accepted", label: "billing" })
    })
  )

  it.effect(
    "are limited for an address, or a network of IPv6, if they are wrong, and always pass if they are right",
    () =>
      Effect.sync(() => {
        const tokens = new AdminTokenCheck(Admin.tokens)
        for (const [address, alike, apart] of [
          ["192.0.2.1", "::ffff:192.0.2.1", "192.0.2.2"],
          ["2001:db8::1", "2001:db8:0:0:ffff::1", "2001:db8:0:1::1"]
        ] as const) {
          for (let i = 0; i < MAX_TRIES; i++) {
            assert.strictEqual(tokens.check(undefined, address, i)._tag, "Missing")
            assert.strictEqual(tokens.check(wrong, address, 1000 + i)._tag, "Wrong")
          }
          assert.deepStrictEqual(tokens.check(wrong, alike, 1000), { _tag: "TooMany", retryAfter: 60 })
          assert.deepStrictEqual(tokens.check(wrong, address, 60_999), { _tag: "TooMany", retryAfter: 1 })
          assert.strictEqual(tokens.check(undefined, address, 60_999)._tag, "Missing")
          for (const from of [address, alike, apart])
            assert.strictEqual(tokens.check(right, from, 1000)._tag, "Accepted")
          // a correct token in other letters is another token
          assert.strictEqual(tokens.check(right.toUpperCase(), apart, 1000)._tag, "Wrong")
          assert.strictEqual(tokens.check(wrong, address, 61_000)._tag, "Wrong")
        }
      })
  )

  it.effect("cost no more memory than ten thousand addresses", () =>
    Effect.sync(() => {
      const tokens = new AdminTokenCheck(Admin.tokens)
      const address = (i: number) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`
      const exhaust = (i: number) => {
        for (let tries = 0; tries < MAX_TRIES; tries++) tokens.check(wrong, address(i), 0)
      }
      exhaust(0)
      assert.strictEqual(tokens.check(wrong, address(0), 0)._tag, "TooMany")
      for (let i = 1; i < 10_000; i++) tokens.check(wrong, address(i), 0)
      assert.strictEqual(tokens.check(wrong, address(0), 0)._tag, "TooMany")
      // With one more address, the first address is dropped.
      exhaust(10_000)
      assert.strictEqual(tokens.check(wrong, address(10_000), 0)._tag, "TooMany")
      assert.strictEqual(tokens.check(wrong, address(0), 0)._tag, "Wrong")
    })
  )
})

describe("the endpoints", () => {
  const services = Layer.mergeAll(
    Accounts.layer(),
    Layer.merge(Metering.layer(), UsageFigures.layer()).pipe(Layer.provide(MeteringStore.layer())),
    Limiter.layer().pipe(Layer.provide(LimiterStore.layerMemory()))
  ).pipe(Layer.provideMerge(Sqlite.layer({ file: ":memory:" })))

  it.live("refuse a request of which nobody knows who it comes from", () =>
    Effect.gen(function* () {
      const app = yield* AdminApp.make({
        accounts: yield* Accounts.Accounts,
        cards: undefined,
        changes: AdminAuditedChanges.make(yield* SqlClient.SqlClient),
        figures: yield* UsageFigures.UsageFigures,
        limiter: yield* Limiter.Limiter,
        metering: yield* Metering.Metering,
        operations: () => ({}),
        scope: yield* Effect.scope,
        lifetime: 60_000,
        sql: yield* SqlClient.SqlClient,
        policy: AccessPolicy.card(),
        lies: { write: Effect.void, list: Effect.succeed([]) },
        tokens: yield* OperatorTokens.make(yield* SqlClient.SqlClient, []),
        sessions: {
          begin: () => Effect.never,
          find: () => Effect.undefined,
          end: () => Effect.void,
          endById: () => Effect.void,
          list: Effect.succeed([])
        }
      })
      const operator = { _tag: "Operator", label: "ops", credential: "", session: undefined } as const
      const status = (caller: AdminIdentity | undefined) =>
        Effect.map(
          // The app is called directly, as a mount without a check of the token would call it.
          app(new Request("http://here/admin/v1/accounts"), caller as AdminIdentity, "127.0.0.1"),
          (answer) => answer.status
        )
      const statuses = [
        yield* status({ ...operator, grants: [AdminRole.owner] }),
        yield* status({ ...operator, grants: [] }),
        yield* status(undefined)
      ]
      assert.deepStrictEqual(statuses, [200, 403, 401])
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})
