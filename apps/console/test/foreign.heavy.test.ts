/**
 * A page of another site in Chromium, against every port that `up`, `proxy` and `tamper` open: it reads nothing and
 * changes nothing. The browser's own protection of this machine is switched off.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { createInterface } from "node:readline"

import { type Browser, chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import * as Service from "./support/Service.ts"

if (Service.skipped) console.warn("no Chromium: the test of a page of another site is skipped")

const METHODS = ["eth_chainId", "eth_sendTransaction", "anvil_setBalance", "evm_mine", "debug_setHead", "admin_addPeer"]

interface Listener {
  readonly host: string
  readonly port: number
}

/** A command that runs until it is killed, with the JSON line that it prints first. */
const run = async (args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [Service.COMMAND, ...args, "--json"], { stdio: ["ignore", "pipe", "inherit"] })
  const lines = createInterface({ input: child.stdout })
  const line = await new Promise<string>((resolve) => lines.once("line", resolve))
  return { child, url: JSON.parse(line).url as string }
}

const stop = (child: ChildProcess) =>
  new Promise((resolve) => {
    child.once("exit", resolve)
    child.kill()
  })

/** Returns every TCP listener of a process and its children, from the kernel's tables. */
const listenersOf = (pid: number): ReadonlyArray<Listener> => {
  const family = [pid, ...childrenOf(pid)]
  const sockets = new Set(
    family.flatMap((one) =>
      readdirSync(`/proc/${one}/fd`).flatMap((fd) => {
        try {
          return /^socket:\[(\d+)\]$/u.exec(readlinkSync(`/proc/${one}/fd/${fd}`))?.[1] ?? []
        } catch {
          return []
        }
      })
    )
  )
  return readFileSync("/proc/net/tcp", "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/u))
    .filter((row) => row[3] === "0A" && sockets.has(row[9] ?? ""))
    .map(([, local = ""]) => {
      const [address = "", port = ""] = local.split(":")
      const host = [6, 4, 2, 0].map((at) => Number.parseInt(address.slice(at, at + 2), 16)).join(".")
      return { host, port: Number.parseInt(port, 16) }
    })
}

const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number)

/** The part of a request's options that the tests use. */
interface Init {
  readonly method?: string
  readonly mode?: "no-cors"
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** The answer that a page can read, or how its request failed. */
const fetched = (page: Page, url: string, init: Init): Promise<string> =>
  page.evaluate(
    async ({ init, url }) => {
      try {
        const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(5000) })
        return answer.type === "opaque" ? "opaque" : `${answer.status} ${await answer.text()}`
      } catch {
        return "refused"
      }
    },
    { url, init }
  )

const socketTo = (page: Page, url: string, text: string): Promise<string> =>
  page.evaluate(
    ({ text, url }) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(url)
        socket.addEventListener("open", () => socket.send(text))
        socket.addEventListener("message", (event) => resolve(String(event.data)))
        socket.addEventListener("error", () => resolve("refused"))
        setTimeout(() => resolve("silent"), 20_000)
      }),
    { url, text }
  )

const call = (method: string) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [] })

