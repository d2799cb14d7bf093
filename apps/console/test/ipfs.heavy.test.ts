/** The screens of IPFS in Chromium, over an embedded node. Skipped without Chromium: set CHROMIUM to its program. */
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { deflateSync } from "node:zlib"

import { type Browser, chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import * as TextFormats from "../src/look/TextFormats.ts"
import * as Pages from "./support/Pages.ts"
import * as Service from "./support/Service.ts"

test.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [1023, "1,023 bytes"],
  [1024, "1 KiB"],
  [262_158, "256 KiB"],
  [1_600_000, "1.5 MiB"]
])("%d bytes are written as %s", (amount, text) => {
  expect(TextFormats.bytes(amount)).toBe(text)
})

/** Returns the CID of a raw block, with node:crypto: version 1, raw, sha2-256, in base32. */
const rawCid = (bytes: Uint8Array | string): string => {
  const cid = Buffer.concat([Buffer.from([1, 0x55, 0x12, 0x20]), createHash("sha256").update(bytes).digest()])
  const bits = Array.from(cid, (byte) => byte.toString(2).padStart(8, "0")).join("")
  const letters = bits
    .match(/.{1,5}/gu)!
    .map((five) => "abcdefghijklmnopqrstuvwxyz234567"[Number.parseInt(five.padEnd(5, "0"), 2)])
  return `b${letters.join("")}`
}

/** A picture of one red pixel, as PNG. */
const png = (): Buffer => {
  const crc = (bytes: Buffer): number => {
    let sum = 0xffffffff
    for (const byte of bytes) {
      sum ^= byte
      for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1
    }
    return (sum ^ 0xffffffff) >>> 0
  }
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc(body))
    return Buffer.concat([length, body, sum])
  }
  const head = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0])
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(Buffer.from([0, 255, 0, 0]))),
    chunk("IEND", Buffer.alloc(0))
  ])
}

if (Service.skipped) console.warn("no Chromium: the tests of IPFS are skipped")

