/** The mount on a real listener: the requests that it answers, and those that it refuses. */
import { mkdtemp, rm } from "node:fs/promises"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { describe, expect, test, type TestContext } from "vitest"

import * as ConsoleMount from "../../src/console/ConsoleMount.ts"

const KEY = "0123456789abcdef0123456789abcdef"
const SECRET = "fedcba9876543210fedcba9876543210"

const ANCHOR = `0x${"ab".repeat(32)}`

const FORKS = [
  { hardfork: "london", block: 5n },
  { hardfork: "shanghai", time: 1_700_000_000n, blobUpdateFraction: 3n }
] as const

const LIAR: ConsoleMount.RecentLiar = {
  node: "old-1",
  isLying: true,
  asideUntil: null,
  trustedSince: null,
  firstAt: 4,
  lastAt: 5,
  count: 2,
  method: "eth_getBlockByNumber",
  check: "header hash",
  block: { number: 7, hash: null },
  drill: { at: 3, until: 60_003 }
}

/** Starts a service with the mount. Each call is answered with the path of its request. */
const service = async (
  { onTestFinished }: Pick<TestContext, "onTestFinished">,
  isIpfsEmbedded = true,
  origin?: string,
  hasPublicName = false
) => {
  const called: Array<string> = []
  const authorized: Array<string | undefined> = []
  const read: Array<string> = []
  const mount = ConsoleMount.make({
    hasIpfs: true,
    isIpfsEmbedded: () => isIpfsEmbedded,
    networks: async () => [
      {
        name: "old",
        chainId: 7,
        kind: "eth",
        isEmbedded: true,
        forks: FORKS,
        beacon: null,
        lie: { leftMillis: 0 },
        liars: [LIAR],
        anchor: ANCHOR
      },
      {
        name: "pool",
        chainId: 8,
        kind: "starknet",
        isEmbedded: true,
        forks: undefined,
        beacon: null,
        lie: null,
        liars: [],
        anchor: null
      },
      {
        name: "main",
        chainId: 1,
        kind: "eth",
        isEmbedded: false,
        forks: undefined,
        beacon: null,
        lie: null,
        liars: [],
        anchor: null
      }
    ],
    read: async (network, packet) => {
      read.push(`${network} ${JSON.parse(Buffer.from(packet).toString()).method}`)
      return Buffer.from(`{"jsonrpc":"2.0","id":1,"result":"0x7"}`)
    },
    own: () => ({ url, apiKey: KEY, apiKeySecret: SECRET }),
    hasSignOn: () => false,
    hasPublicName: () => hasPublicName,
    service: () => origin
  })
  const listener: http.RequestListener = (request, response) => {
    if ((request.url ?? "").startsWith("/console")) {
      mount.handle(request, response, "127.0.0.1")
      return
    }
    called.push(request.url ?? "")
    authorized.push(request.headers.authorization)
    response.writeHead(200, { "content-type": "application/json" }).end(`{"jsonrpc":"2.0","id":1,"result":"0x7"}`)
  }
  const server = http.createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url, called, read, authorized, listener }
}

