/** The answers of nodes that were refuted, each with the check that failed. */
import type { Lies as Answer, Status } from "@plumbline/gateway-admin/api/AdminModel"

import { Table, TableRow } from "../look/Table.tsx"
import { grouped } from "../look/TextFormats.ts"
import { moment } from "./numberFormats.ts"

const SHOWN = 6

/** The panel of refuted answers. Answers within the chosen window come first, because they are the newest. */
export const RefutedAnswers = ({
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
}) => (
  <section className="sheet lies" aria-labelledby="lies-title">
    <header>
      <h2 id="lies-title">Lies</h2>
      <span className="small soft">newest first</span>
    </header>
    {lies.length === 0 ? (
      <p className="inset soft">
        {networks.some(({ checked }) => checked)
          ? "No node has lied."
          : "No network checks its nodes, so no lie can be caught. Set integrity: check, or prove, at a network of the configuration."}
      </p>
    ) : (
      <Table
        columns={["Check", { name: "Node", className: "soft" }, { name: "Number", className: "end" }]}
        isHeadSpoken
      >
        {lies.slice(0, SHOWN).map(({ check, count, lastAt, method, network, node }) => (
          <TableRow
            key={`${network} ${node} ${method} ${check}`}
            className={lastAt < since ? "soft" : undefined}
            cells={[
              <>
                <b>{check}</b>
                <br />
                <code className="soft">{method}</code>
              </>,
              <>
                {network}, {node}
                <br />
                last {moment(lastAt, at)} UTC
              </>,
              grouped(count)
            ]}
          />
        ))}
      </Table>
    )}
  </section>
)
