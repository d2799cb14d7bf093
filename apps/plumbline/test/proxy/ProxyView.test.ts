/** Tests what the proxy says that it trusts. */
import { expect, it } from "@effect/vitest"

import * as ProxyView from "../../src/proxy/ProxyView.ts"
import * as Style from "../../src/terminal/Style.ts"

const trusts = (promised: Omit<ProxyView.ProxyPromises, "unprovable">): string => {
  const proxy = { url: "http://127.0.0.1:1", wsUrl: "ws://127.0.0.1:1" } as Parameters<typeof ProxyView.opened>[0]
  const lines = ProxyView.opened(proxy, { ...promised, unprovable: "refuse" }, Style.plain)
  return /trusts\s+(.*)$/mu.exec(lines.join("\n"))![1]!
}

it("names the beginning of the trust, also if only a record holds it", () => {
  const none = { trust: undefined, checkpoint: undefined, isFollowing: false }
  expect(trusts(none)).toContain("no block")
  expect(trusts({ ...none, trust: "0x12" })).toBe("block 0x12, and those before it")
  expect(trusts({ ...none, isFollowing: true, checkpoint: "0x34" })).toBe("the beacon chain from checkpoint 0x34")
  expect(trusts({ ...none, isFollowing: true })).toBe("the beacon chain from the record of an earlier run")
  const rollup = { name: "Base", l1Trust: undefined, accept: undefined }
  const upTo = "blocks of Base up to the one that the parent chain settles, by"
  expect(trusts({ ...none, rollup: { ...rollup, l1Trust: "0x56" } })).toBe(`${upTo} block 0x56`)
  expect(trusts({ ...none, rollup: { ...rollup, l1Trust: "0x56", accept: "proposed" } })).toBe(
    `${upTo} block 0x56, and CLAIMED up to the one that is proposed there`
  )
  expect(trusts({ ...none, isFollowing: true, rollup, checkpoint: "0x34" })).toBe(
    `${upTo} the light client from checkpoint 0x34`
  )
  expect(trusts({ ...none, isFollowing: true, rollup })).toBe(
    `${upTo} the light client from the record of an earlier run`
  )
})
