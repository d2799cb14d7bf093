/** Shows the methods and the projects with the most calls, with their shares. */
import type { LatenciesAnswer } from "@plumbline/gateway-admin/api/AdminUsage"
import type { ReactNode } from "react"

import { called, UsedMethod } from "../charts/UsedMethod.tsx"
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
    <Table
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
    <Table
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

const Table = ({
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
    <div className="scroll">
      <table>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} className={RIGHT.has(name) ? "end" : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => {
            const { key, name, network, within } = cells(row)
            return (
              <tr key={key}>
                <td>{name}</td>
                {network === undefined ? null : <td className="soft">{network}</td>}
                <td className="share">
                  <i style={{ width: `${((Number(row.calls) / most) * 100).toFixed(1)}%` }} />
                  <span className="spoken">
                    {((Number(row.calls) / Number(totals.calls)) * 100).toFixed(1)} % of all calls
                  </span>
                </td>
                <td className="end">{grouped(row.calls)}</td>
                <td className="end soft">{grouped(row.credits)}</td>
                {within === undefined ? null : <td className="end soft">{within}</td>}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

const RIGHT: ReadonlySet<string> = new Set(["Calls", "Credits", "9 of 10 within"])
