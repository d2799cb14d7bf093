/** Contract storage and bundles in Chromium, over a running service with a node of IPFS. Skipped without Chromium. */
import { readFileSync } from "node:fs"

import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import * as ProofBundle from "@plumbline/proof-bundle/bundle/ProofBundle"
import * as Result from "effect/Result"
import { keccak256 } from "js-sha3"
import { type Browser, type Page } from "playwright-core"
import { describe, expect, test } from "vitest"

import * as Shots from "../scripts/shots.ts"
import * as Layout from "./support/Layout.ts"
import * as Pages from "./support/Pages.ts"
import * as Running from "./support/Running.ts"
import * as Service from "./support/Service.ts"

const CABINET = HistoryChain.contracts.cabinet.address
const HEAD = HistoryChain.head.hash
const ENTRY = `members[${Shots.MEMBER}]`

/** Returns the word of a key or a slot, as the contract hashes it. */
const word = (digits: string): string => digits.replace(/^0x/u, "").padStart(64, "0")

/** The slot of the member, computed by another implementation of Keccak-256 from the key and slot 16 of Cabinet.sol. */
const SLOT = `0x${keccak256(Buffer.from(word(Shots.MEMBER) + word("10"), "hex"))}`

if (Service.skipped) console.warn("no Chromium: the tests of contract storage are skipped")

