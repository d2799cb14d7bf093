/** The nodes of all networks: a row for each, with its state, newest block, provable answers, lies and last error. */
import type { Lies, NodeStatus, Status } from "@plumbline/gateway-admin/api/AdminModel"
import type { LatenciesAnswer } from "@plumbline/gateway-admin/api/AdminUsage"
import * as StatusProblems from "@plumbline/gateway-admin/api/StatusProblems"
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { Fragment } from "react"

import * as PageSession from "../chain/PageSession.ts"
import { Hash } from "../look/Hash.tsx"
import { Level } from "../look/Level.tsx"
import { Table, TableGroup, TableRow } from "../look/Table.tsx"
import { grouped } from "../look/TextFormats.ts"
import { useAtom } from "../look/useAtom.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { LetItLie } from "./LetItLie.tsx"
import { trustIn, trustText } from "./lieWords.ts"
import { millis, moment, second, span } from "./numberFormats.ts"
import * as OverviewFigures from "./overviewFigures.ts"

/** The panel. */
export const NetworksOverview = ({
  at,
  latency,
  lies,
  networks
}: {
  readonly networks: Status["networks"]
  readonly latency: (typeof LatenciesAnswer.Type)["lines"]
  /** The lies of all nodes, as the panel of lies shows them. */
  readonly lies: (typeof Lies.Type)["lies"]
  /** The time of the service's clock. */
  readonly at: number
}) => {
  const lieEnds = Option.getOrUndefined(AsyncResult.value(useAtom(OverviewFigures.lieEnds)))
  const start = Option.getOrUndefined(AsyncResult.value(useAtom(PageSession.start)))
  const isExample = (name: string): boolean => start?.networks.some((one) => one.open && one.name === name) ?? false
  return (
    <section className="sheet networks" aria-labelledby="networks-title">
      <header>
        <h2 id="networks-title">Nodes</h2>
        <span className="small soft">heads as the nodes report them</span>
      </header>
      {networks.length === 0 ? (
        <p className="inset soft">
          This process serves no network. Add one under <code>networks</code> of the configuration, and read it again
          with <code>plumbline reload</code>.
        </p>
      ) : (
        <Table columns={COLUMNS}>
          {networks.map(({ chainId, checked, head, name, nodes }, index) => (
            <Fragment key={name}>
              <TableGroup className="network">
                <p className="row wrap">
                  <a href={ConsoleRoute.link({ _tag: "Network", network: name }).href} className="strong">
                    {name}
                  </a>
                  <span>chain {chainId}</span>
                  {head === null ? (
                    <span>no block yet</span>
                  ) : (
                    <span className="head">
                      block {grouped(head.number)} <Hash hex={head.hash} />
                    </span>
                  )}
                  {checked ? null : <span>not checked</span>}
                  {lieEnds?.has(name) === true ? <LetItLie network={name} end={lieEnds.get(name)!} /> : null}
                </p>
                {StatusProblems.ofNetwork(networks[index]!).map((problem) => (
                  <p key={problem} className="fault">
                    {sentence(problem)}.
                  </p>
                ))}
              </TableGroup>
              {nodes.map((node) => (
                <TableRow
                  key={node.name}
                  className="node"
                  cells={[
                    node.name,
                    <Level key="state" state={node.state} behind={node.behind} />,
                    ageOf(node, nodes.length === 1 ? head : null, at, isExample(name)),
                    <span key="provable" title={answersOf(node)}>
                      {provenOf(node)}
                    </span>,
                    checked ? liesOf(lies, name, node.name) : "–",
                    answerTime(node, nodes.length === 1 ? latency.find(({ of }) => of.network === name) : undefined),
                    troubleOf(networks, name, node, at) ?? "none"
                  ]}
                />
              ))}
            </Fragment>
          ))}
        </Table>
      )}
      {networks.some(({ checked }) => checked) ? (
        <WhatIsProven network={networks.find(({ checked }) => checked)!.name} />
      ) : null}
    </section>
  )
}

const COLUMNS = [
  { name: "Node", className: "strong" },
  "State",
  { name: "Newest block", className: "soft" },
  { name: "Provable", className: "end" },
  { name: "Lies", className: "end" },
  { name: "9 of 10 within", className: "end" },
  { name: "Last error", className: "soft" }
]

/**
 * Returns the age of a node's newest block. An only node is not watched: then it is the age of the network's head. An
 * old block is no lag, because a chain can stand still: the state counts the blocks behind other nodes.
 */
