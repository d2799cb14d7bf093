/** Renders the call of a bundle, as the verify screen shows it. */
import type { BundleCall } from "@plumbline/proof-bundle"
import { createElement } from "react"
import { renderToStaticMarkup } from "react-dom/server"
import { expect, test } from "vitest"

import { KeptCall } from "../src/verify/KeptCall.tsx"

const call: BundleCall.BundleCall = {
  request: { to: `0x${"ab".repeat(20)}`, input: "0x70a08231", value: 1_234_567n, gas: 50_000_000n },
  rules: { chainId: 1n, hardfork: "prague", blobUpdateFraction: 5_007_716n },
  signature: "balanceOf(address)(uint256)"
}
const shown = (over: Partial<BundleCall.BundleCall> = {}): string =>
  renderToStaticMarkup(createElement(KeptCall, { call: { ...call, ...over }, file: "call.car" }))

test("the question of a kept call is shown, with the rules, and with the command that runs it", () => {
  const text = shown()
  for (const part of [`0x${"ab".repeat(20)}`, "0x70a08231", "1,234,567 wei", "50,000,000", "chain 1, prague"]) {
    expect(text).toContain(part)
  }
  expect(text).toContain("balanceOf(address)(uint256)")
  expect(text).toContain("function</td>")
  expect(text).toContain("plumbline verify call.car --trust")
  // no outcome is shown, because nothing was run
  expect(text).toContain("not run in this page")
})

test("what the maker wrote is text, and long data is cut", () => {
  expect(shown({ signature: "<img src=x>" })).toContain("&lt;img src=x&gt;")
  const long = shown({ request: { input: `0x${"11".repeat(500_000)}` } })
  expect(long.length).toBeLessThan(5000)
  expect(long).toContain("a new contract")
  expect(shown({ signature: undefined })).not.toContain("function</td>")
})
