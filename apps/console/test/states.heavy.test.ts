/** Tests the console when something fails: a dead node, a lying node, a key that ended, a limit, and a cut network. */
import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import { type Browser, chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import * as Liar from "./support/Liar.ts"
import * as Pages from "./support/Pages.ts"
import * as Service from "./support/Service.ts"

const HEAD = HistoryChain.head.hash
const CABINET = HistoryChain.contracts.cabinet.address
const TRANSACTION = HistoryChain.transactions("0x2").at(0)!.hash

/** The screens of a network, each with its path below `/console/<network>`. */
const SCREENS = [
  ["the explorer", ""],
  ["a block", `/block/${HEAD}?trust=${HEAD}`],
  ["a transaction", `/tx/${TRANSACTION}`],
  ["an account", `/account/${CABINET}/${HEAD}?trust=${HEAD}`],
  ["the microscope", `/proof/${HEAD}/header/stateRoot?trust=${HEAD}`],
  ["lies", "/lies/balance"]
] as const

describe.skipIf(Service.skipped)("the console in a bad moment", { concurrent: false }, () => {
  let service: Service.Service
  let liar: Liar.Liar
  let browser: Browser

  beforeAll(async () => {
    liar = await Liar.start("state-root")
    service = await Service.start({
      networks: `  liar: { chainId: ${HistoryChain.chainId}, hosts: [liar.example], upstreams: [{ url: "${liar.url}" }] }\n`
    })
    browser = await chromium.launch({ executablePath: Service.chromium!, args: ["--no-sandbox"] })
  })
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
    await liar?.stop()
  })

  const open = async (path: string): Promise<Page> => {
    const accepts = [HEAD, HistoryChain.blocks[7]!.hash].map((hash) => `history ${hash}`)
    const { page } = await Pages.open(browser, { reducedMotion: "reduce", accepts })
    page.setDefaultTimeout(60_000)
    await page.goto(`${service.url}/console${path}`)
    return page
  }

  /** Goes to another place in the open page, without a reload, so that the page keeps its memory. */
  const go = (page: Page, path: string): Promise<void> =>
    page.evaluate(
      `history.pushState(null, "", ${JSON.stringify(`/console${path}`)}); void dispatchEvent(new PopStateEvent("popstate"))`
    )

  const enterKey = async (page: Page, key: string): Promise<void> => {
    await page.fill("[aria-label='API key']", key)
    await page.click("text=Use it")
  }

  const admin = async (method: string, path: string, body?: unknown): Promise<any> => {
    const answer = await fetch(`${service.url}/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${service.adminToken}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return text === "" ? undefined : JSON.parse(text)
  }

  const issue = async (limits: object): Promise<{ readonly id: string; readonly key: string }> => {
    const { projects } = await admin("GET", "/projects")
    const issued = await admin("POST", `/projects/${projects[0].id}/keys`, { label: "states", limits })
    return { id: issued.id ?? issued.key?.id, key: issued.apiKey ?? issued.key?.apiKey }
  }

  test.each(SCREENS)("%s of a dead node says that there is no answer, and what to do", async (_, path) => {
    const page = await open(`/remote${path}`)
    await enterKey(page, service.apiKey)
    await page.waitForSelector("text=There is no answer about")
    expect(await page.textContent(".state")).toContain("Nothing is claimed or refuted")
    expect(await page.locator(".state button:has-text('Try again')").count()).toBe(1)
    expect(await page.locator(".chip.verified").count()).toBe(0)
    await page.context().close()
  })

  test.each(SCREENS.slice(1, 4))("%s of a lying node has no value, but the check that failed", async (_, path) => {
    const page = await open(`/liar${path}`)
    await enterKey(page, service.apiKey)
    await page.waitForSelector(".state .word.refuted")
    expect(await page.textContent(".state h1")).toBe("No value")
    expect(await page.textContent(".state")).toContain("header hash")
    expect(await page.locator(".word.verified, .chip.verified").count()).toBe(0)
    await page.context().close()
  })

  test("the microscope over a lying node tears at the header", async () => {
    const page = await open(`/liar/proof/${HEAD}/account/${CABINET}/nonce?trust=${HEAD}`)
    await enterKey(page, service.apiKey)
    await page.waitForSelector(".tear")
    expect(await page.textContent("h1")).toBe("No value")
    expect(await page.textContent(".lead .chip")).toContain("REFUTED")
    await page.context().close()
  })

  test("the playground over a lying node shows check, expected and got, and no value", async () => {
    const params = encodeURIComponent(JSON.stringify([HEAD, false]))
    const page = await open(`/liar/playground/eth_getBlockByHash?params=${params}`)
    await page.click(".playground form .button.primary")
    await enterKey(page, service.apiKey)
    await page.waitForSelector(".answer[data-outcome=REFUTED]")
    expect(await page.textContent(".none-shown")).toBe("No value")
    expect(await page.textContent(".checked")).toContain("header hash")
    expect(await page.textContent(".checked")).toContain(HEAD)
    await page.context().close()
  })

  test("a key that has ended is named as the reason, and another one can be entered", async () => {
    const { id, key } = await issue({})
    const page = await open("/liar")
    await enterKey(page, key)
    await page.waitForSelector("table tbody tr")
    await admin("DELETE", `/keys/${id}`)
    await expect.poll(() => statusOf(key)).toBe(401)
    await go(page, `/liar/tx/${TRANSACTION}`)
    await page.waitForSelector("text=The service does not accept this key")
    await enterKey(page, service.apiKey)
    await page.waitForSelector(".state .word.refuted")
    await page.context().close()
  })

  test("a key that expires by its date is named as the reason, and another one can be entered", async () => {
    const page = await open("/liar")
    const { id, key } = await issue({})
    await enterKey(page, key)
    await page.waitForSelector("table tbody tr")
    // the key gets its date only now, so however long the page took, it has read once
    const expiresAt = Date.now() + 4000
    await admin("PATCH", `/keys/${id}`, { expiresAt: new Date(expiresAt).toISOString() })
    await expect.poll(() => statusOf(key)).toBe(401)
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt)
    await go(page, `/liar/tx/${TRANSACTION}`)
    await page.waitForSelector("text=The service does not accept this key")
    expect(await page.textContent(".state")).toContain("It may have ended")
    await enterKey(page, service.apiKey)
    await page.waitForSelector(".state .word.refuted")
    await page.context().close()
  })

  const statusOf = async (key: string): Promise<number> => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}`
    const headers = { "content-type": "application/json" }
    return (await fetch(`${service.url}/liar/v3/${key}`, { method: "POST", headers, body })).status
  }

  test("a limit is named as the reason", async () => {
    const { key } = await issue({ creditsPerDay: 100 })
    const page = await open("/liar")
    await enterKey(page, key)
    await page.waitForSelector("text=Over a limit")
    expect(await page.textContent(".state")).toContain("daily credits of the API key exceeded")
    // the call costs more than the credits of a whole day, so waiting would not help
    expect(await page.locator(".state time").count()).toBe(0)
    await page.context().close()
  })

  test("a limit that ends is named with the time at which it does", async () => {
    const { key } = await issue({ creditsPerDay: 1000 })
    for (let calls = 0; calls < 400 && (await statusOf(key)) === 200; calls++);
    expect(await statusOf(key)).toBe(429)
    const page = await open("/liar")
    await enterKey(page, key)
    await page.waitForSelector("text=Over a limit")
    // the day of a credit limit ends at midnight, UTC
    const midnight = new Date(new Date().setUTCHours(24, 0, 0, 0))
    const hour = `on ${midnight.toISOString().slice(0, 10)} at 00:00 UTC, in `
    expect(await page.textContent(".state")).toContain(`The limit ends ${hour}`)
    const end = Date.parse((await page.getAttribute(".state time", "datetime"))!)
    expect(Math.abs(end - midnight.getTime())).toBeLessThan(60_000)
    await go(page, "/liar/playground/eth_chainId?params=[]")
    await page.click(".playground form .button.primary")
    await page.waitForSelector(".answer[data-outcome=FAILED] time")
    expect(await page.textContent(".answer")).toContain(`It answers again ${hour}`)
    await page.context().close()
  })

  test("a proof whose address ends like a file's name is there after a reload", async () => {
    const slot = `0x${"0".repeat(64)}`
    const page = await open(`/history/proof/${HEAD}/slot/${CABINET}/${slot}/settings.js?trust=${HEAD}`)
    await page.waitForSelector(".lead .chip.verified")
    expect((await page.reload())!.status()).toBe(200)
    await page.waitForSelector(".lead .chip.verified")
    expect(await page.textContent(".value-name")).toContain("settings.js")
    expect(new URL(page.url()).pathname).toMatch(/settings\.js$/u)
    await page.context().close()
  })

  test("with the network cut, what is loaded works, and what must be read says so", async () => {
    const page = await open("/history/playground/eth_blockNumber")
    await page.click(".playground form .button.primary")
    await page.waitForSelector(".answer")
    await go(page, `/history/proof/${HEAD}/header/stateRoot?trust=${HEAD}&at=header`)
    await page.waitForSelector(".bits")
    for (const [, path] of SCREENS) {
      await go(page, `/history${path}`)
      await page.waitForSelector(".page")
      await page.waitForLoadState("networkidle")
    }
    await page.context().setOffline(true)
    // screens keep the values that they have read; for a new question, the page says that no answer arrived
    await go(page, "/history/playground/eth_gasPrice?params=[]")
    await page.click(".playground form .button.primary")
    await page.waitForSelector(".answer[data-outcome=FAILED]")
    expect(await page.textContent(".answer")).toContain("No JSON-RPC answer arrived")
    const other = HistoryChain.blocks[7]!.hash
    for (const path of [`/block/${other}?trust=${other}`, `/account/${CABINET}/${other}?trust=${other}`]) {
      await go(page, `/history${path}`)
      await page.waitForSelector("text=There is no answer about")
    }
    await go(page, `/history/proof/${HEAD}/header/stateRoot?trust=${HEAD}&at=header`)
    await page.click(".bits button:nth-child(1)")
    await page.waitForSelector(".chip.refuted")
    await page.click('button:text-is("Mend")')
    await page.waitForSelector(".lead .chip.verified")
    await page.context().close()
  })

  test("the first screen becomes usable; its time is printed, and nothing is asserted about it", async () => {
    const page = await open("/history")
    await page.waitForSelector("table tbody tr a")
    const [shown, loaded] = await page.evaluate<readonly [number, number]>(
      `(() => { const [nav] = performance.getEntriesByType("navigation"); return [performance.now(), nav.domContentLoadedEventEnd] })()`
    )
    console.log(`first screen: document after ${Math.round(loaded)} ms, blocks to act on after ${Math.round(shown)} ms`)
    await page.click("table tbody tr a")
    await page.waitForSelector(".fact-grid")
    expect(page.url()).toContain("/block/")
    await page.context().close()
  })

  describe("the playground", () => {
    test("goes from a search to a verified answer, with the keyboard alone, and its link holds no key", async () => {
      const page = await open("/history/playground")
      await page.focus("[aria-label='Find a method']")
      await page.keyboard.type("merkle")
      await page.keyboard.press("Tab")
      await page.keyboard.press("Enter")
      await page.waitForSelector("#field-address")
      await page.focus("#field-address")
      await page.keyboard.type(CABINET)
      await page.focus("#field-block")
      await page.keyboard.type("69")
      await page.focus("#trusted")
      await page.keyboard.type(HEAD)
      await page.keyboard.press("Enter")
      await page.waitForSelector(".answer[data-outcome=VERIFIED]")
      const { pathname, searchParams } = new URL(page.url())
      expect(pathname).toBe("/console/history/playground/eth_getProof")
      expect(JSON.parse(searchParams.get("params")!)).toEqual([CABINET, [], "0x45"])
      expect([...searchParams.keys()]).toEqual(["params", "trust"])
      await go(page, "/history/playground")
      await page.click(".recent a")
      await page.waitForSelector("#field-address")
      expect(await page.inputValue("#field-address")).toBe(CABINET)
      await page.context().close()
    })

    test("names the parameter that is wrong, and asks nothing", async () => {
      const page = await open("/history/playground/eth_getBalance")
      await page.click(".playground form .button.primary")
      await page.waitForSelector("#fault-address")
      await page.fill("#field-address", "0x12")
      expect(await page.locator(".answer").count()).toBe(0)
      expect(await page.getAttribute("#field-address", "aria-invalid")).toBe("true")
      await page.click("text=Fill in an example")
      await expect.poll(() => page.inputValue("#field-address")).toHaveLength(42)
      await page.click(".playground form .button.primary")
      await page.waitForSelector(".answer[data-outcome=CLAIMED]")
      await page.context().close()
    })

    test("folds a large answer, and opens it", async () => {
      const params = encodeURIComponent(JSON.stringify([HEAD, true]))
      const page = await open(`/history/playground/eth_getBlockByHash?params=${params}`)
      await page.click(".playground form .button.primary")
      await page.waitForSelector(".answer[data-outcome=VERIFIED]")
      const lines = async () => (await page.textContent(".answer .code"))!.split("\n").length
      expect(await lines()).toBeLessThan(24)
      await page.click("text=Show all")
      expect(await lines()).toBeGreaterThan(40)
      await page.context().close()
    })
  })

  test("a key of the page is in no link, program or text of the playground", async () => {
    const page = await open("/liar/playground/eth_gasPrice?params=[]")
    await page.click(".playground form .button.primary")
    await enterKey(page, service.apiKey)
    await page.waitForSelector(".answer")
    for (const name of ["curl", "Effect", "viem"]) {
      await page.click(`.pills button:text-is("${name}")`)
      expect(await page.textContent(".pills >> xpath=../..")).toContain("YOUR_KEY")
    }
    expect(await page.innerHTML("body")).not.toContain(service.apiKey)
    expect(page.url()).not.toContain(service.apiKey)
    expect(await page.getAttribute("[data-way]", "data-way")).toBe("Key")
    await page.context().close()
  })

  test("lies are chosen with the arrow keys, and each shows its check", async () => {
    const page = await open("/history/lies/balance")
    await page.waitForSelector(".lie .tear")
    await page.focus(".lie-list a[aria-current]")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.waitForSelector(".check-name:text-is('account.nonce')")
    expect(page.url()).toContain("/lies/nonce")
    expect(await page.textContent(".lead .chip")).toContain("REFUTED")
    await page.context().close()
  })
})
