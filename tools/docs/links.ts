/** Checks the built site: each link leads to a file of the site, and each anchor to a place on its page. */
import { existsSync, globSync, readFileSync } from "node:fs"
import * as path from "node:path"

const site = path.join(import.meta.dirname, "dist")
const pages = globSync("**/*.html", { cwd: site })
const text = new Map(pages.map((page) => [page, readFileSync(path.join(site, page), "utf8")]))
const anchors = new Map(
  pages.map((page) => [page, new Set([...text.get(page)!.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id))])
)

/** Returns the reason why a link of a page is broken; undefined if the link works. */
const faultOf = (page: string, link: string): string | undefined => {
  const [address = "", anchor] = link.replaceAll("&amp;", "&").split("#", 2)
  const target = address === "" ? page : path.join(path.dirname(page), decodeURIComponent(address))
  if (!existsSync(path.join(site, target))) return "there is no such file"
  const isPlace = anchor === undefined || anchor === "" || anchors.get(target)?.has(decodeURIComponent(anchor))
  return isPlace === false || isPlace === undefined ? "there is no such place on the page" : undefined
}

const faults = pages.flatMap((page) => {
  const links = new Set(
    [...text.get(page)!.matchAll(/<a [^>]*?href="(?!https?:|mailto:)([^"]*)"/g)].map(([, to]) => to!)
  )
  return [...links].flatMap((link) => {
    const fault = faultOf(page, link)
    return fault === undefined ? [] : [`${page}: ${link}: ${fault}`]
  })
})
for (const fault of faults) console.error(fault)
console.log(`${pages.length} pages, ${faults.length} broken links`)
if (faults.length > 0) process.exitCode = 1
