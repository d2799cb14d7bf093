/** Reads the data of the overview, and turns it into figures, lines and shares. */
import type { AdminClient } from "@plumbline/gateway-admin/api/AdminClient"
import type * as AdminModel from "@plumbline/gateway-admin/api/AdminModel"
import type * as AdminUsage from "@plumbline/gateway-admin/api/AdminUsage"
import * as Effect from "effect/Effect"
import * as Atom from "effect/reactivity/Atom"

import * as AdminService from "../admin/AdminService.ts"
import * as ConsoleNetworks from "../chain/ConsoleNetworks.ts"
import { type ChartLine, REST } from "../charts/stackedLines.ts"
import { grouped } from "../look/TextFormats.ts"
import type { UsageDivision, UsageWindow } from "../route/ConsoleRoute.ts"
import type { RefusedCalls } from "./lieWords.ts"
import { WINDOWS } from "./windows.ts"

/** Number of lies that the panel of lies shows. */
export const SHOWN = 6

/**
 * The state of networks and stores, with the refuted answers of nodes, and for each of the newest lies the calls that were
 * refused because of it.
 */
export const service = Atom.keepAlive(
  AdminService.read((client) =>
    Effect.gen(function* () {
      const found = yield* Effect.all(
        { status: client.service.status(), lies: client.service.lies() },
        { concurrency: 2 }
      )
      const harmed = yield* Effect.forEach(
        found.lies.lies.slice(0, SHOWN),
        ({ firstAt, lastAt, method, network }) => {
          const of = method === OTHERS ? {} : { method }
          const time = { from: firstAt ?? lastAt, to: lastAt + RECORDED }
          const query = { ...time, ...of, network, outcome: "refuted", by: ["project", "key"] } as const
          return client.usage.by({ query }).pipe(
            Effect.map(({ rows }) => rows.map(({ calls, key = "", project = "" }) => ({ calls, key, project }))),
            Effect.orElseSucceed(() => undefined)
          )
        },
        { concurrency: 4 }
      )
      const startOf = yield* keyStarts(client, harmed)
      return { ...found, refused: harmed.map((rows) => rows?.map((row) => ({ ...row, key: startOf(row.key) }))) }
    })
  )
)

/** Maximum number of projects whose keys are read, to name those whose calls were refused. */
const NAMED_PROJECTS = 5

/** Reads the keys of the projects whose calls were refused. Returns the start of a key by its id, as the keys' panel has it. */
const keyStarts = (client: AdminClient, harmed: ReadonlyArray<ReadonlyArray<RefusedCalls> | undefined>) => {
  const projects = new Set(harmed.flatMap((rows) => rows?.map(({ project }) => project) ?? []))
  return Effect.map(
    Effect.forEach(
      [...projects].slice(0, NAMED_PROJECTS),
      (id) =>
        Effect.all({
          used: client.keys.list({ params: { id } }),
          history: client.standing.keyHistory({ params: { id } })
        }).pipe(
          Effect.map(({ history, used }) => [...used.keys, ...history.ended]),
          // a project that was removed, or one that the session may not read
          Effect.orElseSucceed(() => [])
        ),
      { concurrency: 2 }
    ),
    (keys) => {
      const starts = new Map(keys.flat().map(({ id, start }) => [id, start]))
      return (id: string): string => starts.get(id) ?? ""
    }
  )
}

/** The name under which the service counts the lies about methods that are too many to count separately. */
const OTHERS = "others"

/** Milliseconds within which a refused call is recorded after the lie. */
const RECORDED = 1000

/**
 * The networks whose nodes can be told to lie, each with the moment at which its node is honest again, by the clock of this
 * device. The service tells the time that is left, so a wrong clock does no harm.
 */
export const lieEnds = Atom.keepAlive(
  Atom.make(
    Effect.map(
      ConsoleNetworks.read,
      ({ networks }) =>
        new Map(
          networks.flatMap(({ lie, name }) => (lie === null ? [] : [[name, Date.now() + lie.leftMillis] as const]))
        )
    )
  )
)

