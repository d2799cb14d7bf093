/** `plumbline usage --every` against a service with more usage than the command may hold. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

import { describe, expect, it, type TestContext } from "@effect/vitest"
import { Effect } from "effect"

import * as UsageSeries from "../../src/operator/UsageSeries.ts"
import * as RunCli from "../support/RunCli.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const START = Date.parse("2025-01-01T00:00:00.000Z")

/** The usage that the service has: in each minute of the range, each project has used something. */
interface Service {
  readonly projects: number
  readonly minutes: number
  /** The time before which the service keeps hours only. */
  readonly keptFrom: number
}

/** A service with that usage, and the number of rows that it has sent. */
const serve = async (
  { onTestFinished }: Pick<TestContext, "onTestFinished">,
  { keptFrom, minutes, projects }: Service
) => {
  const found = { sent: 0, ranges: new Array<readonly [from: number, to: number]>() }
  const ids = Array.from({ length: projects }, (_, at) => `project ${String(at).padStart(4, "0")}`)
  const iso = (millis: number) => new Date(millis).toISOString()
  const counts = (calls: number) => ({
    calls: String(calls),
    credits: "1000",
    bytesIn: "0",
    bytesOut: "0",
    uploaded: "0",
    downloaded: "0"
  })
  const answer = (url: URL): object => {
    const query = (name: string) => url.searchParams.get(name)
    if (url.pathname.endsWith("/projects")) return { projects: [], next: null }
    if (url.pathname.endsWith("/by")) {
      const rows = ids.map((project) => ({ project, ...counts(minutes * 1000) }))
      return { from: iso(START), to: iso(START + minutes * MINUTE), rows, totals: counts(0) }
    }
    const widened = (at: number, round: (at: number) => number) => (at < keptFrom ? round(at / HOUR) * HOUR : at)
    const from = widened(Date.parse(query("from")!), Math.floor)
    const to = widened(Date.parse(query("to")!), Math.ceil)
    const asked = Number(query("everySeconds")) * 1000
    const every = from < keptFrom ? Math.ceil(asked / HOUR) * HOUR : asked
    const times: Array<string> = []
    for (let at = Math.floor(from / every) * every; at < to; at += every) times.push(iso(at))
    if (query("project") !== null) {
      found.sent += times.length
      found.ranges.push([from, to])
    }
    const lines = [{ of: {}, counts: times.map(() => counts(every / MINUTE)) }]
    return { from: iso(from), to: iso(to), everySeconds: every / 1000, times, lines }
  }
  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify(answer(new URL(request.url!, "http://service"))))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const where = ["--url", `http://127.0.0.1:${(server.address() as AddressInfo).port}`, "--admin-token", "t".repeat(32)]
  return { found, ids, where }
}

describe("usage --every", () => {
  it("holds a page of time of all projects, however slow the reader and however long the range", async (context) => {
    const projects = 100
    const minutes = 600
    const { found, ids, where } = await serve(context, { projects, minutes, keptFrom: 0 })
    let taken = 0
    let most = 0
    const beforeOutput = (piece: string) =>
      Effect.promise(async () => {
        // lets the command read on, if it reads more than it can write
        for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
        most = Math.max(most, found.sent - taken)
        taken += piece.split('"time"').length - 1
      })
    const args = ["usage", "--from", "2025-01-01", "--every", "1m", "--json", ...where]
    const { exitCode, stderr, stdout } = await RunCli.run(args, { beforeOutput })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
    expect([found.sent, taken]).toEqual([projects * minutes, projects * minutes])
    expect(most).toBeLessThanOrEqual(UsageSeries.HELD)
    const { everySeconds, rows } = JSON.parse(stdout)
    expect(everySeconds).toBe(60)
    // by time, then by project, across the pages
    const places = rows.map(({ project, time }: { readonly project: string; readonly time: string }) => [time, project])
    const wanted = Array.from({ length: minutes }, (_, minute) =>
      ids.map((id) => [new Date(START + minute * MINUTE).toISOString(), id])
    ).flat()
    expect(JSON.stringify(places)).toBe(JSON.stringify(wanted))
  })

  it("has buckets of one length where shorter ones were deleted, each once, and says so", async (context) => {
    // more hours than an answer of the service has, so that a second one begins where minutes are kept
    const hours = 10_010
    const { found, where } = await serve(context, { projects: 1, minutes: hours * 60, keptFrom: START + 9990 * HOUR })
    const args = ["usage", "--from", "2025-01-01", "--every", "1m", ...where]
    const { exitCode, stderr, stdout } = await RunCli.run(args)
    expect(exitCode).toBe(0)
    expect(stderr).toBe(
      "each row is the sum of 1h: the service keeps no shorter times of this range than that, so it cannot show each 1m\n"
    )
    const [, , head, ...rows] = stdout.trimEnd().split("\n")
    expect(found.ranges).toHaveLength(2)
    expect(rows.map((row) => row.slice(2, 26))).toEqual(
      Array.from({ length: hours }, (_, hour) => new Date(START + hour * HOUR).toISOString())
    )
    for (const row of rows) expect(row).toMatch(/ 60 +1,000 +0 +0$/u)
    expect(new Set([head, ...rows].map((line) => line!.length)).size).toBe(1)
    expect(JSON.parse((await RunCli.run([...args, "--json"])).stdout)).toMatchObject({ everySeconds: 3600 })
  })
})