/** Starts a server at a Unix socket, as the supervisor of workers has it, and returns the path of the socket. */
const behind = async ({ onTestFinished }: Pick<TestContext, "onTestFinished">, listener: http.RequestListener) => {
  const folder = await mkdtemp(join(tmpdir(), "plumbline-test-"))
  const server = http.createServer(listener)
  const socketPath = join(folder, "supervisor.sock")
  await new Promise<void>((resolve) => server.listen(socketPath, resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
    return rm(folder, { recursive: true, force: true })
  })
  return socketPath
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
      service: null,
      signOn: false,
      networks: [
        {
          name: "old",
          chainId: 7,
          open: true,
          forks: [
            { hardfork: "london", block: 5 },
            { hardfork: "shanghai", time: 1_700_000_000, blobUpdateFraction: 3 }
          ],
          beacon: null,
          lie: { leftMillis: 0 },
          liars: [LIAR],
          anchor: ANCHOR
        },
        { name: "main", chainId: 1, open: false, forks: null, beacon: null, lie: null, liars: [], anchor: null }
      ],
      secondChains: [
        { name: "pool", chainId: 8, open: true, forks: null, beacon: null, lie: null, liars: [], anchor: null }
      ],
      ipfs: true,
      ipfsOpen: true
    })
    expect(text).not.toContain(KEY)
    expect(text).not.toContain(SECRET)
    expect(start.headers.get("cache-control")).toBe("no-store")
  })

  test.for([
    ["a name that leads here", { host: "evil.example" }, false, 403],
    ["a name of this machine", { host: "live.localhost:8645" }, false, 200],
    ["a name that leads here, with a header of proxies", { host: "evil.example", "x-real-ip": "1" }, false, 403],
    ["a name, if the service has a public one", { host: "node.example" }, true, 200]
  ] as const)("tell networks to %s: %o", async ([, headers, hasPublicName, status], context) => {
    const { listener, url } = await service(context, true, undefined, hasPublicName)
    const socketPath = await behind(context, listener)
    const start = { path: "/console/api/start", headers }
    for (const way of [{ port: new URL(url).port, host: "127.0.0.1" }, { socketPath }]) {
      // fetch does not let a program set the Host header
      const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
        http.get({ ...start, ...way }, resolve).once("error", reject)
      })
      const text = Buffer.concat(await response.toArray()).toString()
      expect(response.statusCode).toBe(status)
      expect(text.includes('"old"')).toBe(status === 200)
    }
  })

  test("read nothing without a key for a worker, which may itself have a proxy in front", async (context) => {
    const { called, listener, read } = await service(context)
    const socketPath = await behind(context, listener)
    const { body, ...options } = call("eth_chainId")
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const way = { ...options, socketPath, path: "/console/api/read/old" }
      const headers = { ...options.headers, host: "localhost:8645", "x-forwarded-for": "127.0.0.1" }
      http
        .request({ ...way, headers }, resolve)
        .once("error", reject)
        .end(body)
    })
    response.resume()
    expect([response.statusCode, called, read]).toEqual([403, [], []])
  })

  test("name the service's origin if it is another one, to which the page alone may connect", async (context) => {
    const origin = "http://127.0.0.1:8645"
    const { url } = await service(context, true, origin)
    expect(await (await fetch(`${url}/console/api/start`)).json()).toMatchObject({ service: origin })
  })

  test("read an embedded network on behalf of no project", async (context) => {
    const { called, read, url } = await service(context)
    const answer = await fetch(`${url}/console/api/read/old`, call("eth_chainId"))
    expect(await answer.json()).toEqual({ jsonrpc: "2.0", id: 1, result: "0x7" })
    expect([called, read]).toEqual([[], ["old eth_chainId"]])
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
    const { called, read, url } = await service(context)
    const answer = await fetch(`${url}/console/api/read/${network}`, request)
    expect(answer.status).toBe(status)
    expect(await answer.text()).not.toContain(KEY)
    expect([called, read]).toEqual([[], []])
  })
})

describe("the console's reads of IPFS", () => {
  const CID = "bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq"
  const path = (query: string) => `/console/api/ipfs/api/v0/block/get?${query}`
  const scripted = { method: "POST", headers: { "x-plumbline-console": "1" } }

  test("are single blocks, with the folder's key and secret, which the page never sees", async (context) => {
    const { authorized, called, url } = await service(context)
    const answer = await fetch(`${url}${path(`arg=${CID}&offline=false&timeout=9h`)}`, scripted)
    expect(answer.status).toBe(200)
    expect(answer.headers.get("content-type")).toBe("application/vnd.ipld.raw")
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff")
    expect(called).toEqual([`/api/v0/block/get?arg=${CID}`])
    expect(authorized).toEqual([`Basic ${btoa(`${KEY}:${SECRET}`)}`])
    expect(JSON.stringify([...answer.headers])).not.toContain(KEY)
  })

  test.for([
    ["another command", `/console/api/ipfs/api/v0/pin/ls`, scripted, 404],
    ["a command that adds", `/console/api/ipfs/api/v0/add`, scripted, 404],
    ["a path in place of a CID", path(`arg=${CID}/a`), scripted, 400],
    ["two CIDs", path(`arg=${CID}&arg=${CID}`), scripted, 400],
    ["no CID", path(""), scripted, 400],
    ["a request that no script has marked", path(`arg=${CID}`), { method: "POST" }, 403],
    [
      "a page of another site",
      path(`arg=${CID}`),
      { method: "POST", headers: { ...scripted.headers, origin: "http://other.example" } },
      403
    ],
    ["a proxy", path(`arg=${CID}`), { method: "POST", headers: { ...scripted.headers, via: "1.1 proxy" } }, 403],
    ["a GET", path(`arg=${CID}`), { headers: scripted.headers }, 405]
  ] as const)("refuse %s", async ([, target, request, status], context) => {
    const { called, url } = await service(context)
    const answer = await fetch(`${url}${target}`, request)
    expect(answer.status).toBe(status)
    expect(await answer.text()).not.toContain(SECRET)
    expect(called).toEqual([])
  })

  test("need a key if the node is not embedded", async (context) => {
    const { called, url } = await service(context, false)
    expect((await fetch(`${url}${path(`arg=${CID}`)}`, scripted)).status).toBe(404)
    expect(await (await fetch(`${url}/console/api/start`)).json()).toMatchObject({ ipfs: true, ipfsOpen: false })
    expect(called).toEqual([])
  })
})