/** Maximum number of projects whose limits are read one by one, if the projects do not fit on one page. */
const BUSIEST = 30

/**
 * The current use of limits. For a service with more than a thousand projects, only the projects with the most credits
 * of the last day are read.
 */
export const quotaStatuses = Atom.keepAlive(
  AdminService.read((client) =>
    Effect.gen(function* () {
      const { next, standings } = yield* client.limits.list({ query: { limit: 1000 } })
      if (next === null) return { standings, isAll: true }
      const query = { window: "24h", by: ["project"], top: BUSIEST, order: "credits" } as const
      const { rows } = yield* client.usage.by({ query })
      const busiest = yield* Effect.forEach(
        rows.flatMap(({ project }) => (project === undefined ? [] : [project])),
        // a project that was removed in the meantime has no limits
        (id) => Effect.orElseSucceed(client.limits.get({ params: { id } }), () => undefined),
        { concurrency: 4 }
      )
      return { standings: busiest.filter((one) => one !== undefined), isAll: false }
    })
  )
)

/** The usage of a window. It does not include the chart, so it stays the same when the chart changes. */
export const usage = Atom.family((window: UsageWindow) =>
  AdminService.read((client) => {
    const { everySeconds } = WINDOWS[window]
    return Effect.all(
      {
        outcomes: client.usage.series({ query: { window, everySeconds, by: ["outcome"] } }),
        latency: client.usage.latency({ query: { window, everySeconds } }),
        ofNetworks: client.usage.latency({ query: { window, by: ["network"] } }),
        ofMethods: client.usage.latency({ query: { window, by: ["network", "method"] } }),
        methods: client.usage.by({ query: { window, by: ["network", "method"], top: 10, order: "calls" } }),
        projects: client.usage.by({ query: { window, by: ["project"], top: 10, order: "calls" } }),
        over: client.usage.by({ query: { window, by: ["project", "outcome"], status: 429, top: 50, order: "calls" } }),
        barred: client.usage.by({ query: { window, by: ["project"], status: 403, top: 10, order: "calls" } })
      },
      { concurrency: 4 }
    )
  })
)

/** The figures that the chart can show. */
export const subjects = ["requests", "credits", "errors", "latency"] as const
/** One of `subjects`. */
export type UsageSubject = (typeof subjects)[number]

/** The lines of a chart and their times, in seconds. */
export interface Chart {
  readonly times: ReadonlyArray<number>
  /** The lines that have a value. */
  readonly lines: ReadonlyArray<ChartLine>
  /** True if the current bucket has a value, which the lines leave out. */
  readonly isBegun: boolean
}

/** The chart of a window. The key is the window, the division and the subject. */
export const chart = Atom.family((key: string) => {
  const [window, by, subject] = key.split(" ") as [UsageWindow, UsageDivision, UsageSubject]
  const { everySeconds } = WINDOWS[window]
  return AdminService.read((client) => {
    if (subject === "latency") {
      const query = { window, everySeconds, by: [by === "method" ? "method" : "network"] } as const
      return Effect.map(client.usage.latency({ query }), latencyChart)
    }
    if (subject === "errors" && by !== "outcome") {
      const query = { window, everySeconds, by: [by, "outcome"], top: 100, order: "calls" } as const
      return Effect.map(client.usage.series({ query }), (answer) => usageChart(answer, by, subject))
    }
    const order = subject === "credits" ? "credits" : "calls"
    const all = client.usage.series({ query: { window, everySeconds } })
    const divided = client.usage.series({ query: { window, everySeconds, by: [by], top: 12, order } })
    return Effect.map(Effect.all([divided, all], { concurrency: 2 }), ([answer, { lines }]) =>
      usageChart(answer, by, subject, lines[0]?.counts)
    )
  })
})