describe.skipIf(Service.skipped)("IPFS", { concurrent: false, timeout: 90_000 }, () => {
  let service: Service.Service
  let browser: Browser
  let folder: string

  /** The CID that the page computed for a folder that was added on the page. */
  let root = ""

  const HTML = "<script>document.title = 'run'</script><h1>not a headline</h1>"
  /** A file larger than a chunk, so that it has blocks below its root. */
  const LARGE = Buffer.alloc(700_000, "large ")

  const withKey = async (page: Page): Promise<void> => {
    await page.fill("[aria-label='API key']", service.apiKey)
    await page.fill("[aria-label='API key secret']", service.apiKeySecret)
    await page.click("text=Use it")
    // the page does not send files that are chosen before it has accepted the key
    await page.waitForSelector("[aria-label='API key']", { state: "detached" })
  }

  beforeAll(async () => {
    service = await Service.start({ hasIpfs: true })
    browser = await chromium.launch({
      executablePath: Service.chromium!,
      args: ["--no-sandbox"],
      // without this variable, Chromium cannot read files whose names are not ASCII
      env: { ...process.env, LC_ALL: "C.UTF-8" }
    })
    folder = path.join(service.folder, "site")
    mkdirSync(path.join(folder, "a folder"), { recursive: true })
    writeFileSync(path.join(folder, "hello.txt"), "hello world")
    writeFileSync(path.join(folder, "page.html"), HTML)
    writeFileSync(path.join(folder, "dot.png"), png())
    writeFileSync(path.join(folder, "large.bin"), LARGE)
    writeFileSync(path.join(folder, "a folder", "ü.txt"), "nested")
    const { close, page } = await Pages.open(browser)
    await page.goto(`${service.url}/console/ipfs`)
    await withKey(page)
    await page.setInputFiles("[aria-label='Choose a folder']", folder)
    await page.waitForSelector(".added .chip")
    root = (await page.textContent(".added .whole"))!
    await close()
  }, 180_000)
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })

  test("a file has its CID before it is sent, and nothing is sent without a key", async () => {
    const { close, page, requests } = await Pages.open(browser)
    await page.goto(`${service.url}/console/ipfs`)
    await page.setInputFiles("[aria-label='Choose files']", path.join(folder, "hello.txt"))
    await page.waitForSelector("text=Nothing was sent")
    expect(await page.textContent(".outcome")).toContain(rawCid("hello world"))
    expect(requests.filter((url) => url.includes("/api/v0/"))).toEqual([])
    await withKey(page)
    await page.click("text=Send it now")
    await page.waitForSelector(".added .chip.verified")
    expect(await page.textContent(".added .whole")).toBe(rawCid("hello world"))
    await close()
  })

  test("a folder is one CID, and the service agrees about every name in it", async () => {
    const { close, page, wrong } = await Pages.open(browser)
    await page.goto(`${service.url}/console/ipfs`)
    await withKey(page)
    await page.setInputFiles("[aria-label='Choose a folder']", folder)
    await page.waitForSelector(".added .chip.verified")
    expect(await page.locator(".outcome tbody tr").count()).toBe(7)
    expect(await page.locator(".outcome .word.refuted").count()).toBe(0)
    expect(await page.textContent(".added .whole")).toBe(root)
    expect(await Pages.violations(page)).toBe("")
    await page.waitForSelector(`a[data-copy='${root}']`)
    expect(await Pages.kept(page)).not.toMatch(new RegExp(`${service.apiKey}|${service.apiKeySecret}`, "u"))
    expect(wrong).toEqual([])
    await close()
  })

  test("a service that answers another CID is refuted, with both", async () => {
    const { close, page } = await Pages.open(browser)
    const lie = rawCid("another")
    await page.route("**/api/v0/add?*", (route) =>
      route.fulfill({
        body: `${JSON.stringify({ Name: "hello.txt", Hash: lie, Size: "11" })}\n`,
        contentType: "application/json"
      })
    )
    await page.goto(`${service.url}/console/ipfs`)
    await withKey(page)
    await page.setInputFiles("[aria-label='Choose files']", path.join(folder, "hello.txt"))
    await page.waitForSelector(".added .chip.refuted")
    expect(await page.textContent(".outcome")).toContain(lie)
    expect(await page.textContent(".outcome")).toContain(rawCid("hello world"))
    expect(await page.locator("text=Look at it").count()).toBe(0)
    await close()
  })

  test("content is read without a key on this machine: folders, text, pictures, and no script of it runs", async () => {
    const { close, page, requests, wrong } = await Pages.open(browser)
    await page.goto(`${service.url}/console/ipfs/${root}`)
    await page.waitForSelector(".lead .chip.verified")
    await page.click("td a:text-is('page.html')")
    await page.waitForSelector(".preview-text")
    expect(await page.textContent(".preview-text")).toBe(HTML)
    expect(await page.title()).not.toBe("run")
    await page.goBack()
    await page.click("td a:text-is('dot.png')")
    await page.waitForSelector("canvas[aria-label='The picture, 1 × 1 pixels']")
    const pixel = await page.evaluate(
      "[...document.querySelector('canvas').getContext('2d').getImageData(0, 0, 1, 1).data]"
    )
    expect(pixel).toEqual([255, 0, 0, 255])
    await page.goBack()
    await page.click("td a:text-is('a folder')")
    await page.click("td a:text-is('ü.txt')")
    await page.waitForSelector("text=nested")
    expect(requests.filter((url) => url.includes("/api/v0/"))).not.toContainEqual(
      expect.not.stringContaining("/console/api/ipfs/")
    )
    expect(requests.filter((url) => !url.startsWith(service.url))).toEqual([])
    expect(wrong).toEqual([])
    await close()
  })

  test("a download is whole, and its bytes are those that were added", async () => {
    const { close, page } = await Pages.open(browser)
    await page.goto(`${service.url}/console/ipfs/${root}?path=large.bin`)
    await page.waitForSelector(".lead .chip.verified")
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.click("text=Download, every block checked")
    ])
    expect(download.suggestedFilename()).toBe("large.bin")
    expect(readFileSync(await download.path()).equals(LARGE)).toBe(true)
    await close()
  })

  test("blocks are a picture, and a block with one wrong byte is where the line breaks", async () => {
    const { close, page } = await Pages.open(browser)
    const place = `${service.url}/console/ipfs/${root}?path=large.bin&view=dag`
    await page.goto(place)
    await page.waitForSelector(".dag li")
    // the root, and three chunks of at most 256 KiB
    expect(await page.locator(".dag li").count()).toBe(4)
    const last = LARGE.subarray(2 * 262_144)
    const cid = rawCid(last)
    expect(await page.locator(`.dag a[title='${cid}']`).count()).toBe(1)
    expect(await Pages.violations(page)).toBe("")
    const changed = Buffer.from(last)
    changed[7]! ^= 1
    await page.route(`**/block/get?arg=${cid}*`, (route) => route.fulfill({ body: changed }))
    await page.reload()
    await page.waitForSelector(".dag .broken")
    expect(await page.textContent(".lead .chip")).toContain("REFUTED")
    expect(await page.textContent(".dag .broken")).toContain(cid)
    expect(await page.locator(".dag li:not(.broken)").count()).toBe(3)
    expect(await Pages.violations(page)).toBe("")
    await page.goto(`${service.url}/console/ipfs/${root}?path=large.bin`)
    await page.waitForSelector("text=The service sent other bytes")
    expect(await page.locator("text=Download").count()).toBe(0)
    await close()
  })

  test("pins are listed, added with a name, and removed after a question", async () => {
    const { close, page } = await Pages.open(browser)
    await page.goto(`${service.url}/console/ipfs`)
    await withKey(page)
    await page.waitForSelector("h2:has-text('Pins')")
    const cid = rawCid("nested")
    await page.fill("[aria-label='CID to pin']", cid)
    await page.fill("[aria-label='Name of the pin']", "a note")
    await page.click("text=Pin it")
    await page.waitForSelector(`tr:has(a[data-copy='${cid}']):has-text('a note')`)
    expect(await Pages.violations(page)).toBe("")
    await page.click(`tr:has(a[data-copy='${cid}']) >> text=Remove`)
    await page.click("button:text-is('Remove')")
    await page.waitForSelector(`a[data-copy='${cid}']`, { state: "detached" })
    await close()
  })

  test("limits and usage are read with the key, and no session stays behind", async () => {
    const { close, page } = await Pages.open(browser)
    await page.goto(`${service.url}/console/ipfs`)
    await withKey(page)
    await page.click("text=Show limits and usage")
    await page.waitForSelector("text=Project local")
    expect(await page.textContent(".meters")).toContain("Uploaded in 24 hours")
    await expect.poll(async () => (await page.context().cookies()).length).toBe(0)
    await close()
  })

  test("a wrong secret, missing content and a text that is not a CID have each a next step", async () => {
    const { close, page } = await Pages.open(browser)
    await page.goto(`${service.url}/console/ipfs`)
    await page.fill("[aria-label='API key']", service.apiKey)
    await page.fill("[aria-label='API key secret']", "0".repeat(32))
    await page.click("text=Use it")
    await page.waitForSelector("text=does not accept this key and secret")
    await page.goto(`${service.url}/console/ipfs/${rawCid("nobody has this")}`)
    await page.waitForSelector("text=does not have this content")
    expect(await Pages.violations(page)).toBe("")
    await page.goto(`${service.url}/console/ipfs/${root}?path=absent`)
    await page.waitForSelector("text=There is no such name")
    await page.goto(`${service.url}/console/ipfs/baaaaaaaaaaaaaaaaaaaaaaaaaaaaa`)
    await page.waitForSelector("text=This text is not a CID")
    await close()
  })

  test.each([
    [
      "project ID settings: the project's allowlist of networks lacks ipfs. Add ipfs to the list",
      "allowlist forbids this"
    ],
    ["a billing card is required: add one to your account", "has no billing card"],
    ["project is suspended", "is suspended"]
  ])("a refusal is told apart: %s", async (said, title) => {
    const { close, page } = await Pages.open(browser)
    await page.route("**/block/get?*", (route) => route.fulfill({ status: 403, body: said, contentType: "text/plain" }))
    await page.goto(`${service.url}/console/ipfs/${root}`)
    await page.waitForSelector(`h1:has-text("${title}")`)
    expect(await page.textContent(".state")).toContain(said)
    await close()
  })

  test.each(["light", "dark"] as const)("axe finds nothing, %s, and it fits a phone", async (colorScheme) => {
    const { close, page } = await Pages.open(browser, {
      colorScheme,
      viewport: { width: 390, height: 844 },
      hasTouch: true
    })
    for (const place of ["", `/${root}`, `/${root}?view=dag`, `/${root}?path=hello.txt`]) {
      await page.goto(`${service.url}/console/ipfs${place}`)
      await page.waitForSelector(".ipfs-target, .lead .chip")
      expect(await Pages.violations(page), place).toBe("")
      expect(await page.evaluate("document.documentElement.scrollWidth"), place).toBeLessThanOrEqual(390)
    }
    await close()
  })
})
