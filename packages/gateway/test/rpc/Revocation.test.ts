/** Tests that the WebSockets of callers that are no longer admitted close within a second, even if they are idle. */
import { assert, describe, it } from "@effect/vitest"
import { Accounts, Allowlist, StateError } from "@plumbline/gateway"
import { Context, Duration, Effect, Exit, Layer } from "effect"
import { TestClock } from "effect/testing"

import * as State from "../support/accounts.ts"
import * as Metered from "../support/metered.ts"
import * as Service from "../support/service.ts"

const call = Service.call("eth_chainId")

/** A change by an owner, and the close frame that the socket then gets. */
const changes: Readonly<
  Record<string, readonly [reason: string, (service: Metered.Metered) => Effect.Effect<unknown, unknown>]>
> = {
  "its key is revoked": ["invalid project id", ({ accounts, holder }) => accounts.revokeKey(holder.key.id)],
  "its key is rotated without overlap": [
    "invalid project id",
    ({ accounts, holder }) => accounts.rotateKey(holder.key.id, { overlap: 0 })
  ],
  "its key's overlap ends": [
    "invalid project id",
    ({ accounts, holder }) => accounts.rotateKey(holder.key.id, { overlap: "500 millis" })
  ],
  "its key expires, so that its overlap ends": [
    "invalid project id",
    ({ accounts, holder }) => accounts.updateKey(holder.key.id, { expiresAt: 500 })
  ],
  "its project is suspended": [
    "project is suspended",
    ({ accounts, holder }) => accounts.updateProject(holder.project.id, { suspended: true })
  ],
  "its project asks for the secret": [
    "invalid project id or project secret",
    ({ accounts, holder }) => accounts.updateProject(holder.project.id, { secretRequired: true })
  ],
  "its project is removed": ["invalid project id", ({ accounts, holder }) => accounts.removeProject(holder.project.id)],
  ...Object.fromEntries(
    (["networks", "origins", "userAgents"] as const).map((kind) => [
      `it is not in the list of ${kind} any more`,
      [
        "rejected due to project ID settings",
        ({ accounts, holder }: Metered.Metered) => {
          const allowlist = { ...Allowlist.none, [kind]: ["other.example"] }
          return accounts.updateProject(holder.project.id, { allowlist })
        }
      ] as const
    ])
  )
}

describe("a WebSocket is closed with 1008 when", () => {
  for (const [name, [reason, change]] of Object.entries(changes)) {
    it.effect(`${name}: an idle one within a second, and one that asks at once`, () =>
      Effect.gen(function* () {
        const service = yield* Metered.start()
        const headers = { origin: "https://app.example", "user-agent": "Wallet/1" }
        const idle = yield* Service.connected(service, { headers })
        const busy = yield* Service.connected(service, { headers })
        const other = yield* Service.connected(service, { headers })
        busy.socket.send(call)
        assert.include(yield* Effect.promise(() => busy.next()), '"result"')
        yield* change(service)
        // The clock does not advance, so only the call can cause the close.
        const ends = name.includes("overlap ends")
        if (!ends) {
          busy.socket.send(call)
          assert.deepStrictEqual(yield* Effect.promise(() => busy.closed), { code: 1008, reason })
          // The service remembers the holder that it looked up for this call, and uses it for the next call too.
          other.socket.send(call)
          assert.deepStrictEqual(yield* Effect.promise(() => other.closed), { code: 1008, reason })
        }
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* Effect.promise(() => idle.closed), { code: 1008, reason })
        if (ends) assert.deepStrictEqual(yield* Effect.promise(() => busy.closed), { code: 1008, reason })
        assert.strictEqual(service.node.asked.length, 1)
      }).pipe(Effect.scoped)
    )
  }

  it.live("a call of it is under way: it is recorded as one whose caller has left", () =>
    Effect.gen(function* () {
      const service = yield* Metered.start({ node: () => () => undefined })
      const client = yield* Service.connected(service)
      client.socket.send(call)
      yield* Effect.promise(() => service.node.wasAsked(1))
      yield* service.accounts.revokeKey(service.holder.key.id)
      assert.strictEqual((yield* Effect.promise(() => client.closed)).code, 1008)
      yield* Effect.promise(() => service.node.abandoned(1))
      const rows = yield* Effect.repeat(service.rows, { until: (found) => found.length > 0 })
      assert.deepStrictEqual(Metered.summary(rows), ["eth_chainId 499 1 5"])
    }).pipe(Effect.scoped)
  )
})

describe("a WebSocket stays open when", () => {
  it.live("limits of its project change, which hold from the next call on", () =>
    Effect.gen(function* () {
      const service = yield* Metered.start()
      const client = yield* Service.connected(service)
      client.socket.send(call)
      assert.include(yield* Effect.promise(() => client.next()), '"result"')
      yield* service.accounts.updateProject(service.holder.project.id, { limits: { creditsPerDay: 0 } })
      client.socket.send(call)
      assert.include(yield* Effect.promise(() => client.next()), "-32005")
      yield* service.accounts.updateProject(service.holder.project.id, { limits: {} })
      client.socket.send(call)
      assert.include(yield* Effect.promise(() => client.next()), '"result"')
    }).pipe(Effect.scoped)
  )

  it.live("a list of methods changes, which holds from the next call on", () =>
    Effect.gen(function* () {
      const service = yield* Metered.start()
      const client = yield* Service.connected(service)
      const allowlist = { ...Allowlist.none, methods: ["eth_call"] }
      yield* service.accounts.updateProject(service.holder.project.id, { allowlist })
      client.socket.send(call)
      assert.include(yield* Effect.promise(() => client.next()), "rejected due to project ID settings")
    }).pipe(Effect.scoped)
  )

  const failures = {
    "cannot be asked": Exit.fail(new StateError.StateError({ problem: "Unavailable", detail: "no connection" })),
    dies: Exit.die(new Error("a mistake"))
  }
  it.live.each(Object.entries(failures))("the store %s: its calls are refused until it can be asked", ([, failure]) =>
    Effect.gen(function* () {
      let down = false
      const found: Array<unknown> = []
      const asked = { count: 0 }
      const memory = yield* Layer.build(State.layer(Service.projects))
      const accounts = Context.get(memory, Accounts.Accounts)
      const state = Layer.merge(
        Layer.succeedContext(memory),
        Layer.succeed(Accounts.Accounts, {
          ...accounts,
          lookup: (key) => (down ? (asked.count++, failure) : accounts.lookup(key))
        })
      )
      const upstream = { call: () => Effect.succeed(new TextEncoder().encode(String(found.push(1)))) }
      const service = yield* Service.start(upstream, {}, state)
      const client = yield* Service.connected(service)
      down = true
      client.socket.send(`[${call}]`)
      assert.strictEqual(
        yield* Effect.promise(() => client.next()),
        '[{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"service unavailable"}}]'
      )
      // The socket was also checked while it was idle.
      yield* Effect.repeat(Effect.sleep(Duration.millis(20)), { until: () => asked.count >= 3 })
      assert.strictEqual(client.socket.readyState, client.socket.OPEN)
      assert.deepStrictEqual(found, [])
      down = false
      client.socket.send(call)
      assert.include(yield* Effect.promise(() => client.next()), '"result":1')
    }).pipe(Effect.scoped)
  )
})
