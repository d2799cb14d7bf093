/** The four figures of the overview, and the chart of the chosen figure. */
import type { LatenciesAnswer, SeriesAnswer } from "@plumbline/gateway/admin/AdminUsage"
import { useMemo, useState } from "react"

import { Fresh } from "../admin/Fresh.tsx"
import { useEvery } from "../admin/live.ts"
import { Series } from "../charts/Series.tsx"
import { Spark } from "../charts/Spark.tsx"
import { REST } from "../charts/stack.ts"
import { grouped } from "../look/Text.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import * as Place from "../route/Place.ts"
import * as Figures from "./figures.ts"
import { brief, millis, rate } from "./numbers.ts"
import { WINDOWS } from "./windows.ts"

/** The usage that the figures show. */
export interface Usage {
  readonly outcomes: typeof SeriesAnswer.Type
  readonly latency: typeof LatenciesAnswer.Type
}

const TITLES: Readonly<Record<Figures.Subject, string>> = {
  requests: "Requests per minute",
  credits: "Credits per minute",
  errors: "Errors per minute",
  latency: "Latency"
}

const NAMES: Readonly<Record<Place.By, string>> = {
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
  readonly place: Extract<Place.Place, { readonly _tag: "Overview" }> & { readonly window: Place.Window }
  readonly usage: Usage
  readonly nameOf: (id: string) => string
}) => {
  const [subject, setSubject] = useState<Figures.Subject>("requests")
  const by = place.by ?? "network"
  const totals = useMemo(() => Figures.totalsOf(usage.outcomes), [usage.outcomes])
  const all = usage.latency.lines[0]
  const errors = totals.refused + totals.failed + totals.answered
  const share = totals.calls === 0n ? 0 : (Number(errors) / Number(totals.calls)) * 100
  const figures: ReadonlyArray<{
    readonly subject: Figures.Subject
    readonly name: string
    readonly value: string
    readonly beside: string
    readonly values: ReadonlyArray<number | null>
  }> = [
    {
      subject: "requests",
      name: "Requests",
      value: grouped(totals.calls),
      beside: `${rate(Number(totals.calls) / totals.seconds)} per second`,
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
      name: "Errors",
      value: `${share === 0 ? "0" : share.toFixed(1)} %`,
      beside: `${grouped(totals.refused)} refused, ${grouped(totals.failed)} failed, ${grouped(totals.answered)} error answers`,
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
            {TITLES[subject]} <span>{subject === "latency" ? "9 of 10 calls end within" : ""}</span>
          </h2>
          <nav className="by" aria-label="Divide by">
            {Place.divisions
              .filter((one) => subject !== "latency" || one === "network" || one === "method")
              .map((one) => (
                <a
                  key={one}
                  href={Place.link({ ...place, by: one }).href}
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

/** Returns the name of a line for readers. A call that was refused before its body was read has no method. */
const nameIn = (by: Place.By, name: string, nameOf: (id: string) => string): string => {
  if (name === REST) return name
  if (by === "project") return nameOf(name)
  return by === "method" && name === "unknown" ? "method not read" : name
}

const Chart = ({
  by,
  nameOf,
  subject,
  window
}: {
  readonly subject: Figures.Subject
  readonly by: Place.By
  readonly window: Place.Window
  readonly nameOf: (id: string) => string
}) => {
  const atom = Figures.chart(`${window} ${by} ${subject}`)
  const again = useMemo(() => [atom], [atom])
  useEvery(15_000, again)
  const result = useAtom(atom)
  return (
    <Fresh result={result} what={`the ${subject}`} again={() => registry.refresh(atom)}>
      {({ lines, times }) =>
        lines.length === 0 ? (
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
    </Fresh>
  )
}
