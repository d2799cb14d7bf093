/** The mount over a real listener: what a browser gets, and what it does not. */
import * as http from "node:http"
import type { AddressInfo } from "node:net"

import { describe, expect, test, type TestContext } from "vitest"

import * as ConsoleMount from "../../src/console/ConsoleMount.ts"

const KEY = "0123456789abcdef0123456789abcdef"

/** A service with the mount, and with calls that answer with the path they were made at. */
const service = async ({ onTestFinished }: Pick<TestContext, "onTestFinished">) => {
  const called: Array<string> = []
  const mount = ConsoleMount.make({
    hasIpfs: true,
    networks: async () => [
      { name: "old", chainId: 7, isEmbedded: true, beacon: null },
      { name: "main", chainId: 1, isEmbedded: false, beacon: null }
    ],
    own: () => ({ url, apiKey: KEY })
  })
  const server = http.createServer((request, response) => {
    if ((request.url ?? "").startsWith("/console")) {
      mount.handle(request, response, "127.0.0.1")
      return
    }
    called.push(request.url ?? "")
    response.writeHead(200, { "content-type": "application/json" }).end(`{"jsonrpc":"2.0","id":1,"result":"0x7"}`)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url, called }
}

const call = (method: string) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [] })
})

describe("the console's calls", () => {
  test("tell which networks need no key, and no key", async (context) => {
    const { url } = await service(context)
    const start = await fetch(`${url}/console/api/start`)
    const text = await start.text()
    expect(JSON.parse(text)).toEqual({
      networks: [
        { name: "old", chainId: 7, open: true, beacon: null },
        { name: "main", chainId: 1, open: false, beacon: null }
      ],
      ipfs: true
    })
    expect(text).not.toContain(KEY)
    expect(start.headers.get("cache-control")).toBe("no-store")
  })

  test("read an embedded network with the folder's key, which the page never sees", async (context) => {
    const { called, url } = await service(context)
    const answer = await fetch(`${url}/console/api/read/old`, call("eth_chainId"))
    expect(await answer.json()).toEqual({ jsonrpc: "2.0", id: 1, result: "0x7" })
    expect(called).toEqual([`/old/v3/${KEY}`])
  })

  test.for([
    ["another network", "main", call("eth_chainId"), 404],
    ["a network that is a path", "old/..%2f..", call("eth_chainId"), 404],
    ["a method that writes", "old", call("eth_sendRawTransaction"), 403],
    ["a page of another site", "old", { ...call("eth_chainId"), headers: { origin: "http://other.example" } }, 403],
    ["a form of another site", "old", { method: "POST", body: "{}", headers: { "content-type": "text/plain" } }, 403],
    ["a body without an end", "old", { ...call("eth_chainId"), body: " ".repeat(300_000) }, 413],
    ["another method of HTTP", "old", { method: "GET" }, 405]
  ] as const)("refuse %s", async ([, network, request, status], context) => {
    const { called, url } = await service(context)
    const answer = await fetch(`${url}/console/api/read/${network}`, request)
    expect(answer.status).toBe(status)
    expect(await answer.text()).not.toContain(KEY)
    expect(called).toEqual([])
  })
})
