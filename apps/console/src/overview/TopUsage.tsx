/** Shows the methods and the projects with the most calls, with their shares. */
import type { LatenciesAnswer } from "@plumbline/gateway-admin/api/AdminUsage"
import type { ReactNode } from "react"

import { called, Share, UsedMethod } from "../charts/UsedMethod.tsx"
import { Table, TableRow } from "../look/Table.tsx"
import { grouped } from "../look/TextFormats.ts"
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

/** The methods. */
export const TopMethods = ({
  latency,
  rows,
  totals
}: {
  readonly rows: ReadonlyArray<Row>
  readonly totals: Pick<Row, "calls" | "credits">
  readonly latency: (typeof LatenciesAnswer.Type)["lines"]
}) => (
  <section className="sheet busiest-methods" aria-labelledby="methods-title">
    <header>
      <h2 id="methods-title">Methods</h2>
      <span className="small soft">most called first</span>
    </header>
    <UsageTable
      head={["Method", "Network", "Share", "Calls", "Credits", "9 of 10 within"]}
      totals={totals}
      rows={rows}
      cells={({ method = "", network = "" }) => {
        const p90 = latency.find(({ of }) => of.method === method && of.network === network)?.all.p90
        return {
          key: `${network} ${method}`,
          name: <UsedMethod method={method} />,
          network,
          within: p90 === undefined ? "–" : millis(p90)
        }
      }}
    />
  </section>
)

/** The projects. */
export const TopProjects = ({
  nameOf,
  rows,
  totals
}: {
  readonly rows: ReadonlyArray<Row>
  readonly totals: Pick<Row, "calls" | "credits">
  readonly nameOf: (id: string) => string
}) => (
  <section className="sheet busiest" aria-labelledby="busiest-title">
    <header>
      <h2 id="busiest-title">Projects</h2>
      <span className="small soft">most calls first</span>
    </header>
    <UsageTable
      head={["Project", "Share", "Calls", "Credits"]}
      totals={totals}
      rows={rows}
      cells={({ project = "" }) => ({
        key: project,
        name: <a href={ConsoleRoute.link({ _tag: "Project", id: project }).href}>{nameOf(project)}</a>
      })}
    />
  </section>
)

const UsageTable = ({
  cells,
  head,
  rows,
  totals
}: {
  readonly head: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Row>
  readonly totals: Pick<Row, "calls" | "credits">
  readonly cells: (row: Row) => {
    readonly key: string
    readonly name: ReactNode
    readonly network?: string
    readonly within?: string
  }
}) => {
  const shown = called(rows)
  if (shown.length === 0) return <p className="inset soft">No call came in this time.</p>
  const most = Number(shown[0]!.calls)
  return (
    <Table columns={head.map((name) => ({ name, className: CLASSES.get(name) }))}>
      {shown.map((row) => {
        const { key, name, network, within } = cells(row)
        return (
          <TableRow
            key={key}
            cells={[
              name,
              ...(network === undefined ? [] : [network]),
              <Share key="share" bar={Number(row.calls) / most} part={Number(row.calls) / Number(totals.calls)} />,
              grouped(row.calls),
              grouped(row.credits),
              ...(within === undefined ? [] : [within])
            ]}
          />
        )
      })}
    </Table>
  )
}

/** The classes of the columns, by name. */
const CLASSES: ReadonlyMap<string, string> = new Map([
  ["Network", "soft"],
  ["Share", "share"],
  ["Calls", "end"],
  ["Credits", "end soft"],
  ["9 of 10 within", "end soft"]
])
