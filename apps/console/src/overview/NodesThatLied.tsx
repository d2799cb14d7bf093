/**
 * The nodes whose answers were refuted: each node with its state, the times, what it said and what the check expected,
 * and the number of its lies.
 */
import type { Lies as Answer, Status } from "@plumbline/gateway-admin/api/AdminModel"
import { useEffect } from "react"

import { Table, TableRow } from "../look/Table.tsx"
import { grouped, short } from "../look/TextFormats.ts"
import { NODES_THAT_LIED } from "../route/panels.ts"
import { second } from "./numberFormats.ts"

const SHOWN = 6

/** The lies of a node about a method, found by one check, as far as this page shows them. */
interface ShownLie {
  readonly expected?: string | null | undefined
  readonly got?: string | null | undefined
}

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
          <Table columns={["Node", "The last lie", { name: "Lies", className: "end" }]}>
            {lies.slice(0, SHOWN).map(({ check, count, firstAt, lastAt, method, network, node, ...values }) => (
              <TableRow
                key={`${network} ${node} ${method} ${check}`}
                className={lastAt < since ? "soft" : undefined}
                cells={[
                  <>
                    <b>{node}</b> of {network}
                    <br />
                    <span className="soft time">{timesOf(firstAt, lastAt, at)}</span>
                    <br />
                    <span className="soft">{trustOf(networks, network, node)}</span>
                  </>,
                  <div key="lie" className="last-lie">
                    <code>{method}</code>
                    <br />
                    {check}
                    <Values {...values} />
                  </div>,
                  <b key="count" className="lied">
                    {grouped(count)}
                  </b>
                ]}
              />
            ))}
          </Table>
          <p className="inset small soft ruled">
            If a node lies again, take it out of the configuration, and keep its values: they prove the lie. Answers to
            callers and to the service&apos;s own questions are counted, so there can be more lies than failed calls.
          </p>
        </>
      )}
    </section>
  )
}

/** Shows the two values that the check compared, and both in full if the reader asks. */
const Values = ({ expected, got }: ShownLie) =>
  expected == null || got == null ? null : (
    <details className="lie-values small">
      <summary>
        said <LieValue text={got} />, expected <LieValue text={expected} />
      </summary>
      said <code>{got}</code>
      <br />
      expected <code>{expected}</code>
    </details>
  )

/** Shows one value, shortened. */
const LieValue = ({ text }: { readonly text: string }) => <code title={text}>{shortened(text)}</code>

/** Returns a value that fits into a line: a hash by its first and last digits, another text by its beginning. */
const shortened = (text: string): string =>
  /^0x[\da-f]{15,}/u.test(text) ? short(text) : text.length > 40 ? `${text.slice(0, 40)}…` : text

/** Says what a node said and what the check expected, as the end of a sentence; empty if a lie has no values. */
export const SaidAndExpected = ({ expected, got }: ShownLie) =>
  expected == null || got == null ? null : (
    <>
      : it said <LieValue text={got} />, and the check expected <LieValue text={expected} />
    </>
  )

/** Says if a node that lied is trusted; undefined for a node that does not answer, or is no longer configured. */
export const trustOf = (networks: Status["networks"], network: string, node: string): string | undefined => {
  const state = networks.find(({ name }) => name === network)?.nodes.find(({ name }) => name === node)?.state
  return state === "lies" ? "not trusted now" : state === "up" ? "trusted again" : undefined
}

/**
 * Returns when a node lied first and last, as text. `at` is the current time by the service's clock. A service of an
 * earlier version does not tell the first time.
 */
export const timesOf = (firstAt: number | null | undefined, lastAt: number, at: number): string => {
  const last = `${second(lastAt, at)} UTC`
  if (firstAt == null) return `last at ${last}`
  const first = second(firstAt, at)
  return last.startsWith(first) ? `at ${last}` : `from ${first} to ${last}`
}
