/** Opens pages of a browser, and collects the errors on them. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"

import type { Browser, Page } from "playwright-core"

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js")

/** Opens a page. While the page runs, its errors are added to `wrong`, and the URLs that it requests to `requests`. */
export const open = async (browser: Browser, options: Parameters<Browser["newContext"]>[0] = {}) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
  const page = await context.newPage()
  const wrong: Array<string> = []
  const requests: Array<string> = []
  page.on("pageerror", (error) => wrong.push(error.message))
  page.on("console", (message) => {
    if (message.type() === "error") wrong.push(message.text())
  })
  page.on("request", (request) => requests.push(request.url()))
  return { page, wrong, requests, close: () => context.close() }
}

/** Returns the accessibility faults that axe finds. */
export const violations = async (page: Page): Promise<string> => {
  // runs like a debugger, because the page's content security policy allows no other script
  await page.evaluate(readFileSync(axe, "utf8"))
  const found: ReadonlyArray<string> = await page.evaluate(
    `axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 120)).join(" | ")))`
  )
  return found.join("\n")
}

/** Returns the text of everything that the page keeps: its address, cookies and storage. */
export const kept = (page: Page): Promise<string> =>
  page.evaluate(
    "JSON.stringify([location.href, document.cookie, { ...localStorage }, { ...sessionStorage }, history.state])"
  )
