/** Runs the service as its users do, by `plumbline up` with a configuration, and reads what its operator can see. */
import { spawn } from "node:child_process"
import { mkdir, writeFile } from "node:fs/promises"
import * as path from "node:path"
import { createInterface } from "node:readline"

import { AdminToken } from "@plumbline/gateway-admin"
import { Effect, Redacted } from "effect"

import { http } from "../ask.ts"
import * as Operator from "../operator.ts"
import { MAIN } from "../program.ts"
import type { Operated, Project } from "../target.ts"

export interface Service extends Operated {
  readonly pid: number
  /** Returns the text of the metrics. */
  readonly metrics: () => Promise<string>
  /** Returns the smallest or largest value of a metric's series; undefined if the metric has no series. */
  readonly metric: (name: string, of?: "least" | "most") => Promise<number | undefined>
  /** The number of times that each warning or error occurs in the log, by message. */
  readonly log: ReadonlyMap<string, number>
  readonly project: (name: string, limits?: object) => Promise<Project>
  /** Returns the number of a project's calls with the outcome `ok`. */
  readonly metered: (project: string) => Promise<number>
  /** Ends the service with SIGTERM. Returns the exit code, and the milliseconds until the exit. */
  readonly stop: () => Promise<{ readonly code: number | null; readonly took: number }>
}

/** Settings that are not in the configuration file. */
export interface Options {
  /** The data folder. Default: one within `folder`. */
  readonly data?: string | undefined
  /** Modules that Node loads first. */
  readonly preload?: ReadonlyArray<string> | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
}

const DAYS = 2 * 24 * 60 * 60 * 1000

/** Starts the service, and waits until it is ready. It ends with the scope. */
export const start = Effect.fnUntraced(function* (folder: string, configuration: object, options: Options = {}) {
  const adminToken = Redacted.value(AdminToken.generate())
  const file = path.join(folder, "plumbline.json")
  const data = options.data ?? path.join(folder, "data")
  const settings = { ipfs: { node: "none" }, observability: { logs: "json" }, admin: { token: adminToken } }
  yield* Effect.promise(() => mkdir(data, { recursive: true }))
  yield* Effect.promise(() => writeFile(file, JSON.stringify({ ...settings, ...configuration })))
  const log = new Map<string, number>()
  const said: Array<string> = []
  const acquired = Effect.promise(async () => {
    const preload = (options.preload ?? []).flatMap((module) => ["--import", module])
    const words = [...preload, MAIN, "up", "--json", "--port", "0", "--config", file]
    // State that processes share is in Postgres and Redis, and needs no folder.
    if (!("state" in configuration)) words.push("--data", data)
    // The shell kills the service when the shell's input ends, so that a killed test run leaves no process.
    const shell = spawn("sh", ["-c", DEAD_MAN, "sh", process.execPath, ...words], {
      stdio: ["pipe", "pipe", "pipe"],
      env: { PATH: process.env["PATH"], HOME: folder, ...options.env }
    })
    const ended = new Promise<number | null>((resolve) => shell.once("exit", resolve))
    const lines = createInterface({ input: shell.stdout })
    createInterface({ input: shell.stderr }).on("line", (line) => {
      said.push(line)
      note(log, line)
    })
    const first = new Promise<string>((resolve) => lines.once("line", resolve))
    const pid = Number(await first)
    const announced = await new Promise<string>((resolve, reject) => {
      lines.once("line", resolve)
      void ended.then(() => reject(new Error(`the service did not start: ${said.join("\n")}`)))
    })
    const { url } = JSON.parse(announced)
    if (typeof url !== "string") throw new Error(`the service did not start: ${announced}`)
    return { pid, port: Number(new URL(url).port), ended, shell }
  })
  const { ended, pid, port } = yield* Effect.acquireRelease(acquired, ({ ended, shell }) =>
    Effect.promise(() => {
      shell.stdin.end()
      return ended
    })
  )
  const operated: Operated = { port, adminToken }
  const metrics = async () => {
    const headers = { authorization: `Bearer ${adminToken}` }
    return (await http(`http://127.0.0.1:${port}/metrics`, { method: "GET", headers })).text
  }
  const service: Service = {
    ...operated,
    pid,
    log,
    metrics,
    metric: async (name, of = "least") => {
      const values = (await metrics())
        .split("\n")
        .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
        .map((line) => Number(line.slice(line.lastIndexOf(" ") + 1)))
      return values.length === 0 ? undefined : of === "least" ? Math.min(...values) : Math.max(...values)
    },
    project: (name, limits = {}) => Operator.makeProject(operated, name, { limits }),
    metered: async (project) => {
      const now = Date.now()
      const [from, to] = [now - DAYS, now + DAYS].map((time) => encodeURIComponent(new Date(time).toISOString()))
      const path = `/usage/by?by=outcome&project=${project}&from=${from}&to=${to}`
      const { rows } = await Operator.admin(operated, "GET", path)
      return rows.reduce(
        (sum: number, { calls, outcome }: { readonly calls: string; readonly outcome: string }) =>
          outcome === "ok" ? sum + Number(calls) : sum,
        0
      )
    },
    stop: async () => {
      const began = performance.now()
      process.kill(pid, "SIGTERM")
      return { code: await ended, took: performance.now() - began }
    }
  }
  return service
})

const note = (log: Map<string, number>, line: string): void => {
  if (!line.startsWith("{")) return
  const { level, message } = JSON.parse(line)
  if (!/^(?:warn|error|fatal)/iu.test(String(level))) return
  // Messages that differ only in a duration count as the same.
  const text = String(Array.isArray(message) ? message[0] : message).replaceAll(/\d+ ms/gu, "n ms")
  log.set(text, (log.get(text) ?? 0) + 1)
}

// A shell gives no standard input to a process in the background, so the script reads the pipe as descriptor 3. The
// first line of output is the process id of the service.
const DEAD_MAN = `
  exec 3<&0
  program=$1
  shift
  "$program" --disable-warning=ExperimentalWarning "$@" </dev/null 3<&- &
  service=$!
  echo "$service"
  (read -r _ <&3; kill -KILL "$service" 2>/dev/null) &
  watch=$!
  wait "$service"
  code=$?
  kill "$watch" 2>/dev/null
  exit $code
`
