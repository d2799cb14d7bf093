import { assert } from "@effect/vitest"

import * as Ask from "../../src/ask.ts"
import { section } from "../support/section.ts"

section("Events", {
  "Events, subscriptions and webhooks: not shown.": async (target) => {
    // Over HTTP, the service cannot send events.
    const { error } = await Ask.answer(target, "live", "eth_subscribe", ["newHeads"])
    assert.strictEqual(error.code, -32_601)
  }
})
