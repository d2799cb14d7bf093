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

/** The usage that the service has: in each minute of the range, all projects have used something, or those of `used`. */
interface Service {
  readonly projects: number
  readonly minutes: number
  readonly used?: (project: number, at: number) => boolean
  /** The time before which the service keeps hours only. */
  readonly keptFrom: number
}

/** A service with that usage, the requests for rows that it has got, and the number of rows that it has sent. */
const serve = async (
  { onTestFinished }: Pick<TestContext, "onTestFinished">,
  { keptFrom, minutes, projects, used = () => true }: Service
) => {
  const found = { inLines: 0, inBuckets: 0, ranges: new Array<readonly [from: number, to: number]>() }
  const ids = Array.from({ length: projects }, (_, at) => `project ${String(at).padStart(4, "0")}`)
  const iso = (millis: number) => new Date(millis).toISOString()
  const counts = (calls: number) => ({
    calls: String(calls),
    credits: calls === 0 ? "0" : "1000",
    bytesIn: "0",
    bytesOut: "0",
    uploaded: "0",
    downloaded: "0"
  })
  const answer = (url: URL): object => {
    const query = (name: string) => url.searchParams.get(name)
    if (url.pathname.endsWith("/projects")) return { projects: [], next: null }
    const asked = query("project")
    const begin = Date.parse(query("from")!)
    const usedIn = (from: number, to: number) =>
      ids.filter((id, index) => {
        if (asked !== null && asked !== id) return false
        for (let at = from; at < to; at += MINUTE) if (used(index, at)) return true
        return false
      })
    if (url.pathname.endsWith("/by")) {
      const to = Math.min(Date.parse(query("to") ?? "9999-01-01"), START + minutes * MINUTE)
      const rows = usedIn(begin, to).map((project) => ({ project, ...counts(1000 * ((to - begin) / MINUTE)) }))
      if (query("to") !== null) {
        found.inBuckets += rows.length
        found.ranges.push([begin, to])
      }
      return { from: iso(begin), to: iso(to), rows, totals: counts(0) }
    }
    const widened = (at: number, round: (at: number) => number) => (at < keptFrom ? round(at / HOUR) * HOUR : at)
    const from = widened(begin, Math.floor)
    const to = widened(Date.parse(query("to")!), Math.ceil)
    const shortest = Number(query("everySeconds")) * 1000
    const every = from < keptFrom ? Math.ceil(shortest / HOUR) * HOUR : shortest
    const times: Array<number> = []
    for (let at = Math.floor(from / every) * every; at < to; at += every) times.push(at)
    const answer = { from: iso(from), to: iso(to), everySeconds: every / 1000, times: times.map(iso) }
    if (query("by") === null && asked === null)
      return { ...answer, lines: [{ of: {}, counts: times.map(() => counts(1)) }] }
    found.ranges.push([from, to])
    const most = Math.min(100, Math.floor(10_000 / times.length))
    const top = Number(query("top") ?? most + 1)
    const names = usedIn(from, to).slice(0, top)
    if (names.length > most) throw new Error("more lines than an answer may have")
    found.inLines += names.length * times.length
    const lines = names.map((project) => {
      const index = ids.indexOf(project)
      return { of: { project }, counts: times.map((at) => counts(used(index, at) ? every / MINUTE : 0)) }
    })
    return { ...answer, lines }
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

type Case = readonly [
  name: string,
  projects: number,
  minutes: number,
  hourly: ((project: number, hour: number) => boolean) | undefined,
  requests: number
]

describe("usage --every", () => {
  const everyMinute = ["usage", "--from", "2025-01-01", "--every", "1m", "--json"]

  /** The time and project of each row, in the order of the answer. */
  const placesOf = (stdout: string) =>
    JSON.parse(stdout).rows.map(({ project, time }: { readonly project: string; readonly time: string }) =>
      [time, project].join(" ")
    )

  it.for([
    ["page of time of all projects", 100, 600, "inLines"],
    ["part of a page of more projects than an answer has lines", 300, 400, "inBuckets"]
  ] as const)(
    "holds a %s, however slow the reader and however long the range",
    async ([, projects, minutes, sent], context) => {
      const { found, where } = await serve(context, { projects, minutes, keptFrom: 0 })
      let taken = 0
      let most = 0
      const beforeOutput = (piece: string) =>
        Effect.promise(async () => {
          // lets the command read on, if it reads more than it can write
          for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
          most = Math.max(most, found[sent] - taken)
          taken += piece.split('"time"').length - 1
        })
      const { exitCode, stderr, stdout } = await RunCli.run([...everyMinute, ...where], { beforeOutput })
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
      expect([found[sent], taken]).toEqual([projects * minutes, projects * minutes])
      expect(most).toBeLessThanOrEqual(UsageSeries.HELD)
      expect(JSON.parse(stdout).everySeconds).toBe(60)
    }
  )

  it.for<Case>([
    ["a few", 3, 7000, undefined, 3],
    ["as many as an answer has lines", 100, 240, undefined, 3],
    ["a few more than an answer has lines", 103, 240, undefined, 12],
    ["many", 300, 240, undefined, 243],
    ["many, of which a few have usage in each hour", 300, 600, (project, hour) => project % 10 === hour % 10, 6]
  ])("has the rows of %s projects with few requests", async ([, projects, minutes, hourly, most], context) => {
    const used = (project: number, at: number) => hourly?.(project, Math.floor(at / HOUR)) ?? true
    const { found, ids, where } = await serve(context, { projects, minutes, keptFrom: 0, used })
    const { exitCode, stderr, stdout } = await RunCli.run([...everyMinute, ...where])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
    const wanted = Array.from({ length: minutes }, (_, minute) => {
      const at = START + minute * MINUTE
      return ids.filter((_, project) => used(project, at)).map((id) => `${new Date(at).toISOString()} ${id}`)
    }).flat()
    expect(placesOf(stdout).join("\n") === wanted.join("\n")).toBe(true)
    expect(found.ranges).toHaveLength(most)
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
