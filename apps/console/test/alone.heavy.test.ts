/**
 * Opens each screen alone, as from a link, and after all others: it must look the same, so every style belongs to its
 * screen. Then lets the code of a screen fail to load.
 */
import { isDeepStrictEqual } from "node:util"

import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import { type Page } from "playwright-core"
import { describe, expect, test } from "vitest"

import * as Shots from "../scripts/shots.ts"
import * as Pages from "./support/Pages.ts"
import * as Running from "./support/Running.ts"
import * as Service from "./support/Service.ts"

const HEAD = HistoryChain.head.hash
const CABINET = HistoryChain.contracts.cabinet.address
const TRANSACTION = HistoryChain.transactions("0x2").at(0)!.hash

/** The screens: their path, a selector that shows when the screen is read, and the title of the page. */
const SCREENS = [
  ["/history", "table tbody tr", "history · Plumbline"],
  [`/history/block/${HEAD}?trust=${HEAD}`, ".fact-grid", /^Block 0x[0-9a-f]{6}…[0-9a-f]{4}, history · Plumbline$/u],
  [`/history/tx/${TRANSACTION}`, ".lead h1", /^Transaction 0x/u],
  [`/history/account/${CABINET}/${HEAD}?trust=${HEAD}`, "#slot", /^Account 0x/u],
  [`/history/proof/${HEAD}/header/stateRoot?trust=${HEAD}`, ".line .bob", /^Proof in block 0x/u],
  ["/history/prove", "#subject", "Prove, history · Plumbline"],
  ["/history/storage", "h1", "Variables, history · Plumbline"],
  ["/history/playground/eth_chainId", "#content form", "eth_chainId, history · Plumbline"],
  ["/history/lies/balance", "h1", "balance, history · Plumbline"],
  ["/ipfs", ".ipfs-target", "IPFS · Plumbline"],
  ["/ipfs/commands/add", "#content form", "add, IPFS · Plumbline"],
  ["/pending", "h1", "Pending · Plumbline"],
  ["/verify", ".target", "Verify · Plumbline"],
  ["/overview", "#signin-title", "Overview · Plumbline"],
  ["/projects", "#signin-title", "Projects · Plumbline"],
  ["/alerts", "#signin-title", "Alerts · Plumbline"],
  ["/webhooks", "#signin-title", "Webhooks · Plumbline"]
] as const

/** The properties that a reader sees, of every element of the screen, with its tag and its classes. */
const LOOK = `(() => {
  const names = ["display", "color", "backgroundColor", "fontSize", "fontWeight", "textAlign", "gridTemplateColumns",
    "paddingTop", "paddingLeft", "marginTop", "borderTopWidth", "borderTopStyle", "borderTopColor"]
  return Array.from(document.querySelectorAll("#content, #content *"), (element) => {
    const style = getComputedStyle(element)
    return element.tagName + "." + element.getAttribute("class") + " " + names.map((name) => name + "=" + style[name]).join(";")
  })
})()`

