/** The usage of a project in the chosen time, by method. */
import { LiveValue } from "../admin/OperatorPage.tsx"
import { UsageTable } from "../charts/UsageTable.tsx"
import { charged, UsedMethod } from "../charts/UsedMethod.tsx"
import { count } from "../look/TextFormats.ts"
import { moment } from "../overview/numberFormats.ts"
import { WindowChoice } from "../overview/WindowChoice.tsx"
import type { UsageWindow } from "../route/ConsoleRoute.ts"
import * as ProjectReads from "./projectReads.ts"

/** The panel. */
export const ProjectUsage = ({
  id,
  window = "24h"
}: {
  readonly id: string
  readonly window?: UsageWindow | undefined
}) => (
  <section className="sheet usage" aria-labelledby="usage-title">
    <header>
      <h2 id="usage-title">Usage</h2>
      <WindowChoice place={{ _tag: "Project", id }} shown={window} />
    </header>
    <LiveValue of={ProjectReads.usage(`${window} ${id}`)} what="the usage" every={15_000}>
      {({ from, rows, to, totals }) => (
        <>
          {rows.length === 0 ? null : (
            <p className="inset small soft totals">
              {count(totals.calls, "call")}, {count(totals.credits, "credit")} from {moment(from, to)} to{" "}
              {moment(to, to)} UTC
            </p>
          )}
          <UsageTable
            head={["Method", "Network", "Share", "Calls", "Credits"]}
            empty="No call in this time. Paste one of the programs above, and its call appears here within seconds."
            totals={totals}
            rows={charged(rows)}
            cells={({ method = "", network = "" }) => ({
              key: `${network} ${method}`,
              own: { Method: <UsedMethod method={method} />, Network: network }
            })}
          />
        </>
      )}
    </LiveValue>
  </section>
)
