/** The other call methods on our engine, against anvil. `pnpm lab calls --methods --geth <path>` also asks geth. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { numberToHex, pad } from "viem"

import { subjects } from "../src/callWorld.ts"
import * as Run from "../src/differentialRun.ts"
import { drawMany } from "../src/draw/randomCalls.ts"
import { ourChoices } from "../src/engineContender.ts"
import * as Nodes from "../src/oracleNodes.ts"
import * as OtherMethods from "../src/otherMethods.ts"
import { one } from "../src/rpc.ts"

describe("overrides, authorizations, estimates and access lists", () => {
  it("are on our engine what anvil does, and a changed world is noticed by each", () =>
    Effect.gen(function* () {
      const node = yield* Nodes.anvil()
      const calls = drawMany(17, 120, Run.placeOf(node))
      const compare = (name: keyof typeof OtherMethods.comparisons) =>
        Effect.promise(() => OtherMethods.run(OtherMethods.comparisons[name], node, ourChoices, 17, calls))
      const names = Object.keys(OtherMethods.comparisons) as ReadonlyArray<keyof typeof OtherMethods.comparisons>
      for (const name of names) {
        const { declined, differences, equal } = yield* compare(name)
        assert.deepStrictEqual(differences, [], name)
        assert.isAbove(equal, 100, name)
        assert.isBelow(declined, 5, name)
      }
      // anvil writes behind the block's back: its answers change, and what it proves does not
      for (let slot = 0n; slot < 5n; slot++) {
        const word = (value: bigint) => pad(numberToHex(value), { size: 32 })
        yield* Effect.promise(() => one(node.send, "anvil_setStorageAt", subjects.Slots, word(slot), word(0n)))
      }
      yield* Effect.promise(() => one(node.send, "anvil_setBalance", subjects.Surroundings, "0x1"))
      for (const name of ["overriddenCall", "accessList"] as const) {
        const changed = yield* Effect.exit(compare(name))
        assert.isTrue(changed._tag === "Failure" || changed.value.differences.length > 0, name)
      }
    }).pipe(Effect.scoped, Effect.runPromise))
})
