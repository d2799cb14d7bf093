/** The usage of a project in the last 24 hours, by method. */
import type { ByAnswer } from "@plumbline/gateway-admin/api/AdminUsage"

import { charged, Share, UsedMethod } from "../charts/UsedMethod.tsx"
import { Table, TableRow } from "../look/Table.tsx"
import { grouped } from "../look/TextFormats.ts"

/** The panel. */
export const ProjectUsage = ({ usage: { rows, totals } }: { readonly usage: typeof ByAnswer.Type }) => (
  <section className="sheet usage" aria-labelledby="usage-title">
    <header>
      <h2 id="usage-title">
        Usage <span>24 hours</span>
      </h2>
      <span className="small soft">
        {grouped(totals.calls)} calls, {grouped(totals.credits)} credits
      </span>
    </header>
    {rows.length === 0 ? (
      <p className="inset soft">
        No call yet. Paste one of the programs above, and its call appears here within seconds.
      </p>
    ) : (
      <Table columns={COLUMNS}>
        {charged(rows).map(({ calls, credits, method = "", network = "" }) => (
          <TableRow
            key={`${network} ${method}`}
            cells={[
              <UsedMethod key="method" method={method} />,
              network,
              <Share
                key="share"
                bar={Number(calls) / Math.max(1, Number(rows[0]!.calls))}
                part={Number(calls) / Math.max(1, Number(totals.calls))}
              />,
              calls === 0n ? "–" : grouped(calls),
              grouped(credits)
            ]}
          />
        ))}
      </Table>
    )}
  </section>
)

const COLUMNS = [
  "Method",
  { name: "Network", className: "soft" },
  { name: "Share", className: "share" },
  { name: "Calls", className: "end" },
  { name: "Credits", className: "end soft" }
]
