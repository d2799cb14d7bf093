/** The functions of contracts in Chromium, over a running service, also with lies on the way. Skipped without Chromium. */
import * as PreparedState from "@plumbline/devnet/anvil/PreparedState"
import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import { type Browser, type Page } from "playwright-core"
import { describe, expect, test } from "vitest"

import * as Shots from "../scripts/shots.ts"
import * as Pages from "./support/Pages.ts"
import * as Running from "./support/Running.ts"
import * as Service from "./support/Service.ts"

const { cabinet, counter, token } = HistoryChain.contracts
const HEAD = HistoryChain.head.hash
const RICH = HistoryChain.accounts[0]!.address

if (Service.skipped) console.warn("no Chromium: the tests of contracts are skipped")

describe.skipIf(Service.skipped)("contracts in a browser", { concurrent: false }, () => {
  const { browser, service } = Running.beside({ networks: "  live: { upstreams: [{ embedded: live }] }\n" })

  const open = async (path: string, options: Parameters<Browser["newContext"]>[0] = {}) => {
    const opened = await Pages.open(browser, { reducedMotion: "reduce", ...options })
    await opened.page.goto(`${service.url}${path}`)
    return opened
  }

  const contract = (address: string, network = "history"): string =>
    `/console/${network}/contract/${address}/${HEAD}?trust=${HEAD}`

  test.each(Shots.ofContracts.map((shot) => [shot.name, shot] as const))(
    "%s fits a phone, axe finds nothing in either theme, no script fails, and no request leaves the service",
    async (_, shot) => expect(await Pages.faultsOf(browser, service.url, shot)).toEqual([])
  )

  test("a token is recognised by its answers, and its values are verified in the units that it names", async () => {
    const { close, page } = await open(contract(token.address))
    await page.waitForSelector(".standards .answers")
    expect(await page.textContent(".standards li:has(.answers)")).toContain("ERC-20")
    expect(await page.locator(".standards .answers").count()).toBe(1)
    await page.click(".standards .button.primary")
    const value = (name: string) => page.locator(`[data-function=${name}]`)
    for (const name of ["name", "symbol", "decimals", "totalSupply"]) {
      await value(name).locator(".call-result").waitFor()
    }
    await value("totalSupply").locator(".number:has-text('PLUMB')").waitFor()
    // Token.sol: the supply of the constructor, and the names that it was given
    expect(await value("totalSupply").locator(".number").textContent()).toBe("1,000,000 PLUMB")
    expect(await value("decimals").locator(".number").textContent()).toBe("18")
    const verdicts = await page.evaluate(
      "[...document.querySelectorAll('.functions .call-result')].map((one) => one.dataset.verdict)"
    )
    expect(verdicts).toEqual(["VERIFIED", "VERIFIED", "VERIFIED", "VERIFIED"])
    await Shots.readFunction(page, "balanceOf", [RICH])
    expect(await value("balanceOf").locator(".call-result").getAttribute("data-verdict")).toBe("VERIFIED")
    await close()
  })

  test("the proof of a result names the slot, which opens in the microscope, and the hardfork", async () => {
    const { close, page } = await open(contract(token.address))
    await page.waitForSelector(".standards .answers")
    await page.click(".standards .button.primary")
    await page.click("[data-function=totalSupply] .call-verdict button")
    await page.waitForSelector(".line.call .bob")
    expect(await page.textContent(".line.call")).toContain("rules of osaka, as this service names them")
    // Token.sol has the supply in slot 2
    await page.click(".line.call >> text=slot 2")
    await page.waitForSelector(".line .bob")
    await page.waitForSelector(".lead .chip.verified")
    expect(BigInt((await page.getAttribute("button:text-is('Copy value')", "data-copy"))!)).toBe(10n ** 24n)
    await close()
  })

  test("an ABI is kept by the browser for its contract alone, and no link holds it", async () => {
    const { close, page } = await open(contract(cabinet.address))
    expect(await page.innerText(".contract .lead")).toMatch(/^an example, without an ABI yet\s+Cabinet\s/u)
    await page.fill(".contract textarea", "function nothing")
    await page.click("text=Use this ABI")
    expect(await page.textContent(".contract [role=alert]")).toContain("Not an ABI")
    await Shots.withAbi(page)
    expect(page.url()).not.toContain("owner")
    await page.reload()
    await page.waitForSelector("[data-function=title] .call-result")
    expect(await page.textContent("[data-function=title] .said")).toBe('"Small things"')
    await page.goto(`${service.url}${contract(counter.address)}`)
    await page.waitForSelector(".contract textarea")
    await page.goBack()
    await page.click("text=Use another ABI")
    await page.waitForSelector(".contract textarea")
    expect(await Pages.kept(page)).not.toContain("nickname")
    await close()
  })

  test("a struct, a revert with the ABI's error, and bytes that the ABI does not fit are results", async () => {
    const { close, page } = await open(contract(cabinet.address))
    await page.waitForSelector(".contract textarea")
    await Shots.withAbi(page, `${Shots.ABI}\nfunction marker() view returns (bool)`)
    await Shots.readFunction(page, "members", [Shots.MEMBER])
    const member = page.locator("[data-function=members]")
    // Cabinet.sol: `join` of the story
    expect(await member.locator("dt").allTextContents()).toEqual(["since", "score", "active", "nickname"])
    expect(await member.locator("dd").allTextContents()).toContain('"ada"')
    // bytes4 is no bool
    const marker = page.locator("[data-function=marker]")
    await marker.locator(".call-result").waitFor()
    expect(await marker.textContent()).toContain("Not what the ABI says")
    expect(await marker.locator(".call-result").getAttribute("data-verdict")).toBe("VERIFIED")
    await page.goto(`${service.url}${contract(token.address)}`)
    await page.waitForSelector(".contract textarea")
    await Shots.withAbi(page)
    await Shots.readFunction(page, "transfer", [Shots.MEMBER, "7", cabinet.address])
    const transfer = page.locator("[data-function=transfer]")
    expect(await transfer.locator(".call-values").textContent()).toContain("InsufficientBalance")
    expect(await transfer.locator("dd").last().textContent()).toBe("7")
    expect(await transfer.locator(".call-result").getAttribute("data-verdict")).toBe("VERIFIED")
    await close()
  })

  test("an argument that does not fit is named with its form, and nothing is called", async () => {
    const { close, page } = await open(contract(cabinet.address))
    await page.waitForSelector(".contract textarea")
    await Shots.withAbi(page)
    const member = page.locator("[data-function=members]")
    await member.locator("summary").click()
    await member.locator("input").fill("0x12")
    await member.locator("button").click()
    expect(await member.locator(".fault").textContent()).toContain("40 hex digits")
    expect(await member.locator(".call-result").count()).toBe(0)
    await close()
  })

  /** Changes the answers of the service on their way to a page. */
  const lie = (page: Page, path: string, change: (text: string) => string) =>
    page.route(`**${path}`, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: change(await response.text()) })
    })

  test("a node that changes a slot is refuted, and no value is shown", async () => {
    const { close, page } = await Pages.open(browser)
    // Token.sol has the supply in slot 2
    await lie(page, "/console/api/read/history", (text) =>
      text.replaceAll('"value":"0xd3c21bcecceda1000000"', '"value":"0xd3c21bcecceda1000001"')
    )
    await page.goto(`${service.url}${contract(token.address)}`)
    await page.waitForSelector(".contract textarea")
    await Shots.withAbi(page)
    const supply = page.locator("[data-function=totalSupply] .call-result")
    await supply.waitFor()
    expect(await supply.getAttribute("data-verdict")).toBe("REFUTED")
    expect(await supply.textContent()).toContain("No value")
    expect(await page.locator("[data-function=totalSupply] .number").count()).toBe(0)
    await close()
  })

  test("a node that changes the code is refuted before anything is run", async () => {
    const { close, page } = await Pages.open(browser)
    await lie(page, "/console/api/read/history", (text) => text.replaceAll('"result":"0x6', '"result":"0x7'))
    await page.goto(`${service.url}${contract(token.address)}`)
    await page.waitForSelector(".state .word.refuted")
    expect(await page.locator(".functions, .contract textarea").count()).toBe(0)
    await close()
  })

  test("without a trusted hash, results are claims until the reader trusts the block", async () => {
    const { close, page } = await open(`/console/history/contract/${cabinet.address}/${HEAD}`)
    await page.waitForSelector(".contract textarea")
    await Shots.withAbi(page)
    const title = page.locator("[data-function=title] .call-result")
    await title.waitFor()
    expect(await title.getAttribute("data-verdict")).toBe("CLAIMED")
    await page.click("text=Trust its hash")
    await page.waitForSelector("[data-function=title] [data-verdict=VERIFIED]")
    await close()
  })

  test("on a phone, the anchor is beside a result that the reader asked for, which then is VERIFIED where it is", async () => {
    const { close, page } = await open(`/console/history/contract/${cabinet.address}/${HEAD}`)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.waitForSelector(".contract textarea")
    await Shots.withAbi(page)
    await Shots.readFunction(page, "corners", ["0"])
    const result = page.locator("[data-function=corners] .call-result")
    expect(await result.getAttribute("data-verdict")).toBe("CLAIMED")
    const button = result.locator("text=Trust this block")
    await button.scrollIntoViewIfNeeded()
    const [of, at] = [await result.locator(".word").boundingBox(), await button.boundingBox()]
    expect(at!.y - of!.y).toBeLessThan(100)
    await button.click()
    await page.waitForSelector("[data-function=corners] [data-verdict=VERIFIED]")
    await close()
  })

  test("on a chain whose rules nobody names, a result is the node's word, with the reason", async () => {
    const { close, page } = await Pages.open(browser)
    await lie(page, "/console/api/start", (text) => {
      const start = JSON.parse(text) as { readonly networks: ReadonlyArray<object> }
      return JSON.stringify({ ...start, networks: start.networks.map((one) => ({ ...one, forks: null })) })
    })
    await page.goto(`${service.url}/console/live/contract/${PreparedState.contracts.token.address}/latest`)
    await page.waitForSelector(".contract textarea")
    await Shots.withAbi(page)
    const supply = page.locator("[data-function=totalSupply] .call-result")
    await supply.waitFor()
    expect(await supply.getAttribute("data-verdict")).toBe("CLAIMED")
    expect(await supply.textContent()).toContain("hardforks are not known")
    await close()
  })

  test("the keyboard alone goes from an account to the result of a function", async () => {
    const { close, page } = await open(`/console/history/account/${cabinet.address}/${HEAD}?trust=${HEAD}`)
    await page.focus("main a:text-is('Functions')")
    await page.keyboard.press("Enter")
    await page.waitForSelector(".contract textarea")
    await page.focus(".contract textarea")
    await page.keyboard.insertText(Shots.ABI)
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await page.focus("[data-function=corners] summary")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Tab")
    await page.keyboard.type("1")
    await page.keyboard.press("Enter")
    await page.waitForSelector("[data-function=corners] .call-result")
    // Cabinet.sol: corners[1] = Point(7, -7)
    expect(await page.locator("[data-function=corners] dd").allTextContents()).toEqual(["7", "-7"])
    await close()
  })
})
