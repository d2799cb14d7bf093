import * as StatusProblems from "@plumbline/gateway-admin/api/StatusProblems"
import * as Random from "@plumbline/seeded/Random"
import { describe, expect, test } from "vitest"

import { spread, stacked } from "../src/charts/stackedLines.ts"
import { called, charged, nameOf, restOf } from "../src/charts/UsedMethod.tsx"
import { type HeadlineFacts, headline, NEWS, toldLie } from "../src/overview/Headline.ts"
import * as LieWords from "../src/overview/lieWords.ts"
import { brief, millis, perTime, span } from "../src/overview/numberFormats.ts"
import { toOutcomes, totalsOf, usageChart } from "../src/overview/overviewFigures.ts"
import { projectPrograms } from "../src/projects/ProjectPrograms.ts"

/** Noon of a day. */
const NOON = Date.UTC(2026, 10, 30, 12)

const quiet: HeadlineFacts = {
  at: NOON,
  networks: [
    { name: "live", state: "up", problems: [] },
    { name: "history", state: "up", problems: [] }
  ],
  stores: [],
  lies: [],
  over: [],
  barred: [],
  near: []
}

/** The stores of a status, some of them down. */
const down = (...names: ReadonlyArray<"accounts" | "limiter" | "metering">) => {
  const storeOf = (name: (typeof names)[number]) => (names.includes(name) ? "down" : "up")
  return {
    accounts: { store: storeOf("accounts") },
    limiter: { store: storeOf("limiter"), whenDown: "closed" },
    metering: { store: storeOf("metering"), waiting: 1, rows: 1 }
  } as const
}

/** A lie that was told so many milliseconds before noon. */
const lie = (before: number): HeadlineFacts["lies"][number] => ({
  node: "node-2",
  network: "live",
  method: "eth_getBlockByNumber",
  check: "header hash",
  lastAt: NOON - before
})

