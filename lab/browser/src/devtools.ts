/**
 * Controls a Chromium over the DevTools protocol: opens and reloads pages of one profile, and evaluates expressions
 * there.
 *
 * Source: https://chromedevtools.github.io/devtools-protocol/
 */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

/** A page in a separate tab. */
export interface Tab {
  /**
   * Evaluates an expression, waits for its promise, and returns the value. The value must be JSON. Rejects with the
   * text of an exception.
   */
  readonly ask: (expression: string) => Promise<any>
  /** Loads the page again, and waits until its scripts have run. */
  readonly reload: () => Promise<void>
}

/** A browser with a new profile. */
export interface Browser extends AsyncDisposable {
  /** Opens a page, and waits until its scripts have run. */
  readonly open: (url: string) => Promise<Tab>
  /** Limits the bytes that the pages of an origin may store. One page must be open. */
  readonly limit: (origin: string, bytes: number) => Promise<void>
}

/** Milliseconds for the browser to start, and for one answer. */
const TIME = 60_000

/** Starts the program. */
export const start = async (program: string): Promise<Browser> => {
  const folder = mkdtempSync(path.join(tmpdir(), "plumbline-chromium-"))
  const child = spawn(
    program,
    [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--remote-debugging-port=0",
      `--user-data-dir=${path.join(folder, "profile")}`,
      "about:blank"
    ],
    { stdio: ["ignore", "ignore", "pipe"] }
  )
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const end = async (): Promise<void> => {
    child.kill("SIGKILL")
    await ended
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const url = await within(
      new Promise<string>((resolve, reject) => {
        let said = ""
        child.stderr.setEncoding("utf8").on("data", (text: string) => {
          said += text
          const found = /DevTools listening on (ws:\S+)/u.exec(said)
          if (found !== null) resolve(found[1]!)
        })
        child.once("error", reject)
        child.once("close", () => reject(new Error(`the browser ended: ${said.slice(-500)}`)))
      }),
      "the start of the browser"
    )
    const send = await connect(url)
    let first: string | undefined
    const open = async (url: string): Promise<Tab> => {
      const { targetId } = await send("Target.createTarget", { url: "about:blank" })
      const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true })
      first ??= sessionId
      const ask: Tab["ask"] = async (expression) => {
        const options = { expression, awaitPromise: true, returnByValue: true }
        const { exceptionDetails, result } = await send("Runtime.evaluate", options, sessionId)
        if (exceptionDetails === undefined) return result.value
        throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
      }
      const loaded = async (): Promise<void> => {
        // the page may be replaced while it answers; then the question is asked again
        while ((await ask("document.readyState").catch(() => "")) !== "complete") await pause()
      }
      await send("Page.navigate", { url }, sessionId)
      await within(loaded(), `the page ${url}`)
      return {
        ask,
        reload: async () => {
          await ask("globalThis.isOld = true")
          await send("Page.reload", {}, sessionId)
          while (await ask("globalThis.isOld === true").catch(() => true)) await pause()
          await within(loaded(), `the page ${url} again`)
        }
      }
    }
    return {
      open,
      limit: async (origin, bytes) => {
        await send("Storage.overrideQuotaForOrigin", { origin, quotaSize: bytes }, first)
      },
      [Symbol.asyncDispose]: end
    }
  } catch (error) {
    await end()
    throw error
  }
}

type Send = (method: string, params: object, sessionId?: string) => Promise<any>

/** Connects to the browser. Each call has a number, which its answer repeats. */
const connect = async (url: string): Promise<Send> => {
  const socket = new WebSocket(url)
  const waiting = new Map<number, (answer: any) => void>()
  socket.addEventListener("message", ({ data }) => {
    const answer = JSON.parse(String(data))
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  })
  await within(
    new Promise<void>((resolve, reject) => {
      socket.addEventListener("open", () => resolve())
      socket.addEventListener("error", () => reject(new Error("the browser cannot be reached")))
    }),
    "the connection to the browser"
  )
  let id = 0
  return async (method, params, sessionId) => {
    const own = ++id
    const answer = new Promise<any>((resolve) => waiting.set(own, resolve))
    socket.send(JSON.stringify({ id: own, method, params, ...(sessionId === undefined ? {} : { sessionId }) }))
    const { error, result } = await within(answer, method)
    if (error !== undefined) throw new Error(`${method}: ${error.message}`)
    return result
  }
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20))

const within = <A>(work: Promise<A>, name: string): Promise<A> => {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`${name} took too long`)), TIME)
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer))
}