/** Converts the count of a bucket to a rate per minute. */
const perMinute = (counts: bigint, everySeconds: number): number => Number(counts) / (everySeconds / 60)

type SeriesAnswer = typeof AdminUsage.SeriesAnswer.Type
type Counts = typeof AdminUsage.Counts.Type

/** Maximum number of named lines. All other values together are one line. */
const NAMED = 5

/**
 * Makes a chart of usage per minute. The current bucket is left out, because an incomplete bucket looks like a drop.
 * Without `total`, the line of all others is the sum of the answer's lines that are not named.
 */
export const usageChart = (
  { everySeconds, lines, times }: SeriesAnswer,
  by: UsageDivision,
  subject: UsageSubject,
  total?: ReadonlyArray<Counts>
): Chart => {
  const size = Math.max(0, times.length - 1)
  const sums = new Map<string, Array<number>>()
  const figure = subject === "credits" ? "credits" : "calls"
  let isBegun = false
  for (const { counts, of } of lines) {
    if (subject === "errors" && !isError(of.outcome)) continue
    const name = of[by] ?? "unknown"
    const sum = sums.get(name) ?? Array.from({ length: size }, () => 0)
    for (let at = 0; at < size; at++) sum[at]! += perMinute(counts[at]![figure], everySeconds)
    if ((counts[size]?.[figure] ?? 0n) > 0n) isBegun = true
    sums.set(name, sum)
  }
  const ranked = [...sums].map(([name, values]) => ({ name, values, sum: values.reduce((a, b) => a + b, 0) }))
  ranked.sort((a, b) => b.sum - a.sum)
  // a batch without a price of its own has a line, but neither calls nor credits
  const named = ranked.filter(({ sum }) => sum > 0).slice(0, NAMED)
  const whole = total?.map((counts) => perMinute(counts[figure], everySeconds))
  const rest = Array.from({ length: size }, (_, at) => {
    const all = whole?.[at] ?? ranked.reduce((sum, { values }) => sum + values[at]!, 0)
    return Math.max(0, all - named.reduce((sum, { values }) => sum + values[at]!, 0))
  })
  const hasRest = rest.some((value) => value > 0.001)
  return {
    times: times.slice(0, size).map((at) => at / 1000),
    lines: [...named.map(({ name, values }) => ({ name, values })), ...(hasRest ? [{ name: REST, values: rest }] : [])],
    isBegun
  }
}

const latencyChart = ({ lines, times }: typeof AdminUsage.LatenciesAnswer.Type): Chart => {
  const size = Math.max(0, times.length - 1)
  return {
    times: times.slice(0, size).map((at) => at / 1000),
    lines: lines
      .slice(0, NAMED)
      .map(({ buckets, of }) => ({
        name: of.network ?? of.method ?? "all",
        values: buckets.slice(0, size).map((bucket) => bucket?.p90 ?? null)
      }))
      .filter(({ values }) => values.some((value) => value !== null)),
    isBegun: lines.some(({ buckets }) => buckets[size] != null)
  }
}

type Outcome = NonNullable<SeriesAnswer["lines"][number]["of"]["outcome"]>

/** Refused by a limit of the customer. */
const LIMITED: ReadonlySet<Outcome | undefined> = new Set(["day", "rate", "burst", "concurrency", "limited"])
/** Refused by the settings of the customer, or as a wrong call. */
const REFUSED: ReadonlySet<Outcome | undefined> = new Set(["refused"])
const FAILED: ReadonlySet<Outcome | undefined> = new Set(["failed"])
/** Refused because each node that could answer lied. */
const REFUTED: ReadonlySet<Outcome | undefined> = new Set(["refuted"])
const ANSWERED: ReadonlySet<Outcome | undefined> = new Set(["error"])

/**
 * True for a call that failed, was refused or ended with an error. A revert is a result and not an error. A call that
 * its caller cancelled is not an error either.
 */