describe("the headline", () => {
  // from the mildest to the worst: each problem hides those before it
  const troubles: ReadonlyArray<readonly [Partial<HeadlineFacts>, string]> = [
    [{}, "No project is near a limit."],
    [{ near: [{ name: "wallet", share: 0.799 }] }, "No project is near a limit."],
    [{ near: [{ name: "wallet", share: 0.856 }] }, "wallet is at 85 % of a limit."],
    [{ barred: [{ name: "wallet", calls: 1n }] }, "wallet was refused 1 call by its own settings."],
    [
      {
        over: [
          { name: "a", calls: 900n },
          { name: "b", calls: 90n },
          { name: "c", calls: 10n }
        ]
      },
      "a, b and 1 other were refused 1,000 calls over their limits."
    ],
    [{ lies: [lie(5 * 60_000)] }, "node-2 of live lied 5 min ago, and no caller got the lie."],
    [{ stores: StatusProblems.ofStores(down("limiter")) }, "Limits: the store is down, calls are refused."],
    [{ stores: StatusProblems.ofStores(down("limiter", "metering")) }, "Usage: the store is down, 1 call waits."],
    [
      { stores: StatusProblems.ofStores(down("limiter", "metering", "accounts")) },
      "Projects: the store is down, calls are refused."
    ]
  ]

  test("says the worst trouble, whatever else there is", () => {
    for (let worst = 0; worst < troubles.length; worst++) {
      const facts: HeadlineFacts = Object.assign({}, quiet, ...troubles.slice(0, worst + 1).map(([more]) => more))
      expect(headline(facts)).toEqual(["All 2 networks answer.", troubles[worst]![1]])
    }
  })

  test("says that networks answer with a problem, where the status reports one", () => {
    const network = { upstream: "up", upstreams: [], nodes: [], anchor: null, warnings: null } as const
    const anchor = { hash: null, number: null, time: null, ageMillis: null, by: null, finality: null }
    const node = (name: string, state: "up" | "down" | "lies" | "wrong") => ({ name, state, behind: null })
    expect(StatusProblems.ofNetwork(network)).toEqual([])
    const stale = StatusProblems.ofNetwork({ ...network, anchor: { ...anchor, problem: "the checkpoint is too old" } })
    expect(stale).toEqual(["nothing can be proven: the checkpoint is too old"])
    // a reason that is a warning too is said once
    expect(
      StatusProblems.ofNetwork({ ...network, anchor: { ...anchor, problem: "late" }, warnings: ["late"] })
    ).toEqual(["late"])
    expect(
      StatusProblems.ofNetwork({ ...network, upstreams: [node("a", "up"), node("b", "down"), node("c", "wrong")] })
    ).toEqual(["node b is down", "node c is of another chain"])
    expect(StatusProblems.ofNetwork({ ...network, upstream: "down", upstreams: [node("a", "down")] })).toEqual([
      "no node answers",
      "node a is down"
    ])
    expect(StatusProblems.ofNetwork({ ...network, upstream: "lies", upstreams: [node("a", "lies")] })).toEqual([
      "no honest node answers: callers get an error in place of each lie",
      "node a lies"
    ])
    const [up, down] = ["up", "down"] as const
    const of = (...networks: ReadonlyArray<HeadlineFacts["networks"][number]>) => headline({ ...quiet, networks })
    expect(of({ name: "live", state: up, problems: [] }, { name: "history", state: up, problems: stale })).toEqual([
      "All 2 networks answer, history with a problem.",
      "history: nothing can be proven: the checkpoint is too old."
    ])
    expect(of({ name: "live", state: up, problems: stale })[0]).toBe("live answers, with a problem.")
    expect(of({ name: "live", state: down, problems: ["no node answers"] })).toEqual([
      "live has no node that answers.",
      "No project is near a limit."
    ])
    expect(of({ name: "live", state: "lies", problems: ["node a lies"] })).toEqual([
      "live has no node that tells the truth: callers get an error in place of each lie.",
      "live: node a lies."
    ])
  })

  test("tells of a lie for an hour, with its age, and not while a store is down", () => {
    const second = (before: number): string => headline({ ...quiet, lies: [lie(before)] })[1]
    expect(second(59_999)).toContain("node-2 of live lied less than a minute ago, and")
    expect(second(NEWS - 1000)).toContain("node-2 of live lied 59 min ago, and")
    expect(second(NEWS)).toBe("No project is near a limit.")
    const drill = { by: "ops", at: 0, until: 60_000 }
    const ordered = { ...lie(60_000), drill }
    expect(headline({ ...quiet, lies: [ordered] })[1]).toBe(
      "node-2 of live lied 1 min ago in a drill ordered by “ops”, and no caller got the lie."
    )
    // a lie that nobody ordered comes first, although it is older
    expect(toldLie({ ...quiet, lies: [ordered, lie(120_000)] })).toEqual(lie(120_000))
    expect(toldLie({ ...quiet, lies: [ordered, lie(NEWS)] })).toBe(ordered)
    expect(toldLie({ ...quiet, lies: [lie(NEWS - 1)] })).toEqual(lie(NEWS - 1))
    expect(toldLie({ ...quiet, lies: [lie(NEWS)] })).toBeUndefined()
    expect(toldLie({ ...quiet, lies: [lie(0)], stores: ["usage: the store is down, 1 call waits"] })).toBeUndefined()
  })

  test("says if a node that lied is trusted, with the time", () => {
    const at = Date.UTC(2026, 0, 2, 15, 3, 4)
    const lying = { isLying: true, asideUntil: null, trustedSince: null }
    expect(LieWords.trustText({ ...lying, asideUntil: at + 16_000 }, at)).toBe("out of use until 15:03:20 UTC")
    expect(LieWords.trustText({ ...lying, asideUntil: at }, at)).toMatch(/^not trusted until an answer/u)
    expect(LieWords.trustText(lying, at, { at: at - 50_000, until: at + 10_000 })).toBe(
      "ordered to lie until 15:03:14 UTC, and not trusted"
    )
    expect(LieWords.trustText(lying, at, { at: at - 60_000, until: at })).toMatch(/^not trusted until an answer/u)
    const trusted = { ...lying, isLying: false, trustedSince: at - 2000 }
    expect(LieWords.trustText(trusted, at)).toBe("trusted again since 15:03:02 UTC")
    expect(LieWords.trustText({ ...trusted, trustedSince: null }, at)).toBe("trusted")
  })

  test("says whose calls a lie cost an answer", () => {
    const nameOf = (id: string): string => `project-${id}`
    const row = (project: string, calls: bigint) => ({ project, key: `01${project}`, calls })
    expect(LieWords.harmText([], nameOf)).toBe(
      "No refused call of a project is recorded, and no caller got a wrong value."
    )
    expect(LieWords.harmText([row("a", 2n), row("b", 1n)], nameOf)).toBe(
      "Refused with an error in place of a lie: 2 calls of project-a (key 01a…), 1 call of project-b (key 01b…). No caller got a wrong value."
    )
    expect(LieWords.harmText([{ ...row("a", 1n), key: "" }], nameOf)).toContain("1 call of project-a. No caller")
    const many = ["a", "b", "c", "d", "e", "f", "g"].map((name) => row(name, 1000n))
    expect(LieWords.harmText(many, nameOf)).toContain("of project-e (key 01e…) and 2,000 of other keys.")
  })

  test("begins with the networks that have no node", () => {
    const first = (...states: ReadonlyArray<HeadlineFacts["networks"][number]["state"]>): string =>
      headline({ ...quiet, networks: states.map((state, i) => ({ name: `n${i}`, state, problems: [] })) })[0]
    expect(first()).toBe("This service has no network.")
    expect(first("up")).toBe("n0 answers.")
    // no caller has used it, so it was never asked: that is no problem
    expect(first("up", "untried")).toBe("n0 answers.")
    expect(first("up", "untried", "up")).toBe("The 2 networks in use answer.")
    expect(first("untried")).toBe("No call has come for n0 yet.")
    expect(first("untried", "untried")).toBe("No call has come for any network yet.")
    expect(first("up", "untried", "down")).toBe("n2 has no node that answers.")
    expect(first("wrong", "up", "down", "down")).toBe("n0, n2 and n3 have no node that answers.")
  })
})

