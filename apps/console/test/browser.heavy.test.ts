/** The console in Chromium, over a running service. Skipped without Chromium: set CHROMIUM to its program. */
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { pathToFileURL } from "node:url"

import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import { type Browser, chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import * as Shots from "../scripts/shots.ts"
import * as Build from "./support/Build.ts"
import * as Pages from "./support/Pages.ts"
import * as Service from "./support/Service.ts"

const here = path.resolve(import.meta.dirname, "..")
const CABINET = HistoryChain.contracts.cabinet.address
const LAYOUT = path.resolve(here, "../../packages/devnet/state/layouts/Cabinet.json")
const MEMBER = "members[0x70997970c51812dc3a010c7d01b50e0d17dc79c8]"

if (Service.skipped) console.warn("no Chromium: the console's tests in a browser are skipped")

describe.skipIf(Service.skipped)("the console in a browser", { concurrent: false }, () => {
  let service: Service.Service
  let browser: Browser

  beforeAll(async () => {
    service = await Service.start()
    browser = await chromium.launch({ executablePath: Service.chromium!, args: ["--no-sandbox"] })
  })
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })

  const open = (options: Parameters<Browser["newContext"]>[0] = {}) => Pages.open(browser, options)

  // other files visit these screens, over services that have more
  const elsewhere = new Set([...Shots.ofContracts, ...Shots.ofStorage])
  const screens = Shots.all.filter((shot) => !elsewhere.has(shot) && !shot.path.includes("/live/"))

  test.each(screens.map((shot) => [shot.name, shot] as const))(
    "%s fits a phone, axe finds nothing in either theme, no script fails, and no request leaves the service",
    async (_, shot) => expect(await Pages.faultsOf(browser, service.url, shot)).toEqual([])
  )

  const head = HistoryChain.head
  const slot = Shots.all.find(({ name }) => name === "microscope")!

  test("from a value to a broken proof are three clicks, and a fourth mends it", async () => {
    const { close, page } = await open()
    await page.goto(`${service.url}/console/history/block/${head.hash}?trust=${head.hash}`)
    await page.click(".fields li:nth-child(4) a")
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
    await page.waitForSelector(".fields li")
    expect(await page.textContent(".lead .chip")).toContain("CLAIMED")
    await page.click("text=Trust this hash")
    await page.waitForSelector(".lead .chip.verified")
    // a block that was requested by hash is not proven to be on the chain of the trusted block
    const other = HistoryChain.blocks[5]!.hash
    await page.goto(`${service.url}/console/history/block/${head.hash}?trust=${other}`)
    await page.waitForSelector(".fields li")
    expect(await page.textContent(".lead .chip")).toContain("CLAIMED")
    await page.goto(`${service.url}/console/history/block/${other}?trust=${head.hash}`)
    await page.waitForSelector(".lead .chip.verified")
    await page.goto(`${service.url}${Shots.all.find(({ name }) => name === "transaction")!.path}`)
    await page.click(".fields li:nth-child(3) a")
    await page.waitForSelector(".chip.claimed")
    expect(page.url()).not.toContain("trust=")
    // a link to a transaction with this hash leads to the block, but does not make the block trusted
    await page.goto(`${service.url}/console/history/tx/${other}`)
    await page.waitForSelector(".fields li")
    expect(page.url()).toContain(`/block/${other}`)
    expect(await page.textContent(".lead .chip")).toContain("CLAIMED")
    // a hash that the reader types into the search is trusted
    await page.fill("#search", other)
    await page.keyboard.press("Enter")
    await page.waitForSelector(".lead .chip.verified")
    await close()
  })

  test("a receipt hangs as soon as the reader trusts the hash of its block, and from no other hash", async () => {
    const { close, page } = await open()
    const address = `${service.url}${Shots.all.find(({ name }) => name === "transaction")!.path}`
    await page.goto(address)
    await page.waitForSelector(".sheet .word.claimed")
    await page.click("text=Trust the hash of its block")
    await page.waitForSelector(".sheet header .word.verified")
    const { searchParams } = new URL(page.url())
    expect(HistoryChain.blocks.map(({ hash }) => hash)).toContain(searchParams.get("trust"))
    await page.goto(`${address}?trust=0x${"12".repeat(32)}`)
    await page.waitForSelector(".sheet header .word.claimed")
    await close()
  })

  test("a proof is searched, stepped through, broken and mended with the keyboard alone", async () => {
    const { close, page } = await open()
    await page.goto(`${service.url}/console/history`)
    await page.waitForSelector("table tbody tr")
    await page.keyboard.press("/")
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
