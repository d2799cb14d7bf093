/** The screen of pending transactions in Chromium. Skipped without Chromium: set CHROMIUM to its program. */
import { type Page } from "playwright-core"
import { describe, expect, test } from "vitest"

import * as Samples from "../src/pending/Samples.ts"
import * as Watch from "../src/pending/Watch.ts"
import * as Pages from "./support/Pages.ts"
import * as Running from "./support/Running.ts"
import * as Service from "./support/Service.ts"

test.each([
  [88288695111500, "0x504c504f4f4c", "PLPOOL"],
  ["SN_MAIN", "0x534e5f4d41494e", "SN_MAIN"],
  ["0x534E5F5345504F4C4941", "0x534e5f5345504f4c4941", "SN_SEPOLIA"],
  ["0x1", "0x1", undefined]
])("the chain %s of a configuration has its id in hex, and a name if the id is one", (configured, id, name) => {
  expect(Watch.chainIdOf(configured)).toBe(id)
  expect(Watch.chainName(id)).toBe(name)
})

if (Service.skipped) console.warn("no Chromium: the tests of pending transactions are skipped")

describe.skipIf(Service.skipped)("pending transactions", { concurrent: false }, () => {
  const { browser, service } = Running.beside()

  /** The samples as a node lists them, with the hashes that starknet.js computes. */
  const listed = Samples.transactions.map((transaction, at) => ({
    transaction_hash: Samples.hashes[at]!,
    ...transaction
  }))

  /**
   * Answers with this list in place of the pool. The worker thread's requests pass through the same route as the page's
   * requests.
   */
  const lists = (page: Page, list: () => ReadonlyArray<unknown>) =>
    page.context().route("**/console/api/read/starknet-pool", async (route) => {
      const { id, method } = route.request().postDataJSON() as { readonly id: number; readonly method: string }
      const result = method === "starknet_specVersion" ? "0.10.2" : { transactions: list() }
      await route.fulfill({ json: { jsonrpc: "2.0", id, result } })
    })

  const head = (page: Page) => page.textContent(".lead")

  test("an empty pool is filled by its samples, whose hashes are those of starknet.js", async () => {
    const { close, page, requests, wrong } = await Pages.open(browser)
    await page.goto(`${service.url}/console/pending`)
    await page.waitForSelector("text=Nothing is pending")
    expect(await Pages.violations(page)).toBe("")
    await page.fill("[aria-label='API key']", service.apiKey)
    await page.click("text=Send the samples")
    await page.waitForSelector(".lead .chip.verified")
    // the samples are sent one after the other, so the first lists contain only some of them
    const verified = () => page.locator(".pending-body .word.verified").count()
    await expect.poll(verified).toBe(Samples.hashes.length)
    const links = await page.evaluate(
      '[...document.querySelectorAll(".pending-body a.hash")].map(({ title }) => title)'
    )
    expect(links).toEqual(Samples.hashes)
    expect(await Pages.kept(page)).not.toContain(service.apiKey)
    expect(await page.textContent("body")).not.toContain(service.apiKey)
    expect(requests.filter((url) => !url.startsWith(service.url))).toEqual([])
    expect(wrong).toEqual([])
    await close()
  })

  test.each(["light", "dark"] as const)("an open transaction shows which fields the hash covers, %s", async (theme) => {
    const { close, page, wrong } = await Pages.open(browser, { colorScheme: theme })
    await lists(page, () => listed)
    await page.goto(`${service.url}/console/starknet-pool/pending?tx=${Samples.hashes[0]}`)
    await page.waitForSelector(".pending-fields .hashed")
    const fields = await page.locator(".pending-fields .hashed dt").allTextContents()
    expect(fields.map((text) => text.replace(", in the hash", ""))).toContain("calldata")
    const loose = await page.locator(".pending-fields .loose dt").allTextContents()
    expect(loose).toEqual(["signature, not in the hash"])
    expect(await page.textContent("[aria-label='The open transaction']")).toContain("pending: that it is pending")
    // the hash below the felts is the hash that starknet.js computes
    expect(await page.textContent(".pending-preimage .sum code")).toBe(Samples.hashes[0])
    const felts = await page.locator(".pending-preimage li:not(.sum) code").allTextContents()
    const { calldata } = listed[0] as unknown as { readonly calldata: ReadonlyArray<string> }
    expect(calldata.length).toBeGreaterThan(0)
    for (const felt of calldata) expect(felts).toContain(felt)
    await page.hover(".pending-preimage li:has-text('calldata[0]')")
    expect(await page.textContent(".pending-fields .lit dt")).toContain("calldata")
    expect(await Pages.violations(page)).toBe("")
    expect(wrong).toEqual([])
    await close()
  })

  test("a node that changes a field is refuted, with both hashes, as soon as it does", async () => {
    const { close, page } = await Pages.open(browser)
    let list: ReadonlyArray<object> = listed
    await lists(page, () => list)
    await page.goto(`${service.url}/console/pending?tx=${Samples.hashes[0]}`)
    await page.waitForSelector(".lead .chip.verified")
    list = listed.map((one, at) => (at === 0 ? { ...one, tip: "0x1" } : one))
    await page.waitForSelector(".lead .chip.refuted")
    const differing = await page.textContent(".differing")
    expect(differing).toContain(Samples.hashes[0])
    expect(differing?.match(/0x[0-9a-f]{60,64}/gu)).toHaveLength(2)
    expect(await page.locator(".pending-fields .hashed").count()).toBe(0)
    const computed = (await page.textContent(".pending-preimage .sum .wrong"))!
    expect(computed).not.toBe(Samples.hashes[0])
    expect(differing).toContain(computed)
    await page.click(".choice:has-text('Refuted')")
    await expect.poll(() => page.locator(".pending-body [role=row]").count()).toBe(1)
    expect(await Pages.violations(page)).toBe("")
    list = listed
    await page.waitForSelector(".lead .chip.verified")
    await close()
  })

  test("types are filters, and a list that no longer has the open transaction says so", async () => {
    const { close, page } = await Pages.open(browser)
    let list: ReadonlyArray<object> = listed
    await lists(page, () => list)
    await page.goto(`${service.url}/console/pending?tx=${Samples.hashes[3]}`)
    await page.waitForSelector(".pending-fields .hashed")
    await page.click(".choice:has-text('DEPLOY_ACCOUNT')")
    await expect.poll(() => page.locator(".pending-body [role=row]").count()).toBe(2)
    list = listed.slice(0, 3)
    await page.waitForSelector("text=is not in the list")
    expect(await head(page)).toContain("3 pending transactions")
    await close()
  })

  test("of 10,000 transactions only the rows in sight are in the page, and the keys reach the last one", async () => {
    const { close, page } = await Pages.open(browser)
    const many = Array.from({ length: 10_000 }, (_, at) => ({
      ...listed[0]!,
      transaction_hash: `0x${(at + 1).toString(16)}`
    }))
    await lists(page, () => many)
    await page.goto(`${service.url}/console/pending`)
    await page.waitForSelector("text=10,000 pending transactions")
    await page.waitForSelector(".pending-body .word.refuted")
    const rows = () => page.locator(".pending-body [role=row]").count()
    expect(await rows()).toBeGreaterThan(5)
    expect(await rows()).toBeLessThan(80)
    await page.focus(".pending-rows")
    await page.keyboard.press("End")
    await page.waitForSelector(`[role=row][aria-rowindex="10001"].chosen`)
    expect(await rows()).toBeLessThan(80)
    expect(page.url()).toContain("tx=0x2710")
    await page.keyboard.press("ArrowUp")
    await page.waitForSelector(`[role=row][aria-rowindex="10000"].chosen`)
    await close()
  })

  test("a list of nonsense is an error with a next step, and the page asks again", async () => {
    const { close, page } = await Pages.open(browser)
    let list: ReadonlyArray<unknown> = [7]
    await lists(page, () => list)
    await page.goto(`${service.url}/console/pending`)
    await page.waitForSelector("text=There is no list of starknet-pool")
    expect(await Pages.violations(page)).toBe("")
    list = []
    await page.waitForSelector("text=Nothing is pending")
    await close()
  })

  test("a refused list says when the limit ends, and is asked for again then and not before", async () => {
    const { close, page, requests } = await Pages.open(browser)
    const error = { code: -32_005, message: "daily request count exceeded, request rate limited" }
    await page.context().route("**/console/api/read/starknet-pool", (route) =>
      route.fulfill({
        status: 429,
        headers: { "retry-after": "7200" },
        json: { jsonrpc: "2.0", id: (route.request().postDataJSON() as { readonly id: number }).id, error }
      })
    )
    await page.goto(`${service.url}/console/pending`)
    await page.waitForSelector("text=There is no list of starknet-pool")
    expect(await page.textContent(".state")).toMatch(/The page asks again .*at \d\d:\d\d UTC, in 2 hours\./u)
    const end = Date.parse((await page.getAttribute(".state time", "datetime"))!)
    expect(Math.abs(end - Date.now() - 7_200_000)).toBeLessThan(60_000)
    const asked = () => requests.filter((url) => url.endsWith("/read/starknet-pool")).length
    const before = asked()
    // in this time, a page that is not refused would ask at least twice
    await page.waitForTimeout(5000)
    expect(asked()).toBe(before)
    await close()
  })

  test("it fits a phone", async () => {
    const { close, page } = await Pages.open(browser, { viewport: { width: 390, height: 844 }, hasTouch: true })
    await lists(page, () => listed)
    await page.goto(`${service.url}/console/pending?tx=${Samples.hashes[4]}`)
    await page.waitForSelector(".pending-fields .hashed")
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390)
    expect(await Pages.sideways(page)).toEqual([])
    await close()
  })

  test("a network that is not a second chain is not found", async () => {
    const { close, page } = await Pages.open(browser)
    await page.goto(`${service.url}/console/history/pending`)
    await page.waitForSelector("text=Not found")
    expect(await page.textContent("h1")).toContain(
      'This service has no network "history" with pending transactions. It has starknet-pool.'
    )
    await close()
  })
})
