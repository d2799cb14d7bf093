/** The largest packets that a service takes, eight at the same time. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"

import * as Metered from "../support/metered.ts"
import { ADDRESS } from "../support/methods.ts"
import * as Service from "../support/service.ts"

const storageAt = (id: unknown) => Service.call("eth_getStorageAt", [ADDRESS, "0x00", "latest"], id)

it.live(
  "a service takes the largest packets that are allowed: a batch of 1000, a body of five megabytes, and eight at once",
  () =>
    Effect.gen(function* () {
      const service = yield* Metered.start()
      const small = `[${Array.from({ length: 1000 }, (_, id) => storageAt(id)).join(",")}]`
      const large = Service.call("eth_call", [{ to: ADDRESS, data: `0x${"ab".repeat(2_600_000)}` }])
      const bodies = Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? small : large))
      const answers = yield* Effect.all(
        bodies.map((body) => Service.ask(service, { body })),
        { concurrency: 8 }
      )
      for (const [at, { body, status }] of answers.entries()) {
        assert.strictEqual(status, 200)
        const answer = JSON.parse(body)
        if (at % 2 === 0) {
          assert.deepStrictEqual(
            answer.map(({ id, result }: { readonly id: number; readonly result: string }) => [id, result]),
            Array.from({ length: 1000 }, (_, id) => [id, "eth_getStorageAt"])
          )
        } else assert.strictEqual(answer.result, "eth_call")
      }
    }).pipe(Effect.scoped)
)
