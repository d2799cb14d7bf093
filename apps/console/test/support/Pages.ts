/** Opens pages of a browser, and collects the errors on them. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"

import type { Browser, Page } from "playwright-core"

import * as Shots from "../../scripts/shots.ts"

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js")

/** The rules of axe that a theme decides, because it changes colours only. */
const COLOURS = ["color-contrast", "link-in-text-block"]

const DESKTOP = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }

/** Settings of a page. */
export type Options = Parameters<Browser["newContext"]>[0] & {
  /** True for a reader who accepted no anchor of a link. Other readers accept that of each address they are sent to. */
  readonly isStranger?: boolean
  /** Further anchors that the reader accepted before, each as its network and its hash, with a space between. */
  readonly accepts?: ReadonlyArray<string>
}

/** Opens a page. While the page runs, its errors are added to `wrong`, and the URLs that it requests to `requests`. */
export const open = async (browser: Browser, { accepts, isStranger = false, ...options }: Options = {}) => {
  const context = await browser.newContext({ viewport: DESKTOP, ...options })
  if (!isStranger) await Shots.acceptLinks(context, accepts)
  const page = await context.newPage()
  const wrong: Array<string> = []
  const requests: Array<string> = []
  page.on("pageerror", (error) => wrong.push(error.message))
  page.on("console", (message) => {
    if (message.type() === "error") wrong.push(message.text())
  })
  page.on("request", (request) => requests.push(request.url()))
  const close = async (): Promise<void> => {
    // a route that a test set may still wait for an answer, which is gone with the page
    await page.unrouteAll({ behavior: "ignoreErrors" })
    await context.close()
  }
  return { page, wrong, requests, close }
}

/**
 * Ends all motion on the page, and returns the accessibility faults that axe finds. Default of `rules`: all of its rules.
 */
export const violations = async (page: Page, rules?: ReadonlyArray<string>): Promise<string> => {
  // a text that is still fading in has less contrast than its style gives it
  await page.emulateMedia({ reducedMotion: "reduce" })
  // runs like a debugger, because the page's content security policy allows no other script
  await page.evaluate(readFileSync(axe, "utf8"))
  const options = { resultTypes: ["violations"], ...(rules === undefined ? {} : { runOnly: rules }) }
  const found: ReadonlyArray<string> = await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 120)).join(" | ")))`
  )
  return found.join("\n")
}

/** Returns the elements of the page that scroll sideways. A box of code may, because its lines are not broken. */
export const sideways = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(`[...document.querySelectorAll("body *:not(pre, pre *)")]
    .filter((element) => element.scrollWidth > element.clientWidth && /auto|scroll/u.test(getComputedStyle(element).overflowX))
    .map((element) => element.outerHTML.slice(0, 120) + " " + element.scrollWidth + " > " + element.clientWidth)`)

/**
 * Visits a screen once, takes the reader's steps on a phone, and returns the faults that it finds. Before the steps and
 * after them, the screen must fit the phone and hide nothing beside it, and axe must find nothing on a desktop in either theme. No script may fail,
 * and no request may leave the service at `origin`.
 */
export const faultsOf = async (
  browser: Browser,
  origin: string,
  { path, ready, steps }: Shots.Shot
): Promise<ReadonlyArray<string>> => {
  const { close, page, requests, wrong } = await open(browser, {
    viewport: PHONE,
    colorScheme: "dark",
    reducedMotion: "reduce"
  })
  const session = await page.context().newCDPSession(page)
  const faults: Array<string> = []
  const demand = (isTrue: boolean, fault: string): void => void (isTrue || faults.push(fault))
  /** Shows the page on a phone with a touch screen, or on a desktop. */
  const on = async (device: typeof PHONE): Promise<void> => {
    await session.send("Emulation.setTouchEmulationEnabled", { enabled: device === PHONE })
    await page.setViewportSize(device)
    const isCoarse = await page.evaluate<boolean>("matchMedia('(pointer: coarse)').matches")
    demand(isCoarse === (device === PHONE), "the pointer is not that of the device")
  }
  const look = async (when: string): Promise<void> => {
    const width = await page.evaluate<number>("document.documentElement.scrollWidth")
    demand(width <= PHONE.width, `${when}: ${width} pixels wide on a phone`)
    const hidden = await sideways(page)
    demand(hidden.length === 0, `${when}: scrolls sideways on a phone: ${hidden.join(" | ")}`)
    await on(DESKTOP)
    for (const [colorScheme, rules] of [["dark"], ["light", COLOURS]] as const) {
      await page.emulateMedia({ colorScheme })
      await page.waitForSelector(`html[data-theme=${colorScheme}]`)
      const found = await violations(page, rules)
      demand(found === "", `${when}, ${colorScheme}: ${found}`)
    }
  }
  await on(PHONE)
  await page.goto(`${origin}${path}`)
  await page.waitForSelector(ready)
  await look("at first")
  if (steps !== undefined) {
    await on(PHONE)
    await steps(page)
    await look("after the steps")
  }
  await close()
  return [...faults, ...wrong, ...requests.filter((url) => !url.startsWith(origin))]
}

/** Returns the text of everything that the page keeps: its address, cookies and storage. */
export const kept = (page: Page): Promise<string> =>
  page.evaluate(
    "JSON.stringify([location.href, document.cookie, { ...localStorage }, { ...sessionStorage }, history.state])"
  )
