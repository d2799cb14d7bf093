/** The usage of a project in the chosen time: its sum and what went wrong, by method, by key, and over time. */
import { useMemo } from "react"

import { LiveValue } from "../admin/OperatorPage.tsx"
import { useWhyNot } from "../admin/rights.ts"
import { UsageTable } from "../charts/UsageTable.tsx"
import { called, charged, UsedMethod } from "../charts/UsedMethod.tsx"
import { count } from "../look/TextFormats.ts"
import { moment } from "../overview/numberFormats.ts"
import { isError, outcomesOf } from "../overview/overviewFigures.ts"
import { WindowChoice } from "../overview/WindowChoice.tsx"
import { useWindow } from "../overview/windows.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as ProjectReads from "./projectReads.ts"
import { COUNTED_FROM, usedAndLeft } from "./quotaWords.ts"

/** The panel. */
export const ProjectUsage = ({
  read: {
    history,
    keys,
    project: { id },
    standing: { day, keys: limitedKeys }
  },
  window: linked
}: {
  readonly read: ProjectReads.ProjectRead
  readonly window: ConsoleRoute.UsageWindow | undefined
}) => {
  const window = useWindow(linked, "24h")
  // the last use of a key goes with the calls of the key
  const also = useMemo(() => [ProjectReads.one(id)], [id])
  const isOperator = useWhyNot()("usage.series") === undefined
  return (
    <section className="sheet usage" aria-labelledby="usage-title">
      <header>
        <h2 id="usage-title">Usage</h2>
        <WindowChoice place={{ _tag: "Project", id }} shown={window} />
      </header>
      <LiveValue of={ProjectReads.usage(`${window} ${id}`)} what="the usage" every={15_000} also={also}>
        {({ details, keys: ofKeys, methods: { from, rows, to, totals }, outcomes, series }) => {
          const errors = details.rows.filter(({ outcome }) => isError(outcome))
          const errorsOf = (is: (row: (typeof errors)[number]) => boolean): bigint =>
            errors.reduce((sum, row) => (is(row) ? sum + row.calls : sum), 0n)
          const networks = new Set(rows.map(({ network }) => network))
          const nameOf = (key: string): string => {
            const held = keys.keys.find((one) => one.id === key)
            if (held !== undefined) return `${held.start}… ${held.label ?? ""}`
            const start = history.ended.find((one) => one.id === key)?.start
            return start === undefined ? "no key, or a token" : `${start}… (ended)`
          }
          const step = STEP[ProjectReads.STEPS[window]] ?? "From"
          const steps = series.times.map((at, index) => ({
            at,
            calls: series.lines.reduce((sum, { counts }) => sum + counts[index]!.calls, 0n),
            credits: series.lines.reduce((sum, { counts }) => sum + counts[index]!.credits, 0n)
          }))
          return (
            <>
              {rows.length === 0 ? null : (
                <p className="inset small soft totals">
                  {count(totals.calls, "call")}, {count(totals.credits, "credit")} from {moment(from, to)} UTC until now
                  {networks.size === 1 ? `, on ${rows[0]!.network}` : ""}: {outcomesOf(outcomes.rows)}.
                  {errors.some(({ outcome }) => outcome === "error" || outcome === "failed") ? ` ${MEANING}` : ""}
                  {day === null ? "" : ` Limit per day: ${usedAndLeft(day)}.`}
                  {(limitedKeys ?? []).flatMap(({ day, key }) =>
                    day === null ? [] : ` Limit per day of the key ${nameOf(key).trimEnd()}: ${usedAndLeft(day)}.`
                  )}
                  {day === null && !limitedKeys?.some(({ day }) => day !== null) ? "" : ` ${COUNTED_FROM}`}
                </p>
              )}
              <UsageTable
                head={networks.size === 1 ? ["Method", ...FIGURES] : ["Method", "Network", ...FIGURES]}
                empty="No call in this time. Paste one of the programs above, and its call appears here within half a minute. Reads of this console are not counted."
                totals={totals}
                rows={charged(rows)}
                cells={({ method = "", network = "" }) => ({
                  key: `${network} ${method}`,
                  errors: errorsOf((row) => row.method === method && row.network === network),
                  own: {
                    Method: <UsedMethod method={method} network={networks.size === 1 ? undefined : network} />,
                    Network: network
                  }
                })}
              />
              {rows.length === 0 ? null : (
                <>
                  <UsageTable
                    head={["Key", ...FIGURES]}
                    empty=""
                    totals={totals}
                    rows={called(ofKeys.rows)}
                    cells={({ key = "" }) => ({
                      key,
                      errors: errorsOf((row) => row.key === key),
                      own: { Key: nameOf(key) }
                    })}
                  />
                  <UsageTable
                    head={[step, "Share", "Calls", "Credits"]}
                    empty=""
                    totals={totals}
                    rows={called(steps).toReversed()}
                    cells={({ at }) => ({
                      key: String(at),
                      own: { [step]: `${moment(at, to)} UTC` }
                    })}
                  />
                </>
              )}
              <p className="inset small soft ruled">
                A call without a valid key, secret or token belongs to no project, so it is not counted here: it is
                refused with 401.{" "}
                {isOperator ? (
                  <>
                    The <a href={ConsoleRoute.link({ _tag: "Overview" }).href}>overview</a> counts such calls.
                  </>
                ) : (
                  "The operator of the service sees the number of such calls."
                )}
              </p>
            </>
          )
        }}
      </LiveValue>
    </section>
  )
}

const FIGURES = ["Share", "Calls", "Errors", "Credits"] as const

/** The meaning of the words for calls that went wrong. */
const MEANING =
  "“Failed” means that no node answered; an error in an answer names a wrong method or parameter, or tells that no node could prove it."

/** The name of the column of times, by the seconds of a bucket. */
const STEP: Readonly<Record<number, string>> = {
  60: "Minute from",
  300: "Five minutes from",
  3600: "Hour from",
  86_400: "Day from"
}
