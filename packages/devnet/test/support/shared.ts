/** Shared parts of this package's tests: a plain JSON-RPC call, bounded polling, and access to the process table. */
import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { Effect, Schedule, type Scope } from "effect"
import { vi } from "vitest"

import { Anvil, type AnvilError } from "../../src/index.ts"

// A high limit, because tests start processes on machines that may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

/** Makes one call with plain fetch, without our code between the test and the chain. Throws an error object. */
export const rpc = <A>(url: string, method: string, ...params: ReadonlyArray<unknown>): Effect.Effect<A> =>
  Effect.promise(async () => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    })
    const body = await response.json()
    if (body.error !== undefined) throw new Error(`${method}: ${body.error.message}`)
    return body.result
  })

/** Polls until the condition holds. Dies after 20 seconds, a high limit for busy machines. */
export const eventually = (what: string, isSo: Effect.Effect<boolean>): Effect.Effect<void> =>
  Effect.filterOrFail(
    isSo,
    (so) => so,
    () => "not yet"
  ).pipe(
    Effect.retry(Schedule.spaced("10 millis")),
    Effect.timeoutOrElse({ duration: "20 seconds", orElse: () => Effect.die(new Error(`never: ${what}`)) }),
    Effect.orDie,
    Effect.asVoid
  )

/** Makes a folder that is removed with the scope. */
export const folder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "devnet-"))),
  (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true }))
)

/** Makes a shell script to run instead of anvil. */
export const script = (...lines: ReadonlyArray<string>): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(folder, (dir) => {
    const file = path.join(dir, "anvil")
    writeFileSync(file, ["#!/bin/sh", ...lines, ""].join("\n"))
    chmodSync(file, 0o755)
    return file
  })

/** Returns the reason for which a chain does not start. */
export const reasonFor = (options: Anvil.AnvilOptions): Effect.Effect<AnvilError.AnvilError["reason"]> =>
  Anvil.make(options).pipe(
    Effect.scoped,
    Effect.flip,
    Effect.map((error) => error.reason),
    Effect.orDie
  )

/** Returns the running child processes of `pid`. */
export const childrenOf = (pid: number): ReadonlyArray<number> =>
  table()
    .filter((process) => process.parent === pid && process.alive)
    .map((process) => process.pid)

/** True if the process runs. A zombie, which only waits to be reaped, does not count. */
export const isAlive = (pid: number): boolean => table().some((process) => process.pid === pid && process.alive)

/** Waits until all of these processes are gone. */
export const gone = (...pids: ReadonlyArray<number>): Effect.Effect<void> =>
  eventually(
    `the end of ${pids.join(", ")}`,
    Effect.sync(() => !pids.some(isAlive))
  )

interface Entry {
  readonly pid: number
  readonly parent: number
  readonly alive: boolean
}

const table = (): ReadonlyArray<Entry> => (existsSync("/proc/self/stat") ? fromProc() : fromPs())

const fromProc = (): ReadonlyArray<Entry> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "utf8")
        // the line is: pid (name) state parent ...; the name may contain any character, even a parenthesis
        const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
        return [{ pid: Number(name), parent: Number(parent), alive: state !== "Z" && state !== "X" }]
      } catch {
        return [] // the process ended in the meantime
      }
    })

const fromPs = (): ReadonlyArray<Entry> =>
  execFileSync("ps", ["-A", "-o", "pid=,ppid=,state="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => {
      const [pid, parent, state] = line.trim().split(/\s+/)
      return { pid: Number(pid), parent: Number(parent), alive: !state!.startsWith("Z") }
    })