describe("a chart", () => {
  const counts = (calls: number, credits = 0) => ({
    calls: BigInt(calls),
    credits: BigInt(credits),
    bytesIn: 0n,
    bytesOut: 0n,
    uploaded: 0n,
    downloaded: 0n
  })
  const answer = (lines: ReadonlyArray<readonly [object, ReadonlyArray<number>]>, everySeconds = 120) => ({
    from: 0,
    to: 360_000,
    everySeconds,
    times: [0, 120_000, 240_000],
    lines: lines.map(([of, calls]) => ({ of, counts: calls.map((one) => counts(one, one * 80)) }))
  })

  test("leaves the bucket under way out, and counts by the minute", () => {
    const chart = usageChart(answer([[{ network: "live" }, [10, 20, 30]]]), "network", "requests")
    expect(chart).toEqual({ times: [0, 120], lines: [{ name: "live", values: [5, 10] }], isBegun: true })
    const credits = usageChart(answer([[{ network: "live" }, [10, 20, 30]]]), "network", "credits")
    expect(credits.lines[0]!.values).toEqual([400, 800])
  })

  test("has no line for a batch, whose calls are those of its items, and says that the first calls are under way", () => {
    const batch = [{ method: "batch" }, [0, 0, 0]] as const
    expect(usageChart(answer([batch, [{ method: "eth_call" }, [2, 0, 0]]]), "method", "requests")).toMatchObject({
      lines: [{ name: "eth_call" }],
      isBegun: false
    })
    expect(usageChart(answer([batch, [{ method: "eth_call" }, [0, 0, 2]]]), "method", "requests")).toMatchObject({
      lines: [],
      isBegun: true
    })
  })

  test("has its rate in the shortest time that has one", () => {
    expect([0, 1, 23, 58, 60, 3600, 3_600_000].map((count) => perTime(count, 3600))).toEqual([
      "0.0 per second",
      "1.0 per hour",
      "23.0 per hour",
      "58.0 per hour",
      "1.0 per minute",
      "1.0 per second",
      "1,000 per second"
    ])
    expect(perTime(15, 30 * 86_400)).toBe("0.5 per day")
  })

  test("of methods leaves out what had neither calls nor credits, and says what is no method", () => {
    const rows = [
      { method: "eth_call", calls: 2n, credits: 40n },
      { method: "batch", calls: 0n, credits: 0n }
    ]
    expect(charged(rows).map(({ method }) => method)).toEqual(["eth_call"])
    const priced = [{ method: "batch", calls: 0n, credits: 5n }]
    expect([charged(priced), called(priced)]).toEqual([priced, []])
    // the rows and the rest add up to the totals, also where only credits are left
    expect(restOf(rows, { calls: 9n, credits: 45n })).toEqual({ calls: 7n, credits: 5n })
    expect(restOf(rows, { calls: 2n, credits: 45n })).toEqual({ calls: 0n, credits: 5n })
    expect(restOf(rows, { calls: 2n, credits: 40n })).toBeUndefined()
    expect(["eth_call", "batch", "unknown", "others"].map(nameOf)).toEqual([
      "eth_call",
      "batches themselves",
      "no known method",
      "others"
    ])
  })

  test("names five lines, and puts the rest of the whole into one", () => {
    const lines = Array.from({ length: 8 }, (_, i) => [{ method: `m${i}` }, [(8 - i) * 2, 0, 0]] as const)
    const whole = [counts(100), counts(2), counts(0)]
    const chart = usageChart(answer(lines), "method", "requests", whole)
    expect(chart.lines.map(({ name }) => name)).toEqual(["m0", "m1", "m2", "m3", "m4", "others"])
    // 100 calls in two minutes, minus the named 16 + 14 + 12 + 10 + 8
    expect(chart.lines[5]!.values).toEqual([20, 1])
  })

  test("of errors counts neither results, reverts nor callers that left", () => {
    const lines = [
      [{ network: "live", outcome: "ok" }, [9, 9, 9]],
      [{ network: "live", outcome: "reverted" }, [9, 9, 9]],
      [{ network: "live", outcome: "left" }, [9, 9, 9]],
      [{ network: "live", outcome: "day" }, [2, 0, 0]],
      [{ network: "live", outcome: "failed" }, [4, 0, 0]],
      [{ network: "live", outcome: "refuted" }, [2, 0, 0]]
    ] as const
    const chart = usageChart(answer(lines), "network", "errors")
    expect(chart.lines).toEqual([{ name: "live", values: [4, 0] }])
    const totals = totalsOf(answer(lines))
    const { answered, calls, failed, limited, refused, refuted } = totals
    expect([calls, limited, refused, failed, refuted, answered]).toEqual([89n, 2n, 0n, 4n, 2n, 0n])
    expect(totals.overTime.errors).toEqual([8, 0])
    expect(toOutcomes(totals)).toBe("2 over a limit, 2 refused in place of a lie, 4 failed, 0 answered with an error")
  })

  test("stacks lines so that the top one is the sum of all", () => {
    const tops = stacked([
      { name: "a", values: [1, null, 3] },
      { name: "b", values: [10, 20, 30] }
    ])
    expect(tops).toEqual([
      [1, 0, 3],
      [11, 20, 33]
    ])
  })

  test("keeps names apart and in order, and within the picture if they fit", () => {
    const random = Random.make(65)
    for (let run = 0; run < 200; run++) {
      const wished = Array.from({ length: 1 + Random.int(random, 8) }, () => Random.int(random, 300))
      const heights = spread(wished, 17, 0, 300)
      const sorted = [...heights].sort((a, b) => a - b)
      for (let i = 1; i < sorted.length; i++) expect(sorted[i]! - sorted[i - 1]!).toBeGreaterThanOrEqual(17)
      for (const height of heights) {
        expect(height).toBeGreaterThanOrEqual(0)
        expect(height).toBeLessThanOrEqual(300)
      }
      // of lines at one height, the later one is above
      const order = (values: ReadonlyArray<number>) =>
        values.map((_, i) => i).sort((a, b) => values[a]! - values[b]! || b - a)
      expect(order(heights)).toEqual(order(wished))
    }
  })
})

