/** The console on a port of its own, in Chromium: a key that the reader types works at the service's port. */
import { type Browser, chromium } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import * as Pages from "./support/Pages.ts"
import * as Service from "./support/Service.ts"

if (Service.skipped) console.warn("no Chromium: the test of the console's own port is skipped")

/** With a trusted proxy, the page reads nothing without a key. */
const SETTINGS = `
networks:
  live: { upstreams: [{ embedded: live }] }
  history: { upstreams: [{ embedded: history }] }
server: { trustedProxies: [192.0.2.1] }
admin: { port: 0 }
`

describe.skipIf(Service.skipped)("the console on its own port", { concurrent: false }, () => {
  let service: Service.Service
  let browser: Browser
  let consoleUrl: string

  beforeAll(async () => {
    service = await Service.start({ settings: SETTINGS })
    consoleUrl = `${service.adminUrl}/console`
    browser = await chromium.launch({ executablePath: Service.chromium!, args: ["--no-sandbox"] })
  })
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })

  test("reads a network with a key", async () => {
    const { close, page, requests, wrong } = await Pages.open(browser)
    await page.goto(`${consoleUrl}/history`)
    await page.waitForSelector("[aria-label='API key']")
    await page.fill("[aria-label='API key']", service.apiKey)
    await page.click("text=Use it")
    await page.waitForSelector("table tbody tr")
    expect(requests).toContain(`${service.url}/history/v3/${service.apiKey}`)
    expect(wrong).toEqual([])
    await close()
  })

  test("runs an IPFS command with a key, and shows programs for the service's address", async () => {
    const { close, page, requests, wrong } = await Pages.open(browser)
    await page.goto(`${consoleUrl}/ipfs/commands/version`)
    await page.click("text=Run the command")
    await page.fill("[aria-label='API key']", service.apiKey)
    await page.fill("[aria-label='API key secret']", service.apiKeySecret)
    await page.click("text=Use it")
    await page.click("text=Run the command")
    await expect.poll(() => requests.some((url) => url.startsWith(`${service.url}/api/v0/version`))).toBe(true)
    await page.waitForSelector(".answer[data-outcome]")
    const text = await page.textContent("body")
    expect(text).toContain(`${service.url}/api/v0/version`)
    expect(text).not.toContain(`${service.adminUrl}/api/v0`)
    expect(wrong).toEqual([])
    await close()
  })

  test("follows the beacon chain of the live network", async () => {
    const { close, page, requests } = await Pages.open(browser)
    const start: any = await (await fetch(`${consoleUrl}/api/start`)).json()
    const { beacon } = start.networks.find(({ name }: { readonly name: string }) => name === "live")
    await page.goto(`${consoleUrl}/live/block/latest?trust=checkpoint:${beacon.checkpoint}`)
    await page.waitForSelector("[aria-label='API key']")
    await page.fill("[aria-label='API key']", service.apiKey)
    await page.click("text=Use it")
    await page.waitForSelector(".lead .chip.verified")
    expect(requests.some((url) => url.startsWith(`${service.adminUrl}${beacon.path}/`))).toBe(true)
    await close()
  })
})
