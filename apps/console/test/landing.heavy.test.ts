/** The landing, the palette and the states of a bad connection, in Chromium. */
import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import { type Browser, type Page, type Route } from "playwright-core"
import { describe, expect, test } from "vitest"

import * as Beacon from "./support/Beacon.ts"
import * as Layout from "./support/Layout.ts"
import * as Pages from "./support/Pages.ts"
import * as Running from "./support/Running.ts"
import * as Service from "./support/Service.ts"

const HEAD = HistoryChain.head
const SENTENCE = "A node can lie. This page proves what it says."

/** Answers each call of the page as the service does whose node lied. */
const refused = (route: Route): Promise<void> => {
  const one = ({ id }: { readonly id: unknown }) => ({
    jsonrpc: "2.0",
    id,
    error: { code: -32099, message: "refuted: header hash" }
  })
  const packet = route.request().postDataJSON()
  return route.fulfill({ json: Array.isArray(packet) ? packet.map(one) : one(packet) })
}

/** Withholds the code of the palette until the returned function is called. */
const withheldPalette = async (page: Page): Promise<() => void> => {
  let load = (): void => undefined
  const waits = new Promise<void>((resolve) => (load = resolve))
  await page.route("**/OpenPalette-*.js", async (route) => {
    await waits
    await route.continue()
  })
  return () => load()
}