test("figures are short, and times have two units", () => {
  expect([0.04, 9.96, 1234, 12_345_678, 3_456_789_012].map(brief)).toEqual(["0", "10", "1,234", "12.3 M", "3.5 G"])
  expect([0.25, 9.94, 99.5, 1500, 12_000].map(millis)).toEqual(["0.3 ms", "9.9 ms", "100 ms", "1.5 s", "12 s"])
  expect([900, 59_000, 3_540_000, 51_120_000, 190_000_000_000].map(span)).toEqual([
    "1 s",
    "59 s",
    "59 min",
    "14 h 12 min",
    "2,199 d"
  ])
})

test("programs hold a key only while it is given, and the secret only where it is needed", () => {
  const facts = { url: "http://127.0.0.1:8645", network: "live", hasIpfs: true, secretRequired: false }
  const given = projectPrograms({ ...facts, apiKey: "K".repeat(32), apiKeySecret: "S".repeat(32) })
  expect(given.filter(({ text }) => text.includes("S".repeat(32))).map(({ name }) => name)).toEqual(["kubo-rpc-client"])
  expect(given.every(({ text }) => text.includes("K".repeat(32)))).toBe(true)
  const after = projectPrograms({ ...facts, secretRequired: true, apiKey: undefined, apiKeySecret: undefined })
  expect(after.every(({ text }) => text.includes("YOUR_KEY") && text.includes("YOUR_SECRET"))).toBe(true)
  expect(
    projectPrograms({ ...facts, network: undefined, hasIpfs: false, apiKey: undefined, apiKeySecret: undefined })
  ).toEqual([])
})