const ageOf = (
  { lagMillis }: NodeStatus,
  head: Status["networks"][number]["head"],
  at: number,
  isExample: boolean
): string => {
  const age = lagMillis ?? (head === null ? undefined : at - head.time)
  if (age === undefined) return "–"
  return `${span(age)} old${isExample && age > DAY ? ": an example chain, which stands still" : ""}`
}

const DAY = 86_400_000

/** Returns the number of lies of a node. It has the same source as the panel of lies. */
const liesOf = (lies: (typeof Lies.Type)["lies"], network: string, node: string) => {
  const told = lies.filter((lie) => lie.network === network && lie.node === node)
  if (told.length === 0) return "0"
  const sumOf = (isDrill: boolean): bigint =>
    told.reduce((sum, { count, drill }) => ((drill != null) === isDrill ? sum + count : sum), 0n)
  const [ordered, other] = [sumOf(true), sumOf(false)]
  return (
    <>
      {other === 0n ? null : (
        <b className="lied" title={told.find(({ drill }) => drill == null)?.check}>
          {grouped(other)}
        </b>
      )}
      {ordered === 0n ? null : `${other === 0n ? "" : " and "}${grouped(ordered)} in a drill`}
    </>
  )
}

/** Returns a text with a capital first letter. */
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** Says which answers are provable, and why the others are no fault. */
const WhatIsProven = ({ network }: { readonly network: string }) => (
  <p className="inset small soft ruled what-is-proven">
    <b>Provable</b> counts the answers since the start of a kind that follows, by hashing, from a hash in the question
    or from the network's anchor: all of these were <span className="word verified">VERIFIED</span>. The others are{" "}
    <span className="word claimed">CLAIMED</span>, the node's word, and no fault: nothing proves a gas price or a
    pending transaction, and without an anchor nothing proves a question about the latest block.{" "}
    <a href={ConsoleRoute.link({ _tag: "Playground", network }).href}>Methods</a> shows the reason for each answer.
  </p>
)

/** Returns the number of a node's answers that could be proven, and were, and of all. A lie is in neither of them. */
const provenOf = ({ verdicts }: NodeStatus): string => {
  const sum = verdicts === undefined || verdicts === null ? 0 : verdicts.verified + verdicts.claimed
  return sum === 0 ? "–" : `${grouped(verdicts!.verified)} of ${grouped(sum)}`
}

/** Says how many answers the share is of. */
const answersOf = ({ verdicts }: NodeStatus): string | undefined =>
  verdicts === undefined || verdicts === null
    ? undefined
    : `${grouped(verdicts.verified)} VERIFIED, ${grouped(verdicts.claimed)} CLAIMED since the start`

/** Returns the time for an answer: that of the network's calls for an only node, otherwise the node's own. */
const answerTime = (
  { responseMillis }: NodeStatus,
  ofNetwork: (typeof LatenciesAnswer.Type)["lines"][number] | undefined
): string => {
  const time = ofNetwork?.all.p90 ?? responseMillis
  return time === null || time === undefined ? "–" : millis(time)
}

/** Returns the problem of a node or its last error, and the time of the next attempt. */
const troubleOf = (
  networks: Status["networks"],
  network: string,
  { lastError, lies, name, nextAttemptAt, problem, state }: NodeStatus,
  at: number
): string | undefined => {
  const trust = trustIn(networks, network, name)
  if (state === "lies") {
    const last = lies === null ? "" : `, last at ${second(lies.last.at, at)} UTC`
    return `${name}: ${problem ?? "its answer was refuted"}${last}. It is ${trust === undefined ? "not trusted" : trustText(trust, at)}.`
  }
  if (problem !== null) return `${name}: ${problem}.`
  const since =
    lastError === null
      ? ""
      : lastError.kind === "Refuted"
        ? `It lied, last at ${second(lastError.at ?? lastError.since, at)} UTC.${trust === undefined ? "" : ` It is ${trustText(trust, at)}.`}`
        : `${lastError.kind} since ${moment(lastError.since, at)} UTC.`
  if (state !== "down" && nextAttemptAt === null) return since === "" ? undefined : since
  const next =
    nextAttemptAt === null ? "" : ` It is tried again ${nextAttemptAt > at ? `in ${span(nextAttemptAt - at)}` : "now"}.`
  return `${name} ${state === "down" ? "does not answer" : "rests"}. ${since}${next}`
}
