/** An operator in a browser, beside a running service: pages with a session, and the admin API with its token. */
import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"

import type { Page } from "playwright-core"

import * as Shots from "../../scripts/shots.ts"
import * as Pages from "./Pages.ts"
import * as Running from "./Running.ts"
import * as Service from "./Service.ts"

const here = path.resolve(import.meta.dirname, "../..")

/** The admin API's answer about a new project. */
export interface Made {
  readonly apiKey: string
  readonly apiKeySecret: string
  readonly project: { readonly id: string; readonly account: string }
}

/** The service, the browser, and a folder in which programs find their libraries. */
export interface Operator {
  readonly service: Service.Service
  readonly folder: string
  /** Opens a page, signed in by default, and collects all errors on it. */
  readonly open: (options?: Options) => Promise<Opened>
  /** Opens a page at a path of the service. */
  readonly pageAt: (target: string, options?: Options) => Promise<Opened>
  /** Calls the admin API with the token, and returns its answer. */
  readonly admin: (target: string, body?: object, method?: string) => Promise<never>
  readonly make: (settings: object) => Promise<Made>
  readonly call: (apiKey: string, headers?: Readonly<Record<string, string>>) => Promise<Response>
  /** Runs a pasted program to its end, and returns what it printed. */
  readonly runProgram: (text: string, name?: string) => string
  /** Runs a pasted program until the end of the test. */
  readonly serve: (text: string, port: number) => { readonly said: () => string; readonly stop: () => Promise<void> }
  readonly stop: () => Promise<void>
}

type Options = Pages.Options & { readonly isOut?: boolean }

interface Opened {
  readonly page: Page
  readonly wrong: ReadonlyArray<string>
  readonly requests: ReadonlyArray<string>
  readonly close: () => Promise<void>
}

const SETTINGS = "networks: { history: { upstreams: [{ embedded: history }] } }\nipfs: { node: none }\n"

/** Starts a service and a browser. */
export const start = async (): Promise<Operator> => {
  // below the package, so that a program in this folder finds libraries, as in a reader's folder
  mkdirSync(path.join(here, "dist"), { recursive: true })
  const folder = mkdtempSync(path.join(here, "dist/programs-"))
  const service = await Service.start({ settings: SETTINGS })
  const browser = await Running.launch()
  const admin: Operator["admin"] = async (target, body, method = body === undefined ? "GET" : "POST") => {
    const answer = await fetch(`${service.url}/admin/v1${target}`, {
      method,
      headers: { authorization: `Bearer ${service.adminToken}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return (await answer.json()) as never
  }
  const open: Operator["open"] = async ({ isOut = false, ...options } = {}) => {
    const opened = await Pages.open(browser, options)
    if (!isOut) await Shots.signIn(opened.page.context(), service.url, service.adminToken)
    opened.page.setDefaultTimeout(60_000)
    const requests: Array<string> = []
    opened.page.on("request", (request) =>
      requests.push(`${request.method()} ${request.url()} ${request.postData() ?? ""}`)
    )
    return { ...opened, requests }
  }
  const file = (text: string, name: string): string => {
    writeFileSync(path.join(folder, name), text)
    return name
  }
  return {
    service,
    folder,
    admin,
    open,
    pageAt: async (target, options) => {
      const opened = await open(options)
      await opened.page.goto(`${service.url}${target}`)
      return opened
    },
    make: (settings) => admin("/projects", settings),
    call: (apiKey, headers = {}) =>
      fetch(`${service.url}/history/v3/${apiKey}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'
      }),
    runProgram: (text, name = `${crypto.randomUUID()}.mjs`) => {
      const { status, stderr, stdout } = spawnSync(process.execPath, [file(text, name)], {
        cwd: folder,
        encoding: "utf8",
        timeout: 60_000
      })
      if (status !== 0) throw new Error(stderr)
      return stdout.trim()
    },
    serve: (text, port) => {
      const child = spawn(process.execPath, [file(text, `${crypto.randomUUID()}.mjs`)], {
        cwd: folder,
        env: { ...process.env, PORT: String(port) },
        stdio: ["ignore", "pipe", "pipe"]
      })
      let said = ""
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk: Buffer) => (said += chunk.toString()))
      const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
      return {
        said: () => said,
        stop: async () => {
          child.kill()
          await ended
        }
      }
    },
    stop: async () => {
      await browser.close()
      await service.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** Starts a service and a browser for the tests of a file. */
export const forTests = (): Operator => Running.held(start, ({ stop }) => stop())

/** Opens a tab, and returns its program. */
export const programOf = async (page: Page, name: string): Promise<string> => {
  const tab = page.locator(`[role=tab]:has-text("${name}")`)
  await tab.click()
  // the panel of this tab, not the panel that is still shown before the page changes
  const panel = `[role=tabpanel][aria-labelledby="${await tab.getAttribute("id")}"]:not([hidden])`
  return (await page.textContent(`${panel} pre`)) ?? ""
}

/** Returns the width of the page, including parts that extend beyond the window. */
export const width = (page: Page): Promise<number> => page.evaluate("document.documentElement.scrollWidth")
