/**
 * Opens the built site over `file://` in Chromium, because a reader may have only the folder. Checks that search finds
 * pages, that fonts and icons are loaded, that no page is wider than a phone, and that no request leaves the folder.
 *
 *     node pages.ts                         the checks
 *     node pages.ts --pictures <folder>     and pictures of the first screens, wide and narrow, light and dark
 *
 * Without Chromium, it prints a note and succeeds, except in CI, where it fails. `$CHROMIUM` names the program.
 */
import { existsSync, mkdirSync } from "node:fs"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { parseArgs } from "node:util"

import { type BrowserContext, chromium, type Page } from "playwright-core"

const site = path.join(import.meta.dirname, "dist")
const home = pathToFileURL(site).href
const { pictures } = parseArgs({ options: { pictures: { type: "string" } } }).values

/** One page of each kind. */
const PAGES = [
  "index.html",
  "guides/first-program.html",
  "concepts/verdicts.html",
  "migration/from-viem.html",
  "service/operate.html",
  "packages/codec.html",
  "modules/codec/hash/Keccak256.html",
  "modules/eth-methods/verified/VerdictEthClient/VerdictEthClient.html",
  "reports/sizes.html",
  "decisions/jsonrpc-clients.html"
]

/** Search queries. For each query, the address of one of the first hits must contain the text `hit`. */
const SEARCHES: ReadonlyArray<readonly [query: string, hit: string]> = [
  ["keccak", "Keccak256"],
  ["light client", "light-client"],
  ["viem", "viem"]
]

/** The widths of a desktop screen and of a phone, in pixels. */
const WIDTHS = { wide: 1440, narrow: 390 } as const

const faults: Array<string> = []
const expect = (isTrue: boolean, fault: string): void => void (isTrue || faults.push(fault))

/**
 * Records the requests of a page that leave the site, the files that are missing, and the errors of the page's scripts.
 */
const watch = (page: Page, name: string): void => {
  page.on("request", (request) => {
    const url = request.url()
    expect(url.startsWith(`${home}/`) || url.startsWith("data:"), `${name} asks for ${url}`)
  })
  page.on("requestfailed", (request) => void faults.push(`${name} does not get ${request.url()}`))
  page.on("pageerror", ({ message }) => void faults.push(`${name}: ${message}`))
  page.on("console", (message) => expect(message.type() !== "error", `${name}: ${message.text()}`))
}

/** Opens a page and waits until its scripts have rendered it. */
const open = async (context: BrowserContext, name: string): Promise<Page> => {
  const page = await context.newPage()
  watch(page, name)
  await page.goto(`${home}/${name}`)
  await page.waitForSelector("h1")
  await page.evaluate("document.fonts.ready.then(() => undefined)")
  return page
}

/** The look of a page: its loaded fonts, and the widths of an icon and of the whole page in pixels. */
interface Seen {
  readonly fonts: ReadonlyArray<string>
  readonly icon: number
  readonly width: number
}

/** The program that measures the look of a page. It runs in that page. */
const SEEN = `({
  fonts: [...document.fonts].filter(({ status }) => status === "loaded").map(({ family }) => family.replaceAll('"', "")),
  icon: document.querySelector("#tsd-search-trigger use")?.getBoundingClientRect().width ?? 0,
  width: document.documentElement.scrollWidth
})`

/** Checks the look of a page. */
const look = async (page: Page, name: string, width: number): Promise<void> => {
  const seen = await page.evaluate<Seen>(SEEN)
  expect(seen.fonts.includes("IBM Plex Sans Variable"), `${name} has no font of its own: ${seen.fonts.join(", ")}`)
  expect(seen.icon > 0, `${name} has no icon for its search`)
  expect(seen.width <= width, `${name} is ${seen.width} pixels wide on a screen of ${width}`)
}

/** Searches as a reader does: opens the search, types, and follows the first hit by the keyboard. */
const search = async (context: BrowserContext, name: string, query: string, hit: string): Promise<void> => {
  const page = await open(context, name)
  await page.click("#tsd-search-trigger")
  await page.fill("#tsd-search-input", query)
  try {
    await page.waitForSelector("#tsd-search-results a")
  } catch {
    faults.push(`${name} finds nothing for "${query}"`)
    return page.close()
  }
  const found = await page.evaluate<ReadonlyArray<string>>(
    `[...document.querySelectorAll("#tsd-search-results a")].map(({ href }) => href)`
  )
  const top = found.slice(0, 5)
  expect(
    top.some((url) => url.toLowerCase().includes(hit.toLowerCase())),
    `${name} finds for "${query}" first: ${top.join(", ")}`
  )
  await page.keyboard.press("ArrowDown")
  await page.keyboard.press("Enter")
  await page.waitForURL((url) => url.href !== `${home}/${name}`)
  await page.waitForSelector("h1")
  return page.close()
}

const check = async (program: string): Promise<void> => {
  const browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox"] })
  try {
    for (const [kind, width] of Object.entries(WIDTHS)) {
      for (const colorScheme of ["light", "dark"] as const) {
        const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme })
        for (const name of PAGES) {
          const page = await open(context, name)
          await look(page, name, width)
          if (pictures !== undefined) {
            mkdirSync(pictures, { recursive: true })
            const file = `${name.replaceAll("/", "-").replace(/\.html$/u, "")}-${kind}-${colorScheme}.png`
            await page.screenshot({ path: path.join(pictures, file) })
          }
          await page.close()
        }
        await context.close()
      }
    }
    const context = await browser.newContext({ viewport: { width: WIDTHS.wide, height: 900 } })
    for (const [query, hit] of SEARCHES) {
      await search(context, "index.html", query, hit)
      await search(context, "modules/codec/hash/Keccak256.html", query, hit)
    }
  } finally {
    await browser.close()
  }
}

const program = [
  process.env["CHROMIUM"],
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/google-chrome"
].find((file) => file !== undefined && existsSync(file))
if (program === undefined) {
  const isCi = process.env["CI"] !== undefined
  console[isCi ? "error" : "log"](
    "the site was not opened: there is no Chromium. Install it, or name it with $CHROMIUM."
  )
  if (isCi) process.exitCode = 1
} else {
  await check(program)
  for (const fault of new Set(faults)) console.error(fault)
  const kinds = `${PAGES.length} pages in 2 widths and 2 themes, ${2 * SEARCHES.length} searches`
  console.log(`${kinds} over file://: ${new Set(faults).size} faults`)
  if (faults.length > 0) process.exitCode = 1
}
