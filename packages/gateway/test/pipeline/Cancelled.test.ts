/** Calls that the service cancels itself while their packet goes on: because its nodes or its cache have ended. */
import { assert, describe, it } from "@effect/vitest"
import { Accounts, Limiter, Metering, type Upstream, type Usage, VerifiedCache } from "@plumbline/gateway"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Logger, Scope } from "effect"

import * as State from "../support/accounts.ts"
import * as Service from "../support/service.ts"

const error = '"error":{"code":-32002,"message":"service unavailable"}'
const unavailable = (id: number) => `{"jsonrpc":"2.0","id":${id},${error}}`

const body = Service.call("eth_chainId")

/** Starts a service over an upstream. Its log and its recorded usage can be read. */
const started = Effect.fnUntraced(function* (upstream: Upstream.Upstream) {
  const recorded: Array<Usage.Usage> = []
  const lines: Array<string> = []
  const memory = yield* Layer.build(State.layer([{ id: "p1", key: Service.KEY, secret: Service.SECRET, card: true }]))
  const state = Layer.mergeAll(
    Layer.succeed(Accounts.Accounts, Context.get(memory, Accounts.Accounts)),
    Layer.succeed(Limiter.Limiter, Context.get(memory, Limiter.Limiter)),
    Layer.succeed(Metering.Metering, {
      ...Context.get(memory, Metering.Metering),
      plain: undefined,
      recordAll: (usages) => Effect.sync(() => void recorded.push(...usages))
    })
  )
  const logger = Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))
  const service = yield* Service.start(upstream, {}, state, [logger])
  return {
    ...service,
    lines,
    rows: () => recorded.map(({ credits, method, status }) => `${method} ${status} ${credits}`)
  }
})

describe("a call that the service cancels", () => {
  const upstreams: ReadonlyArray<readonly [name: string, call: Upstream.Upstream["call"]]> = [
    ["at once", () => Exit.interrupt(1)],
    ["later", () => Effect.andThen(Effect.yieldNow, Effect.interrupt)]
  ]

  it.live.each(upstreams)("%s is 503 and free, alone and in a batch, and is no defect", ([, call]) =>
    Effect.gen(function* () {
      const service = yield* started({ call })
      const alone = yield* Service.ask(service, { body })
      assert.deepStrictEqual([alone.status, alone.body], [503, unavailable(1)])
      assert.deepStrictEqual(service.rows(), ["eth_chainId 503 0"])
      const batch = yield* Service.ask(service, { body: `[${body},${Service.call("eth_chainId", [], 2)}]` })
      assert.deepStrictEqual([batch.status, batch.body], [200, `[${unavailable(1)},${unavailable(2)}]`])
      assert.deepStrictEqual(
        service.rows().filter((row) => row.startsWith("eth_chainId")),
        ["eth_chainId 503 0", "eth_chainId 503 0", "eth_chainId 503 0"]
      )
      assert.deepStrictEqual(
        service.lines.filter((line) => line.includes("died")),
        []
      )
    }).pipe(Effect.scoped)
  )

  it.live("because the cache ends before the service is 503", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const scope = yield* Scope.make()
      const cache = yield* Scope.provide(VerifiedCache.make(), scope)
      const node = { call: () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never) }
      const service = yield* started(cache.around(node, { id: "live", isFinal: () => true }))
      const block = Service.call("eth_getBlockByHash", [`0x${"ab".repeat(32)}`, false])
      const asking = yield* Effect.forkChild(Service.ask(service, { body: block }))
      yield* Deferred.await(asked)
      yield* Scope.close(scope, Exit.void)
      const said = yield* Fiber.join(asking)
      assert.deepStrictEqual([said.status, said.body], [503, unavailable(1)])
    }).pipe(Effect.scoped)
  )
})
