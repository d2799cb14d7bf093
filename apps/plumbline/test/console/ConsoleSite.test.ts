/** The files of a built site, on a real listener: paths that give the page, and paths that give 404. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { afterAll, beforeAll, describe, expect, test } from "vitest"

import * as ConsoleSite from "../../src/console/ConsoleSite.ts"

const HASH = `0x${"12".repeat(32)}`
const ADDRESS = `0x${"34".repeat(20)}`

describe("the site", { concurrent: false }, () => {
  const folder = mkdtempSync(path.join(tmpdir(), "plumbline-site-"))
  let server: http.Server
  let url: string
  let service: string | undefined

  beforeAll(async () => {
    mkdirSync(path.join(folder, "assets"))
    writeFileSync(path.join(folder, "index.html"), "<title>the page</title>")
    writeFileSync(path.join(folder, "assets/index-Ab12.js"), "import 'x'")
    const files = ConsoleSite.read(folder)!
    server = http.createServer((request, response) => ConsoleSite.answer(files, request, response, service))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true })
  })

  test("lets the page call its own origin, and the service's if that is another one", async () => {
    const connections = async () => {
      const answer = await fetch(`${url}/console/`)
      return /connect-src ([^;]*)/u.exec(answer.headers.get("content-security-policy") ?? "")?.[1]
    }
    expect(await connections()).toBe("'self'")
    service = "http://127.0.0.1:8645"
    expect(await connections()).toBe("'self' http://127.0.0.1:8645")
    service = undefined
  })

  test.each([
    "",
    "/",
    "/history",
    "/node.example",
    "/node.example/",
    "/v1.0/playground/eth_call?params=[]",
    `/net.js/block/${HASH}`,
    `/x.map/proof/69/slot/${ADDRESS}/0x0/storage.2`,
    `/history/proof/69/slot/${ADDRESS}/0x0/members.score`,
    "/history/account/name.eth",
    "/history/lies/receipt-gas.html",
    "/assets",
    "/assets/playground",
    "/assets.js",
    "/projects/a.b",
    "/ipfs/bafy.txt?path=photo.jpg",
    "/%2e%2e/secret.js",
    "/index.html"
  ])("answers %s with the page, so that it can be loaded again", async (place) => {
    const answer = await fetch(`${url}/console${place}`)
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
    expect(await answer.text()).toBe("<title>the page</title>")
    expect(answer.headers.get("cache-control")).toBe("no-cache")
  })

  test("answers an asset with its type, and keeps it for a year", async () => {
    const answer = await fetch(`${url}/console/assets/index-Ab12.js`)
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"])
    expect(answer.headers.get("cache-control")).toContain("immutable")
  })

  test.each(["/assets/index-Zz99.js", "/assets/index-Zz99.css", "/assets/Inter-0.woff2"])(
    "answers an asset of another build with 404: %s",
    async (place) => {
      const answer = await fetch(`${url}/console${place}`)
      expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "text/plain; charset=utf-8"])
    }
  )
})
