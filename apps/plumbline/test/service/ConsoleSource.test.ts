import { assert, it } from "@effect/vitest"

import * as ConsoleSource from "../../src/service/ConsoleSource.ts"

it("the trust in a node that lied is the lowest of all its lies, not that of the newest", () => {
  const lie = { node: "n", check: "header hash", count: 1, firstAt: 1 }
  const now = 10_000
  const [liar, ...others] = ConsoleSource.liarsOf(
    [
      { ...lie, method: "eth_getBalance", lastAt: 2000, isLying: true, asideUntil: 20_000 },
      { ...lie, method: "eth_getCode", lastAt: 3000, isLying: false, trustedSince: 4000 }
    ],
    now
  )
  assert.lengthOf(others, 0)
  assert.deepInclude(liar, { method: "eth_getCode", isLying: true, asideUntil: 20_000, trustedSince: null, count: 2 })
})
