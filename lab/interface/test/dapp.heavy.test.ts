/** A session of a page for swaps through `plumbline proxy --checkpoint`. The oracle is the node, asked directly. */
import { afterAll, assert, beforeAll, describe, it } from "vitest"

import { play } from "../src/dapp/playSession.ts"
import { type ExchangeProxy, openExchange } from "../src/dapp/proxies.ts"
import { lines, verifiedPart } from "../src/dapp/sessionReport.ts"
import { session } from "../src/dapp/swapSession.ts"

const TIMEOUT = 240_000
let open: ExchangeProxy

beforeAll(async () => {
  open = await openExchange()
}, TIMEOUT)

afterAll(() => open?.[Symbol.asyncDispose](), TIMEOUT)

describe("a session of a page for swaps, before a proxy that trusts a checkpoint", { timeout: TIMEOUT }, () => {
  it("gets at least 99 % of its reads VERIFIED, and each as the node itself answers", async () => {
    const requests = session(open.exchange)
    assert.isAtLeast(requests.length, 200)
    const played = await play(requests, open.proxy.url, open.node)
    const report = lines(played).join("\n")
    assert.lengthOf(played, requests.length)
    assert.isAtLeast(verifiedPart(played), 0.99, report)
    assert.deepEqual(
      played.flatMap(({ difference }) => difference ?? []),
      [],
      report
    )
    // reverts are among them: quotes that end by one, a swap that is too late, and tokens that do not exist
    assert.isAtLeast(played.filter(({ verdict }) => verdict === "VERIFIED revert").length, 10, report)
  })
})
