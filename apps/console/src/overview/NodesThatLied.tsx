/**
 * The nodes whose answers were refuted: each node with its state, the times, what it said and what the check expected,
 * and the number of its lies.
 */
import type { Lies as Answer, Status } from "@plumbline/gateway-admin/api/AdminModel"
import { useEffect } from "react"

import { Table, TableRow } from "../look/Table.tsx"
import { grouped, short } from "../look/TextFormats.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { NODES_THAT_LIED } from "../route/panels.ts"
import { EACH_PROVEN, harmText, orderText, type RefusedCalls, timesOf, trustIn, trustText } from "./lieWords.ts"
import { SHOWN } from "./overviewFigures.ts"

/** The values that a check compared. */
interface ShownLie {
  readonly expected?: string | null | undefined
  readonly got?: string | null | undefined
}

type Lie = (typeof Answer.Type)["lies"][number]

/** The panel. Lies within the chosen window come first, because they are the newest. */
export const NodesThatLied = ({
  at,
  lies,
  nameOf,
  networks,
  refused,
  since
}: {
  readonly lies: ReadonlyArray<Lie>
  readonly since: number
  /** The current time by the service's clock. */
  readonly at: number
  readonly networks: Status["networks"]
  /** The calls that were refused because of each lie that is shown; undefined if they could not be read. */
  readonly refused: ReadonlyArray<ReadonlyArray<RefusedCalls> | undefined>
  /** Returns the name of a project. */
  readonly nameOf: (project: string) => string
}) => {
  // a link from another screen names the panel before it is on the page
  useEffect(() => {
    if (location.hash === `#${NODES_THAT_LIED}`) document.getElementById(NODES_THAT_LIED)?.scrollIntoView()
  }, [])
  const shown = lies.slice(0, SHOWN)
  const hasDrill = shown.some(({ drill }) => drill != null)
  const hasOther = shown.some(({ drill }) => drill == null)
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
            {shown.map((lie, index) => (
              <TableRow
                key={`${lie.network} ${lie.node} ${lie.method} ${lie.check} ${lie.drill?.at}`}
                className={lie.lastAt < since ? "soft" : undefined}
                cells={[
                  <LiarCell key="node" lie={lie} at={at} networks={networks} />,
                  <div key="lie" className="last-lie">
                    <code>
                      {lie.method}
                      {lie.params == null
                        ? ""
                        : `(${shortened(lie.params.replace(/^\[(.*)\]$/u, "$1").replaceAll(",", ", "))})`}
                    </code>
                    <br />
                    The check “{lie.check}” refuted it
                    {lie.block == null ? null : <AboutBlock block={lie.block} />}
                    <Values {...lie} />
                    {refused[index] === undefined ? null : <p className="small">{harmText(refused[index], nameOf)}</p>}
                  </div>,
                  <b key="count" className={lie.drill == null ? "lied" : undefined}>
                    {grouped(lie.count)}
                  </b>
                ]}
              />
            ))}
          </Table>
          <p className="inset small soft ruled">
            {hasOther
              ? "If a node lies again without an order, take it out of the configuration, and keep its values: they prove the lie. "
              : ""}
            {hasDrill ? (
              <>
                A drill shows that lies are caught, and there is nothing to do. Its order is in{" "}
                <a href={ConsoleRoute.link({ _tag: "Audit" }).href}>Audit</a>.{" "}
              </>
            ) : null}
            {EACH_PROVEN} Answers to callers and to the service&apos;s own questions are counted, so there can be more
            lies than refused calls.
          </p>
        </>
      )}
    </section>
  )
}

/** Shows which node lied, when, by whose order if it is a drill, and if it is trusted. */
const LiarCell = ({
  at,
  lie: { drill, firstAt, lastAt, network, node },
  networks
}: {
  readonly at: number
  readonly lie: Lie
  readonly networks: Status["networks"]
}) => {
  const trust = trustIn(networks, network, node)
  return (
    <>
      {drill == null ? null : "Drill: "}
      <b>{node}</b> of {network}
      <br />
      <span className="soft time">{timesOf(firstAt, lastAt, at)}</span>
      {drill == null ? null : (
        <>
          <br />
          <span className="soft">
            ordered by {drill.by === null ? "an operator" : <b>“{drill.by}”</b>} {orderText(drill, at)}
          </span>
        </>
      )}
      {trust === undefined ? null : (
        <>
          <br />
          <span className="soft">{trustText(trust, at, drill)}</span>
        </>
      )}
    </>
  )
}

/** Names the block of an answer. */
const AboutBlock = ({ block: { hash, number } }: { readonly block: NonNullable<Lie["block"]> }) => (
  <>
    {", about block "}
    {grouped(number)} {hash === null ? null : <code title={hash}>{short(hash)}</code>}
  </>
)

/** Shows the two values that the check compared, and both in full if the reader asks. */
const Values = ({ expected, got }: ShownLie) =>
  expected == null || got == null ? null : (
    <details className="lie-values small">
      <summary>
        the node said <LieValue text={got} />, right is <LieValue text={expected} />
      </summary>
      the node said <code>{got}</code>
      <br />
      right is <code>{expected}</code>
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
