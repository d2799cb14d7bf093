import * as path from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import * as Contract from "./support/contract.ts"
import * as Conversation from "./support/conversation.ts"

const server = Contract.makeServer({ limits: { maxBatch: 6, maxDepth: 16 } })

for (const { name, exchanges } of Conversation.readAll(path.join(import.meta.dirname, "conversations"))) {
  describe(`${name}.io`, () => {
    for (const { line, request, answer } of exchanges) {
      it.effect(`${line}: ${request.slice(0, 60)}`, () =>
        Effect.gen(function* () {
          const fromText = yield* server.handle(request)
          assert.strictEqual(fromText && new TextDecoder().decode(fromText), answer)
          const fromBytes = yield* server.handle(new TextEncoder().encode(request))
          assert.deepStrictEqual(fromBytes, fromText)
        })
      )
    }
  })
}
