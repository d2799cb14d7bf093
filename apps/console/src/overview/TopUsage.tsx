/** Shows the methods and the projects with the most calls, with their shares. */
import type { Status } from "@plumbline/gateway-admin/api/AdminModel"
import type { LatenciesAnswer } from "@plumbline/gateway-admin/api/AdminUsage"

import { minuteOf } from "../admin/utcTimes.ts"
import { UsageTable } from "../charts/UsageTable.tsx"
import { called, UsedMethod } from "../charts/UsedMethod.tsx"
import { count } from "../look/TextFormats.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { millis } from "./numberFormats.ts"

/** A row of usage. */
interface Row {
  readonly project?: string
  readonly network?: string
  readonly method?: string
  readonly calls: bigint
  readonly credits: bigint
}

const NONE = "No call came in this time."

/** The methods. */
export const TopMethods = ({
  latency,
  rows,
  totals
}: {
  readonly rows: ReadonlyArray<Row>
  readonly totals: Pick<Row, "calls" | "credits">
  readonly latency: (typeof LatenciesAnswer.Type)["lines"]
}) => {
  const networks = new Set(rows.map(({ network }) => network))
  return (
    <section className="sheet busiest-methods" aria-labelledby="methods-title">
      <header>
        <h2 id="methods-title">Methods</h2>
        <span className="small soft">most called first</span>
      </header>
      <UsageTable
        head={["Method", "Network", "Share", "Calls", "Credits", "9 of 10 within"]}
        empty={NONE}
        totals={totals}
        rows={called(rows)}
        cells={({ method = "", network = "" }) => {
          const p90 = latency.find(({ of }) => of.method === method && of.network === network)?.all.p90
          return {
            key: `${network} ${method}`,
            own: {
              Method: <UsedMethod method={method} network={networks.size === 1 ? undefined : network} />,
              Network: network,
              "9 of 10 within": p90 === undefined ? "–" : millis(p90)
            }
          }
        }}
      />
    </section>
  )
}

/** The projects. */
export const TopProjects = ({
  nameOf,
  rows,
  totals,
  unauthorized,
  window
}: {
  readonly rows: ReadonlyArray<Row>
  readonly totals: Pick<Row, "calls" | "credits">
  readonly nameOf: (id: string) => string
  /** The requests without a valid key; none if the service does not tell them. */
  readonly unauthorized: Status["unauthorized"]
  /** The shown window, in which the page of a project goes on. */
  readonly window: ConsoleRoute.UsageWindow
}) => (
  <section className="sheet busiest" aria-labelledby="busiest-title">
    <header>
      <h2 id="busiest-title">Projects</h2>
      <span className="small soft">most calls first</span>
    </header>
    <UsageTable
      head={["Project", "Share", "Calls", "Credits"]}
      empty={NONE}
      totals={totals}
      rows={called(rows)}
      cells={({ project = "" }) => ({
        key: project,
        own: {
          Project: (
            <a className="stretched" href={ConsoleRoute.link({ _tag: "Project", id: project, window }).href}>
              {nameOf(project)}
            </a>
          )
        }
      })}
    />
    {unauthorized == null ? null : (
      <p className="inset small soft ruled unauthorized">
        {count(unauthorized.count, "request")} without a valid key, secret or token since {minuteOf(unauthorized.since)}
        : refused with 401. They belong to no project, so no figure above has them.
      </p>
    )}
  </section>
)
