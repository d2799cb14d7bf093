/** The nodes whose answers were refuted: each node with the check that failed, the method, the times and the number. */
import type { Lies as Answer, Status } from "@plumbline/gateway-admin/api/AdminModel"
import { useEffect } from "react"

import { Table, TableRow } from "../look/Table.tsx"
import { grouped } from "../look/TextFormats.ts"
import { NODES_THAT_LIED } from "../route/panels.ts"
import { moment } from "./numberFormats.ts"

const SHOWN = 6

/** The panel. Lies within the chosen window come first, because they are the newest. */
export const NodesThatLied = ({
  at,
  lies,
  networks,
  since
}: {
  readonly lies: (typeof Answer.Type)["lies"]
  readonly since: number
  /** The current time by the service's clock. */
  readonly at: number
  readonly networks: Status["networks"]
}) => {
  // a link from another screen names the panel before it is on the page
  useEffect(() => {
    if (location.hash === `#${NODES_THAT_LIED}`) document.getElementById(NODES_THAT_LIED)?.scrollIntoView()
  }, [])
  return (
    <section className="sheet liars" aria-labelledby={NODES_THAT_LIED}>
      <header>
        <h2 id={NODES_THAT_LIED}>Nodes that lied</h2>
        <span className="small soft">newest first; no caller got a lie</span>
      </header>
      {lies.length === 0 ? (
        <p className="inset soft">
          {networks.some(({ checked }) => checked)
            ? "No node has lied."
            : "No network checks its nodes, so no lie can be caught. Set integrity: check, or prove, at a network of the configuration."}
        </p>
      ) : (
        <>
          <Table
            columns={["Node", { name: "Check and method", className: "soft" }, { name: "Lies", className: "end" }]}
          >
            {lies.slice(0, SHOWN).map(({ check, count, firstAt, lastAt, method, network, node }) => (
              <TableRow
                key={`${network} ${node} ${method} ${check}`}
                className={lastAt < since ? "soft" : undefined}
                cells={[
                  <>
                    <b>{node}</b> of {network}
                    <br />
                    <span className="soft time">{timesOf(firstAt, lastAt, at)}</span>
                  </>,
                  <>
                    {check}
                    <br />
                    <code>{method}</code>
                  </>,
                  <b key="count" className="lied">
                    {grouped(count)}
                  </b>
                ]}
              />
            ))}
          </Table>
          <p className="inset small soft ruled">
            Answers to callers and to the service&apos;s own questions are counted, so there can be more lies than
            failed calls.
          </p>
        </>
      )}
    </section>
  )
}

/**
 * Returns when a node lied first and last, as text. `at` is the current time by the service's clock. A service of an
 * earlier version does not tell the first time.
 */
export const timesOf = (firstAt: number | null | undefined, lastAt: number, at: number): string => {
  const last = `${moment(lastAt, at)} UTC`
  if (firstAt == null) return `last at ${last}`
  const first = moment(firstAt, at)
  return last.startsWith(first) ? `at ${last}` : `from ${first} to ${last}`
}
