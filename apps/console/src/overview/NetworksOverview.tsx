/** The networks with their heads, their lag and the health of each node. */
import type { NodeStatus, Status } from "@plumbline/gateway-admin/api/AdminModel"
import type { LatenciesAnswer } from "@plumbline/gateway-admin/api/AdminUsage"
import { Fragment } from "react"

import { Hash } from "../look/Hash.tsx"
import { Level } from "../look/Level.tsx"
import { grouped } from "../look/TextFormats.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { millis, moment, span } from "./numberFormats.ts"

/** The panel. */
export const NetworksOverview = ({
  at,
  latency,
  networks
}: {
  readonly networks: Status["networks"]
  readonly latency: (typeof LatenciesAnswer.Type)["lines"]
  /** The time of the service's clock. */
  readonly at: number
}) => (
  <section className="sheet networks" aria-labelledby="networks-title">
    <header>
      <h2 id="networks-title">Networks</h2>
      <span className="small soft">heads as the nodes report them</span>
    </header>
    {networks.length === 0 ? (
      <p className="inset soft">
        This process serves no network. Add one under <code>networks</code> of the configuration, and read it again with{" "}
        <code>plumbline reload</code>.
      </p>
    ) : (
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th>Network</th>
              <th>Chain</th>
              <th>Head</th>
              <th>Age of the head</th>
              <th>Nodes</th>
              <th>Answers</th>
              <th className="end">9 of 10 within</th>
            </tr>
          </thead>
          <tbody>
            {networks.map((network) => {
              const { chainId, checked, head, name, nodes } = network
              // a network with one node is not watched, so its lag is the age of the last block in an answer
              const known = nodes.map(({ lagMillis }) => lagMillis).filter((lag) => lag !== null)
              const lag = known.length > 0 ? Math.min(...known) : head === null ? undefined : at - head.time
              const p90 = latency.find(({ of }) => of.network === name)?.all.p90
              const told = nodes.filter((node) => nodes.length > 1 || troubleOf(node, at) !== undefined)
              return (
                <Fragment key={name}>
                  <tr className={told.length > 0 ? "has-nodes" : undefined}>
                    <td>
                      <a href={ConsoleRoute.link({ _tag: "Network", network: name }).href} className="strong">
                        {name}
                      </a>
                    </td>
                    <td className="soft">{chainId}</td>
                    <td>
                      {head === null ? (
                        <span className="soft">no block yet</span>
                      ) : (
                        <span className="head">
                          {grouped(head.number)} <Hash hex={head.hash} />
                        </span>
                      )}
                    </td>
                    <td className="soft">{lag === undefined ? "–" : span(lag)}</td>
                    <td>
                      {nodes.length === 1 ? (
                        <Level state={nodes[0]!.state} behind={nodes[0]!.behind} />
                      ) : (
                        <span className="soft">
                          {nodes.filter(({ state }) => state === "up").length} of {nodes.length} up
                        </span>
                      )}
                    </td>
                    <td className="soft">{checked ? "checked" : "as written"}</td>
                    <td className="end">{p90 === undefined ? "–" : millis(p90)}</td>
                  </tr>
                  {told.map((node) => (
                    <tr key={node.name} className="node">
                      <td colSpan={7}>
                        <p>
                          <Level state={node.state} behind={node.behind} />
                          <span className="soft">
                            {troubleOf(node, at) ??
                              `${node.name} usually answers in ${millis(node.responseMillis ?? 0)}`}
                          </span>
                        </p>
                      </td>
                    </tr>
                  ))}
                </Fragment>
              )
            })}
          </tbody>
        </table>
      </div>
    )}
  </section>
)

/** Returns the problem of a node, and the time of the next attempt. */
const troubleOf = ({ lastError, name, nextAttemptAt, problem, state }: NodeStatus, at: number): string | undefined => {
  if (problem !== null) return `${name}: ${problem}.`
  if (state !== "down" && nextAttemptAt === null) return undefined
  const since = lastError === null ? "" : ` ${lastError.kind} since ${moment(lastError.since, at)} UTC.`
  const next =
    nextAttemptAt === null ? "" : ` It is tried again ${nextAttemptAt > at ? `in ${span(nextAttemptAt - at)}` : "now"}.`
  return `${name} ${state === "down" ? "does not answer" : "rests"}.${since}${next}`
}
