/**
 * Takes pictures of the console of a running service: each screen at three widths, light and dark.
 *
 *     node scripts/pictures.ts --url http://127.0.0.1:8645 --into /tmp/pictures [--only microscope]
 *
 * With the admin token in PLUMBLINE_ADMIN_TOKEN, it also takes pictures of the operator's screens. With `--gallery`, it
 * takes only those of the gallery.
 */
import { mkdirSync } from "node:fs"
import * as path from "node:path"
import { parseArgs } from "node:util"

import { chromium } from "playwright-core"

import * as Shots from "./shots.ts"

const { values } = parseArgs({
  options: {
    url: { type: "string", default: "http://127.0.0.1:8645" },
    into: { type: "string", default: "pictures" },
    only: { type: "string" },
    gallery: { type: "boolean", default: false },
    widths: { type: "string", default: "1440,1024,390" },
    themes: { type: "string", default: "light,dark" },
    chromium: { type: "string", default: process.env["CHROMIUM"] ?? "/usr/bin/chromium" }
  }
})

const token = process.env["PLUMBLINE_ADMIN_TOKEN"]

mkdirSync(values.into, { recursive: true })
const browser = await chromium.launch({ executablePath: values.chromium, args: ["--no-sandbox"] })
try {
  for (const theme of values.themes.split(",")) {
    for (const width of values.widths.split(",").map(Number)) {
      const context = await browser.newContext({
        viewport: { width, height: width < 500 ? 844 : 900 },
        colorScheme: theme === "dark" ? "dark" : "light",
        hasTouch: width < 500
      })
      await Shots.acceptLinks(context)
      const page = await context.newPage()
      page.on("console", (message) => {
        if (message.type() === "error") console.log(`${theme} ${width}: ${message.text()}`)
      })
      page.on("pageerror", (error) => console.log(`${theme} ${width}: ${error.message}`))
      if (token !== undefined) await Shots.signIn(context, values.url, token)
      for (const shot of token === undefined ? Shots.all : [...Shots.all, ...Shots.operator]) {
        if (values.only !== undefined && !shot.name.includes(values.only)) continue
        if (values.gallery && !Shots.gallery.has(shot.name)) continue
        await page.goto(`${values.url}${shot.path}`)
        await page.waitForSelector(shot.ready, { timeout: 20_000 })
        await shot.steps?.(page)
        await page.waitForTimeout(900)
        // otherwise the top bar would appear in the middle of a picture of the whole page
        await page.evaluate("scrollTo(0, 0)")
        await page.evaluate("document.fonts.ready")
        await page.screenshot({ path: path.join(values.into, `${shot.name}-${theme}-${width}.png`), fullPage: true })
        // an anchor that this picture accepted is not accepted in the next one
        await page.evaluate("localStorage.removeItem('plumbline-trusts')")
      }
      await context.close()
    }
  }
} finally {
  await browser.close()
}