describe.skipIf(Service.skipped)("the landing", { concurrent: false }, () => {
  const { browser, service } = Running.beside()

  const open = async (path = "/", options: Parameters<Browser["newContext"]>[0] = {}) => {
    const opened = await Pages.open(browser, { reducedMotion: "reduce", ...options })
    opened.page.setDefaultTimeout(120_000)
    if (path !== "") await opened.page.goto(`${service.url}/console${path}`)
    return opened
  }

  /** Replaces the service's answer about its networks. */
  const changed = (page: Page, change: (network: Record<string, unknown>) => Record<string, unknown>) =>
    page.route("**/console/api/start", async (route) => {
      const answer = await route.fetch()
      const start = await answer.json()
      await route.fulfill({ response: answer, json: { ...start, networks: start.networks.map(change) } })
    })

  test("shows no verdict before the reader accepts an anchor, and VERIFIED after one click", async () => {
    const { close, page, wrong } = await open()
    await page.waitForSelector(".landing-line .line .bob")
    expect(await page.textContent("h1")).toBe(SENTENCE)
    expect(await page.locator(".landing-line .chip").count()).toBe(0)
    expect(await page.textContent(".ask")).toContain("only as honest as the service")
    expect(await page.locator("aside .word.verified").count()).toBe(0)
    expect(await Pages.violations(page)).toBe("")
    await page.click("text=Trust this block")
    await page.waitForSelector(".landing-line .chip.verified")
    expect(await page.textContent(".landing-line .line")).toContain("You trust this")
    // the balance that the recorded node names
    const [, value] = /^([\d,.]+ ether)$/u.exec((await page.textContent(".landing-value"))!) ?? []
    expect(value).toBeDefined()
    await page.waitForSelector("aside .word.verified")
    expect(await page.locator("aside .word.claimed").count()).toBe(0)
    expect(await Pages.violations(page)).toBe("")
    expect(wrong).toEqual([])
    // it is remembered, and the first proof elsewhere is verified too
    await page.reload()
    await page.waitForSelector(".landing-line .chip.verified")
    await page.click("nav a:text-is('Prove')")
    await page.click("text=Fill in an example")
    await expect.poll(() => page.inputValue("#subject"), { timeout: 60_000 }).toMatch(/^0x[0-9a-f]{40}$/u)
    await page.click("text=Prove the balance")
    await page.waitForSelector(".lead .chip.verified")
    expect(await page.textContent(".value-name")).toBe("balance")
    // until it is revoked
    expect((await page.locator("text=Stop trusting it").boundingBox())!.height).toBeGreaterThanOrEqual(24)
    await page.click("text=Stop trusting it")
    await page.waitForSelector(".lead .chip.claimed")
    await page.goto(`${service.url}/console/`)
    await page.waitForSelector(".ask")
    await close()
  })

  test("is verified by the light client from the checkpoint of the service", async () => {
    const { close, page, wrong } = await open("")
    const trust = await Beacon.under(page, {
      signers: Array.from({ length: Beacon.SEATS }, (_, at) => at),
      support: "finalized"
    })
    await page.goto(`${service.url}/console/`)
    await page.click("text=Trust this checkpoint")
    await page.waitForSelector(".landing-line .chip.verified")
    expect(await page.textContent(".landing-line .line")).toContain("512 of 512 signed")
    expect(await page.textContent(".landing-says")).toContain("1 signature by 512 of 512, ")
    expect(await page.textContent("aside")).toContain(trust.slice("checkpoint:".length, "checkpoint:".length + 8))
    expect(wrong).toEqual([])
    await close()
  })

  test("breaks where a bit is flipped, mends, proves another value, and leads to a lie", async () => {
    const { close, page } = await open()
    await page.click("text=Trust this block")
    await page.waitForSelector(".landing-line .chip.verified")
    const first = await page.textContent(".landing-line .lead")
    await page.click("button:text-is('Break it')")
    await page.waitForSelector(".landing-line .chip.refuted")
    expect(await page.textContent(".landing-value")).toBe("No value")
    expect(await page.textContent(".tear .name")).toContain("The line breaks here")
    expect(await page.textContent(".landing-says")).toContain("Broken on purpose")
    expect(await Pages.violations(page)).toBe("")
    await page.click("button:text-is('Mend it')")
    await page.waitForSelector(".landing-line .chip.verified")
    await page.click("text=Another example")
    await expect.poll(() => page.textContent(".landing-line .lead")).not.toBe(first)
    await page.waitForSelector(".landing-line .chip.verified")
    await page.click("text=See a lie")
    await page.waitForSelector(".lie-list")
    await close()
  })

  test("of a service that reads nothing without a key shows a recorded line, and the two ways in", async () => {
    const { close, page, wrong } = await open("")
    await changed(page, (network) => ({ ...network, open: false, beacon: null, anchor: null }))
    await page.goto(`${service.url}/console/`)
    await page.waitForSelector(".landing-line .line .bob")
    // nothing that the reader accepted vouches for the example
    expect(await page.locator(".chip.verified, .word.verified").count()).toBe(0)
    expect(await page.textContent(".landing-line")).toContain("recorded with this page")
    expect(await Pages.violations(page)).toBe("")
    await page.click("text=Break it")
    await page.waitForSelector(".tear")
    await page.click("text=I have a key")
    await page.fill("[aria-label='API key']", service.apiKey)
    await page.click("text=Use it")
    await page.waitForSelector("aside table tbody tr")
    expect(await page.textContent("aside")).toContain("with the API key that you entered")
    expect(await Pages.kept(page)).not.toContain(service.apiKey)
    expect(wrong).toEqual([])
    await page.reload()
    await page.click("text=I run this service")
    await page.waitForSelector("[name=token]")
    await close()
  })

  test("names the node that lies, until it is honest again", async () => {
    const { close, page } = await open("")
    let trustedSince: number | null = null
    const isLying = (): boolean => trustedSince === null
    const DRILL = { at: Date.UTC(2026, 0, 2, 3, 4), until: Date.UTC(2026, 0, 2, 3, 5) }
    const LIAR = {
      asideUntil: null,
      get trustedSince() {
        return trustedSince
      },
      firstAt: DRILL.at + 1000,
      lastAt: DRILL.at + 5000,
      count: 7,
      method: "eth_getBlockByNumber",
      check: "header hash",
      block: { number: HEAD.number, hash: HEAD.hash },
      drill: null
    }
    await changed(page, (network) => ({
      ...network,
      liars:
        network["name"] === "history"
          ? [
              { ...LIAR, node: "history-1", isLying: isLying() },
              ...(isLying() ? [] : [{ ...LIAR, node: "history-2", isLying: false, drill: DRILL }])
            ]
          : []
    }))
    await page.route("**/console/api/read/**", refused)
    await page.goto(`${service.url}/console/`)
    await page.waitForSelector("aside .state:has-text('The node history-1 of history lies.')")
    expect(await page.textContent("aside .state")).toContain("the check “header hash”")
    expect(await Pages.violations(page)).toBe("")
    // the page reads again by itself, and shows its line once the node is honest
    await page.unroute("**/console/api/read/**")
    await page.waitForSelector(".landing-line")
    expect(await page.locator(".state:has-text('lies')").count()).toBe(0)
    const first = await page.textContent(".recent-lies")
    expect(first).toMatch(
      /^The node history-1 of history lied 7 times from 2026-01-02 03:04:01 to 2026-01-02 03:04:05 UTC\. The check “header hash” refuted its last such answer to eth_getBlockByNumber, about block 69 0xcece55…8567\. The node is not trusted until an answer/u
    )
    expect(first).toContain("No caller got a lie.")
    expect(first).not.toMatch(/drill|order of/iu)
    // the page follows, without a reload
    trustedSince = Date.UTC(2026, 0, 2, 3, 4, 6)
    const text = page.locator(".recent-lies")
    await expect.poll(() => text.textContent()).toContain("The node is trusted again since 2026-01-02 03:04:06 UTC.")
    expect(await text.textContent()).toMatch(
      /Drill: the node history-2 of history .* UTC, by an operator's order given at 2026-01-02 03:04:00 UTC for 60 s\./u
    )
    await page.waitForSelector(".recent-lies a:text-is('Audit')")
    expect(await Pages.violations(page)).toBe("")
    await close()
  })

  test("leads from a refused answer to the nodes that lied", async () => {
    const { close, page } = await open("")
    await page.route("**/console/api/read/**", refused)
    await page.goto(`${service.url}/console/`)
    await page.click("aside .state >> text=Nodes that lied")
    await page.waitForURL(/\/overview#nodes-that-lied$/u)
    expect(new URL(page.url()).pathname).toBe("/console/overview")
    await close()
  })

  test("says that the embedded chain is recorded, before the ages of its blocks", async () => {
    const { close, page } = await open("")
    await page.clock.setFixedTime(HEAD.timestamp * 1000 + 3 * 86_400_000)
    for (const [path, place] of [
      ["/", "aside .recorded"],
      ["/history", ".recorded"],
      [`/history/block/${HEAD.number}`, ".lead .recorded"]
    ] as const) {
      await page.goto(`${service.url}/console${path}`)
      await page.waitForSelector(place)
      expect((await page.textContent(place))!.toLowerCase()).toContain("recorded example chain")
      const age = page.locator("td.time, .lead time").first()
      expect((await page.locator(place).boundingBox())!.y).toBeLessThan((await age.boundingBox())!.y + 24)
      expect(await page.locator(".recorded").count()).toBe(1)
    }
    await close()
  })

  test.each([390, 1024, 1440])("fits %i pixels", async (width) => {
    const { close, page } = await open("/", { viewport: { width, height: 844 }, hasTouch: width < 500 })
    await page.click("text=Trust this block")
    await page.waitForSelector(".landing-line .chip.verified")
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width)
    await close()
  })

  test("the line crosses no name and no check, at any width and with a value of any length", async () => {
    const { close, page } = await open()
    await page.click("text=Trust this block")
    await page.waitForSelector(".landing-line .chip.verified")
    const digits = "1234567890".repeat(8)
    const grouped = digits.replaceAll(/\B(?=(?:\d{3})+$)/gu, ",")
    for (const width of [320, 390, 700, 1000, 1280, 1600]) {
      await page.setViewportSize({ width, height: 844 })
      expect(await Layout.struckTexts(page), `${width}`).toEqual([])
      for (const long of [digits.slice(0, 30), digits, grouped]) {
        await page
          .locator(".stop.last > .check")
          .evaluate((check: { textContent?: string }, text) => void (check.textContent = text), `${long} wei`)
        expect(await Layout.struckTexts(page), `${width}, ${long}`).toEqual([])
      }
    }
    await close()
  })

  test("lets a reader with a keyboard skip to the content", async () => {
    const { close, page } = await open("/history")
    await page.waitForSelector("table tbody tr")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    expect(await page.evaluate("document.activeElement.id")).toBe("content")
    await close()
  })

  describe("the palette", () => {
    test("opens by key and by click, moves with the arrow keys, and closes", async () => {
      const { close, page, wrong } = await open("/history")
      await page.waitForSelector("table tbody tr")
      await page.keyboard.press("Control+k")
      await page.waitForSelector("#search:focus")
      expect(await Pages.violations(page)).toBe("")
      await page.keyboard.type(String(HEAD.number))
      const chosen = () => page.textContent("[role=option][aria-selected=true]")
      expect(await chosen()).toContain(`Block${HEAD.number}`)
      // the field names the chosen option to screen readers
      const option = await page.getAttribute("#search", "aria-activedescendant")
      expect(await page.locator(`[id="${option}"]`).getAttribute("aria-selected")).toBe("true")
      await page.keyboard.press("Escape")
      await page.waitForSelector(".palette", { state: "detached" })
      await page.click(".search")
      await page.keyboard.type("lies")
      await page.waitForSelector("[role=option]:has-text('See a lie')")
      await page.keyboard.press("ArrowDown")
      await page.keyboard.press("ArrowUp")
      await page.keyboard.press("Enter")
      await page.waitForSelector(".lie-list")
      // the keys of the page do not reach a field
      await page.keyboard.press("/")
      await page.waitForSelector("#search:focus")
      await page.keyboard.type("?c/")
      expect(await page.inputValue("#search")).toBe("?c/")
      expect(wrong).toEqual([])
      await close()
    })

    test("keeps what is typed before its code is loaded", async () => {
      const { close, page } = await open("")
      const load = await withheldPalette(page)
      await page.goto(`${service.url}/console/history`)
      await page.click(".search")
      await page.keyboard.type("Cab")
      await page.waitForSelector("text=Loading the search")
      expect(await Pages.violations(page)).toBe("")
      load()
      await page.waitForSelector("#search:focus")
      await page.keyboard.type("inet")
      expect(await page.inputValue("#search")).toBe("Cabinet")
      // the contracts of the embedded chain have names
      await page.waitForSelector("[aria-label=Examples] [role=option]:has-text('ContractCabinet')")
      await page.click("[role=option]:has-text('VariablesCabinet')")
      await page.waitForSelector("[data-path=owner]")
      await close()
    })

    test("goes where a text leads that is entered before its code is loaded", async () => {
      const { close, page } = await open("")
      const load = await withheldPalette(page)
      await page.goto(`${service.url}/console/history`)
      await page.waitForSelector(".search")
      await page.keyboard.press("/")
      await page.keyboard.type("17")
      await page.keyboard.press("Enter")
      load()
      await page.waitForURL(/\/history\/block\/17$/u)
      await expect.poll(() => page.locator(".palette").count()).toBe(0)
      await close()
    })

    test("waits with an Enter for entries that are loaded later, and takes no Enter of a composition", async () => {
      const { close, page } = await open("")
      const load = await withheldPalette(page)
      const layouts = Promise.withResolvers<void>()
      await page.route("**/KnownLayouts-*.js", async (route) => {
        await layouts.promise
        await route.continue()
      })
      await page.goto(`${service.url}/console/history`)
      await page.waitForSelector(".search")
      await page.keyboard.press("/")
      await page.keyboard.type("temperature")
      await page.evaluate(
        "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true }))"
      )
      load()
      await page.waitForSelector("#search:focus")
      expect(await page.inputValue("#search")).toBe("temperature")
      layouts.resolve()
      await page.waitForSelector("[role=option]:has-text('temperature')")
      await page.keyboard.press("Escape")
      await page.waitForSelector(".palette", { state: "detached" })
      await close()
    })

    test("takes the first entry of all for an Enter before they are loaded", async () => {
      const { close, page } = await open("")
      const load = await withheldPalette(page)
      const layouts = Promise.withResolvers<void>()
      await page.route("**/KnownLayouts-*.js", async (route) => {
        await layouts.promise
        await route.continue()
      })
      await page.goto(`${service.url}/console/history`)
      await page.waitForSelector(".search")
      await page.keyboard.press("/")
      await page.keyboard.type("temperature")
      await page.keyboard.press("Enter")
      load()
      await page.waitForSelector("#search")
      expect(await page.locator(".palette").count()).toBe(1)
      layouts.resolve()
      await page.waitForURL(/\/storage\/.*at=temperature/u)
      await expect.poll(() => page.locator(".palette").count()).toBe(0)
      await close()
    })

    test("says of a height that the chain does not have that it is not there yet", async () => {
      const { close, page } = await open("/history")
      await page.waitForSelector("table tbody tr")
      await page.keyboard.press("/")
      await page.waitForSelector("#search:focus")
      await page.keyboard.type(String(HEAD.number + 1))
      const details = () => page.locator("[role=option] .soft").allTextContents()
      await expect.poll(details).toContain(`not there yet: history is at ${HEAD.number}`)
      await page.fill("#search", String(HEAD.number))
      await expect.poll(details).toContain("on history")
      await close()
    })

    test("remembers the places in memory, and keeps nothing of a key that is pasted by mistake", async () => {
      const { close, page } = await open("/history")
      await page.waitForSelector("table tbody tr")
      await page.keyboard.press("/")
      await page.waitForSelector("#search:focus")
      await page.keyboard.type(HistoryChain.contracts.cabinet.address)
      await page.keyboard.press("Enter")
      await page.waitForSelector("#slot")
      await page.keyboard.press("Control+k")
      await page.waitForSelector("[aria-label=Recent] [role=option]:has-text('Address')")
      await page.fill("#search", service.apiKeySecret)
      await expect.poll(() => page.locator("[role=option]").count()).toBe(0)
      await page.keyboard.press("Enter")
      await page.keyboard.press("Escape")
      expect(await Pages.kept(page)).not.toContain(service.apiKeySecret)
      await close()
    })
  })

  describe("is never blank:", () => {
    test("it has its sentence, and the shape of what comes, before the service answers", async () => {
      const { close, page } = await open("")
      let answer = (): void => undefined
      const waits = new Promise<void>((resolve) => (answer = resolve))
      await page.route("**/console/api/start", async (route) => {
        await waits
        await route.continue()
      })
      await page.goto(`${service.url}/console/`)
      await page.waitForSelector(".line-skeleton")
      expect(await page.textContent("h1")).toBe(SENTENCE)
      expect(await page.locator(".skeleton-rows i").count()).toBeGreaterThan(10)
      expect(await Pages.violations(page)).toBe("")
      answer()
      await page.waitForSelector(".landing-line .line .bob")
      await expect.poll(() => page.locator(".skeleton-rows").count()).toBe(0)
      await close()
    })

    test("a screen that is cut off says so, and is there by itself when the connection is back", async () => {
      const { close, page } = await open("/history")
      const cut = (isCut: boolean) => page.context().setOffline(isCut)
      await page.waitForSelector("table tbody tr")
      await cut(true)
      await page.waitForSelector(".connection:has-text('offline')")
      // the code of the next screen is not there
      await page.click(`table a:has-text("${HEAD.number - 1}")`)
      await page.waitForSelector("h1:has-text('This screen was not loaded')")
      await cut(false)
      await page.waitForSelector(".connection:has-text('Online again')")
      await page.waitForSelector(".fact-grid")
      // the code is there, and the data is not
      await page.click("nav a:has-text('Blocks')")
      await page.waitForSelector("table tbody tr")
      await cut(true)
      await page.click(`table a:has-text("${HEAD.number - 2}")`)
      await page.waitForSelector("text=There is no answer about")
      expect(await page.textContent(".state")).toContain("tries again by itself")
      await cut(false)
      await page.waitForSelector(".fact-grid")
      await close()
    })
  })
})
