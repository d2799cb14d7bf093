/** The four figures of the overview, and the chart of the chosen figure. */
import type { LatenciesAnswer, SeriesAnswer } from "@plumbline/gateway-admin/api/AdminUsage"
import { useMemo, useState } from "react"

import { useEvery } from "../admin/liveUpdates.ts"
import { PolledValue } from "../admin/PolledValue.tsx"
import { Series } from "../charts/Series.tsx"
import { Spark } from "../charts/Spark.tsx"
import { REST } from "../charts/stackedLines.ts"
import * as UsedMethod from "../charts/UsedMethod.tsx"
import { grouped } from "../look/TextFormats.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { brief, millis, perTime } from "./numberFormats.ts"
import * as OverviewFigures from "./overviewFigures.ts"
import { WINDOWS } from "./windows.ts"

/** The usage that the figures show. */
export interface TrafficUsage {
  readonly outcomes: typeof SeriesAnswer.Type
  readonly latency: typeof LatenciesAnswer.Type
}

const TITLES: Readonly<Record<OverviewFigures.UsageSubject, string>> = {
  requests: "Requests per minute",
  credits: "Credits per minute",
  errors: "Errors per minute",
  latency: "Latency"
}

const NAMES: Readonly<Record<ConsoleRoute.UsageDivision, string>> = {
  network: "network",
  method: "method",
  project: "project",
  outcome: "outcome"
}

/** The figures and the chart. */
export const Traffic = ({
  nameOf,
  place,
  usage
}: {
  readonly place: Extract<ConsoleRoute.ConsoleRoute, { readonly _tag: "Overview" }> & {
    readonly window: ConsoleRoute.UsageWindow
  }
  readonly usage: TrafficUsage
  readonly nameOf: (id: string) => string
}) => {
  const [subject, setSubject] = useState<OverviewFigures.UsageSubject>("requests")
  const by = place.by ?? "network"
  const totals = useMemo(() => OverviewFigures.totalsOf(usage.outcomes), [usage.outcomes])
  const all = usage.latency.lines[0]
  const errors = totals.limited + totals.refused + totals.failed + totals.refuted + totals.answered
  const share = totals.calls === 0n ? 0 : (Number(errors) / Number(totals.calls)) * 100
  const figures: ReadonlyArray<{
    readonly subject: OverviewFigures.UsageSubject
    readonly name: string
    readonly value: string
    readonly beside: string
    readonly values: ReadonlyArray<number | null>
  }> = [
    {
      subject: "requests",
      name: "Requests of callers",
      value: grouped(totals.calls),
      beside: perTime(Number(totals.calls), totals.seconds),
      values: totals.overTime.calls
    },
    {
      subject: "credits",
      name: "Credits",
      value: brief(Number(totals.credits)),
      beside: totals.calls === 0n ? "" : `${grouped(totals.credits / totals.calls)} per request`,
      values: totals.overTime.credits
    },
    {
      subject: "errors",
      name: "Errors of callers' calls",
      value: `${share === 0 ? "0" : share.toFixed(1)} %`,
      beside: OverviewFigures.toOutcomes(totals),
      values: totals.overTime.errors
    },
    {
      subject: "latency",
      name: "Latency, 9 of 10 calls",
      value: all === undefined ? "–" : millis(all.all.p90),
      beside:
        all === undefined
          ? "no call reached a node"
          : `median ${millis(all.all.p50)}, 99 of 100 ${millis(all.all.p99)}`,
      values: all?.buckets.slice(0, -1).map((bucket) => bucket?.p90 ?? null) ?? []
    }
  ]
  return (
    <>
      <div className="sheet figures" role="group" aria-label="Figure of the chart">
        {figures.map(({ beside, name, subject: one, value, values }) => (
          <button key={one} type="button" aria-pressed={one === subject} onClick={() => setSubject(one)}>
            <span className="figure-name">{name}</span>
            <span className="figure-value">
              {value} <small>{beside}</small>
            </span>
            <Spark kind={one === "requests" || one === "credits" ? "chalk" : "ink"} values={values} />
          </button>
        ))}
      </div>
      <section className="sheet traffic" aria-labelledby="traffic-title">
        <header>
          <h2 id="traffic-title">
            {TITLES[subject]}{" "}
            <span>
              {subject === "latency" ? "9 of 10 calls end within, " : "stacked, "}without the running{" "}
              {WINDOWS[place.window].bucket}
            </span>
          </h2>
          <nav className="by" aria-label="Divide by">
            {ConsoleRoute.divisions
              .filter((one) => subject !== "latency" || one === "network" || one === "method")
              .map((one) => (
                <a
                  key={one}
                  href={ConsoleRoute.link({ ...place, by: one }).href}
                  aria-current={one === by ? "true" : undefined}
                >
                  by {NAMES[one]}
                </a>
              ))}
          </nav>
        </header>
        <Chart key={subject} subject={subject} by={by} window={place.window} nameOf={nameOf} />
      </section>
    </>
  )
}

/** Returns the name of a line for readers. */
const nameIn = (by: ConsoleRoute.UsageDivision, name: string, nameOf: (id: string) => string): string => {
  if (name === REST) return name
  if (by === "project") return nameOf(name)
  return by === "method" ? UsedMethod.nameOf(name) : name
}

const Chart = ({
  by,
  nameOf,
  subject,
  window
}: {
  readonly subject: OverviewFigures.UsageSubject
  readonly by: ConsoleRoute.UsageDivision
  readonly window: ConsoleRoute.UsageWindow
  readonly nameOf: (id: string) => string
}) => {
  const atom = OverviewFigures.chart(`${window} ${by} ${subject}`)
  const again = useMemo(() => [atom], [atom])
  useEvery(15_000, again)
  const result = useAtom(atom)
  return (
    <PolledValue result={result} what={`the ${subject}`} again={() => registry.refresh(atom)}>
      {({ isBegun, lines, times }) =>
        lines.length === 0 && isBegun ? (
          <p className="inset soft nothing">
            The calls of the running {WINDOWS[window].bucket} are shown here when it ends.
          </p>
        ) : lines.length === 0 ? (
          <p className="inset soft nothing">
            {subject === "errors" ? "No call went wrong in this time." : "No call came in this time."}{" "}
            {subject === "errors"
              ? null
              : "Send one with a project's key: the page of the project has commands to paste."}
          </p>
        ) : (
          <Series
            label={`${TITLES[subject]} by ${NAMES[by]}, ${WINDOWS[window].name.toLowerCase()}`}
            times={times}
            lines={lines.map((line) => ({ ...line, name: nameIn(by, line.name, nameOf) }))}
            isStacked={subject !== "latency"}
            format={subject === "latency" ? millis : brief}
          />
        )
      }
    </PolledValue>
  )
}