export const isError = (outcome: Outcome | undefined): boolean =>
  [LIMITED, REFUSED, FAILED, REFUTED, ANSWERED].some((of) => of.has(outcome))

/** Says how many calls went wrong, by the kind of their outcome. */
export const outcomesOf = (
  rows: ReadonlyArray<{ readonly outcome?: Outcome | undefined; readonly calls: bigint }>
): string => {
  const sum = (of: ReadonlySet<Outcome | undefined>): bigint =>
    rows.reduce((sum, { calls, outcome }) => (of.has(outcome) ? sum + calls : sum), 0n)
  return toOutcomes({
    limited: sum(LIMITED),
    refused: sum(REFUSED),
    failed: sum(FAILED),
    refuted: sum(REFUTED),
    answered: sum(ANSWERED)
  })
}

/** Returns the same as text. */
export const toOutcomes = ({
  answered,
  failed,
  limited,
  refused,
  refuted
}: Pick<WindowTotals, "answered" | "failed" | "limited" | "refused" | "refuted">): string =>
  [
    `${grouped(limited)} over a limit`,
    ...(refused === 0n ? [] : [`${grouped(refused)} refused`]),
    ...(refuted === 0n ? [] : [`${grouped(refuted)} refused in place of a lie`]),
    `${grouped(failed)} failed`,
    `${grouped(answered)} answered with an error`
  ].join(", ")

/** The sums of a window, and their values over time. */
export interface WindowTotals {
  readonly calls: bigint
  readonly credits: bigint
  readonly limited: bigint
  readonly refused: bigint
  readonly failed: bigint
  readonly refuted: bigint
  readonly answered: bigint
  readonly seconds: number
  readonly overTime: Readonly<Record<"calls" | "credits" | "errors", ReadonlyArray<number>>>
}

/** Adds up the outcomes of a window. */
export const totalsOf = ({ everySeconds, lines, times }: SeriesAnswer): WindowTotals => {
  const size = Math.max(0, times.length - 1)
  const sum = (of: (outcome: Outcome | undefined) => boolean, figure: "calls" | "credits"): bigint =>
    lines.reduce(
      (sum, line) => (of(line.of.outcome) ? line.counts.reduce((sum, counts) => sum + counts[figure], sum) : sum),
      0n
    )
  const overTime = (
    of: (outcome: Outcome | undefined) => boolean,
    figure: "calls" | "credits"
  ): ReadonlyArray<number> =>
    Array.from({ length: size }, (_, at) =>
      lines.reduce((sum, line) => (of(line.of.outcome) ? sum + Number(line.counts[at]![figure]) : sum), 0)
    )
  const all = (): boolean => true
  return {
    calls: sum(all, "calls"),
    credits: sum(all, "credits"),
    limited: sum((outcome) => LIMITED.has(outcome), "calls"),
    refused: sum((outcome) => REFUSED.has(outcome), "calls"),
    failed: sum((outcome) => FAILED.has(outcome), "calls"),
    refuted: sum((outcome) => REFUTED.has(outcome), "calls"),
    answered: sum((outcome) => ANSWERED.has(outcome), "calls"),
    seconds: times.length * everySeconds,
    overTime: { calls: overTime(all, "calls"), credits: overTime(all, "credits"), errors: overTime(isError, "calls") }
  }
}

/** A project's limits, as the admin API returns them. */
export type QuotaStatus = typeof AdminModel.Standing.Type

/** Returns the used share of the nearest limit: 1 at the limit, undefined for a project without limits. */
export const nearest = ({ day, rate, underWay }: QuotaStatus): number | undefined => {
  const shares = [
    ...(day === null ? [] : [day.allowed === 0 ? 1 : day.used / day.allowed]),
    ...(rate === null ? [] : [rate.current / rate.allowed]),
    ...(underWay === null ? [] : [underWay.current / underWay.allowed])
  ]
  return shares.length === 0 ? undefined : Math.max(...shares)
}
