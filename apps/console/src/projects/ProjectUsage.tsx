/** The usage of a project in the last 24 hours, by method. */
import type { ByAnswer } from "@plumbline/gateway-admin/api/AdminUsage"

import { charged, UsedMethod } from "../charts/UsedMethod.tsx"
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
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th>Method</th>
              <th>Network</th>
              <th>Share</th>
              <th className="end">Calls</th>
              <th className="end">Credits</th>
            </tr>
          </thead>
          <tbody>
            {charged(rows).map(({ calls, credits, method = "", network = "" }) => (
              <tr key={`${network} ${method}`}>
                <td>
                  <UsedMethod method={method} />
                </td>
                <td className="soft">{network}</td>
                <td className="share">
                  <i
                    style={{ width: `${((Number(calls) / Math.max(1, Number(rows[0]!.calls))) * 100).toFixed(1)}%` }}
                  />
                  <span className="spoken">{`${((Number(calls) / Math.max(1, Number(totals.calls))) * 100).toFixed(1)} % of all calls`}</span>
                </td>
                <td className="end">{calls === 0n ? "–" : grouped(calls)}</td>
                <td className="end soft">{grouped(credits)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </section>
)
