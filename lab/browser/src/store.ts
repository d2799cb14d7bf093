/**
 * Tests the store in IndexedDB in a real Chromium: after a reload, from two tabs at once, and when the browser refuses
 * to store.
 */
import * as assert from "node:assert"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"

import { bundle } from "./bundle.ts"
import * as Devtools from "./devtools.ts"

/** Number of writes by each of two tabs. */
const WRITES = 100

/** The bytes that an origin may store, the size of a record that fits, and the size of a record that does not. */
const [QUOTA, SMALL, LARGE] = [1_000_000, 50_000, 5_000_000]

/** Runs all tests, and returns a sentence about them. Rejects with the first failure. */
export const check = async (chromium: string): Promise<string> => {
  const smoke = path.join(import.meta.dirname, "smoke")
  const { code } = await bundle(readFileSync(path.join(smoke, "light-client-store.ts"), "utf8"), smoke, "page")
  const server = createServer(({ url }, response) => {
    const isCode = url === "/program.js"
    response.writeHead(200, { "content-type": isCode ? "text/javascript" : "text/html" })
    response.end(isCode ? code : `<!doctype html><meta charset="utf-8" /><script src="/program.js"></script>`)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await using browser = await Devtools.start(chromium)
    const tab = await browser.open(`${origin}/`)
    const now = Math.floor(Date.now() / 1000)

    const begun = await tab.ask(`page.begin(${now})`)
    same("a start", [begun.isCheckpoint, begun.finalized, begun.optimistic], [true, "480", "500"])
    await tab.reload()
    const resumed = await tab.ask(`page.resume(${now})`)
    same("the same after a reload", { ...resumed, by: begun.by }, begun)
    same("the head of the record", resumed.by, "store")

    const other = await browser.open(`${origin}/other`)
    const both = await Promise.all([tab, other].map((one, at) => one.ask(`page.write(${at + 1}, ${WRITES})`)))
    for (const { value } of both) same("whole records", Array.isArray(value), true)

    // a different origin, whose used space the browser has not computed yet
    const narrow = origin.replace("127.0.0.1", "localhost")
    const page = await browser.open(`${narrow}/`)
    await browser.limit(narrow, QUOTA)
    same("a record that fits", await page.ask(`page.save(${SMALL})`), { value: "saved" })
    const refused = await page.ask(`page.save(${LARGE})`)
    same("a record above the quota", nameIn(refused), "QuotaExceededError")
    same("the record before it", await page.ask("page.length()"), { value: SMALL })

    // a frame without an origin may not store anything
    const framed = await tab.ask(`new Promise((resolve) => {
      addEventListener("message", ({ data }) => resolve(data), { once: true })
      const frame = document.createElement("iframe")
      frame.sandbox = "allow-scripts"
      frame.srcdoc = '<script src="${origin}/program.js"></' + 'script><script>page.save(1).then((said) => parent.postMessage(said, "*"))</' + 'script>'
      document.body.append(frame)
    })`)
    same("a frame without an origin", nameIn(framed), "SecurityError")
    return `resumed after a reload at slot ${resumed.finalized}; ${2 * WRITES} writes of two tabs, none torn; refused by the platform as ${String(nameIn(refused))} and ${String(nameIn(framed))}`
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

/** Throws unless the two are the same JSON. */
const same = (what: string, got: unknown, expected: unknown): void => {
  assert.deepStrictEqual(got, expected, `${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`)
}

/** Returns the name of the platform's error in a refusal, or the whole answer. */
const nameIn = (said: any): unknown => /\((\w+)\)/u.exec(said.error ?? "")?.[1] ?? said
