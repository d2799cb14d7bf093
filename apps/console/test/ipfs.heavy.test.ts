/** The screens of IPFS in Chromium, over an embedded node. Skipped without Chromium: set CHROMIUM to its program. */
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { deflateSync } from "node:zlib"

import { type Browser, chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import * as Shots from "../scripts/shots.ts"
import * as TextFormats from "../src/look/TextFormats.ts"
import * as Layout from "./support/Layout.ts"
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

describe.skipIf(Service.skipped)("IPFS", { concurrent: false }, () => {
  let service: Service.Service
  let browser: Browser
  let folder: string

  /** The CID that the page computed for a folder that was added on the page. */
  let root = ""

  const HTML = "<script>document.title = 'run'</script><h1>not a headline</h1>"
  /** A file larger than a chunk, so that it has blocks below its root. */
  const LARGE = Buffer.alloc(700_000, "large ")

  /** A picture of few bytes that says it has billions of pixels, and a drawing with a script. */
  const BOMB = Buffer.concat([png().subarray(0, 16), Buffer.from("0000ffff0000fffe", "hex"), png().subarray(24)])
  const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="document.title='run'"><image href="/console/pixel"/></svg>`

  /** Drags files or folders of this machine onto an element, as a person does. */
  const drag = async (page: Page, selector: string, files: ReadonlyArray<string>): Promise<void> => {
    const target = page.locator(selector)
    await target.scrollIntoViewIfNeeded()
    const { height, width, x, y } = (await target.boundingBox())!
    const session = await page.context().newCDPSession(page)
    const data = { items: [], files: [...files], dragOperationsMask: 1 }
    for (const type of ["dragEnter", "dragOver", "drop"] as const) {
      await session.send("Input.dispatchDragEvent", { type, x: x + width / 2, y: y + height / 2, data })
    }
  }

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
    writeFileSync(path.join(folder, "bomb.png"), BOMB)
    writeFileSync(path.join(folder, "drawing.svg"), SVG)
    writeFileSync(path.join(folder, "a folder", "ü.txt"), "nested")
    const { close, page } = await Pages.open(browser)
    await page.goto(`${service.url}/console/ipfs`)
    await withKey(page)
    await page.setInputFiles("[aria-label='Add a folder']", folder)
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
    await page.setInputFiles("[aria-label='Add files']", path.join(folder, "hello.txt"))
    await page.waitForSelector("text=Nothing was sent")
    expect(await page.textContent(".outcome .whole")).toBe(rawCid("hello world"))
    expect(requests.filter((url) => url.includes("/api/v0/"))).toEqual([])
    // the form for the key is beside the files that wait for it, and is the next step
    expect(await page.locator(".outcome [aria-label='API key']").count()).toBe(1)
    expect(await page.textContent(".outcome")).toContain("hello.txt 1 file, 11 bytes")
    await page.setViewportSize({ width: 390, height: 560 })
    await page.fill("[aria-label='API key']", service.apiKey)
    await page.fill("[aria-label='API key secret']", service.apiKeySecret)
    expect(await page.locator(".button.primary").allTextContents()).toEqual(["Store it"])
    await page.click("button:text-is('Store it')")
    await page.waitForSelector(".added .chip.verified")
    expect(await page.textContent(".added .whole")).toBe(rawCid("hello world"))
    await close()
  })

  test("a key that is typed while the files are hashed is kept", async () => {
    const { close, page } = await Pages.open(browser)
    // types into the form as soon as it is there
    await page.addInitScript(`new MutationObserver((_, observer) => {
      const field = document.querySelector(".outcome [aria-label='API key']")
      if (field === null) return
      observer.disconnect()
      window.hashed = document.querySelector(".outcome .whole") !== null
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, "half a key")
      field.dispatchEvent(new Event("input", { bubbles: true }))
    }).observe(document, { childList: true, subtree: true })`)
    await page.goto(`${service.url}/console/ipfs`)
    await page.setInputFiles("[aria-label='Add files']", path.join(folder, "large.bin"))
    await page.waitForSelector(".outcome .whole")
    expect(await page.evaluate("window.hashed")).toBe(false)
    expect(await page.inputValue("[aria-label='API key']")).toBe("half a key")
    await close()
  })

  test("a folder is one CID, and the service agrees about every name in it", async () => {
    const { close, page, wrong } = await Pages.open(browser)
    await page.goto(`${service.url}/console/ipfs`)
    await withKey(page)
    await page.setInputFiles("[aria-label='Add a folder']", folder)
    await page.waitForSelector(".added .chip.verified")
    expect(await page.locator(".outcome tbody tr").count()).toBe(9)
    expect(await page.locator(".outcome .word.refuted").count()).toBe(0)
    expect(await page.textContent(".added .whole")).toBe(root)
    expect(await Pages.violations(page)).toBe("")
    await page.waitForSelector(`.file-list a[data-copy='${root}']`)
    expect(await Pages.kept(page)).not.toMatch(new RegExp(`${service.apiKey}|${service.apiKeySecret}`, "u"))
    expect(wrong).toEqual([])
    await close()
  })

  test("a folder is added on a phone, from the buttons to the link, without scrolling", async () => {
    const { close, page } = await Pages.open(browser, { viewport: { width: 390, height: 844 }, hasTouch: true })
    await page.goto(`${service.url}/console/ipfs`)
    await page.waitForSelector(".ipfs-target")
    expect(await Layout.isInView(page, ".button:text-is('Add files')")).toBe(true)
    expect(await Layout.isInView(page, ".button:text-is('Add a folder')")).toBe(true)
    expect(await Layout.smallButtons(page)).toEqual([])
    await withKey(page)
    // the bars of a browser leave less of the screen
    await page.setViewportSize({ width: 390, height: 560 })
    await page.setInputFiles("[aria-label='Add a folder']", folder)
    await page.waitForSelector(".added .chip.verified")
    expect(await page.textContent(".added .whole")).toBe(root)
    await expect.poll(() => Layout.isInView(page, ".added .whole")).toBe(true)
    await expect.poll(() => Layout.isInView(page, ".added .button:text-is('Copy link')")).toBe(true)
    expect(await page.textContent(".added")).toContain("site 7 files, ")
    await close()
  })

  test("a folder that was added is first in the list, with its size, and is called by its name", async () => {
    const { close, page } = await Pages.open(browser)
    await page.goto(`${service.url}/console/ipfs`)
    await withKey(page)
    await page.setInputFiles("[aria-label='Add a folder']", folder)
    await page.waitForSelector(".added .chip.verified")
    const first = page.locator(".file-list tbody tr").first()
    await first.locator("text=just added").waitFor()
    expect(await first.locator("a").first().textContent()).toBe("site")
    await expect.poll(() => first.textContent()).toMatch(/~ 68[0-9][.0-9]* KiB/u)
    await page.click(".added >> text=Look at it")
    await page.waitForSelector("h1:text-is('site')")
    // after a reload, the list says why it is not there
    await page.goto(`${service.url}/console/ipfs`)
    await page.waitForSelector("text=asked for again after a reload")
    await withKey(page)
    await page.waitForSelector(`.file-list a[data-copy='${root}']`)
    await close()
  })

  test("a key that the service refuses is replaced beside the files that wait for it", async () => {
    const { close, page } = await Pages.open(browser)
    await page.goto(`${service.url}/console/ipfs`)
    await page.setInputFiles("[aria-label='Add files']", path.join(folder, "hello.txt"))
    await page.fill(".outcome [aria-label='API key']", service.apiKey)
    await page.fill(".outcome [aria-label='API key secret']", "0".repeat(32))
    await page.click("button:text-is('Store it')")
    await page.waitForSelector(".outcome [role=alert]:has-text('does not accept this key and secret')")
    await page.click("text=Enter another key")
    await page.fill("[aria-label='API key']", service.apiKey)
    await page.fill("[aria-label='API key secret']", service.apiKeySecret)
    await page.click("button:text-is('Store it')")
    await page.waitForSelector(".added .chip.verified")
    expect(await page.textContent(".added .whole")).toBe(rawCid("hello world"))
    await close()
  })

  test("a project's sign-in is enough: IPFS asks for no key again until the session ends", async () => {
    const { close, page } = await Pages.open(browser)
    await page.goto(`${service.url}/console/overview`)
    await page.click("button:text-is('Project')")
    await page.fill("[name=apiKey]", service.apiKey)
    await page.fill("[name=apiKeySecret]", service.apiKeySecret)
    await page.click("button[type=submit]:text-is('Sign in')")
    await page.waitForSelector(".who button")
    await page.click("nav a:text-is('IPFS')")
    await page.waitForSelector("text=In use, in the memory of this page alone.")
    expect(await Pages.kept(page)).not.toMatch(new RegExp(`${service.apiKey}|${service.apiKeySecret}`, "u"))
    await page.click(".who button")
    await page.click("text=Sign out")
    await page.waitForSelector("text=enter an API key and its secret")
    await close()
  })

  test("a browser that cannot choose a folder is offered files, and the reason", async () => {
    const { close, page } = await Pages.open(browser)
    await page.addInitScript("delete HTMLInputElement.prototype.webkitdirectory")
    await page.goto(`${service.url}/console/ipfs`)
    await page.waitForSelector("text=This browser can choose files, but no folder.")
    expect(await page.locator("[aria-label='Add a folder']").count()).toBe(0)
    await page.setInputFiles("[aria-label='Add files']", path.join(folder, "hello.txt"))
    await page.waitForSelector("text=Nothing was sent")
    await close()
  })

  test("shows how far each file is while the network takes it, and stops when the reader says so", async () => {
    const { close, page, wrong } = await Pages.open(browser)
    await page.goto(`${service.url}/console/ipfs`)
    await withKey(page)
    const session = await page.context().newCDPSession(page)
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 40_000 }
    await session.send("Network.enable")
    await session.send("Network.emulateNetworkConditions", slow)
    const files = ["large.bin", "hello.txt"].map((name) => path.join(folder, name))
    await page.setInputFiles("[aria-label='Add files']", files)
    await page.waitForSelector(".outcome:has-text('Sending,')")
    const part = (name: string) =>
      page
        .locator(`.file-progress li:has-text('${name}') progress`)
        .evaluate((one: { readonly value?: number }) => one.value ?? -1)
    await expect.poll(() => part("large.bin")).toBeGreaterThan(0)
    expect(await part("large.bin")).toBeLessThan(1)
    expect(await part("hello.txt")).toBe(0)
    expect(await page.textContent(".outcome")).toContain("0 of 2 files")
    expect(await Pages.violations(page)).toBe("")
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390)
    const gone = page.waitForEvent("requestfailed", (request) => request.url().includes("/api/v0/add"))
    await page.click(".outcome >> text=Cancel")
    await gone
    await expect.poll(() => page.locator(".outcome").count()).toBe(0)
    expect(wrong).toEqual([])
    await close()
  })

  test("names each file that the browser cannot read, and adds the others", async () => {
    const { close, page } = await Pages.open(browser)
    await page.addInitScript(`{
      const { stream } = Blob.prototype
      Blob.prototype.stream = function () {
        if (this.name !== "dot.png") return stream.call(this)
        return new ReadableStream({ pull: (to) => to.error(new Error("its permission was taken away")) })
      }
    }`)
    await page.goto(`${service.url}/console/ipfs`)
    await withKey(page)
    const files = ["hello.txt", "dot.png"].map((name) => path.join(folder, name))
    await page.setInputFiles("[aria-label='Add files']", files)
    await page.waitForSelector(".file-progress li:has-text('dot.png'):has-text('its permission was taken away')")
    expect(await page.textContent(".outcome")).toContain("Nothing was sent")
    expect(await page.textContent(".outcome")).not.toContain("hello.txt")
    expect(await Pages.violations(page)).toBe("")
    await page.click("text=Add the other one")
    await page.waitForSelector(".added .chip.verified")
    expect(await page.textContent(".added .whole")).toBe(rawCid("hello world"))
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
    await page.setInputFiles("[aria-label='Add files']", path.join(folder, "hello.txt"))
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

  test("a folder is a list of files: kinds, names and sizes first, CIDs last", async () => {
    const { close, page } = await Pages.open(browser)
    await page.goto(`${service.url}/console/ipfs/${root}`)
    const row = (name: string) => page.locator(`.file-list tbody tr:has(td a:text-is('${name}'))`)
    await row("a folder").locator(".entry-kind.directory").waitFor()
    expect(await page.locator(".file-list tbody td:first-child a").allTextContents()).toEqual([
      "a folder",
      "bomb.png",
      "dot.png",
      "drawing.svg",
      "hello.txt",
      "large.bin",
      "page.html"
    ])
    expect(await row("a folder").locator(".entry-kind").textContent()).toBe("folder")
    // a file with parts has its size in its first block; the size of a file of one block is the folder's word
    await row("large.bin").locator(":text-is('683.6 KiB')").waitFor()
    expect(await row("hello.txt").locator("td").nth(1).textContent()).toBe("~ 11 bytes")
    expect(await row("hello.txt").locator("td").nth(2).locator("a").getAttribute("data-copy")).toBe(
      rawCid("hello world")
    )
    await page.fill("[aria-label='Find a name in this folder']", "DOT")
    await expect.poll(() => page.locator(".file-list tbody tr").count()).toBe(1)
    await page.fill("[aria-label='Find a name in this folder']", "nothing of this")
    await page.waitForSelector("text=No name that was read has this text")
    await close()
  })

  test("the address of content is copied, for a person and for a program", async () => {
    const { close, page } = await Pages.open(browser, { permissions: ["clipboard-read", "clipboard-write"] })
    await page.goto(`${service.url}/console/ipfs/${root}?path=${encodeURIComponent("a folder")}`)
    await page.click("text=Copy ipfs://")
    await page.waitForSelector("text=Copied")
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(`ipfs://${root}/a folder`)
    await page.click("text=Copy link")
    await expect
      .poll(() => page.evaluate("navigator.clipboard.readText()"))
      .toBe(`${service.url}/console/ipfs/${root}?path=a%20folder`)
    await close()
  })

  test("a preview runs no script, loads nothing, and decodes no picture of billions of pixels", async () => {
    const { close, page, requests, wrong } = await Pages.open(browser)
    await page.goto(`${service.url}/console/ipfs/${root}?path=drawing.svg`)
    await page.waitForSelector(".preview-text")
    expect(await page.textContent(".preview-text")).toBe(SVG)
    expect(await page.title()).not.toBe("run")
    expect(await page.locator("#content svg image, iframe, object, embed").count()).toBe(0)
    await page.goto(`${service.url}/console/ipfs/${root}?path=bomb.png`)
    await page.waitForSelector("text=65,535 × 65,534 pixels, more than a preview decodes")
    expect(await page.locator("canvas").count()).toBe(0)
    expect(requests.filter((url) => url.includes("pixel"))).toEqual([])
    expect(wrong).toEqual([])
    await close()
  })

  test("a block that is not there is one row, and the other rows stay", async () => {
    const { close, page } = await Pages.open(browser)
    await page.goto(`${service.url}/console/ipfs/${root}`)
    const folderOf = async () =>
      (await page.locator("tr:has(td a:text-is('a folder')) td a.hash").getAttribute("data-copy"))!
    await page.waitForSelector(".entry-kind.directory")
    const cid = await folderOf()
    await page.route(`**/block/get?arg=${cid}*`, (route) =>
      route.fulfill({ status: 500, json: { Message: "block was not found locally", Code: 0, Type: "error" } })
    )
    await page.reload()
    await page.waitForSelector(".entry-missing")
    expect(await page.textContent("tr:has(td a:text-is('a folder')) .entry-missing")).toBe("block missing")
    expect(await page.locator(".entry-missing").count()).toBe(1)
    await page.waitForSelector("tr:has(td a:text-is('large.bin')) >> text=683.6 KiB")
    expect(await Pages.violations(page)).toBe("")
    await page.click("td a:text-is('a folder')")
    await page.waitForSelector("text=does not have this content")
    await close()
  })

  test("a folder that is dragged in is added, and listed by its name", async () => {
    const { close, page, wrong } = await Pages.open(browser)
    await page.goto(`${service.url}/console/ipfs`)
    await withKey(page)
    await drag(page, ".ipfs-target", [folder])
    await page.waitForSelector(".added .chip.verified")
    expect(await page.textContent(".added .whole")).toBe(root)
    const row = page.locator(`.file-list tr:has(a[data-copy='${root}'])`)
    await row.waitFor()
    expect(await row.locator("td a").first().textContent()).toBe("site")
    await row.locator(".entry-kind.directory").waitFor()
    // inside of it, every file is kept with it
    await row.locator("td a").first().click()
    await page.waitForSelector("tr:has(td a:text-is('page.html')) >> text=with its folder")
    expect(await Pages.violations(page)).toBe("")
    expect(wrong).toEqual([])
    await close()
  })

  test("a file that is chosen during an add ends that add, whose outcome does not come later", async () => {
    const { close, page } = await Pages.open(browser)
    await page.goto(`${service.url}/console/ipfs`)
    await withKey(page)
    const first = Promise.withResolvers<void>()
    let requests = 0
    await page.route("**/api/v0/add?*", async (route) => {
      if (++requests === 1) await first.promise
      await route.continue().catch(() => undefined)
    })
    const text = (name: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(name) })
    const ended = page.waitForEvent("requestfailed", (request) => request.url().includes("/api/v0/add"))
    await page.setInputFiles("[aria-label='Add files']", text("first.txt"))
    await expect.poll(() => requests).toBe(1)
    await page.setInputFiles("[aria-label='Add files']", text("second.txt"))
    await ended
    await page.waitForSelector(".added .chip.verified")
    const added = await page.textContent(".added .whole")
    first.resolve()
    await page.waitForTimeout(1000)
    expect(await page.textContent(".added .whole")).toBe(added)
    await close()
  })

  test("an upload whose connection breaks says so, and is sent again", async () => {
    const { close, page } = await Pages.open(browser)
    await page.goto(`${service.url}/console/ipfs`)
    await withKey(page)
    await page.route("**/api/v0/add?*", (route) => route.abort("connectionreset"))
    await page.setInputFiles("[aria-label='Add files']", path.join(folder, "hello.txt"))
    await page.waitForSelector(".outcome [role=alert]")
    expect(await page.textContent(".outcome [role=alert]")).toContain("The service did not answer")
    await page.unroute("**/api/v0/add?*")
    await page.click("text=Send it again")
    await page.waitForSelector(".added .chip.verified")
    await close()
  })

  test("a lost connection is no missing content, and the page reads again when it is back", async () => {
    const { close, page } = await Pages.open(browser)
    await page.goto(`${service.url}/console/ipfs/${root}`)
    await page.waitForSelector(".entry-kind.directory")
    await page.click("td a:text-is('hello.txt')")
    await page.waitForSelector(".preview-text")
    await page.goBack()
    await page.waitForSelector(".entry-kind.directory")
    await page.context().setOffline(true)
    await page.click("td a:text-is('page.html')")
    await page.waitForSelector("text=The service did not answer")
    expect(await page.locator(".chip").count()).toBe(0)
    await page.context().setOffline(false)
    await page.click("button:text-is('Try again')")
    await page.waitForSelector(".preview-text")
    expect(await page.textContent(".preview-text")).toBe(HTML)
    await close()
  })

  test("a folder of more than a thousand files is read in steps, and its rows are drawn as they are scrolled to", async () => {
    const { close, page } = await Pages.open(browser)
    const many = path.join(service.folder, "many")
    mkdirSync(many)
    // names this long make the folder a tree of shards (HAMT)
    const nameOf = (at: number): string => `${at} ${"long ".repeat(44)}`.trim()
    for (let at = 0; at < 1250; at++) writeFileSync(path.join(many, nameOf(at)), String(at))
    await page.goto(`${service.url}/console/ipfs`)
    await withKey(page)
    await page.setInputFiles("[aria-label='Add a folder']", many)
    await page.waitForSelector(".added .chip.verified", { timeout: 80_000 })
    await page.click("text=Look at it")
    await page.waitForSelector("text=The first 1,000 names")
    await page.click("text=Read up to 10,000")
    await page.waitForSelector(".lead >> text=/^1,250 names/")
    expect(await page.locator(".file-list tbody tr").count()).toBeLessThan(100)
    expect(await page.textContent(".file-list tbody td")).toContain(nameOf(0))
    // other rows begin at the top, wherever the rows before were
    const rows = page.locator(".file-list .rows")
    const scrolled = (): Promise<number> => rows.evaluate((one: { readonly scrollTop?: number }) => one.scrollTop ?? -1)
    await rows.press("End")
    await expect.poll(scrolled).toBeGreaterThan(10_000)
    // numbers below 1,250 with a 9: 271 below a thousand, and 43
    await page.fill("[aria-label='Find a name in this folder']", "9")
    await page.waitForSelector("text=314 of 1,250")
    expect(await scrolled()).toBe(0)
    await page.fill("[aria-label='Find a name in this folder']", "1249 ")
    await expect.poll(() => page.locator(".file-list tbody tr").count()).toBe(1)
    await page.click(".file-list tbody td a")
    await page.waitForSelector(".preview-text:text-is('1249')")
    await close()
  }, 180_000)

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
    await page.waitForSelector("h2:has-text('Files')")
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

  test("pins of one name are told apart by their CIDs", async () => {
    const { close, page } = await Pages.open(browser)
    await page.goto(`${service.url}/console/ipfs`)
    await withKey(page)
    const pin = async (content: string, name: string): Promise<string> => {
      const cid = rawCid(content)
      await page.fill("[aria-label='CID to pin']", cid)
      await page.fill("[aria-label='Name of the pin']", name)
      await page.click("text=Pin it")
      await page.waitForSelector(`a[data-copy='${cid}']`)
      return (await page.textContent(`tr:has(a[data-copy='${cid}']) .entry-name`))!
    }
    expect(await pin("nested", "twice")).not.toContain("…")
    expect(await pin(HTML, "twice")).toContain(`twice${rawCid(HTML).slice(0, 8)}…`)
    const first = `tr:has(a[data-copy='${rawCid("nested")}']) .entry-name`
    await expect.poll(() => page.textContent(first)).toContain(`${rawCid("nested").slice(0, 8)}…`)
    await close()
  })

  /** Returns the keys that pages made for operators, and that have not ended. */
  const madeKeys = async (): Promise<ReadonlyArray<string>> => {
    const ask = async (path: string) =>
      (
        await fetch(`${service.url}/admin/v1${path}`, { headers: { authorization: `Bearer ${service.adminToken}` } })
      ).json()
    const { projects } = await ask("/projects")
    const { keys } = await ask(`/projects/${projects[0].id}/keys`)
    return keys.flatMap(({ id, label }: { id: string; label?: string }) => (label === "console, IPFS" ? [id] : []))
  }

  test("a signed-in operator adds a file for a project without a key to paste, until the session ends", async () => {
    const { close, page, wrong } = await Pages.open(browser)
    await Shots.signIn(page.context(), service.url, service.adminToken)
    await page.goto(`${service.url}/console/ipfs`)
    await page.click("text=Use the project local")
    await page.waitForSelector("text=In use, in the memory of this page alone.")
    await page.setInputFiles("[aria-label='Add files']", path.join(folder, "hello.txt"))
    await page.waitForSelector(".added .chip.verified")
    expect(await Pages.violations(page)).toBe("")
    // its key ends, as by its hour or by further tabs: the next use makes another key
    const [first] = await madeKeys()
    await fetch(`${service.url}/admin/v1/keys/${first}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${service.adminToken}` }
    })
    await expect.poll(madeKeys).toEqual([])
    await page.setInputFiles("[aria-label='Add files']", path.join(folder, "page.html"))
    await page.waitForSelector(".added .chip.verified")
    await expect.poll(madeKeys).toHaveLength(1)
    expect((await madeKeys())[0]).not.toBe(first)
    // a page that is loaded again has forgotten its key, and makes another: the oldest of them ends
    const ids = new Set<string>()
    for (let again = 0; again < 3; again++) {
      await page.reload()
      await page.click("text=Use the project local")
      await page.waitForSelector("text=In use, in the memory of this page alone.")
      const made = await madeKeys()
      expect(made).toHaveLength(Math.min(again + 2, 3))
      for (const id of made) ids.add(id)
    }
    expect(ids.size).toBe(4)
    await page.click(".who button")
    await page.click("text=Sign out")
    await page.waitForSelector("text=enter an API key and its secret")
    expect(await page.locator("text=Use the project local").count()).toBe(0)
    // the browser reports the request whose key had ended
    expect(wrong.filter((text) => !text.includes("401"))).toEqual([])
    await close()
  })

  test("ends sending when the session ends whose key is used, and says so", async () => {
    const { close, page, wrong } = await Pages.open(browser)
    await Shots.signIn(page.context(), service.url, service.adminToken)
    await page.goto(`${service.url}/console/ipfs`)
    await page.click("text=Use the project local")
    await page.waitForSelector("text=In use, in the memory of this page alone.")
    const session = await page.context().newCDPSession(page)
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 40_000 }
    await session.send("Network.enable")
    await session.send("Network.emulateNetworkConditions", slow)
    await page.setInputFiles("[aria-label='Add files']", path.join(folder, "large.bin"))
    await page.waitForSelector(".outcome:has-text('Sending,')")
    const gone = page.waitForEvent("requestfailed", (request) => request.url().includes("/api/v0/add"))
    await page.click(".who button")
    await page.click("text=Sign out")
    await gone
    await page.waitForSelector(".outcome:has-text('Sending was stopped.')")
    expect(await page.textContent(".outcome")).toContain("you have signed out, or taken it back")
    expect(await page.locator(".outcome button:text-is('Send it again')").count()).toBe(0)
    expect(await Pages.violations(page)).toBe("")
    // the files stay chosen, and another key sends them
    await session.send("Network.emulateNetworkConditions", { ...slow, uploadThroughput: -1 })
    await page.click("text=Enter another key")
    await page.waitForSelector(".outcome:has-text('Nothing was sent')")
    expect(wrong).toEqual([])
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
      expect(await Pages.sideways(page), place).toEqual([])
    }
    await close()
  })
})
