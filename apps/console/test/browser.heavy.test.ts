/** The console in Chromium, over a running service. Skipped without Chromium: set CHROMIUM to its program. */
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { pathToFileURL } from "node:url"

import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import { type Page } from "playwright-core"
import * as viem from "viem"
import { beforeAll, describe, expect, test } from "vitest"

import * as Shots from "../scripts/shots.ts"
import * as Build from "./support/Build.ts"
import * as Layout from "./support/Layout.ts"
import * as Pages from "./support/Pages.ts"
import * as Running from "./support/Running.ts"
import * as Service from "./support/Service.ts"

const here = path.resolve(import.meta.dirname, "..")
const CABINET = HistoryChain.contracts.cabinet.address
const LAYOUT = path.resolve(here, "../../packages/devnet/state/layouts/Cabinet.json")
const UNCLED = HistoryChain.withUncles.find(({ uncles }) => uncles.length === 2)!.hash
const MEMBER = "members[0x70997970c51812dc3a010c7d01b50e0d17dc79c8]"

if (Service.skipped) console.warn("no Chromium: the console's tests in a browser are skipped")

describe.skipIf(Service.skipped)("the console in a browser", { concurrent: false }, () => {
  const { browser, service } = Running.beside()

  const open = (options: Pages.Options = {}) => Pages.open(browser, options)

  // other files visit these screens, over services that have more
  const elsewhere = new Set([...Shots.ofContracts, ...Shots.ofStorage])
  const screens = Shots.all.filter((shot) => !elsewhere.has(shot) && !shot.path.includes("/live/"))

  test.each(screens.map((shot) => [shot.name, shot] as const))(
    "%s fits a phone, axe finds nothing in either theme, no script fails, and no request leaves the service",
    async (_, shot) => expect(await Pages.faultsOf(browser, service.url, shot)).toEqual([])
  )

  const head = HistoryChain.head

  describe("on a phone,", () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
    const holder = HistoryChain.accounts[0]!.address

    test.each([`account/${holder}/${head.hash}`, `proof/${head.hash}/account/${holder}/balance`])(
      "the digits of a balance stay together between their separators: %s",
      async (path) => {
        const { close, page } = await open(phone)
        await page.goto(`${service.url}/console/history/${path}`)
        await page.waitForSelector("h1.amount")
        expect(await page.textContent("h1")).toMatch(/^[\d,]+\.\d{18} ether$/u)
        // each digit of the fraction is on the line of the digit before it
        const lines = await page.evaluate<number>(`(() => {
          const last = [...document.querySelector("h1").childNodes].filter(({ nodeType }) => nodeType === 3).at(-1)
          const range = document.createRange()
          range.setStart(last, 0)
          range.setEnd(last, 18)
          return new Set([...range.getClientRects()].map(({ top }) => top)).size
        })()`)
        expect(lines).toBe(1)
        await close()
      }
    )

    test("each row of a block's tables is a card with all of its values, and a table for assistive technology", async () => {
      const { close, page } = await open(phone)
      await page.goto(`${service.url}/console/history/block/${UNCLED}?trust=${UNCLED}`)
      const tables: ReadonlyArray<readonly [name: string, labels: ReadonlyArray<string>]> = [
        ["Transactions of the block", ["#", "Transaction", "What", "From", "To", "Value"]],
        ["Uncles of the block", ["#", "Hash", "Miner", "Number", "Age"]]
      ]
      for (const [name, labels] of tables) {
        const table = page.getByRole("region", { name }).getByRole("table")
        await table.waitFor()
        expect(await table.getByRole("columnheader").allTextContents()).toEqual(labels)
        // a name stands before each value, and is not said twice
        const shown = await page.evaluate<ReadonlyArray<string>>(
          `[...document.querySelectorAll("[aria-label='${name}'] td")].map((cell) => getComputedStyle(cell, "::before").content)`
        )
        expect(shown.slice(0, labels.length)).toEqual(labels.map((label) => `"${label}" / ""`))
        const rows = await table
          .getByRole("row")
          .filter({ has: page.getByRole("cell") })
          .all()
        expect(rows.length).toBeGreaterThan(0)
        for (const row of rows) {
          const cells = await row.getByRole("cell").all()
          expect(cells.length).toBe(labels.length)
          let bottom = 0
          for (const cell of cells) {
            expect((await cell.textContent())!.trim()).not.toBe("")
            const box = (await cell.boundingBox())!
            expect(box.x).toBeGreaterThanOrEqual(0)
            expect(box.x + box.width).toBeLessThanOrEqual(390)
            expect(box.y).toBeGreaterThanOrEqual(bottom)
            bottom = box.y + box.height
          }
        }
      }
      await close()
    })

    test.each([
      ["a balance", `proof/latest/account/${holder}/balance`],
      ["an account", `account/${holder}/latest`],
      ["a block", "block/latest"],
      ["a transaction", `tx/${head.transactions[0]!.hash}`],
      ["a contract", `contract/${CABINET}/latest`],
      ["variables", `storage/${CABINET}/latest`]
    ])("the anchor that makes %s VERIFIED is beside the verdict, with its meaning", async (_, path) => {
      const { close, page } = await open({ ...phone, isStranger: true })
      await page.goto(`${service.url}/console/history/${path}`)
      const offer = ".verdict-strip.claimed .button.primary:text-is('Trust this block')"
      await page.waitForSelector(offer)
      for (const part of [".verdict-strip .chip", offer, ".verdict-strip .offer .soft"]) {
        expect(await Layout.isInView(page, part), part).toBe(true)
      }
      expect(await page.textContent(".verdict-strip .offer")).toContain("which this service announces")
      expect(await Pages.violations(page)).toBe("")
      await page.click(offer)
      await page.waitForSelector(".verdict-strip.verified")
      await close()
    })

    test("the reader's anchor is one line, which opens", async () => {
      const { close, page } = await open(phone)
      await page.goto(`${service.url}/console/history`)
      await page.click("text=Trust this block")
      await page.waitForSelector("table .word.verified")
      const anchor = page.locator(".screens .anchor")
      expect((await anchor.boundingBox())!.height).toBeLessThanOrEqual(48)
      expect(await page.locator("text=Stop trusting it").isVisible()).toBe(false)
      await anchor.locator("button").first().click()
      expect(await anchor.textContent()).toContain("which this service announces")
      expect(await Pages.violations(page)).toBe("")
      await page.click("text=Stop trusting it")
      await anchor.waitFor({ state: "detached" })
      await close()
    })

    test("the verdict of each of the newest blocks is in view", async () => {
      const { close, page } = await open(phone)
      await page.goto(`${service.url}/console/history`)
      await page.waitForSelector("table tbody tr")
      const words = page.getByRole("cell", { name: "CLAIMED" })
      expect(await words.count()).toBe(await page.locator("table tbody tr").count())
      for (const word of await words.all()) {
        const { width, x } = (await word.locator(".word").boundingBox())!
        expect(x + width).toBeLessThanOrEqual(390)
      }
      expect(await Pages.sideways(page)).toEqual([])
      await close()
    })

    test("no shortcut of a keyboard is offered, at any width", async () => {
      for (const width of [390, 1024]) {
        const { close, page } = await open({ ...phone, viewport: { width, height: 844 } })
        await page.goto(`${service.url}/console/history`)
        await page.waitForSelector("table tbody tr")
        expect(await page.locator(".search kbd, .tool.help").filter({ visible: true }).count()).toBe(0)
        await close()
      }
    })
  })

  describe("the screen Prove", () => {
    test.each([
      ["Token or call", "Choose the function", ".standards .answers, .functions"],
      ["Variable", "Choose the variable", ".tree-row"],
      ["Transaction", "Prove the transaction", ".tx-status"],
      ["Block", "Prove the block", ".fact-grid"]
    ])("leads from an example of the kind %s to its screen", async (kind, submit, ready) => {
      const { close, page } = await open()
      await page.goto(`${service.url}/console/history/prove`)
      await page.click(`.pills button:text-is("${kind}")`)
      await page.click("text=Fill in an example")
      await expect.poll(() => page.inputValue("#subject"), { timeout: 60_000 }).not.toBe("")
      await page.click(`text=${submit}`)
      await page.waitForSelector(ready)
      await close()
    })

    test.each([
      ["prove", "#subject", "Prove the balance", /\/proof\//u],
      ["storage", "#contract", "Open its variables", /\/storage\/0x/u],
      ["contract", "#contract", "Open its functions", /\/contract\/0x/u]
    ])("of %s: a press while the example is read counts, and a text that is typed meanwhile stays", async (...row) => {
      const [screen, field, submit, there] = row
      const { close, page } = await open()
      let answer = Promise.withResolvers<void>()
      await page.route("**/console/api/read/**", async (route) => {
        await answer.promise
        await route.continue()
      })
      const href = `${service.url}/console/history/${screen}`
      await page.goto(href)
      await page.click("text=Fill in an example")
      await page.fill(field, "0x12")
      answer.resolve()
      await page.waitForTimeout(1000)
      expect(await page.inputValue(field)).toBe("0x12")
      answer = Promise.withResolvers<void>()
      await page.reload()
      await page.click("text=Fill in an example")
      // the button keeps the focus, and a form that waits for its example complains about no text
      await page.waitForSelector("text=Looking for an example …")
      await page.click(`button:text-is("${submit}")`)
      expect(await page.locator(".problem").count()).toBe(0)
      answer.resolve()
      await page.waitForURL(there)
      await close()
    })

    test("names what is wrong with a subject, and keeps an address for the kinds that have one", async () => {
      const { close, page } = await open()
      await page.goto(`${service.url}/console/history/prove`)
      await page.fill("#subject", "0x12")
      await page.click("text=Prove the balance")
      expect(await page.textContent("#subject-problem")).toContain("is not an address")
      await page.fill("#subject", CABINET)
      await page.click('.pills button:text-is("Variable")')
      expect(await page.inputValue("#subject")).toBe(CABINET)
      await page.click('.pills button:text-is("Transaction")')
      expect(await page.inputValue("#subject")).toBe("")
      await close()
    })
  })

  const slot = Shots.all.find(({ name }) => name === "microscope")!

  test("from a value to a broken proof are three clicks, and a fourth mends it", async () => {
    const { close, page } = await open()
    await page.goto(`${service.url}/console/history/block/${head.hash}?trust=${head.hash}`)
    await page.click("[data-fact='Gas used'] a")
    await page.waitForSelector(".chip.verified")
    await page.click('[data-station="header"]')
    await page.click(".bits button:nth-child(5)")
    expect(await page.textContent("h1")).toBe("No value")
    expect(await page.textContent(".lead .chip")).toContain("REFUTED")
    expect(await page.textContent(".tear .name")).toContain("The line breaks here")
    await page.click('button:text-is("Mend")')
    expect(await page.textContent(".lead .chip")).toContain("VERIFIED")
    await close()
  })

  test("no hash that only the node named is trusted, on whichever way a reader comes to it", async () => {
    const { close, page } = await open()
    await page.goto(`${service.url}/console/history`)
    await page.click("table tbody tr:first-child td:nth-child(2) a")
    await page.waitForSelector(".fact-grid")
    expect(await page.textContent(".lead .chip")).toContain("CLAIMED")
    await page.click("text=Trust this hash")
    await page.waitForSelector(".lead .chip.verified")
    // a block that was requested by hash is not proven to be on the chain of the trusted block
    const other = HistoryChain.blocks[5]!.hash
    await page.goto(`${service.url}/console/history/block/${head.hash}?trust=${other}`)
    await page.waitForSelector(".fact-grid")
    expect(await page.textContent(".lead .chip")).toContain("CLAIMED")
    await page.goto(`${service.url}/console/history/block/${other}?trust=${head.hash}`)
    await page.waitForSelector(".lead .chip.verified")
    await page.goto(`${service.url}${Shots.all.find(({ name }) => name === "transaction")!.path}`)
    await page.click("[data-fact=Value] a")
    await page.waitForSelector(".chip.claimed")
    expect(page.url()).not.toContain("trust=")
    // a link to a transaction with this hash leads to the block, but does not make the block trusted
    await page.goto(`${service.url}/console/history/tx/${other}`)
    await page.waitForSelector(".fact-grid")
    expect(page.url()).toContain(`/block/${other}`)
    expect(await page.textContent(".lead .chip")).toContain("CLAIMED")
    // a hash that the reader types into the search is trusted
    await page.keyboard.press("Control+k")
    await page.fill("#search", other)
    await page.keyboard.press("Enter")
    await page.waitForSelector(".lead .chip.verified")
    await close()
  })

  describe("a link that another person made, in a fresh profile", () => {
    const linked = `/console/history/block/${head.hash}?trust=${head.hash}`

    test("proves nothing under its anchor before the reader accepts it, and VERIFIED afterwards, also after a reload", async () => {
      const { close, page, wrong } = await open({ isStranger: true })
      await page.goto(`${service.url}${linked}`)
      await page.waitForSelector(".lead .chip.claimed")
      const asked = page.locator(".link-anchor")
      expect(await asked.textContent()).toContain("comes from the link that opened this page")
      expect(await asked.textContent()).toContain("nothing on this page hangs from it yet")
      expect(await page.locator(".verified").count()).toBe(0)
      expect(await Pages.violations(page)).toBe("")
      // the next pages of the network do not use it either, and still ask
      await page.click("[data-fact='Gas used'] a")
      await page.waitForSelector(".lead .chip.claimed")
      await asked.waitFor()
      expect(page.url()).not.toContain("trust=")
      await asked.locator("text=Trust this block").click()
      await page.waitForSelector(".lead .chip.verified")
      await expect.poll(() => asked.count()).toBe(0)
      await page.reload()
      await page.waitForSelector(".lead .chip.verified")
      // another tab of this reader does not ask again
      const other = await page.context().newPage()
      await other.goto(`${service.url}${linked}`)
      await other.waitForSelector(".lead .chip.verified")
      // until the reader revokes it
      await other.click("text=Stop trusting it")
      await other.waitForSelector(".lead .chip.claimed")
      expect(other.url()).not.toContain("trust=")
      expect(wrong).toEqual([])
      await close()
    })

    test("is left out when the reader says so, and leaves the reader's own anchor in place", async () => {
      const { close, page } = await open({ isStranger: true })
      const other = HistoryChain.blocks[5]!.hash
      await page.goto(`${service.url}/console/history/block/${other}?trust=${other}`)
      await page.click("text=Leave it out")
      await page.waitForSelector(".link-anchor", { state: "detached" })
      expect(page.url()).not.toContain("trust=")
      await page.waitForSelector(".lead .chip.claimed")
      // the anchor of the service, which this reader accepts, stays the one that counts
      await page.click(".verdict-strip >> text=Trust the service's block")
      await page.waitForSelector(".lead .chip.verified")
      await page.goto(`${service.url}/console/history/block/${other}?trust=${other}`)
      await page.waitForSelector(".lead .chip.verified")
      expect(await page.textContent(".link-anchor")).toContain("this page hangs from your own anchor")
      expect(await page.textContent(".verdict-strip")).not.toContain("the hash of this block")
      await close()
    })

    test.each([
      ["the microscope", `proof/${head.hash}/header/stateRoot`],
      ["an account", `account/${CABINET}/${head.hash}`],
      ["a contract", `contract/${CABINET}/${head.hash}`],
      ["a transaction", `tx/${head.transactions[0]!.hash}`]
    ])("is asked about on %s, and nothing there is proven from it", async (_, place) => {
      const { close, page } = await open({ isStranger: true, viewport: { width: 390, height: 844 } })
      await page.goto(`${service.url}/console/history/${place}?trust=${head.hash}`)
      await page.waitForSelector(".link-anchor")
      await page.waitForSelector(".lead .chip.claimed")
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390)
      await close()
    })

    test("does not fill the anchor of a question in the playground", async () => {
      const { close, page } = await open({ isStranger: true })
      await page.goto(`${service.url}/console/history/playground/eth_blockNumber?params=[]&trust=${head.hash}`)
      await page.waitForSelector(".link-anchor")
      expect(await page.inputValue("#trusted")).toBe("")
      await page.click(".link-anchor >> text=Trust this block")
      await page.waitForSelector(".link-anchor", { state: "detached" })
      expect(await page.inputValue("#trusted")).toBe(head.hash)
      await close()
    })
  })

  test("a receipt hangs as soon as the reader trusts the hash of its block, and from no other hash", async () => {
    const { close, page } = await open()
    const address = `${service.url}${Shots.all.find(({ name }) => name === "transaction")!.path}`
    await page.goto(address)
    await page.waitForSelector(".lead .chip.claimed")
    // what was signed is proven by the hash in the address, and only that
    expect(await page.textContent("[data-part=signed] .word")).toContain("VERIFIED")
    expect(await page.textContent("[data-part=outcome] .word")).toContain("CLAIMED")
    await page.click("text=Trust the hash of its block")
    await page.waitForSelector(".lead .chip.verified")
    expect(await page.textContent("[data-part=outcome] .word")).toContain("VERIFIED")
    const { searchParams } = new URL(page.url())
    expect(HistoryChain.blocks.map(({ hash }) => hash)).toContain(searchParams.get("trust"))
    await page.goto(`${address}?trust=0x${"12".repeat(32)}`)
    await page.waitForSelector(".lead .chip.claimed")
    expect(await page.textContent(".lead .verdict-strip")).toContain("Your trust does not reach this block")
    await close()
  })

  describe("what a person reads first", () => {
    const ADA = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"
    const titled = (title: string): string =>
      HistoryChain.blocks.flatMap(({ transactions }) => transactions).find((one) => one.title === title)!.hash
    const transaction = (title: string, trust = ""): string =>
      `${service.url}/console/history/tx/${titled(title)}${trust}`
    const trusted = `?trust=${head.hash}`

    test("a transfer of a token is a guess by its selector, in units that the page reads and proves", async () => {
      const { close, page, requests, wrong } = await open()
      await page.goto(transaction("1 PLUMB to Ada", trusted))
      await page.waitForSelector("[data-part=logs] .number:has-text('PLUMB')")
      // Token.sol: 18 decimals, and the symbol of the constructor
      expect(await page.textContent("[data-part=logs] .number")).toBe("1 PLUMB")
      expect(await page.textContent("[data-part=logs] [data-decoded=standard]")).toContain("Transfer")
      expect(await page.textContent("[data-part=signed] .number")).toBe("1 PLUMB")
      const call = await page.textContent("[data-part=signed] [data-decoded=standard]")
      expect(call).toContain("transfer")
      expect(call).toContain("A guess: the first four bytes are those of a function of ERC-20")
      expect(await page.locator(`[data-part=signed] .decoded a[href*='${ADA}']`).count()).toBe(1)
      expect(await page.textContent("body")).not.toContain("claimed")
      expect(await page.textContent("[data-fact=Status]")).toContain("succeeded")
      expect(await page.textContent("[data-fact=Time]")).toMatch(/ UTC .* ago/u)
      expect(requests.filter((url) => !url.startsWith(service.url))).toEqual([])
      expect(wrong).toEqual([])
      await close()
    })

    test("without a trusted hash, the units of a token are called claimed, and so is the outcome", async () => {
      const { close, page } = await open()
      await page.goto(transaction("1 PLUMB to Ada"))
      await page.waitForSelector("[data-part=logs] .number:has-text('PLUMB')")
      expect(await page.textContent("[data-part=logs] .decoded")).toContain("the units are claimed")
      expect(await page.locator("[data-part=outcome] .word.verified").count()).toBe(0)
      expect(await page.textContent(".lead .verdict-strip")).toContain("only the node says")
      await close()
    })

    test("an ABI that the reader drops names a call, until it is forgotten; a wrong file is refused", async () => {
      const { close, page } = await open()
      await page.goto(transaction("Ada joins", trusted))
      await page.waitForSelector("[data-part=signed] [data-decoded=none]")
      const give = (name: string, text: string) =>
        page.setInputFiles(".target input[type=file]", { name, mimeType: "text/plain", buffer: Buffer.from(text) })
      await give("wrong.json", "{}")
      await page.waitForSelector(".target .problem")
      expect(await page.textContent(".target .problem")).toContain("wrong.json: Not an ABI")
      await give(
        "Cabinet.json",
        JSON.stringify({ abi: viem.parseAbi(["function join(address who, string nickname, uint32 score)"]) })
      )
      await page.waitForSelector("[data-part=signed] [data-decoded=dropped]")
      const call = page.locator("[data-part=signed] [data-decoded=dropped]")
      expect(await call.locator("dt").allTextContents()).toEqual(["who", "nickname", "score"])
      // the story of the chain has Ada join as "ada"
      expect(await call.locator("dd").nth(1).textContent()).toBe('"ada"')
      expect(await call.textContent()).toContain("Named by Cabinet.json, which you dropped here")
      expect(await page.locator(".target .problem").count()).toBe(0)
      expect(await Pages.violations(page)).toBe("")
      // the ABI is in no link, and in no storage
      expect(await Pages.kept(page)).not.toContain("nickname")
      await page.click("text=Forget")
      await page.waitForSelector("[data-part=signed] [data-decoded=none]")
      await close()
    })

    test("an ABI is taken by dragging it in, too", async () => {
      const { close, page } = await open()
      await page.goto(transaction("Ada joins", trusted))
      await page.waitForSelector(".target")
      await page.evaluate(`(() => {
        const data = new DataTransfer()
        data.items.add(new File(["function join(address who, string nickname, uint32 score)"], "lines.sol"))
        const target = document.querySelector(".target")
        target.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }))
      })()`)
      await page.waitForSelector("[data-decoded=dropped]")
      expect(await page.textContent("[data-decoded=dropped]")).toContain("lines.sol")
      await close()
    })

    test("a block lists what its transactions do, and its bytes are folded until the reader asks", async () => {
      const { close, page } = await open()
      const block = HistoryChain.blocks.find(
        ({ transactions }) =>
          transactions[0]?.title === "1000 PLUMB to Ada" || transactions[1]?.title === "1000 PLUMB to Ada"
      )!
      await page.goto(`${service.url}/console/history/block/${block.hash}?trust=${block.hash}`)
      await page.waitForSelector("td code:has-text('transfer')")
      expect(await page.textContent("[data-fact='Gas used']")).toMatch(/% of/u)
      expect(await page.locator(".fields li").count()).toBe(0)
      await page.focus(".fold summary")
      await page.keyboard.press("Enter")
      await page.waitForSelector(".fields li")
      expect(await page.textContent(".digest")).toContain("Equal to your hash")
      const note = (): Promise<string | null> => page.textContent("h2:has-text('Transactions') span")
      expect(await note()).toMatch(/^\d+, proven in order by transactionsRoot$/u)
      await close()
      // nothing proves the header, so nothing proves the list either
      const unproven = await open({ isStranger: true })
      await unproven.page.goto(`${service.url}/console/history/block/${block.hash}`)
      await unproven.page.waitForSelector(".verdict-strip.claimed")
      expect(await unproven.page.textContent("h2:has-text('Transactions') span")).toMatch(
        /^\d+, in order, by the transactionsRoot of this claimed header$/u
      )
      await unproven.close()
    })

    test("an account says what it did in the block, and what it holds of a token", async () => {
      const { close, page } = await open()
      await page.goto(`${service.url}/console/history/account/${ADA}/${head.hash}${trusted}`)
      await page.waitForSelector("[data-part=activity] .number:has-text('PLUMB')")
      expect(await page.textContent("[data-part=activity]")).toContain("token received")
      expect(await page.textContent("[data-part=activity] .number")).toBe("1 PLUMB")
      expect(await page.textContent("[data-part=activity] .word")).toContain("VERIFIED")
      const token = HistoryChain.contracts.token.address
      await page.fill("#token", "0x12")
      await page.keyboard.press("Enter")
      await page.waitForSelector("#token-problem")
      await page.fill("#token", token)
      await page.keyboard.press("Enter")
      const row = page.locator(`[data-token='${token}']`)
      await row.locator(".number:has-text('PLUMB')").waitFor()
      // Token.sol has the balances in slot 3; the slot of an entry is hashed by viem, and the node names its word
      const pair = [{ type: "address" }, { type: "uint256" }] as const
      const slot = viem.keccak256(viem.encodeAbiParameters(pair, [ADA, 3n]))
      const answer = await fetch(`${service.url}/history/v3/${service.apiKey}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getStorageAt", params: [token, slot, "latest"] })
      })
      const { result } = (await answer.json()) as { readonly result: `0x${string}` }
      const shown = (await row.locator(".number").textContent())!.replace(/ PLUMB$/u, "").replaceAll(",", "")
      expect(shown).toBe(viem.formatEther(BigInt(result)))
      expect(await row.locator(".word").textContent()).toContain("VERIFIED")
      expect(await Pages.violations(page)).toBe("")
      await close()
    })

    test("an account that lends itself code is told apart from a contract", async () => {
      const { close, page } = await open()
      // block 62: Cleo's account has the code of the counter since block 61
      const { hash } = HistoryChain.blocks[62]!
      await page.goto(transaction("increment at Cleo", `?trust=${hash}`))
      await page.click("[data-fact=To] a")
      await page.waitForSelector("[data-fact=Code]")
      expect(await page.textContent("[data-fact=Code]")).toContain("delegates to")
      expect(await page.locator("[data-fact='Transactions sent']").count()).toBe(1)
      await close()
    })
  })

  test("a proof is searched, stepped through, broken and mended with the keyboard alone", async () => {
    const { close, page } = await open()
    await page.goto(`${service.url}/console/history`)
    await page.waitForSelector("table tbody tr")
    await page.keyboard.press("/")
    await page.waitForSelector("#search:focus")
    await page.keyboard.type(CABINET)
    await page.keyboard.press("Enter")
    await page.waitForSelector("#slot")
    await page.focus("#slot")
    await page.keyboard.press("Enter")
    await page.waitForSelector(".chip.claimed")
    await page.focus("h1 >> xpath=ancestor::body")
    await page.evaluate("document.activeElement.blur()")
    for (let step = 0; step < 3; step++) await page.keyboard.press("ArrowDown")
    await page.keyboard.press("b")
    await page.waitForSelector(".chip.refuted")
    await page.keyboard.press("m")
    await page.waitForSelector(".chip.claimed")
    await page.keyboard.press("?")
    await page.waitForSelector("[role=dialog]")
    await page.keyboard.press("Escape")
    await page.waitForSelector("[role=dialog]", { state: "detached" })
    expect(page.url()).toContain("/proof/")
    await close()
  })

  test("a claimed value hangs as soon as the reader names a hash", async () => {
    const { close, page } = await open()
    await page.goto(`${service.url}${slot.path.replace(/\?.*$/u, "")}`)
    await page.waitForSelector(".chip.claimed")
    await page.fill("#trust", head.hash)
    await page.click("text=Hang it here")
    await page.waitForSelector(".chip.verified")
    expect(page.url()).toContain(`trust=${head.hash}`)
    await close()
  })

  test("with the network cut, a proof breaks and mends as before", async () => {
    const { close, page } = await open()
    await page.goto(`${service.url}${slot.path}`)
    await page.waitForSelector(".bits")
    await page.context().setOffline(true)
    await page.click(".bits button:nth-child(1)")
    await page.waitForSelector(".chip.refuted")
    await page.click('button:text-is("Mend")')
    await page.waitForSelector(".lead .chip.verified")
    expect(await page.locator(".tear").count()).toBe(0)
    await close()
  })

  test("a key stays in memory: it is in no address and no storage", async () => {
    const { close, page } = await open()
    await page.goto(`${service.url}/console/remote`)
    await page.waitForSelector("[aria-label='API key']")
    expect(await Pages.violations(page)).toBe("")
    await page.fill("[aria-label='API key']", service.apiKey)
    await page.click("text=Use it")
    await page.waitForSelector("text=There is no answer")
    expect(await Pages.kept(page)).not.toContain(service.apiKey)
    expect(await page.textContent("body")).not.toContain(service.apiKey)
    await close()
  })

  describe("a bundle", () => {
    const bundle = () => path.join(service.folder, "ada.car")

    beforeAll(() => {
      Service.run(service, ["prove", CABINET, MEMBER, "--network", "history", "--layout", LAYOUT, "-o", bundle()])
    })

    const verified = async (page: Page): Promise<void> => {
      await page.waitForSelector(".target")
      await page.evaluate("document.fonts.ready")
      await page.waitForLoadState("networkidle")
      await page.context().setOffline(true)
      await page.setInputFiles("input[type=file]", [bundle(), LAYOUT])
      await page.waitForSelector(".chip.claimed")
      await page.click("text=I know this hash")
      await page.waitForSelector(".chip.verified")
      await page.waitForSelector(`text=${MEMBER}`)
      expect(await page.textContent(".cut")).toContain("0 requests")
    }

    test("is verified with the network cut, with its values by name", async () => {
      const { close, page, wrong } = await open({ reducedMotion: "reduce" })
      await page.goto(`${service.url}/console/verify`)
      await verified(page)
      expect(await Pages.violations(page)).toBe("")
      await page.click("text=Open the proof")
      await page.waitForSelector(".line .bob")
      expect(wrong.join("\n")).toBe("")
      await close()
    })

    test("with one wrong byte is refuted at the block that has it", async () => {
      const { close, page } = await open()
      await page.goto(`${service.url}/console/verify`)
      await page.waitForSelector(".target")
      const bytes = readFileSync(bundle())
      bytes[Math.floor(bytes.length / 2)]! ^= 1
      await page.setInputFiles("input[type=file]", {
        name: "lie.car",
        mimeType: "application/octet-stream",
        buffer: bytes
      })
      await page.waitForSelector(".chip.refuted")
      expect(await page.textContent(".blocks-picture .wrong")).toContain("The line breaks here")
      expect(await page.locator("text=Open the proof").count()).toBe(0)
      await close()
    })

    test("that is not a bundle is refused in a sentence", async () => {
      const { close, page } = await open()
      await page.goto(`${service.url}/console/verify`)
      await page.waitForSelector(".target")
      await page.setInputFiles("input[type=file]", {
        name: "no.car",
        mimeType: "text/plain",
        buffer: Buffer.from("no")
      })
      await page.waitForSelector(".chip.refuted")
      expect(await page.textContent("h1")).toBe("The bundle is not true")
      await close()
    })

    test("is verified by the one file, without any server", async () => {
      Build.run("--mode", "file")
      const { close, page, requests, wrong } = await open()
      await page.goto(pathToFileURL(path.join(here, "dist/file/plumbline-verify.html")).href)
      await verified(page)
      expect(wrong).toEqual([])
      expect(requests.filter((url) => !url.startsWith("file:") && !url.startsWith("data:"))).toEqual([])
      await close()
    })
  })
})
