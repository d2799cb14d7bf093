/** The operator's screens in Chromium, over a running service with an IPFS node, a dead node and a lying one. */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"

import { type Browser, chromium, type Locator, type Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import * as Shots from "../scripts/shots.ts"
import * as Layout from "./support/Layout.ts"
import * as Lying from "./support/Lying.ts"
import { programOf } from "./support/Operator.ts"
import * as Pages from "./support/Pages.ts"
import * as Service from "./support/Service.ts"

const here = path.resolve(import.meta.dirname, "..")

const configOf = (liar: string): string => `
networks:
  history: { upstreams: [{ embedded: history }] }
  tale: { integrity: check, upstreams: [{ embedded: history }] }
  mainnet:
    chainId: 1
    hosts: [mainnet.example]
    integrity: check
    upstreams:
      - { url: "${liar}", name: liar }
      - { url: "http://127.0.0.1:9/", name: dead }
`

if (Service.skipped) console.warn("no Chromium: the operator's tests in a browser are skipped")

describe.skipIf(Service.skipped)("the operator's screens", { concurrent: false }, () => {
  let service: Service.Service
  let browser: Browser
  let liar: Lying.Lying
  let block: object = {}
  let programs = ""

  beforeAll(async () => {
    // this folder is below the package, so that its programs find viem and kubo-rpc-client, as in a reader's folder
    mkdirSync(path.join(here, "dist"), { recursive: true })
    programs = mkdtempSync(path.join(here, "dist/programs-"))
    liar = await Lying.start(() => block)
    service = await Service.start({ settings: configOf(liar.url) })
    browser = await chromium.launch({ executablePath: Service.chromium!, args: ["--no-sandbox"] })
  })
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
    await liar?.stop()
    rmSync(programs, { recursive: true, force: true })
  })

  /** Opens a page, signed in by default, and collects all errors on it. */
  const open = async ({
    isOut = false,
    ...options
  }: Parameters<Browser["newContext"]>[0] & { readonly isOut?: boolean } = {}) => {
    const opened = await Pages.open(browser, options)
    if (!isOut) await Shots.signIn(opened.page.context(), service.url, service.adminToken)
    opened.page.setDefaultTimeout(60_000)
    return opened
  }

  /** Calls the admin API with the token, and returns its answer. */
  const admin = async (target: string, body?: object, method = body === undefined ? "GET" : "POST") => {
    const answer = await fetch(`${service.url}/admin/v1${target}`, {
      method,
      headers: { authorization: `Bearer ${service.adminToken}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return (await answer.json()) as never
  }

  interface Made {
    readonly apiKey: string
    readonly apiKeySecret: string
    readonly project: { readonly id: string }
    readonly key: { readonly id: string }
  }
  const make = (settings: object): Promise<Made> => admin("/projects", settings)

  const call = (network: string, apiKey: string, method: string, params: ReadonlyArray<unknown> = []) =>
    fetch(`${service.url}/${network}/v3/${apiKey}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    })

  /** Waits until a part of the page shows a text, because some figures arrive later than others. */
  const said = (page: Page, part: string, words: RegExp): Promise<void> =>
    expect.poll(() => page.locator(part).first().textContent()).toMatch(words)

  const width = (page: Page): Promise<number> => page.evaluate("document.documentElement.scrollWidth")

  describe("the sign-in", () => {
    test("takes the token once, and leaves it nowhere", async () => {
      const { close, page, wrong } = await open({ isOut: true })
      await page.goto(`${service.url}/console/overview`)
      await page.waitForSelector("[name=token]")
      expect(await Pages.violations(page)).toBe("")
      expect(wrong).toEqual([])
      await page.keyboard.type("ab".repeat(32))
      await page.keyboard.press("Enter")
      await page.waitForSelector("text=This is not the admin token of this service.")
      expect(await page.evaluate("document.activeElement.name")).toBe("token")
      await page.keyboard.type(service.adminToken)
      await page.keyboard.press("Enter")
      await page.waitForSelector(".overview h1")
      const kept = await page.evaluate(
        "JSON.stringify([location.href, document.cookie, { ...localStorage }, { ...sessionStorage }, history.state, document.documentElement.outerHTML])"
      )
      expect(kept).not.toContain(service.adminToken)
      expect(await page.evaluate("document.cookie")).toBe("")
      const cookies = await page.context().cookies(`${service.url}/admin/v1/session`)
      expect(cookies.map(({ httpOnly, sameSite }) => [httpOnly, sameSite])).toEqual([[true, "Strict"]])
      expect(wrong.join("\n")).not.toContain(service.adminToken)
      await page.reload()
      await page.waitForSelector(".overview h1")
      await close()
    })

    test("ends with the sign-out, in the service too", async () => {
      const { close, page } = await open()
      await page.goto(`${service.url}/console/projects`)
      await page.waitForSelector(".projects")
      await page.click(".who > button")
      expect(await Pages.violations(page)).toBe("")
      await page.click("text=Sign out")
      await page.waitForSelector("text=You have signed out.")
      expect((await page.context().request.get(`${service.url}/admin/v1/session`)).status()).toBe(401)
      // the next reader of the page sees nothing that it read for the operator
      await page.evaluate("window.isSame = true")
      const { apiKey, apiKeySecret, project } = await make({ name: "next reader" })
      await page.click(".seg button:has-text('Project')")
      await page.fill("[name=apiKey]", apiKey)
      await page.fill("[name=apiKeySecret]", apiKeySecret)
      await page.click("form button[type=submit]")
      await page.waitForFunction("window.isSame === undefined")
      await page.goto(`${service.url}/console/projects/${project.id}`)
      await page.waitForSelector(".project h1:has-text('next reader')")
      await close()
    })

    test("comes back to the page whose session has ended", async () => {
      const { close, page } = await open()
      await page.goto(`${service.url}/console/projects`)
      await page.click(".projects a >> nth=0")
      await page.waitForSelector(".project h1")
      const session = (await (await page.context().request.get(`${service.url}/admin/v1/session`)).json()) as {
        readonly csrfToken: string
      }
      await page.context().request.delete(`${service.url}/admin/v1/session`, {
        headers: { "x-csrf-token": session.csrfToken }
      })
      // the page reads again every 15 seconds, and is refused
      await page.waitForSelector("h1:has-text('Your session has ended')")
      await page.fill("[name=token]", service.adminToken)
      await page.keyboard.press("Enter")
      await page.waitForSelector(".project h1")
      expect(page.url()).toContain("/console/projects/")
      await close()
    })

    test("of a project shows that project, and no way to change it", async () => {
      const { apiKey, apiKeySecret, project } = await make({ name: "own view" })
      const { close, page, wrong } = await open({ isOut: true })
      await page.goto(`${service.url}/console/projects`)
      await page.click(".seg button:has-text('Project')")
      await page.fill("[name=apiKey]", apiKey)
      await page.fill("[name=apiKeySecret]", apiKeySecret)
      await page.click("form button[type=submit]")
      await page.waitForSelector(".project h1:has-text('own view')")
      expect(await page.locator(".project button:has-text('…')").count()).toBe(0)
      expect(await Pages.violations(page)).toBe("")
      await page.goto(`${service.url}/console/overview`)
      await page.waitForSelector("text=The overview is the operator's")
      const other = await make({ name: "another" })
      await page.goto(`${service.url}/console/projects/${other.project.id}`)
      await page.waitForSelector("text=There is no answer about the project")
      await page.goto(`${service.url}/console/projects/${project.id}`)
      await page.waitForSelector(".project h1:has-text('own view')")
      expect(wrong.join("\n")).not.toContain(apiKeySecret)
      expect(await page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })")).not.toContain(apiKey)
      await close()
    })
  })

  describe("the overview", () => {
    let busy: Made

    beforeAll(async () => {
      busy = await make({ name: "busy", limits: { creditsPerDay: 400 } })
      const latest = await call("history", service.apiKey, "eth_getBlockByNumber", ["latest", false])
      block = ((await latest.json()) as { readonly result: object }).result
      for (let i = 0; i < 12; i++) await (await call("history", busy.apiKey, "eth_blockNumber")).text()
      await (await call("mainnet", service.apiKey, "eth_getBlockByNumber", ["latest", false])).text()
    })

    test.each(["light", "dark"] as const)("has no flaw that axe finds: %s", async (colorScheme) => {
      const { close, page, wrong } = await open({ colorScheme, reducedMotion: "reduce" })
      await page.goto(`${service.url}/console/overview`)
      await page.waitForSelector(".traffic .tags li, .traffic .nothing")
      expect(await Pages.violations(page)).toBe("")
      expect(wrong).toEqual([])
      await close()
    })

    test("fits a phone, where the screens are in menus", async () => {
      const { close, page } = await open({ viewport: { width: 390, height: 844 }, hasTouch: true })
      await page.goto(`${service.url}/console/overview`)
      await page.waitForSelector(".traffic .series, .traffic .nothing")
      expect(await width(page)).toBeLessThanOrEqual(390)
      expect(await Pages.sideways(page)).toEqual([])
      await page.click(".group button:has-text('Run')")
      await page.click(".group a:has-text('Projects')")
      await page.waitForSelector(".projects")
      expect(await width(page)).toBeLessThanOrEqual(390)
      await close()
    })

    test.each([1440, 1024, 700, 390])("keeps the whole bar in view at %i pixels", async (wide) => {
      const { close, page } = await open({ viewport: { width: wide, height: 844 } })
      await page.goto(`${service.url}/console/projects`)
      await page.waitForSelector(".projects")
      for (const part of [".brand", ".search", ".where select", ".who > button", ".tool >> nth=0"]) {
        const { width, x } = (await page.locator(part).boundingBox())!
        expect(x).toBeGreaterThanOrEqual(0)
        expect(x + width).toBeLessThanOrEqual(wide)
      }
      const bars = await page.evaluate<
        ReadonlyArray<{ readonly bottom: number; readonly left: number; readonly right: number; readonly top: number }>
      >(
        `[...document.querySelectorAll(".bar > *")].map((part) => part.getBoundingClientRect().toJSON()).filter(({ width }) => width > 0)`
      )
      // no bar covers another
      for (const [i, a] of bars.entries()) {
        for (const b of bars.slice(i + 1)) {
          const isApart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top
          expect(isApart).toBe(true)
        }
      }
      await close()
    })

    test("says the worst first: the dead network, then the lie by its check", async () => {
      const { close, page } = await open()
      await page.goto(`${service.url}/console/overview?window=15m`)
      // lies are counted every ten seconds
      await page.waitForSelector("h1:has-text('liar of mainnet lied ')", { timeout: 60_000 })
      await said(page, "h1", /liar of mainnet lied .* ago, and no caller got the lie\./u)
      await said(
        page,
        ".lead p",
        /It lied about eth_getBlockByNumber (?:at|from \d\d:\d\d:\d\d to) \d\d:\d\d:\d\d UTC, and the check header hash refuted it: it said 0x[0-9a-f]{6}…[0-9a-f]{4}, and the check expected 0x[0-9a-f]{6}…[0-9a-f]{4}\. It is (?:out of use until \d\d:\d\d:\d\d UTC|not trusted until an answer to such a question passes its checks)\. If it lies again/u
      )
      await page.setViewportSize({ width: 1440, height: 600 })
      await page.click(".lead p a")
      const box = (await page.locator("#nodes-that-lied").boundingBox())!
      expect(box.y).toBeLessThan(600)
      expect(new URL(page.url()).pathname).toBe("/console/overview")
      await page.setViewportSize({ width: 1440, height: 900 })
      await said(page, ".networks tr.node:has-text('liar') .level", /^lies$/u)
      await said(
        page,
        ".networks tr.node:has-text('liar')",
        /header hash, last at \d\d:\d\d:\d\d UTC\. It is (?:out of use until|not trusted until)/u
      )
      const colours = await page.evaluate(
        "['h1 span:last-child', '.networks .level', '.networks .lied:not(.level)', '.liars .lied'].map((part) => getComputedStyle(document.querySelector(part.replace('.networks', '.networks tr:has(.level.lied)'))).color)"
      )
      expect(new Set(colours as ReadonlyArray<string>)).toEqual(new Set(["rgb(179, 35, 26)"]))
      // one count, in the row of the node and in the panel
      const counts = (): Promise<unknown> =>
        page.evaluate(
          "[...document.querySelectorAll('.networks tr.node')].filter((row) => row.textContent.includes('liar')).map((row) => row.querySelector('[data-label=Lies]').textContent).concat([String([...document.querySelectorAll('.liars tbody tr td:last-child')].reduce((sum, cell) => sum + Number(cell.textContent), 0))])"
        )
      const [inRow, inPanel] = (await counts()) as ReadonlyArray<string>
      expect(inRow).toBe(inPanel)
      const lie = await page.textContent(".liars tbody tr")
      expect(lie).toMatch(
        /^liar of mainnet(?:from \d\d:\d\d:\d\d to|at) \d\d:\d\d:\d\d UTC(?:out of use until \d\d:\d\d:\d\d UTC|not trusted until an answer|trusted again since \d\d:\d\d:\d\d UTC)/u
      )
      expect(lie).toContain("header hash")
      expect(lie).toContain("eth_getBlockByNumber")
      await said(page, ".networks", /dead does not answer. Unreachable since/u)
      await said(page, ".networks", /history.*7771.*69/u)
      await said(page, ".networks tr.node", /\d d old: an example chain, which stands still/u)
      await close()
    })

    test("lets a node lie, and tells for how long after a reload, to another reader, and in the audit log", async () => {
      const { close, page } = await open()
      await page.goto(`${service.url}/console/overview`)
      const button = page.locator(".lets-lie button")
      await button.waitFor()
      expect((await button.boundingBox())!.height).toBeGreaterThanOrEqual(24)
      // a lie that the service refuses is none
      const json = { _tag: "Unavailable", message: "the audit log cannot be written" }
      await page.route("**/admin/v1/networks/tale/lie", (route) => route.fulfill({ status: 503, json }), { times: 1 })
      await button.click()
      await said(page, ".lets-lie [role=status]", /^The audit log cannot be written\.$/u)
      await button.click()
      const lying = /^It lies for another (?:60|[1-5]?\d) s\./u
      await said(page, ".lets-lie", lying)
      // a second order meanwhile changes nothing, and has no entry
      await admin("/networks/tale/lie", {})
      const got = /^This page asked the node for its newest block, as a project does, and got an error.*header hash/u
      await said(page, ".lets-lie [role=status]", got)
      // a call of a project is refused, and the lie names the project
      const refused = await call("tale", service.apiKey, "eth_getBlockByNumber", ["0x1", false])
      expect(await refused.json()).toMatchObject({ error: { code: -32_099 } })
      const row = page.locator(".liars tbody tr:has-text('tale-1')")
      await expect
        .poll(() => row.textContent(), { timeout: 20_000 })
        .toContain(`1 call of local (key ${service.apiKey.slice(0, 4)}…)`)
      expect(await row.textContent()).toMatch(
        /^Drill: tale-1 of tale.*ordered by “operator” at \d\d:\d\d:\d\d UTC for 60 s.*eth_getBlockByNumber\(".*refuted it, about block \d+/u
      )
      // only the lie that an operator ordered
      expect(await page.locator(".liars tbody tr:has-text('Drill')").count()).toBe(1)
      await page.click(".screens a:text-is('Projects')")
      await page.waitForSelector(".projects")
      // what the page read before is read again, without waiting for the next interval
      const again = page.waitForRequest(/\/admin\/v1\/status/u, { timeout: 10_000 })
      await page.goBack()
      await again
      await said(page, ".lets-lie", lying)
      await page.reload()
      await said(page, ".lets-lie", lying)
      expect(await button.count()).toBe(0)
      // the clock of this reader's device is wrong
      const other = await open()
      await other.page.clock.install({ time: Date.now() + 3_600_000 })
      await other.page.goto(`${service.url}/console/overview`)
      await said(other.page, ".lets-lie", lying)
      // the service, whose minute is not over, would say so
      await other.page.route("**/console/api/start", (route) => route.abort())
      await other.page.clock.fastForward(61_000)
      await other.page.waitForSelector(".lets-lie button")
      await other.close()
      const { entries } = (await admin("/audit")) as { readonly entries: ReadonlyArray<{ readonly action: string }> }
      expect(entries.filter(({ action }) => action === "network.lie")).toEqual([
        expect.objectContaining({ target: "tale-1 of tale for 60 s", by: "operator", from: "127.0.0.1" })
      ])
      await close()
    })

    test.each([1280, 390])(
      "is where the demonstration of lies leads, to the nodes that lied: %i pixels",
      async (width) => {
        const { close, page } = await open({ viewport: { width, height: 600 } })
        await page.goto(`${service.url}/console/history/lies/balance`)
        expect(await page.title()).toBe("balance, history · Plumbline")
        await page.click(".lies-title a:text-is('Nodes that lied')")
        await page.waitForSelector("#nodes-that-lied")
        await expect.poll(() => Layout.isInView(page, "#nodes-that-lied")).toBe(true)
        await close()
      }
    )

    test("counts the calls that were made, and names the limit that refused some", async () => {
      const { close, page } = await open()
      await page.goto(`${service.url}/console/overview?window=15m&by=project`)
      // each call costs 80 credits, so five of twelve calls pass and the others are refused; usage is recorded a moment
      // later
      await said(page, ".limit:has-text('busy')", /400 of 400 credits used today/u)
      await said(page, ".limit:has-text('busy')", /100 %, resets in .*7 refused by credits per day/u)
      await expect.poll(() => page.textContent(".busiest tr:has-text('busy')")).toContain("12")
      // the rows and that of all others add up to the totals
      await page.route(/\/admin\/v1\/usage\/by\?.*top=10/u, async (route) => {
        const answer = (await (await route.fetch()).json()) as {
          readonly rows: ReadonlyArray<object>
          readonly totals: { readonly calls: string; readonly credits: string }
        }
        const { calls, credits } = answer.totals
        const totals = {
          ...answer.totals,
          calls: String(BigInt(calls) + 3456n),
          credits: String(BigInt(credits) + 789n)
        }
        await route.fulfill({ json: { ...answer, totals } })
      })
      await page.reload()
      // a method whose calls all failed has credits and no row
      await said(page, ".busiest tbody tr:last-child", /^others.*3,4567[89]\d$/u)
      await said(page, ".busiest-methods tbody tr:last-child", /^others.*3,4567[89]\d–$/u)
      await close()
    })

    test("shows each chart as a table of the same figures, and every window, with the keyboard alone", async () => {
      const { close, page } = await open()
      const times = Array.from({ length: 15 }, (_, i) => new Date(Date.UTC(2026, 0, 1, 10, i)).toISOString())
      const counts = (calls: number) => ({
        calls: String(calls),
        credits: "0",
        bytesIn: "0",
        bytesOut: "0",
        uploaded: "0",
        downloaded: "0"
      })
      await page.route(/\/admin\/v1\/usage\/series\?(?!.*by=outcome)/u, (route) =>
        route.fulfill({
          json: {
            from: times[0],
            to: times[14],
            everySeconds: 60,
            times,
            lines: [
              {
                of: new URL(route.request().url()).searchParams.has("by") ? { network: "history" } : {},
                counts: times.map((_, i) => counts(i === 13 ? 4321 : i))
              }
            ]
          }
        })
      )
      await page.goto(`${service.url}/console/overview`)
      await page.waitForSelector(".traffic .tags li")
      expect(await page.textContent(".traffic .tags")).toContain("history")
      await page.focus("text=Show as table")
      await page.keyboard.press("Enter")
      const rows = page.locator(".traffic tbody tr")
      // the list leaves out the current minute; the newest of the other minutes comes first
      await expect.poll(() => rows.count()).toBe(14)
      expect(await rows.first().textContent()).toBe("2026-01-01 10:134,321")
      await page.focus(".figures button:nth-child(2)")
      await page.keyboard.press("Enter")
      await page.waitForSelector("h2:has-text('Credits per minute')")
      for (const window of ["15m", "24h", "7d", "30d"]) {
        await page.focus(`.lead .seg a[href*="window=${window}"]`)
        await page.keyboard.press("Enter")
        await page.waitForSelector(`.lead .seg a[href*="window=${window}"][aria-current]`)
        await page.waitForSelector(".overview h1")
      }
      await close()
    })

    test("draws 100,000 points, and follows the pointer over them", async () => {
      const { close, page } = await open()
      const times = Array.from({ length: 25_000 }, (_, i) => new Date(Date.UTC(2026, 0, 1) + i * 60_000).toISOString())
      const line = (network: string, k: number) => ({
        of: { network },
        counts: times.map((_, i) => ({
          calls: String(Math.round(500 + 400 * Math.sin(i / (300 * k)))),
          credits: "0",
          bytesIn: "0",
          bytesOut: "0",
          uploaded: "0",
          downloaded: "0"
        }))
      })
      const answer = (lines: ReadonlyArray<object>) =>
        JSON.stringify({ from: times[0], to: times.at(-1), everySeconds: 60, times, lines })
      const divided = answer(["a", "b", "c", "d"].map((name, i) => line(name, i + 1)))
      const total = answer([])
      await page.route(/\/admin\/v1\/usage\/series\?(?!.*by=outcome)/u, (route) => {
        const isDivided = new URL(route.request().url()).searchParams.has("by")
        return route.fulfill({ contentType: "application/json", body: isDivided ? divided : total })
      })
      await page.goto(`${service.url}/console/overview`)
      await page.waitForSelector(".traffic .tags li >> nth=3", { timeout: 60_000 })
      const box = (await page.locator(".traffic .u-over").boundingBox())!
      // the cost of moving the pointer does not depend on the number of points, because no line of the chart is drawn
      // again
      await page.evaluate(`(() => {
        window.drawn = 0
        for (const kind of [Path2D, CanvasRenderingContext2D]) {
          const { lineTo } = kind.prototype
          kind.prototype.lineTo = function (...args) { window.drawn++; return lineTo.apply(this, args) }
        }
        const over = document.querySelector(".traffic .u-over")
        for (let i = 0; i < 40; i++) {
          over.dispatchEvent(new MouseEvent("mousemove", { bubbles: true, clientX: ${box.x} + ${box.width} * i / 40, clientY: ${box.y} + 50 }))
        }
      })()`)
      await page.mouse.move(box.x + box.width / 2, box.y + 60)
      await page.waitForSelector(".traffic .moment:not(:empty)")
      await expect.poll(() => page.locator(".traffic .tags b").count()).toBe(4)
      expect(await page.evaluate("window.drawn")).toBe(0)
      await page.mouse.move(box.x + 50, box.y + 20)
      await page.mouse.down()
      await page.mouse.move(box.x + 300, box.y + 20, { steps: 8 })
      await page.mouse.up()
      // the lines of the chosen range are drawn again
      await expect.poll(() => page.evaluate("window.drawn")).toBeGreaterThan(0)
      await page.click("text=Show as table")
      await page.waitForSelector(".traffic tbody tr >> nth=5")
      expect(await page.locator(".traffic tbody tr").count()).toBeLessThan(60)
      await close()
    })

    test("keeps what it read when the service stops answering, and says that it is older", async () => {
      const { close, page } = await open()
      await page.clock.install()
      await page.goto(`${service.url}/console/overview`)
      await page.waitForSelector(".overview h1")
      await page.route("**/admin/v1/usage/**", (route) =>
        route.fulfill({ status: 503, json: { _tag: "Unavailable", message: "the database is down" } })
      )
      await page.clock.fastForward(20_000)
      await page.waitForSelector(".notice:has-text('The database is down.')")
      expect(await page.locator(".figures").count()).toBe(1)
      await page.reload()
      await page.waitForSelector("text=There is no answer about the usage")
      await page.unroute("**/admin/v1/usage/**")
      await page.click("text=Try again")
      await page.waitForSelector(".figures")
      await close()
    })

    test("says when a store is down", async () => {
      const { close, page } = await open()
      await page.route("**/admin/v1/status", async (route) => {
        const answer = await route.fetch()
        const status = (await answer.json()) as object
        await route.fulfill({ json: { ...status, metering: { store: "down", waiting: 12, rows: 3 } } })
      })
      await page.goto(`${service.url}/console/overview`)
      await page.waitForSelector(".overview h1")
      // the headline names the nodes of mainnet before the store, because nodes that are down are worse
      expect(await page.textContent("h1")).toMatch(/ Usage: the store is down, 12 calls wait\.$/u)
      await close()
    })
  })

  describe("projects", () => {
    /** Runs a program from the page, in a folder where the program finds the libraries that it imports. */
    const runProgram = (text: string): string => {
      const file = path.join(programs, `${crypto.randomUUID()}.mjs`)
      writeFileSync(file, text)
      const { status, stderr, stdout } = spawnSync(process.execPath, [file], { encoding: "utf8", timeout: 60_000 })
      if (status !== 0) throw new Error(stderr)
      return stdout.trim()
    }

    test("are made with the keyboard; the secret is shown once, and the programs run as pasted", async () => {
      const { close, page, wrong } = await open()
      await page.goto(`${service.url}/console/projects`)
      await page.focus("text=Create a project")
      await page.keyboard.press("Enter")
      await page.waitForSelector("[role=dialog] [name=name]")
      expect(await Pages.violations(page)).toBe("")
      await page.focus("[name=name]")
      await page.keyboard.type("wallet")
      await page.keyboard.press("Tab")
      await page.keyboard.press("Space")
      await page.keyboard.press("Enter")
      await page.waitForSelector(".once")
      expect(await Pages.violations(page)).toBe("")
      const key = (await page.textContent(".once code >> nth=0")) ?? ""
      expect(key).toMatch(/^[0-9a-f]{32}$/u)
      await page.click("text=Show the secret")
      const secret = (await page.textContent(".once code >> nth=1")) ?? ""
      expect(secret).toMatch(/^[0-9a-f]{32}$/u)
      await page.click("text=Cover the secret")
      // a covered secret is in no tooltip and no attribute either
      expect(await page.evaluate("document.documentElement.outerHTML")).not.toContain(secret)
      await page.click("text=Show the secret")

      const curl = spawnSync("sh", ["-c", await programOf(page, "curl")], { encoding: "utf8", timeout: 60_000 })
      expect(JSON.parse(curl.stdout)).toEqual({ jsonrpc: "2.0", id: 1, result: "0x45" })
      expect(runProgram(await programOf(page, "viem"))).toBe("69n")
      expect(runProgram(await programOf(page, "Effect"))).toBe("69n")
      // computed by hand: SHA-256 of the UnixFS file (08 02 12 len text 18 len) in a node of DAG-PB (0a len), in base
      // 58
      expect(runProgram(await programOf(page, "kubo-rpc-client"))).toBe(
        "QmYmaiKMUAhFGh82eXSMo2gQKzspjgocw8Qxmgz41BKnea"
      )

      page.once("dialog", (dialog) => dialog.accept())
      await page.click("nav a:text-is('Overview')")
      await page.waitForSelector(".overview h1")
      await page.goBack()
      await page.waitForSelector(".use")
      expect(await page.locator(".once").count()).toBe(0)
      const after = await page.evaluate<string>("document.documentElement.outerHTML")
      expect(after).not.toContain(key)
      expect(after).not.toContain(secret)
      expect(await programOf(page, "viem")).toContain("YOUR_KEY")
      await page.waitForSelector("td:has-text('eth_blockNumber')")
      expect(wrong).toEqual([])
      await close()
    })

    test("with a required secret have programs that carry it", async () => {
      const { close, page } = await open()
      await page.goto(`${service.url}/console/projects`)
      await page.click("text=Create a project")
      await page.fill("[name=name]", "strict")
      await page.check("[name=secretRequired]")
      await page.click("[role=dialog] button[type=submit]")
      await page.waitForSelector(".once")
      await page.click("text=Show the secret")
      const curl = spawnSync("sh", ["-c", await programOf(page, "curl")], { encoding: "utf8", timeout: 60_000 })
      expect(JSON.parse(curl.stdout)).toMatchObject({ result: "0x45" })
      expect(runProgram(await programOf(page, "viem"))).toBe("69n")
      expect(runProgram(await programOf(page, "Effect"))).toBe("69n")
      await close()
    })

    test("are renamed, limited, suspended and resumed", async () => {
      const { apiKey, project } = await make({ name: "shop" })
      const { close, page } = await open()
      await page.goto(`${service.url}/console/projects/${project.id}`)
      await page.click("button:has-text('Edit…') >> nth=0")
      await page.waitForSelector("[role=dialog]")
      expect(await Pages.violations(page)).toBe("")
      await page.fill("[name=name]", "bookshop")
      await page.fill("[name=creditsPerDay]", "12,345")
      await page.fill("[name=creditsPerSecond]", "0")
      await page.click("text=Save")
      // the dialogue shows the service's own sentence, and keeps the typed text
      await page.waitForSelector("[role=dialog] .problem:not(:empty)")
      await page.fill("[name=creditsPerSecond]", "")
      await page.fill("[name=burst]", "")
      await page.click("text=Save")
      await page.waitForSelector("h1:has-text('bookshop')")
      expect(await page.textContent(".limit >> nth=0")).toContain("of 12,345")
      expect(await admin(`/projects/${project.id}`)).toMatchObject({
        name: "bookshop",
        limits: { creditsPerDay: 12_345 }
      })

      await page.click("text=Suspend…")
      expect(await page.textContent("[role=dialog]")).toContain("Calls under way are finished, answered and charged.")
      await page.click("[role=dialog] button[type=submit]")
      await page.waitForSelector("text=This project is suspended.")
      expect(await page.textContent(".notice")).toMatch(/operator suspended it at|suspended it at/u)
      await expect.poll(async () => (await call("history", apiKey, "eth_blockNumber")).status).toBe(403)
      expect(await Pages.violations(page)).toBe("")
      await page.click(".notice button")
      await page.click("[role=dialog] button[type=submit]")
      await page.waitForSelector("text=This project is suspended.", { state: "detached" })
      await expect.poll(async () => (await call("history", apiKey, "eth_blockNumber")).status).toBe(200)
      await close()
    })

    test("have their usage on a phone in a line for each method, key and hour, with the credits that are left", async () => {
      const { apiKey, project } = await make({ name: "lines", limits: { creditsPerDay: 1000 } })
      const { close, page } = await open({ viewport: { width: 390, height: 844 }, hasTouch: true })
      for (const method of ["eth_blockNumber", "eth_blockNumber", "eth_chainId"])
        await (await call("history", apiKey, method)).text()
      await (await call("history", apiKey, "eth_getTransactionReceipt", [`0x${"ab".repeat(32)}`])).text()
      // a method that the network does not have
      await (await call("history", apiKey, "eth_gasPrise")).text()
      await page.goto(`${service.url}/console/projects/${project.id}`)
      await page.waitForSelector(".usage td:has-text('no known method')")
      const [byMethod, byKey, byHour] = [0, 1, 2].map((at) => page.locator(".usage table").nth(at))
      await expect
        .poll(() => byMethod!.locator("tbody tr").first().innerText())
        .toMatch(/^eth_blockNumber\s+40\.0 %\D+\s2\s+0\s/u)
      expect(await byMethod!.locator("tr:has-text('no known method')").innerText()).toMatch(/20\.0 %\D+\s1\s+1\s/u)
      expect(await byKey!.locator("tbody tr").innerText()).toMatch(
        new RegExp(`^${apiKey.slice(0, 4)}….*100 %\\D+\\s5\\s+1\\s`, "su")
      )
      expect(await byHour!.innerText()).toMatch(/^Hour from.*\d\d:00 UTC/su)
      await said(
        page,
        ".usage .totals",
        /5 calls,.*0 over a limit.*1 answered with an error\. .*an error in an answer names.*Limit per day: \d+ of 1,000 credits used, \d+ left\./u
      )
      // the panels are read at different times, and tell of one state
      const stated = /\d+ of 1,000 credits used, \d+ left/u.exec(await page.innerText(".usage .totals"))
      expect(await page.innerText(".limits-of .limit >> nth=0")).toContain(stated?.[0])
      for (const cell of await page.locator(".usage tbody td").all())
        expect((await cell.boundingBox())?.height ?? 0).toBeLessThan(44)
      expect(await width(page)).toBe(390)
      expect(await Pages.violations(page)).toBe("")
      await close()
    })

    test("have their usage in the window of choice, by links that keep it", async () => {
      const { apiKey, project } = await make({ name: "counted" })
      await call("history", apiKey, "eth_blockNumber")
      const { close, page, wrong } = await open()
      await page.goto(`${service.url}/console/projects/${project.id}`)
      const shown = ".usage .seg [aria-current]"
      await said(page, shown, /^24 h$/u)
      await said(
        page,
        ".usage .totals",
        /^1 call, 80 credits from .*\d\d:\d\d UTC until now, on history: 0 over a limit, 0 failed, 0 answered with an error\. Limit per day: 80 of 3,000,000 credits used, 2,999,920 left\. A limit counts from 00:00 UTC/u
      )
      const asked = page.waitForRequest((request) => /usage\/by\?.*window=7d/u.test(request.url()))
      await page.focus(".usage .seg a:text-is('7 d')")
      await page.keyboard.press("Enter")
      await asked
      await said(page, shown, /^7 d$/u)
      await page.waitForSelector(".usage td:has-text('eth_blockNumber')")
      expect(await Pages.violations(page)).toBe("")
      await page.reload()
      await said(page, shown, /^7 d$/u)
      // a phone stays where the choice is
      await page.setViewportSize({ width: 390, height: 600 })
      await page.click(".usage .seg a:text-is('30 d')")
      await said(page, shown, /^30 d$/u)
      await page.waitForSelector(".usage td:has-text('eth_blockNumber')")
      expect(await Layout.isInView(page, ".usage .seg")).toBe(true)
      expect(wrong).toEqual([])
      await close()
    })

    test.each([
      ["a desktop", { viewport: { width: 1280, height: 800 } }],
      ["a phone", { viewport: { width: 390, height: 844 }, hasTouch: true }]
    ] as const)(
      "open from the whole row on %s, by one link, in the window that was chosen last",
      async (_name, options) => {
        const { apiKey, project } = await make({ name: "whole row" })
        for (let i = 0; i < 3; i++) await (await call("history", apiKey, "eth_blockNumber")).text()
        const { close, page, wrong } = await open(options)
        /** Presses the lower right corner of the project's row, which has no text. */
        const press = async (list: string): Promise<void> => {
          const row = page.locator(`${list}:has(a[href*="${project.id}"])`)
          await row.scrollIntoViewIfNeeded()
          expect(await row.locator("a").count()).toBe(1)
          const { height, width } = (await row.boundingBox())!
          await row.click({ position: { x: width - 6, y: height - 4 } })
          await page.waitForSelector(".project h1:has-text('whole row')")
        }
        await page.goto(`${service.url}/console/projects`)
        await page.fill("[type=search]", "whole row")
        expect(await Pages.violations(page)).toBe("")
        await press(".projects tbody tr")
        const shown = ".usage .seg [aria-current]"
        await said(page, shown, /^24 h$/u)
        await page.click(".usage .seg a:text-is('1 h')")
        await said(page, shown, /^1 h$/u)
        // links within the page, and a page that is loaded again
        await page.goBack()
        await page.goBack()
        await page.waitForSelector(".projects tbody tr")
        await page.focus(`.projects a[href*="${project.id}"]`)
        await page.keyboard.press("Enter")
        await said(page, shown, /^1 h$/u)
        await page.goto(`${service.url}/console/overview?window=7d`)
        await press(".busiest tbody tr")
        await said(page, shown, /^7 d$/u)
        await page.goto(`${service.url}/console/projects/${project.id}`)
        await said(page, shown, /^7 d$/u)
        await page.goto(`${service.url}/console/overview`)
        await said(page, ".lead .seg [aria-current]", /^7 d$/u)
        expect(wrong).toEqual([])
        await close()
      }
    )

    test("have keys whose own limits show their use, in their row, in the limits and beside the usage", async () => {
      const { apiKey, key, project } = await make({ name: "own limits", limits: {} })
      const { close, page } = await open()
      await page.goto(`${service.url}/console/projects/${project.id}`)
      await said(page, ".limits-of", /Credits and calls are not limited, of the project or of a key\./u)
      const limits = { creditsPerDay: 400, requestsPerSecond: 50 }
      await admin(`/keys/${key.id}`, { label: "web", limits }, "PATCH")
      for (let i = 0; i < 4; i++) await (await call("history", apiKey, "eth_blockNumber")).text()
      await page.reload()
      await said(page, ".key", /, 50 requests per second, used 320 of 400 credits today/u)
      const name = `Key ${apiKey.slice(0, 4)}… web`
      await said(page, ".limits-of", /of the project are not limited, but those of a key are/u)
      await said(page, `.limit:has-text('${name}: credits per day')`, /320 of 400/u)
      await said(page, `.limit:has-text('${name}: requests per second')`, /of 50, bursts to 50/u)
      await said(page, ".usage .totals", /Limit per day of the key .* web: 320 of 400 credits used, 80 left\./u)
      expect(await Pages.violations(page)).toBe("")
      await close()
    })

    test("have no calls with a wrong key, and say where these are counted", async () => {
      const { apiKey, project } = await make({ name: "none wrong" })
      await (await call("history", apiKey, "eth_blockNumber")).text()
      const { close, page } = await open()
      await page.goto(`${service.url}/console/overview`)
      const count = async (): Promise<number> => {
        const text = await page.textContent(".busiest .unauthorized")
        return Number(/^([\d,]+) requests? without a valid key/u.exec(text ?? "")?.[1]?.replaceAll(",", ""))
      }
      const before = await count()
      for (let i = 0; i < 3; i++) expect((await call("history", "0".repeat(32), "eth_blockNumber")).status).toBe(401)
      await page.reload()
      expect(await count()).toBe(before + 3)
      await page.goto(`${service.url}/console/projects/${project.id}`)
      await said(page, ".usage", /^Usage.*1 call,.*belongs to no project, so it is not counted here/u)
      await page.click(".usage a:text-is('overview')")
      await page.waitForSelector(".busiest .unauthorized")
      await close()
    })

    test("offer a new key no more once it is revoked", async () => {
      const { project } = await make({ name: "revoked at once" })
      const { close, page } = await open()
      await page.goto(`${service.url}/console/projects/${project.id}`)
      await page.click("text=Create a key")
      await page.fill("[name=label]", "short")
      await page.click("text=Create the key")
      await page.waitForSelector(".once")
      const key = (await page.textContent(".once code >> nth=0")) ?? ""
      expect(await programOf(page, "curl")).toContain(key)
      await page.click(".key:has-text('short') >> text=Revoke…")
      await page.click("[role=dialog] button[type=submit]")
      await page.waitForSelector(".key:has-text('short')", { state: "detached" })
      expect(await page.locator(".once").count()).toBe(0)
      expect(await programOf(page, "curl")).not.toContain(key)
      await close()
    })

    test("have keys that are made, rotated with an overlap, revoked, and kept in a history", async () => {
      const { apiKey, key, project } = await make({ name: "keyring" })
      const { close, page } = await open()
      await page.goto(`${service.url}/console/projects/${project.id}`)
      await page.click("text=Create a key")
      await page.waitForSelector("[role=dialog]")
      expect(await Pages.violations(page)).toBe("")
      await page.fill("[name=label]", "web page")
      await page.fill("[name=expiresAt]", "2099-01-02T03:04")
      await page.fill("[name=requestsPerSecond]", "10")
      await page.click("text=Create the key")
      await page.waitForSelector(".key:has-text('web page')")
      const made = await page.textContent(".key:has-text('web page')")
      expect(made).toContain("expires 2099-01-02 03:04 UTC")
      expect(made).toContain("10 requests per second")
      const issued = (await page.textContent(".once code >> nth=0")) ?? ""
      expect((await call("history", issued, "eth_blockNumber")).status).toBe(200)

      const old = `.key:has-text('${apiKey.slice(0, 4)}…')`
      // the new key takes the place of the one whose secret is still shown
      page.once("dialog", (dialog) => dialog.accept())
      await page.click(`${old} >> text=Rotate…`)
      await page.selectOption("[name=overlapSeconds]", "3600")
      await page.click("[role=dialog] button[type=submit]")
      await page.waitForSelector(`${old} >> text=/replaced, ends/`)
      expect((await call("history", apiKey, "eth_blockNumber")).status).toBe(200)
      const next = (await page.textContent(".once code >> nth=0")) ?? ""
      expect((await call("history", next, "eth_blockNumber")).status).toBe(200)

      await page.click(`.key:has-text('web page') >> text=Revoke…`)
      await page.click("[role=dialog] button[type=submit]")
      await page.waitForSelector(".key:has-text('web page')", { state: "detached" })
      await expect.poll(async () => (await call("history", issued, "eth_blockNumber")).status).toBe(401)
      await page.click("summary")
      const ended = await page.textContent(".ended")
      expect(ended).toContain(`${issued.slice(0, 4)}… revoked`)
      const history = (await admin(`/projects/${project.id}/keys/history`)) as {
        readonly ended: ReadonlyArray<{ readonly id: string }>
      }
      expect(history.ended.map(({ id }) => id)).toContain(key.id)
      await close()
    })

    test.each([
      [390, 844],
      [1280, 800]
    ])("have the way to a key, and then the key and its first call, without scrolling: %i × %i", async (...size) => {
      const { project } = await make({ name: "first screenful" })
      const { close, page } = await open({
        viewport: { width: size[0], height: size[1] },
        hasTouch: size[0] < 500,
        reducedMotion: "reduce",
        permissions: ["clipboard-read", "clipboard-write"]
      })
      await page.goto(`${service.url}/console/projects`)
      await page.waitForSelector(".lead >> text=Open one to see its keys, or to create a key.")
      await page.goto(`${service.url}/console/projects/${project.id}`)
      await page.waitForSelector(".project-keys")
      expect(await Layout.isInView(page, ".project-keys .button:text-is('Create a key')")).toBe(true)
      expect(size[0] < 500 ? await Layout.smallButtons(page) : []).toEqual([])
      await page.click("text=Create a key")
      await page.click("text=Create the key")
      await page.waitForSelector(".once")
      await expect.poll(() => Layout.isInView(page, ".once .copy >> nth=0")).toBe(true)
      await expect.poll(() => Layout.isInView(page, ".once .copy >> nth=2")).toBe(true)
      expect(await Layout.isInView(page, ".once code >> nth=2")).toBe(true)
      const key = (await page.textContent(".once code >> nth=0")) ?? ""
      await page.click(".once .copy >> nth=2")
      await page.waitForSelector(".once .copy:has-text('Copied')")
      const copied = await page.evaluate<string>("navigator.clipboard.readText()")
      expect(copied).toBe(await page.textContent(".once code >> nth=2"))
      expect(copied).toContain(key)
      const curl = spawnSync("sh", ["-c", copied], { encoding: "utf8", timeout: 60_000 })
      expect(JSON.parse(curl.stdout)).toEqual({ jsonrpc: "2.0", id: 1, result: "0x45" })
      await close()
    })

    test("whose secret was not copied ask before they are left, by every way, until it is", async () => {
      const { project } = await make({ name: "uncopied" })
      const { close, page } = await open({ permissions: ["clipboard-read", "clipboard-write"] })
      const asked: Array<string> = []
      page.on("dialog", (dialog) => {
        asked.push(dialog.type())
        void dialog.dismiss()
      })
      await page.goto(`${service.url}/console/projects`)
      await page.click(".projects a:text-is('uncopied')")
      await page.click("text=Create a key")
      await page.click("text=Create the key")
      await page.waitForSelector(".once")
      const secret = page.locator(".once code >> nth=0")
      const first = await secret.textContent()
      await page.click("nav a:text-is('Overview')")
      await page.evaluate("history.back()")
      await expect.poll(() => asked).toEqual(["confirm", "confirm"])
      await page.keyboard.press("Control+k")
      await page.fill("#search", "17")
      await page.waitForSelector("[role=option]")
      await page.keyboard.press("Enter")
      await expect.poll(() => asked).toHaveLength(3)
      await page.keyboard.press("Escape")
      await page.click("text=Create a key")
      await page.click(".who > button")
      await page.click("text=Sign out")
      await page.keyboard.press("Escape")
      expect(asked).toHaveLength(5)
      await page.close({ runBeforeUnload: true })
      await expect.poll(() => asked.slice(5)).toEqual(["beforeunload"])
      // another time of the same page keeps the panel
      await page.click(".usage .seg a:text-is('7 d')")
      await page.waitForURL(/window=7d/u)
      expect(await secret.textContent()).toBe(first)
      await page.click(".once .copy >> nth=1")
      await page.waitForSelector(".once .copy:has-text('Copied')")
      await page.click("nav a:text-is('Overview')")
      await page.waitForSelector(".overview h1")
      await page.reload()
      await page.waitForSelector(".overview h1")
      expect(asked).toHaveLength(6)
      // put away in place of copied
      await page.goto(`${service.url}/console/projects/${project.id}`)
      await page.click("text=Create a key")
      await page.click("text=Create the key")
      await page.click("text=put them away")
      await page.click("nav a:text-is('Overview')")
      await page.waitForSelector(".overview h1")
      expect(asked).toHaveLength(6)
      await close()
    })

    test("whose calls need the secret cover it in the first call too", async () => {
      const { project } = await make({ name: "covered", secretRequired: true })
      const { close, page } = await open()
      await page.goto(`${service.url}/console/projects/${project.id}`)
      await page.click("text=Create a key")
      await page.click("text=Create the key")
      await page.waitForSelector(".once")
      expect(await page.textContent(".once code >> nth=2")).toContain("covered")
      await page.click("text=Show the secret")
      const secret = (await page.textContent(".once code >> nth=1")) ?? ""
      expect(await page.textContent(".once code >> nth=2")).toContain(`:${secret}'`)
      expect(await programOf(page, "viem")).toContain(secret)
      // also in the programs to paste, of which one is open
      await page.click("text=Cover the secret")
      await expect.poll(() => page.textContent(".use pre")).toContain("covered")
      expect(await page.evaluate("document.documentElement.outerHTML")).not.toContain(secret)
      await close()
    })

    test("whose card and allowlist disagree about IPFS are told so, until the allowlist names it", async () => {
      const { project } = await make({ name: "torn", card: true })
      const { close, page } = await open()
      await page.goto(`${service.url}/console/projects/${project.id}`)
      await page.click(".sheet:has(#allowlist-title) >> text=Edit…")
      await page.waitForSelector("[role=dialog]")
      expect(await Pages.violations(page)).toBe("")
      await page.fill("[name=networks]", "history")
      await page.click("text=Save")
      await page.waitForSelector(".notice:has-text('Two rules work against each other.')")
      expect(await page.textContent(".sheet:has(#open-title)")).toContain(
        "refused: the allowlist of networks does not name it"
      )
      expect(await page.locator("[role=tab]").allTextContents()).toEqual(["curl", "viem", "Effect"])
      await page.click(".sheet:has(#allowlist-title) >> text=Edit…")
      await page.fill("[name=networks]", "history\nipfs\nnowhere")
      await page.click("text=Save")
      await page.waitForSelector(".notice", { state: "detached" })
      await page.waitForSelector("text=This service has no network nowhere")
      await close()
    })

    test("have a billing card that an operator links, sets and ends, for all projects of the account", async () => {
      const { project } = await make({ name: "payer" })
      const { project: other } = await make({ name: "other payer" })
      const { account } = (await admin(`/projects/${project.id}`)) as { readonly account: string }
      const { account: otherAccount } = (await admin(`/projects/${other.id}`)) as { readonly account: string }
      await admin("/projects", { name: "second", account })
      await admin(`/accounts/${otherAccount}/card`, { customer: "cus_taken" }, "PUT")
      const { close, page, wrong } = await open()
      const card = ".sheet:has(#card-title)"
      await page.goto(`${service.url}/console/projects/${project.id}`)
      await said(page, card, /Cardnone.*not linked.*payer, for 2 projects/u)
      expect(await page.locator(`${card} >> text=End the card…`).count()).toBe(0)
      await said(page, ".sheet:has(#open-title)", /IPFSrefused: its account has no billing card/u)

      await page.focus(`${card} >> text=Edit…`)
      await page.keyboard.press("Enter")
      await page.waitForSelector("[role=dialog] [name=card]")
      expect(await Pages.violations(page)).toBe("")
      await page.focus("[name=card]")
      await page.keyboard.press("Space")
      // the dialogue shows the service's own sentences, and keeps the choices
      await page.fill("[name=customer]", "4242424242424242")
      await page.keyboard.press("Enter")
      await page.waitForSelector(
        "[role=dialog] .problem:has-text('Must be an id of the provider, such as cus_ and letters.')"
      )
      await page.fill("[name=customer]", "cus_taken")
      await page.keyboard.press("Enter")
      await page.waitForSelector("[role=dialog] .problem:has-text('Customer cus_taken belongs to another account.')")
      expect(await admin(`/accounts/${account}/card`)).toMatchObject({ card: false, customer: null })
      expect(await page.isChecked("[name=card]")).toBe(true)
      await page.fill("[name=customer]", "cus_own")
      await page.keyboard.press("Enter")
      await said(page, card, /Cardon, set by an operator.*cus_own/u)
      await said(page, ".sheet:has(#open-title)", /IPFSopen/u)
      expect(await admin(`/accounts/${account}/card`)).toMatchObject({
        card: true,
        source: "manual",
        customer: "cus_own"
      })

      await page.click(`${card} >> text=End the card…`)
      await page.waitForSelector("[role=dialog]")
      expect(await Pages.violations(page)).toBe("")
      expect(await page.textContent("[role=dialog]")).toMatch(
        /refuse calls with 403.*for 2 projects.*customer cus_own ends/u
      )
      await page.click("[role=dialog] button[type=submit]")
      await said(page, card, /Cardnone.*not linked/u)
      expect(await admin(`/accounts/${account}/card`)).toMatchObject({ card: false, source: "none", customer: null })
      // the page's only errors are the two refused changes
      expect(wrong.every((text) => /400|409/u.test(text))).toBe(true)
      await close()
    })

    test("with a card of the payment provider show its details, and end it by its link", async () => {
      const { project } = await make({ name: "visa" })
      const { close, page } = await open()
      const given: Array<unknown> = []
      const visa = { card: true, source: "provider", provider: "stripe", brand: "visa", last4: "4242" }
      let isLinked = true
      await page.route(/\/admin\/v1\/accounts\/[^/]+\/card$/u, (route) => {
        if (route.request().method() === "PUT") {
          given.push(route.request().postDataJSON())
          isLinked = false
        }
        const none = { card: false, source: "none", provider: null, brand: null, last4: null }
        const json = isLinked
          ? { ...visa, expiry: { month: 3, year: 2031 }, customer: "cus_1" }
          : { ...none, expiry: null, customer: null }
        return route.fulfill({ json })
      })
      await page.goto(`${service.url}/console/projects/${project.id}`)
      const card = ".sheet:has(#card-title)"
      await said(page, card, /visa …4242, until 03\/2031, from the payment provider.*cus_1.*for this project alone/u)
      await page.click(`${card} >> text=Edit…`)
      await page.waitForSelector("[role=dialog] [name=customer]")
      expect(await page.locator("[role=dialog] [name=card]").count()).toBe(0)
      await page.keyboard.press("Escape")
      await page.waitForSelector("[role=dialog]", { state: "detached" })
      await page.click(`${card} >> text=End the card…`)
      await page.click("[role=dialog] button[type=submit]")
      await said(page, card, /Cardnone/u)
      expect(given).toEqual([{ card: false, customer: null }])
      await close()
    })

    test("of which one is over its limit say so, with the hour of the next day", async () => {
      const { apiKey, project } = await make({ name: "spent", limits: { creditsPerDay: 80 } })
      expect((await call("history", apiKey, "eth_blockNumber")).status).toBe(200)
      expect((await call("history", apiKey, "eth_blockNumber")).status).toBe(429)
      const { close, page } = await open()
      await page.goto(`${service.url}/console/projects/${project.id}`)
      await page.waitForSelector(".limit:has-text('Calls are refused with 429 until 00:00 UTC')")
      expect(await page.locator(".meter.hot").count()).toBe(1)
      await close()
    })

    test("ten thousand of them are a list that scrolls, and finds one", async () => {
      const { close, page } = await open()
      const row = (i: number) => ({
        id: `p${String(i).padStart(5, "0")}`,
        account: "a",
        name: i === 9990 ? `project ${i} with a name ${"that is long ".repeat(12)}` : `project ${i}`,
        suspended: i === 9999,
        secretRequired: false,
        allowlist: { networks: [], methods: [], addresses: [], origins: [], userAgents: [] },
        limits: {}
      })
      await page.route(/\/admin\/v1\/projects\?/u, (route) => {
        const query = new URL(route.request().url()).searchParams
        const from = query.has("after") ? Number(query.get("after")!.slice(1)) + 1 : 0
        const projects = Array.from({ length: 1000 }, (_, i) => row(from + i))
        return route.fulfill({ json: { projects, next: from === 9000 ? null : projects.at(-1)!.id } })
      })
      await page.goto(`${service.url}/console/projects`)
      await page.waitForSelector("text=10,000 projects")
      expect(await page.getAttribute(".rows table", "aria-rowcount")).toBe("10001")
      expect(await page.locator(".rows tbody tr").count()).toBeLessThan(60)
      await page.focus(".rows")
      await page.keyboard.press("End")
      const last = page.locator('.rows tr[aria-rowindex="10001"]')
      await last.waitFor()
      expect(await page.locator(".rows tbody tr").count()).toBeLessThan(60)
      // on a phone they are cards of one height, that of the tallest, and the last one is whole at the end of the list
      await page.setViewportSize({ width: 390, height: 844 })
      await page.focus(".rows")
      await page.keyboard.press("Home")
      await page.waitForSelector('.rows tr[aria-rowindex="2"]')
      await page.keyboard.press("End")
      await last.waitFor()
      const bottomOf = async (element: Locator): Promise<number> => {
        const { height, y } = (await element.boundingBox())!
        return Math.round(y + height)
      }
      await expect.poll(async () => (await bottomOf(last)) - (await bottomOf(page.locator(".rows")))).toBe(0)
      expect(await page.locator(".rows tbody tr").count()).toBeLessThan(60)
      expect(await last.locator("td").last().getAttribute("data-label")).toBe("Credits per day")
      expect(await Pages.sideways(page)).toEqual([])
      await page.setViewportSize({ width: 1440, height: 900 })
      await page.fill("[type=search]", "project 9999")
      await page.waitForSelector("tr:has-text('p09999')")
      expect(await page.textContent("tr:has-text('p09999')")).toContain("suspended")
      await page.fill("[type=search]", "no such thing")
      await page.waitForSelector("text=No project has this name or id.")
      await close()
    })

    test("none is a first step, and two taps and a name lead to a key", async () => {
      const { close, page } = await open({ viewport: { width: 390, height: 844 }, hasTouch: true })
      await page.route(/\/admin\/v1\/projects\?/u, (route) => route.fulfill({ json: { projects: [], next: null } }))
      await page.goto(`${service.url}/console/projects`)
      await page.waitForSelector("h1:has-text('Make the first project')")
      expect(await Pages.violations(page)).toBe("")
      await page.tap("text=Create a project")
      await page.fill("[role=dialog] [name=name]", "the first one")
      await page.tap("[role=dialog] button[type=submit]")
      await page.waitForSelector(".once")
      await expect.poll(() => Layout.isInView(page, ".once code >> nth=0")).toBe(true)
      await close()
    })

    test.each(["light", "dark"] as const)("fit a phone and have no flaw that axe finds: %s", async (colorScheme) => {
      const { project } = await make({
        name: "a project with a name that is longer than most names are, to see it wrap"
      })
      const viewport = { width: 390, height: 844 }
      const { close, page } = await open({ colorScheme, viewport, hasTouch: true, reducedMotion: "reduce" })
      for (const target of ["/console/projects", `/console/projects/${project.id}`]) {
        await page.goto(`${service.url}${target}`)
        await page.waitForSelector(".projects, .project .use")
        expect(await Pages.violations(page)).toBe("")
        expect(await width(page)).toBeLessThanOrEqual(390)
        expect(await Pages.sideways(page)).toEqual([])
      }
      await close()
    })
  })

  // this test is the last, because it locks this address out
  test("too many wrong tries are told with the seconds to wait, and the right token passes", async () => {
    const { close, page } = await open({ isOut: true })
    for (let i = 0; i < 10; i++) {
      await fetch(`${service.url}/admin/v1/session`, {
        method: "POST",
        headers: { authorization: `Bearer ${"0".repeat(64)}` }
      })
    }
    await page.goto(`${service.url}/console/overview`)
    await page.fill("[name=token]", "1".repeat(64))
    await page.keyboard.press("Enter")
    await page.waitForSelector("text=/Too many wrong tries came from this address\\. .* answered again in \\d+ s\\./")
    expect(await page.evaluate("document.activeElement.name")).toBe("token")
    // the right token passes at any time
    await page.fill("[name=token]", service.adminToken)
    await page.keyboard.press("Enter")
    await page.waitForSelector(".figures")
    await close()
  })
})