describe.skipIf(Service.skipped)("a screen of the console", { concurrent: false }, () => {
  const { browser, service } = Running.beside({ hasIpfs: true })

  /** Goes to another place in the open page, as a click on a link does. */
  const go = (page: Page, path: string): Promise<void> =>
    page.evaluate(
      `history.pushState(null, "", ${JSON.stringify(`/console${path}`)}); void dispatchEvent(new PopStateEvent("popstate"))`
    )

  /** Waits until the screen is read and looks the same twice in a row: a screen imports code and reads on after it is shown. */
  const settled = async (page: Page, selector: string): Promise<ReadonlyArray<string>> => {
    await page.waitForSelector(selector)
    await page.waitForLoadState("networkidle")
    let before: ReadonlyArray<string> = []
    for (;;) {
      const look: ReadonlyArray<string> = await page.evaluate(LOOK)
      if (isDeepStrictEqual(look, before)) return look
      before = look
      await page.waitForTimeout(250)
    }
  }

  test("looks the same alone and after all other screens", async () => {
    const options = { reducedMotion: "reduce", accepts: [`history ${HEAD}`] } as const
    const after = await Pages.open(browser, options)
    await after.page.goto(`${service.url}/console${SCREENS[0][0]}`)
    for (const [path, selector] of SCREENS) {
      await go(after.page, path)
      await settled(after.page, selector)
    }
    // each screen has a browser of its own, so several can load at once
    const inBrowser = async ([path, selector, title]: (typeof SCREENS)[number]) => {
      const { close, page } = await Pages.open(browser, options)
      await page.goto(`${service.url}/console${path}`)
      const alone = await settled(page, selector)
      expect(await page.title()).toMatch(title)
      await close()
      return alone
    }
    const looks: Array<ReadonlyArray<string>> = []
    for (let at = 0; at < SCREENS.length; at += 4) {
      looks.push(...(await Promise.all(SCREENS.slice(at, at + 4).map(inBrowser))))
    }
    const wrong: Array<readonly [path: string, differing: ReadonlyArray<string>]> = []
    for (const [at, [path, selector]] of SCREENS.entries()) {
      const alone = looks[at]!
      await go(after.page, path)
      const beside = await settled(after.page, selector)
      // the lists of a screen that was open before may be longer; the elements that both have are compared by place
      const differing = alone.flatMap((look, i) =>
        look.split(" ")[0] === beside[i]?.split(" ")[0] && look !== beside[i] ? [look, `there: ${beside[i]}`] : []
      )
      if (differing.length > 0) wrong.push([path, differing])
      expect(alone.length, path).toBeGreaterThan(3)
    }
    await after.close()
    expect(wrong).toEqual([])
  })

  test("that does not load leaves the others usable, and is loaded again on request", async () => {
    const { close, page } = await Pages.open(browser)
    await page.goto(`${service.url}/console/history`)
    await page.waitForSelector("table tbody tr")
    let isCut = true
    await page.route("**/assets/Verify*.js", (route) => (isCut ? route.abort() : route.continue()))
    await page.route("**/assets/OnService*.js", (route) => (isCut ? route.abort() : route.continue()))
    await page.click("nav a:has-text('Verify')")
    await page.waitForSelector("h1:has-text('This screen was not loaded')")
    expect(await page.isVisible("nav.screens")).toBe(true)
    await page.click("nav a:has-text('Blocks')")
    await page.waitForSelector("table tbody tr")
    await page.click("nav a:has-text('Verify')")
    await page.waitForSelector("h1:has-text('This screen was not loaded')")
    isCut = false
    await page.click("text=Load again")
    await page.waitForSelector(".target")
    await close()
  })

  test("of a build that was replaced makes the page load the new build once", async () => {
    const { close, page } = await Pages.open(browser)
    await page.goto(`${service.url}/console/history`)
    await page.waitForSelector("table tbody tr")
    // the service has a newer build: the page names another script, and the old code is gone
    await page.route("**/console/", async (route) => {
      const answer = await route.fetch()
      const html = (await answer.text()).replace(/(src="[^"]*\/index-)[^".]+/u, "$1newer")
      await route.fulfill({ response: answer, body: html })
    })
    await page.route("**/assets/OnService*.js", (route) => route.fulfill({ status: 404 }))
    let loads = 0
    page.on("load", () => loads++)
    await page.click("nav a:has-text('Verify')")
    await page.waitForSelector("h1:has-text('This screen was not loaded')")
    expect(loads).toBe(1)
    await close()
  })

  test("is where the focus is after a navigation, at its heading", async () => {
    const { close, page } = await Pages.open(browser)
    await page.goto(`${service.url}/console/history`)
    await page.waitForSelector("table tbody tr")
    const focused = () => page.evaluate("document.activeElement?.tagName + ' ' + document.activeElement?.textContent")
    expect(await focused()).toMatch(/^BODY/u)
    await page.click(`table a:has-text("${HistoryChain.head.number}")`)
    await page.waitForSelector("h1:focus")
    expect(await focused()).toBe(`H1 Block ${HistoryChain.head.number}`)
    await page.click("nav a:has-text('Blocks')")
    await page.waitForSelector("h1:focus:has-text('history')")
    await close()
  })

  test.each([
    ["/ipfs", "Open", "x y is not a CID"],
    ["/ipfs", "Use it", "This is not an API key, which has 8 to 128 letters"],
    ["/verify", "Take it", "x y is not a CID."],
    ["/remote", "Use it", "This is not an API key, which has 8 to 128 letters"],
    ["/pending", "Send the samples", "This is not an API key, which has 8 to 128 letters"]
  ])("with a form says beside the field why it refuses a text: %s, %s", async (path, button, reason) => {
    const { close, page } = await Pages.open(browser, { viewport: { width: 390, height: 844 } })
    await page.goto(`${service.url}/console${path}`)
    const form = page.locator("form", { has: page.locator(`button:text-is("${button}")`) })
    const field = form.locator("input").first()
    await field.fill("x y")
    await form.locator("button").click()
    const problem = form.locator("[role=alert]").first()
    await problem.waitFor()
    expect(await problem.textContent()).toContain(reason)
    expect(await field.getAttribute("aria-invalid")).toBe("true")
    expect(await field.getAttribute("aria-describedby")).toBe(await problem.getAttribute("id"))
    // below the field, not beside it
    const [above, below] = [await field.boundingBox(), await problem.boundingBox()]
    expect(below!.y).toBeGreaterThanOrEqual(above!.y + above!.height)
    await close()
  })

  test("that asks for a session says beside an empty field that it is needed", async () => {
    const { close, page } = await Pages.open(browser)
    await page.goto(`${service.url}/console/projects`)
    await page.click(".signin form button")
    await page.waitForSelector("input[name=token][aria-invalid=true]")
    expect(await page.textContent(".signin label [role=alert]")).not.toBe("")
    await page.fill("input[name=token]", " ")
    await page.click(".signin form button")
    await page.waitForSelector(".signin form > .problem:has-text('only spaces')")
    await close()
  })

  test("has all buttons of the top bar in one row, also on a phone and with a session", async () => {
    const { close, page } = await Pages.open(browser, { viewport: { width: 390, height: 844 }, hasTouch: true })
    await Shots.signIn(page.context(), service.url, service.adminToken)
    await page.goto(`${service.url}/console/history`)
    await page.waitForSelector(".who")
    const middles: ReadonlyArray<number> = await page.evaluate(
      `[...document.querySelectorAll(".brand, .where, .who, .tool")].map((element) => element.getBoundingClientRect())
        .filter(({ width }) => width > 0).map(({ height, y }) => Math.round(y + height / 2))`
    )
    expect(middles.length).toBe(4)
    expect(Math.max(...middles) - Math.min(...middles)).toBeLessThan(4)
    await close()
  })

  test("of the newest block has no link to a block after it", async () => {
    const { close, page } = await Pages.open(browser)
    const steps = async (block: number) => {
      await page.goto(`${service.url}/console/history/block/${block}`)
      await page.waitForSelector(".steps a")
      return page.locator(".steps a").allTextContents()
    }
    expect(await steps(HistoryChain.head.number)).toEqual([`← ${HistoryChain.head.number - 1}`])
    expect(await steps(7)).toEqual(["← 6", "8 →"])
    await close()
  })
})
