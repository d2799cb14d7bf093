/**
 * Tests the microscope with a light client, in Chromium: the seats that signed, and the reasons why no block is
 * trusted.
 */
import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import { type Page } from "playwright-core"
import { describe, expect, test } from "vitest"

import * as Beacon from "./support/Beacon.ts"
import * as Pages from "./support/Pages.ts"
import * as Running from "./support/Running.ts"
import * as Service from "./support/Service.ts"

const HEAD = HistoryChain.head
const all = Array.from({ length: Beacon.SEATS }, (_, at) => at)
const without = (...absent: ReadonlyArray<number>) => all.filter((at) => !absent.includes(at))

describe.skipIf(Service.skipped)("the microscope under a light client", { concurrent: false }, () => {
  const { browser, service } = Running.beside()

  /** Opens the proof of a field of the head. */
  const open = async (story: Beacon.Story, options: Pages.Options = {}) => {
    const opened = await Pages.open(browser, { reducedMotion: "reduce", ...options })
    opened.page.setDefaultTimeout(120_000)
    const trust = await Beacon.under(opened.page, story)
    await opened.page.goto(`${service.url}/console/history/proof/${HEAD.hash}/header/stateRoot?trust=${trust}`)
    return opened
  }

  /** Returns the drawn seats: true for a filled square. */
  const drawn = (page: Page): Promise<ReadonlyArray<boolean>> =>
    page.$$eval(".seats rect", (squares) => squares.map((square) => square.getAttribute("class") === "signed"))

  test.each(["light", "dark"] as const)("shows which seats signed a partly signed head, %s", async (colorScheme) => {
    const absent = [0, 7, 8, 63, 64, 200, 511]
    const { close, page, wrong } = await open({ signers: without(...absent), support: "optimistic" }, { colorScheme })
    await page.waitForSelector(".lead .chip.verified")
    expect(await drawn(page)).toEqual(all.map((at) => !absent.includes(at)))
    expect(await page.getAttribute(".seats svg", "aria-label")).toBe(
      "505 of 512 seats signed. Without a signature: seats 0, 7, 8, 63, 64, 200, 511."
    )
    expect(await page.textContent(".seats figcaption")).toBe("505 signed7 did not")
    expect(await page.textContent(".line")).toContain("505 of 512 signed, slot 160")
    expect(await page.textContent(".line")).toContain("it can still be reorganised")
    expect(await Pages.violations(page)).toBe("")
    expect(wrong).toEqual([])
    await close()
  })

  test("hangs a block and a transaction from the checkpoint that the service announces", async () => {
    const { close, page, wrong } = await Pages.open(browser, { reducedMotion: "reduce" })
    page.setDefaultTimeout(120_000)
    await Beacon.under(page, { signers: without(0, 7), support: "finalized" })
    const place = `${service.url}/console/history/block/${HEAD.hash}`
    await page.goto(place)
    await page.waitForSelector(".verdict-strip.claimed")
    expect(await Pages.violations(page)).toBe("")
    await page.click(".verdict-strip >> text=Trust this checkpoint")
    await page.waitForSelector(".verdict-strip.verified")
    expect(await page.textContent(".verdict-strip")).toContain("finalized, signed by 510 of 512")
    await page.click("[aria-label='Transactions of the block'] tbody td:nth-child(2) a")
    await page.waitForSelector("[data-part=outcome] .word.verified")
    expect(await page.textContent(".verdict-strip")).toContain("signed by 510 of 512")
    expect(wrong).toEqual([])
    await close()
  })

  test("a checkpoint of a link that another person made proves nothing before the reader accepts it", async () => {
    const { close, page } = await open({ signers: all, support: "finalized" }, { isStranger: true })
    await page.waitForSelector(".lead .chip.claimed")
    expect(await page.textContent(".link-anchor")).toContain("The checkpoint 0x")
    expect(await page.textContent(".line")).not.toContain("a checkpoint that you trust")
    await page.click(".link-anchor >> text=Trust this checkpoint")
    await page.waitForSelector(".lead .chip.verified")
    expect(await page.textContent(".screens .anchor")).toContain("which you accepted")
    await close()
  })

  test("names the first absent seats of many, and counts the others", async () => {
    const absent = all.filter((at) => at % 4 === 2)
    const { close, page } = await open({ signers: without(...absent), support: "finalized" })
    await page.waitForSelector(".lead .chip.verified")
    expect((await drawn(page)).filter(Boolean)).toHaveLength(384)
    expect(await page.getAttribute(".seats svg", "aria-label")).toBe(
      "384 of 512 seats signed. Without a signature: seats 2, 6, 10, 14, 18, 22, 26, 30, 34, 38, 42, 46, and 116 more."
    )
    expect(await page.textContent(".line")).toContain("2/3 needed")
    await close()
  })

  test("fits a phone with all its seats", async () => {
    const { close, page } = await open(
      { signers: all, support: "finalized" },
      { viewport: { width: 390, height: 844 }, hasTouch: true }
    )
    await page.waitForSelector(".line .bob")
    expect((await drawn(page)).every(Boolean)).toBe(true)
    expect(await page.getAttribute(".seats svg", "aria-label")).toBe("512 of 512 seats signed.")
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390)
    await close()
  })

  test("has no seats of a checkpoint that no member signed yet", async () => {
    const { close, page } = await open({ signers: [5], support: "checkpoint" })
    await page.waitForSelector(".line .bob")
    expect(await page.locator(".seats").count()).toBe(0)
    await close()
  })

  test("names the newest block that is signed as the reason for which a newer one is claimed", async () => {
    const { close, page } = await open({ signers: all, support: "none" })
    await page.waitForSelector(".lead .chip.claimed")
    const says = `block ${HEAD.number} is newer than block ${Beacon.OLDER}, the newest that the light client knows`
    expect(await page.textContent(".scope > .column")).toContain(`Reason: ${says}.`)
    await close()
  })

  test("says why the light client did not start", async () => {
    const { close, page } = await open({ signers: all, support: "finalized", isSilent: true })
    await page.waitForSelector(".state")
    expect(await page.textContent(".state")).toContain("The light client did not start: ")
    expect(await page.textContent(".state")).toContain("this service")
    expect(await page.textContent(".state")).toContain("Nothing is claimed or refuted")
    await page.goto(
      `${service.url}/console/history/proof/${HEAD.hash}/header/stateRoot?trust=checkpoint:0x${"ab".repeat(32)}`
    )
    await page.waitForSelector("text=The light client did not start: ")
    await page.unrouteAll()
    await page.reload()
    await page.waitForSelector("text=this service has no beacon chain of history")
    await close()
  })
})
