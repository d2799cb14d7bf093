/** A name in the search, in Chromium, over anvil with the chain id of Holesky. Skipped without Chromium. */
import * as Anvil from "@plumbline/devnet/anvil/Anvil"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { type Browser, chromium, type Page } from "playwright-core"
import * as viem from "viem"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import * as Pages from "./support/Pages.ts"
import * as Service from "./support/Service.ts"

const ALICE = viem.getAddress("0x70997970c51812dc3a010c7d01b50e0d17dc79c8")
const RESOLVER = "0x00000000000000000000000000000000000a11ce"
const UNIVERSAL_RESOLVER = "0xeeeeeeee14d718c2b47d9923deab1335e144eeee"

/** Stands for the Universal Resolver: it gives one answer to `reverseWithGateways`, and one to every other call. viem makes both. */
const forward = viem.encodeAbiParameters([{ type: "bytes" }, { type: "address" }], [viem.pad(ALICE), RESOLVER])
const names = [{ type: "string" }, { type: "address" }, { type: "address" }] as const
const reverse = viem.encodeAbiParameters(names, ["alice.eth", RESOLVER, RESOLVER])
const selector = viem.toFunctionSelector("reverseWithGateways(bytes,uint256,string[])").slice(2)
const two = (value: number): string => viem.toHex(value, { size: 2 }).slice(2)
/** Returns the code that copies these bytes of itself and returns them. */
const giving = (size: number, at: number): string => `61${two(size)}61${two(at)}5f3961${two(size)}5ff3`
const BEGIN = 15
const [FORWARD, REVERSE] = [BEGIN + 2 * 13 + 1, BEGIN + 2 * 13 + 1 + viem.size(forward)]
const CODE = [
  // the first four bytes of the call; a jump behind the first answer's code if they are those of `reverseWithGateways`
  `0x5f3560e01c63${selector}1461${two(BEGIN + 13)}57`,
  giving(viem.size(forward), FORWARD),
  `5b${giving(viem.size(reverse), REVERSE)}`,
  forward.slice(2),
  reverse.slice(2)
].join("")

if (Service.skipped) console.warn("no Chromium: the tests of names are skipped")

describe.skipIf(Service.skipped)("a name in a browser", { concurrent: false }, () => {
  const scope = Effect.runSync(Scope.make())
  let service: Service.Service
  let browser: Browser
  let head: string

  beforeAll(async () => {
    const { url } = await Effect.runPromise(
      Scope.provide(Anvil.make({ state: "empty", chainId: 17_000, genesisTime: 1_790_000_000 }), scope)
    )
    const node = viem.createTestClient({ mode: "anvil", transport: viem.http(url) }).extend(viem.publicActions)
    await node.setCode({ address: UNIVERSAL_RESOLVER, bytecode: CODE as viem.Hex })
    await node.mine({ blocks: 1 })
    head = (await node.getBlock()).hash!
    service = await Service.start({
      networks: `  holesky: { chainId: 17000, hosts: [holesky.localhost], upstreams: [{ url: "${url}" }] }\n`
    })
    browser = await chromium.launch({ executablePath: Service.chromium!, args: ["--no-sandbox"] })
  }, 240_000)
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  /** Searches for a name, and enters the key of the service. */
  const search = async (page: Page, name: string): Promise<void> => {
    await page.goto(`${service.url}/console/holesky`)
    await page.fill("[aria-label='API key']", service.apiKey)
    await page.keyboard.press("Enter")
    await page.waitForSelector("table tbody tr")
    await page.keyboard.press("Control+k")
    await page.fill("#search", name)
    expect(await page.textContent("[role=option][aria-selected=true]")).toContain("Name")
    await page.keyboard.press("Enter")
  }

  test("leads to its address, claimed until the reader trusts the block, and on to the account", async () => {
    const { close, page, wrong } = await Pages.open(browser)
    await search(page, "Alice.eth")
    await page.waitForSelector(".lead .chip.claimed")
    // the name in its normal form
    expect(await page.textContent(".value-name")).toBe("alice.eth")
    expect(await page.textContent("h1")).toBe(ALICE)
    await page.click("text=Trust its hash")
    await page.waitForSelector(".lead .chip.verified")
    expect(new URL(page.url()).searchParams.get("trust")).toBe(head)
    expect(await page.textContent(".line.call")).toContain("rules of")
    expect(await Pages.violations(page)).toBe("")
    await page.click("text=Go to the account")
    await page.waitForSelector(".fact-grid")
    expect(await page.textContent(".value-name")).toContain(ALICE)
    expect(await page.textContent(".lead .chip")).toContain("VERIFIED")
    // the name of the address is shown because it is proven
    await page.waitForSelector(".value-name .ens")
    expect(await page.textContent(".ens")).toContain("alice.eth")
    expect(await Pages.violations(page)).toBe("")
    expect(wrong).toEqual([])
    await close()
  })

  test("of an address is not asked for where it could not be proven", async () => {
    const { close, page } = await Pages.open(browser)
    const asked: Array<string> = []
    page.on("request", (request) => asked.push(request.postData() ?? ""))
    await search(page, "alice.eth")
    await page.waitForSelector("text=Go to the account")
    expect(asked.join()).toContain(UNIVERSAL_RESOLVER.slice(2))
    asked.length = 0
    await page.click("text=Go to the account")
    await page.waitForSelector("[data-part=activity] header")
    await page.waitForLoadState("networkidle")
    expect(await page.textContent(".lead .chip")).toContain("CLAIMED")
    expect(await page.locator(".ens").count()).toBe(0)
    expect(asked.join()).toContain(ALICE.slice(2).toLowerCase())
    expect(asked.join()).not.toContain(UNIVERSAL_RESOLVER.slice(2))
    await close()
  })

  test("is refuted if the node sends other code, and no address is shown", async () => {
    const { close, page } = await Pages.open(browser)
    await page.route(/\/holesky\/v3\//u, async (route) => {
      const response = await route.fetch()
      const text = await response.text()
      await route.fulfill({ response, body: text.replaceAll(ALICE.slice(2).toLowerCase(), "00".repeat(20)) })
    })
    await search(page, "alice.eth")
    await page.waitForSelector(".state .word.refuted")
    expect(await page.locator("text=Go to the account").count()).toBe(0)
    await close()
  })

  test("is refused on a chain without ENS, and in a form that no name has", async () => {
    const { close, page } = await Pages.open(browser)
    await page.goto(`${service.url}/console/history/name/alice.eth`)
    await page.waitForSelector(".state")
    expect(await page.textContent(".state")).toContain("cannot be read on history")
    await page.goto(`${service.url}/console/history/name/a_b.eth`)
    await page.waitForSelector(".state")
    expect(await page.textContent(".state")).toContain("a_b.eth")
    await close()
  })
})