describe.skipIf(Service.skipped || process.platform !== "linux")(
  "a page of another site",
  { concurrent: false },
  () => {
    const asked: Array<string> = []
    const children: Array<ChildProcess> = []
    let service: Service.Service
    let site: http.Server
    let node: http.Server
    let browser: Browser
    let page: Page
    let proxies: ReadonlyArray<{ readonly name: string; readonly url: string; readonly pid: number }>

    const listening = async (handler: http.RequestListener) => {
      const server = http.createServer(handler)
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return server
    }
    const portOf = (server: http.Server) => (server.address() as AddressInfo).port

    beforeAll(async () => {
      site = await listening((_, response) =>
        response.setHeader("content-type", "text/html").end("<!doctype html>evil")
      )
      // a node that notes each method, and answers as anvil does: with CORS for all
      node = await listening((request, response) => {
        let body = ""
        request.setEncoding("utf8").on("data", (text: string) => (body += text))
        request.once("end", () => {
          const { id = 1, method = "" } = JSON.parse(body || "{}")
          asked.push(method)
          response
            .setHeader("content-type", "application/json")
            .end(JSON.stringify({ jsonrpc: "2.0", id, result: "0x1" }))
        })
      })
      const url = ["--url", `http://127.0.0.1:${portOf(node)}`, "--port", "0"]
      service = await Service.start({ settings: "networks: { live: { upstreams: [{ embedded: live }] } }\n" })
      const started = await Promise.all([
        run(["proxy", ...url]),
        run(["proxy", ...url, "--unprovable", "mark", "--allow-admin"]),
        run(["tamper", ...url, "--lie", "receipt-status"])
      ])
      children.push(...started.map(({ child }) => child))
      const names = ["proxy", "proxy that marks", "tamper"]
      proxies = [
        { name: "up", url: service.url, pid: service.pid },
        ...started.map(({ child, url }, at) => ({ name: names[at]!, url, pid: child.pid! }))
      ]
      const args = [
        "--no-sandbox",
        "--host-resolver-rules=MAP evil.example 127.0.0.1,MAP rebind.example 127.0.0.1",
        "--disable-features=LocalNetworkAccessChecks"
      ]
      browser = await chromium.launch({ executablePath: Service.chromium!, args })
      page = await browser.newPage()
      await page.goto(`http://evil.example:${portOf(site)}/`)
    }, 120_000)
    afterAll(async () => {
      await browser?.close()
      await Promise.all(children.map(stop))
      await service?.stop()
      site?.close()
      node?.close()
    })

    test("can read a port that lets it, so the test means something", async () => {
      const open = await listening((_, response) => response.setHeader("access-control-allow-origin", "*").end("open"))
      expect(await fetched(page, `http://127.0.0.1:${portOf(open)}/`, {})).toBe("200 open")
      open.close()
    })

    test("reads nothing and changes nothing, at any port", async () => {
      const head = async () => {
        const answer = await fetch(`${service.url}/v3/${service.apiKey}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: call("eth_blockNumber")
        })
        return answer.json()
      }
      const before = await head()
      asked.length = 0
      for (const { name, pid, url } of proxies) {
        const listeners = listenersOf(pid)
        expect(listeners.map(({ port }) => port)).toContain(Number(new URL(url).port))
        for (const { host, port } of listeners) {
          const at = `${host}:${port}`
          for (const path of name === "up" && host === "127.0.0.1" ? PATHS : ["/"]) {
            const read = await fetched(page, `http://${at}${path}`, {})
            expect(read, `${name} ${path}`).toMatch(/^(?:refused$|[45]\d\d )/u)
          }
          for (const method of METHODS) {
            const body = call(method)
            const json = { method: "POST", headers: { "content-type": "application/json" }, body }
            expect(await fetched(page, `http://${at}/`, json), `${name} ${method}`).toMatch(/^(?:refused$|[45]\d\d )/u)
            await fetched(page, `http://${at}/`, { method: "POST", mode: "no-cors", body })
          }
          expect(await socketTo(page, `ws://${at}/`, call("evm_mine")), name).toBe("refused")
        }
      }
      expect(asked).toEqual([])
      expect(await head()).toEqual(before)
    })

    test("gets no further by a name that leads to this machine", async () => {
      asked.length = 0
      const rebound = await browser.newPage()
      for (const { name, url } of proxies) {
        const { port } = new URL(url)
        const at = `http://rebind.example:${port}`
        await rebound.goto(`${at}/`)
        for (const path of name === "up"
          ? ["/live_beacon/eth/v1/beacon/genesis", "/console/api/ipfs/api/v0/block/get"]
          : []) {
          expect(await fetched(rebound, `${at}${path}`, {}), path).toMatch(/^4\d\d /u)
        }
        for (const method of METHODS) {
          const json = { method: "POST", headers: { "content-type": "application/json" }, body: call(method) }
          expect(await fetched(rebound, `${at}/`, json), `${name} ${method}`).toMatch(/^(?:refused$|4\d\d )/u)
        }
        expect(await socketTo(rebound, `ws://rebind.example:${port}/`, call("evm_mine")), name).toBe("refused")
      }
      expect(asked).toEqual([])
    })
  }
)

/** Paths of the service that need no key. */
const PATHS = [
  "/",
  "/health",
  "/livez",
  "/readyz",
  "/metrics",
  "/live_beacon/eth/v1/beacon/genesis",
  "/live_beacon/eth/v1/beacon/light_client/optimistic_update",
  "/console/",
  "/console/api/start",
  "/admin/v1/projects",
  "/api/v0/id",
  "/ipfs/QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o"
]
