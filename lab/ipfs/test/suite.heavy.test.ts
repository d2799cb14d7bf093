/**
 * Tests everything that the service supports, with unchanged clients of other projects. All clients use one service at
 * the same time.
 */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"

import * as Service from "../src/gatewayService.ts"
import * as Check from "../src/suite/check.ts"
import { checks } from "../src/suite/index.ts"
import { clients } from "../src/suite/npmClients.ts"

class Running extends Context.Service<Running, Check.Target>()("lab/ipfs/Running") {}

const running = Layer.effect(Running, Service.start)

layer(running, { excludeTestServices: true })((it) => {
  for (const client of clients) {
    describe(`${client.name} ${client.version}`, () => {
      for (const check of checks) {
        if (!Check.isFor(check, client, "plumbline")) continue
        it.effect(check.name, () =>
          Effect.gen(function* () {
            const target = yield* Running
            const { expected, seen } = yield* Effect.promise(() => Check.look(check, client, target))
            assert.deepStrictEqual(seen, expected)
          })
        )
      }
    })
  }
})