describe.skipIf(Service.skipped)("contract storage in a browser", { concurrent: false }, () => {
  const { browser, service } = Running.beside({ hasIpfs: true })

  const open = async (address: string, options: Parameters<Browser["newContext"]>[0] = {}) => {
    const opened = await Pages.open(browser, { reducedMotion: "reduce", acceptDownloads: true, ...options })
    await opened.page.goto(`${service.url}${address}`)
    return opened
  }

  const storage = (query = `?trust=${HEAD}`): string => `/console/history/storage/${CABINET}/${HEAD}${query}`
  const row = (path: string): string => `[data-path='${path}']`

  const withFile = async (page: Page): Promise<void> => {
    await page.click("text=Use another layout")
    await page.setInputFiles("input[type=file]", Shots.LAYOUT)
    await page.waitForSelector(".tree-row")
  }

  const addMember = async (page: Page): Promise<void> => {
    await page.fill("[aria-label^='Key of members']", Shots.MEMBER)
    await page.keyboard.press("Enter")
    await page.click(`[aria-label='Parts of ${ENTRY}']`)
  }

  const takeKey = async (page: Page): Promise<void> => {
    await page.fill("[aria-label='API key']", service.apiKey)
    await page.fill("[aria-label='API key secret']", service.apiKeySecret)
    await page.click("text=Use it")
  }

  test.each(Shots.ofStorage.map((shot) => [shot.name, shot] as const))(
    "%s fits a phone, axe finds nothing in either theme, no script fails, and no request leaves the service",
    async (_, shot) => expect(await Pages.faultsOf(browser, service.url, shot)).toEqual([])
  )

  test("variables have the values that the contract was given, verified under the reader's hash alone", async () => {
    const { close, page } = await open(storage(""))
    await withFile(page)
    // the values that the function `close` of Cabinet.sol sets
    for (const [name, value] of [
      ["temperature", "21"],
      ["locked", "true"],
      ["story", '"The end."'],
      ["small", "empty"]
    ] as const) {
      expect(await page.textContent(`${row(name)} .tree-text`)).toBe(value)
    }
    expect(await page.textContent(".lead .chip")).toContain("CLAIMED")
    await page.click("text=Trust its hash")
    await page.waitForSelector(".lead .chip.verified")
    expect(page.url()).toContain(`trust=${HEAD}`)
    await close()
  })

  test("a reader without a file has an example, the commands that write one, and the functions", async () => {
    const { close, page } = await open(`/console/history/storage/${HistoryChain.contracts.elder.address}/${HEAD}`)
    await page.waitForSelector("#known")
    expect(await page.getAttribute("text=Read the functions of a token", "href")).toContain("/history/contract/")
    await page.click("text=Foundry")
    // by its name: the panel that is left stays for a frame
    expect(await page.getByRole("tabpanel", { name: "Foundry" }).locator("pre").textContent()).toBe(
      "forge inspect Vault storageLayout --json > layout.json"
    )
    // others cannot verify a contract of an embedded chain
    expect(await page.locator("text=Sourcify").count()).toBe(0)
    await page.click("text=Try it with Cabinet")
    await page.waitForSelector(row("temperature"))
    expect(await page.textContent(`${row("temperature")} .tree-text`)).toBe("21")
    expect(await page.textContent(".lead")).toContain("an example contract of this chain")
    expect(page.url()).toContain(CABINET.toLowerCase())
    await page.goto(`${service.url}/console/history/storage/${HistoryChain.contracts.token.address}/${HEAD}`)
    await page.click("text=Use another layout")
    await page.click("text=Use the layout of Token")
    await page.waitForSelector(row("totalSupply"))
    expect(await page.textContent(".lead")).toContain("an example contract of this chain")
    await close()
  })

  test("a page that is read again under a new trust says nothing of it before it is read", async () => {
    const { close, page } = await open(`/console/history/storage/${CABINET}/latest`)
    await page.waitForSelector(".verdict-strip.claimed .offer")
    await page.evaluate(`
      globalThis.seen = new Set()
      const look = () => seen.add(document.querySelector(".verdict-strip")?.textContent ?? "")
      new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true })
    `)
    await page.click(".verdict-strip .offer .button.primary")
    await page.waitForSelector(".verdict-strip.verified")
    const seen = await page.evaluate<ReadonlyArray<string>>("[...seen]")
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.filter((text) => text.includes("does not reach"))).toEqual([])
    await close()
  })

  test("on a phone a stranger comes from the landing to a variable of the example in four taps", async () => {
    const { close, page } = await open("/console/", { viewport: { width: 390, height: 844 }, hasTouch: true })
    await page.selectOption("[aria-label=Network]", "history")
    await page.tap("nav.screens button:has-text('Look')")
    await page.tap("nav.screens a:text-is('Variables')")
    await page.tap("text=Try it with Cabinet")
    await page.waitForSelector(row("temperature"))
    expect(await Layout.isInView(page, `${row("owner")} .tree-text`)).toBe(true)
    await page.tap(row("temperature"))
    await page.waitForSelector(".variable-value:text-is('21')")
    // the value is below the tree, and the page goes there
    await expect.poll(() => Layout.isInView(page, ".variable-value")).toBe(true)
    // the contract's other page leads back by the same word
    await page.tap("text=Its functions")
    await page.tap(".lead a:text-is('Its variables')")
    await page.waitForSelector(row("temperature"))
    // a link to one variable shows its value
    await page.goto(`${service.url}${storage("?at=temperature")}`)
    await page.waitForSelector(".variable-value:text-is('21')")
    await expect.poll(() => Layout.isInView(page, ".variable-value")).toBe(true)
    await close()
  })

  test("a member of an enum has its name and its number, and without names its number alone", async () => {
    const { close, page } = await open(storage("?at=phase"))
    // Cabinet.sol: `enum Phase { Draft, Open, Closed }`, and `close` sets the last one
    await page.waitForSelector(`${row("phase")} .tree-text:text-is("Closed (2)")`)
    expect(await page.textContent(".variable-value")).toBe("Closed (2)")
    await page.click("text=Use another layout")
    const bare = readFileSync(Shots.LAYOUT, "utf8").replace('"enumMembers"', '"unknown"')
    await page.setInputFiles("input[type=file]", {
      name: "Cabinet.json",
      mimeType: "application/json",
      buffer: Buffer.from(bare)
    })
    await page.waitForSelector(`${row("phase")} .tree-text:text-is("number 2")`)
    expect(await page.textContent("[aria-label='Inspector: phase']")).toContain("this layout has no names of members")
    await close()
  })

  test("an entry is found by its key, with the bytes that are hashed and the variables that share its slot", async () => {
    const { close, page } = await open(storage())
    await page.waitForSelector(".tree-row")
    await page.fill("[aria-label^='Key of members']", "0x12")
    await page.keyboard.press("Enter")
    expect(await page.textContent(".tree [role=alert]")).toContain("address")
    await addMember(page)
    await page.click(row(`${ENTRY}.score`))
    await page.waitForSelector(".slot-names button")
    const hashed = await page.locator(".preimage-bytes").allTextContents()
    expect(hashed).toEqual([word(Shots.MEMBER), word("10")])
    expect(await page.textContent(".digest-of .whole")).toBe(SLOT)
    expect(await page.textContent(".one-slot-head")).toContain(SLOT)
    const names = await page.locator(".slot-names button").allTextContents()
    expect(names).toEqual([".active", ".score", ".since"])
    // a click selects the neighbour, which shares the word
    const before = await page.textContent(".slot-bytes")
    await page.click(".slot-names button:nth-of-type(1)")
    await page.waitForSelector(`.value-name:text-is("${ENTRY}.active")`)
    expect(await page.textContent(".slot-bytes")).toBe(before)
    await close()
  })

  test.each([
    ["a desktop", { viewport: { width: 1280, height: 800 } }],
    ["a phone", { viewport: { width: 390, height: 844 }, hasTouch: true }]
  ])("on %s an entry is read where its key is: its value, its verdict and the anchor", async (_, options) => {
    const { close, page } = await open(storage(), options)
    const read = async (path: string, key: string, value: string): Promise<void> => {
      await page.click(`[aria-label='Read ${key}']`)
      const text = `${row(path)} .tree-text`
      await page.waitForSelector(`${text}:text-is('${value}')`)
      await expect.poll(() => Layout.isInView(page, text)).toBe(true)
      await expect.poll(() => Layout.isInView(page, `li:has(${row(path)}) .tree-verdict .word`)).toBe(true)
      // on a phone the slots are below the tree, one press away
      if ("hasTouch" in options) await page.tap(`li:has(${row(path)}) >> text=Its slots and proof`)
      await expect.poll(() => Layout.isInView(page, ".variable .value-name")).toBe(true)
      expect(await page.textContent(".variable-value")).toBe(value)
    }
    // Cabinet.sol: the story places one point, members join, and Bob is removed
    await read("grid[true][-1]", "true, -1 of grid", "{ x: -5, y: 8 }")
    await read('wordCount["plumb"]', '"plumb" of wordCount', "1")
    await read(
      ENTRY,
      "0x709979…79c8 of members",
      '{ since: 1,600,000,377, score: 1,815, active: true, nickname: "ada" }'
    )
    expect(await page.textContent(".variable")).toContain("VERIFIED")
    expect(await page.textContent(".variable")).toContain("hangs from your anchor: the hash of this block")
    expect(await page.textContent(".tree-verdict >> nth=0")).not.toContain("never written")
    const removed = "members[0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc]"
    await read(removed, "0x3c44cd…93bc of members", '{ since: 0, score: 0, active: false, nickname: "" }')
    expect(await page.textContent(`li:has(${row(removed)}) .tree-verdict`)).toContain("never written, or set to zero")
    expect(await page.textContent(".variable")).toContain("Zero: this entry was never written, or it was set to zero")
    await close()
  })

  test.each([
    ["cabinet", 1],
    ["token", 0],
    ["counter", 1]
  ] as const)("the known keys of %s lead to entries, of which %d are zero", async (id, zeros) => {
    const { close, page } = await open(`/console/history/storage/${HistoryChain.contracts[id].address}/${HEAD}`)
    await page.waitForSelector(".tree-examples")
    expect(await page.locator(".tree-examples").count()).toBe(await page.locator(".tree-row.mapping").count())
    const keys = await page.locator(".tree-examples button").all()
    for (const key of keys) await key.click()
    await expect.poll(() => page.locator(".tree-verdict").count()).toBe(keys.length)
    expect(await page.locator(".tree-verdict:has-text('never written, or set to zero')").count()).toBe(zeros)
    await close()
  })

  test("a link, a reload and the way back keep the layout of an example and read the entry that is named", async () => {
    const { close, page } = await open(storage(`?trust=${HEAD}&at=${encodeURIComponent("history[Closed][1]")}`))
    const named = (path: string) => page.waitForSelector(`.value-name:text-is('${path}')`)
    await named("history[Closed][1]")
    await expect.poll(() => page.textContent(".variable-value")).toBe("1,600,000,413")
    expect(await page.textContent(`${row("history[Closed]")} .tree-text`)).toBe("[1,600,000,377, 1,600,000,413]")
    expect(await page.getAttribute(row("history[Closed][1]"), "aria-current")).toBe("true")
    const visits = `visits[${Shots.MEMBER}][18518]`
    await page.click("[aria-label='Read 0x709979…79c8, 18518 of visits']")
    await page.waitForSelector(".variable-value:text-is('1')")
    await page.goBack()
    await named("history[Closed][1]")
    await page.goForward()
    await named(visits)
    await page.reload()
    await page.waitForSelector(".variable-value:text-is('1')")
    // the entries of this tab stay
    expect(await page.locator(row("history[Closed]")).count()).toBe(1)
    // an entry that is taken back does not come back with the link
    await page.click(`[aria-label='Remove ${visits} from the list']`)
    await named("owner")
    expect(await page.locator(row(visits)).count()).toBe(0)
    await close()
  })

  test("a layout from a file outlasts a reload, in the tab that has it", async () => {
    const elder = `/console/history/storage/${HistoryChain.contracts.elder.address}/${HEAD}`
    const { close, page } = await open(elder)
    await page.setInputFiles("input[type=file]", Shots.LAYOUT.replace("Cabinet", "Counter"))
    await page.fill("[aria-label^='Key of calls']", Shots.MEMBER)
    await page.keyboard.press("Enter")
    const calls = row(`calls[${Shots.MEMBER}]`)
    await page.waitForSelector(calls)
    await page.reload()
    await page.waitForSelector(`${calls} .tree-text`)
    expect(await page.textContent(".lead .value-name")).toBe("Counter.json")
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.waitForSelector("#known")
    expect(await other.locator(".tree-row").count()).toBe(0)
    await close()
  })

  test.each([
    ["a desktop", { viewport: { width: 1280, height: 800 } }],
    ["a phone", { viewport: { width: 390, height: 844 }, hasTouch: true }]
  ])("on %s the keys of a mapping in a mapping are whole, and a problem is below its field", async (_, options) => {
    const { close, page } = await open(storage(), options)
    await page.fill("[aria-label^='Key of visits']", Shots.MEMBER)
    await page.keyboard.press("Enter")
    const second = `[aria-label^='Key of visits[${Shots.MEMBER}]']`
    await page.waitForSelector(`${second}:focus`)
    await page.keyboard.type("abc")
    await page.keyboard.press("Enter")
    await page.waitForSelector(".tree-key .problem")
    expect(await Layout.isInView(page, ".tree-key .problem")).toBe(true)
    const [field, problem] = await Promise.all(
      [second, ".tree-key .problem"].map((one) => page.locator(one).boundingBox())
    )
    expect(problem!.y).toBeGreaterThanOrEqual(field!.y + field!.height + 4)
    expect(await Layout.cutTexts(page, ".tree-row.mapping .tree-name, .tree-key input, .drop")).toEqual([])
    for (const remove of await page.locator(".drop").all()) {
      expect((await remove.boundingBox())!.height).toBeLessThanOrEqual(44)
    }
    await close()
  })

  test("on a phone the names of a word's fields and the hints of the keys are whole", async () => {
    const { close, page } = await open(storage(), { viewport: { width: 390, height: 844 }, hasTouch: true })
    await page.waitForSelector(".tree-row")
    await addMember(page)
    await page.click(row(`${ENTRY}.score`))
    await page.waitForSelector(".slot-names button")
    expect(await Layout.cutTexts(page, ".slot-names button, .slot-bytes, .neighbours li, .tree-key input")).toEqual([])
    expect(await Layout.smallButtons(page)).toEqual([])
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390)
    await close()
  })

  test("two blocks stand on one line, with what changed between them", async () => {
    const { close, page } = await open(storage(`?trust=${HEAD}&from=50&at=temperature`))
    await page.waitForSelector(".tree-row")
    await page.waitForSelector(".two-rulers")
    // Cabinet.sol: `open` sets the temperature to -40, `close` to 21
    expect(await page.textContent(`${row("temperature")} .tree-text`)).toBe("-40→21")
    const rulers = await page.locator(".two-rulers .slot-bytes").allTextContents()
    expect(rulers.map((bytes) => bytes.slice(0, 4))).toEqual(["ffd8", "0015"])
    await page.check("text=Only what changed")
    expect(await page.locator(row("owner")).count()).toBe(0)
    expect(await page.locator(row("temperature")).count()).toBe(1)
    await page.click("text=Stop comparing")
    await page.waitForSelector(row("owner"))
    expect(page.url()).not.toContain("from=")
    await close()
  })

  test("the slider reads another block", async () => {
    const { close, page } = await open(storage())
    await page.waitForSelector(".tree-row")
    await page.focus("input[type=range]")
    await page.keyboard.press("Home")
    await page.waitForURL(/\/0\?/u)
    // the first block has no contract yet, so all its words are zero
    await page.waitForSelector(`${row("temperature")} .tree-text:text-is("0")`)
    await page.fill(".slider input[type=number]", "50")
    await page.waitForSelector(`${row("temperature")} .tree-text:text-is("-40")`)
    expect(new URL(page.url()).pathname).toMatch(/\/50$/u)
    await close()
  })

  test("a proof opens in the microscope under the variable's name, and is refuted when it is broken", async () => {
    const { close, page } = await open(storage())
    await page.waitForSelector(".tree-row")
    await addMember(page)
    await page.click(row(`${ENTRY}.score`))
    await page.waitForSelector(".slot-bytes")
    const value = await page.textContent(".variable-value")
    await page.click("text=Open the proof")
    await page.waitForSelector(".line .bob")
    expect(await page.textContent("h1")).toBe(value)
    expect(await page.textContent(".lead .chip")).toContain("VERIFIED")
    expect(await page.textContent(".value-name")).toBe(`${ENTRY}.score`)
    expect(await page.locator(".inspector .preimage-bytes").allTextContents()).toEqual([word(Shots.MEMBER), word("10")])
    await page.click(".bits button:nth-child(8)")
    await page.waitForSelector(".chip.refuted")
    expect(await page.textContent("h1")).toBe("No value")
    await page.reload()
    await page.waitForSelector(".line .bob")
    await page.waitForSelector(".inspector .preimage-bytes")
    expect(await page.textContent("h1")).toBe(value)
    // a contract without a layout has only the name from the link
    const total = `slot/${HistoryChain.contracts.elder.address}/0x${word("0")}/total`
    await page.goto(`${service.url}/console/history/proof/${HEAD}/${total}?trust=${HEAD}`)
    await page.waitForSelector(".line .bob")
    expect(await page.textContent(".value-name")).toBe("total")
    expect(await page.textContent(".lead")).toContain("The name is the link's")
    await close()
  })

  test("the keyboard alone goes from an address to a proof", async () => {
    const { close, page } = await open("/console/history/storage")
    await page.focus("#contract")
    await page.keyboard.type(CABINET)
    await page.keyboard.press("Enter")
    await page.waitForSelector(".tree-row")
    await page.focus(row("owner"))
    await page.keyboard.press("ArrowDown")
    await page.waitForSelector('.value-name:text-is("openedAt")')
    await page.focus(row("numbers"))
    await page.keyboard.press("Enter")
    await page.waitForSelector(`${row("numbers")}[aria-current]`)
    await page.keyboard.press("ArrowRight")
    await page.waitForSelector(row("numbers[0]"))
    await page.keyboard.press("ArrowDown")
    await page.waitForSelector('.value-name:text-is("numbers[0]")')
    await page.focus("text=Open the proof")
    await page.keyboard.press("Enter")
    await page.waitForSelector(".line .bob")
    expect(await page.textContent(".value-name")).toBe("numbers[0]")
    await close()
  })

  test("source code is refused with the command that compiles it, and a file with several contracts asks which", async () => {
    const { close, page } = await open(storage())
    await page.click("text=Use another layout")
    const give = (name: string, text: string) =>
      page.setInputFiles("input[type=file]", { name, mimeType: "text/plain", buffer: Buffer.from(text) })
    await give("Vault.sol", "contract Vault {}")
    expect(await page.textContent("[role=alert]")).toContain("plumbline read <address> --layout Vault.sol")
    const variable = (label: string) => ({
      storageLayout: {
        storage: [{ label, offset: 0, slot: "0", type: "t_uint256" }],
        types: { t_uint256: { encoding: "inplace", label: "uint256", numberOfBytes: "32" } }
      }
    })
    await give("out.json", JSON.stringify({ contracts: { "a.sol": { A: variable("a"), B: variable("b") } } }))
    await page.click('button:text-is("a.sol:B")')
    await page.waitForSelector(row("b"))
    await page.click("text=Use another layout")
    await page.selectOption("#known", "WETH9")
    await page.waitForSelector(row("balanceOf"))
    await close()
  })

  test("a bundle of ticked values is a file that proves them, and is verified in the page", async () => {
    const { close, page, wrong } = await open(storage())
    await page.waitForSelector(".tree-row")
    await addMember(page)
    await page.click(`[aria-label='Put ${ENTRY} into a bundle']`)
    await page.click("[aria-label='Put title into a bundle']")
    await page.click("text=Make a bundle")
    await page.waitForSelector(".blocks-picture li")
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Download the CAR")])
    const file = readFileSync(await download.path())
    expect(await page.textContent(".bundle-figures")).toContain(`${file.length.toLocaleString("en")} bytes`)
    // the file names the trusted block as its root
    expect(file.subarray(0, 64).toString("hex")).toContain(HEAD.slice(2))
    const bundle = Result.getOrThrow(ProofBundle.open(file, Hash32.fromHexUnsafe(HEAD)))
    expect(bundle.accounts).toEqual([CABINET.toLowerCase()])
    expect(bundle.preimages.map((bytes) => Buffer.from(bytes).toString("hex"))).toContain(
      word(Shots.MEMBER) + word("10")
    )
    await page.click("text=Open it in Verify")
    await page.waitForSelector("h1:text-is('The bundle is whole')")
    await page.waitForSelector(`td:text-is("${ENTRY}")`)
    await page.click("text=I know this hash")
    await page.waitForSelector(".chip.verified")
    expect(await page.textContent("table")).toContain('"Small things"')
    expect(wrong).toEqual([])
    await close()
  })

  test("a bundle is published to the service's IPFS with the project's key, and verified from its CID", async () => {
    const { close, page, requests } = await open(storage())
    await page.waitForSelector(".tree-row")
    await page.click("[aria-label='Put title into a bundle']")
    await page.click("text=Make a bundle")
    await takeKey(page)
    await page.click("text=Publish and pin")
    await page.waitForSelector("text=Verify it from IPFS", { timeout: 60_000 })
    const list = (await page.textContent("[role=status] .whole"))!
    await page.click("text=Verify it from IPFS")
    await page.click("text=Read and verify it")
    await page.waitForSelector("h1:text-is('The bundle is whole')", { timeout: 60_000 })
    expect(new URL(page.url()).searchParams.get("cid")).toBe(list)
    // a search for the block's CID leads there too, and the key is still in memory
    await page.keyboard.press("Control+k")
    await page.fill("#search", list)
    await page.keyboard.press("Enter")
    const kept = await Pages.kept(page)
    for (const secret of [service.apiKey, service.apiKeySecret]) {
      expect(kept).not.toContain(secret)
      expect(requests.join("\n")).not.toContain(secret)
    }
    await close()
  })

  test("a wrong key, and a CID that the node does not have, are said in a sentence", async () => {
    const unknown = "bagiacgza2tswoqhyo2xprqaqxbvebvpvm5c2cggqsbvdjzu25sga3molr6rq"
    const { close, page } = await open(`/console/verify?cid=${unknown}`)
    await page.fill("[aria-label='API key']", "0".repeat(32))
    await page.fill("[aria-label='API key secret']", "0".repeat(32))
    await page.click("text=Use it")
    await page.click("text=Read and verify it")
    await page.waitForSelector("text=does not accept this key")
    await close()
    const second = await open(`/console/verify?cid=${unknown}`)
    await takeKey(second.page)
    await second.page.click("text=Read and verify it")
    await second.page.waitForSelector("text=No bundle:", { timeout: 60_000 })
    expect(await second.page.textContent("h1")).toBe("Verify a bundle")
    await second.close()
  })
})
