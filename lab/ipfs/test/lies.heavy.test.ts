/** Runs every lie against our clients. A verifying client must accept no lie, and every refusal must have a type. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import * as Ours from "../src/lies/clients/ourIpfsClients.ts"
import type { Lie } from "../src/lies/lie.ts"
import * as Case from "../src/lies/lieCase.ts"
import { families } from "../src/lies/lies/index.ts"

/** Returns the outcomes that a lie may have with a verifying client. */
const allowed = (lie: Lie): ReadonlyArray<Case.Outcome> => {
  if (lie.honest === true) return ["right"]
  return lie.unprovable === undefined ? ["right", "refused"] : ["right", "refused", "false answer", "no end"]
}

for (const { lies, name } of families) {
  describe(`${name}:`, () => {
    for (const lie of lies) {
      it.live(lie.name, () =>
        Effect.promise(async () => {
          const [verified, overFetch, plain] = await Promise.all(
            [Ours.verified, Ours.verifiedOverFetch, Ours.plain].map((client) => Case.run(lie, client))
          )
          for (const { kind, outcome, printed } of [verified!, overFetch!]) {
            assert.include(allowed(lie), outcome, `${kind} ${printed}`)
          }
          if (lie.honest === true) assert.strictEqual(plain!.outcome, "right")
          assert.notStrictEqual(plain!.outcome, "untyped error")
          if (lie.says !== undefined) assert.strictEqual(plain!.kind, lie.says)
        })
      )
    }
  })
}
