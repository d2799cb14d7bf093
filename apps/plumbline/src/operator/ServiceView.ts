/** Formats the state of a service as text. Names are untrusted text, because users choose them. */
import type * as AdminModel from "@plumbline/gateway-admin/api/AdminModel"
import type { Webhook } from "@plumbline/gateway-admin/api/AdminWebhooks"
import * as StatusProblems from "@plumbline/gateway-admin/api/StatusProblems"

import type { Style } from "../terminal/Style.ts"
import * as TerminalText from "../terminal/TerminalText.ts"
import * as TextTable from "../terminal/TextTable.ts"
import * as Units from "../terminal/Units.ts"
import * as ResultView from "./ResultView.ts"

/** The answers of a service about itself. A service of an earlier version may omit parts. */
export interface ServiceAnswers extends AdminModel.Status {
  readonly webhooks?: ReadonlyArray<typeof Webhook.Type>
  /** The first projects. */
  readonly projects?: ReadonlyArray<{ readonly id: string; readonly name: string }>
  /** True if there are further projects. */
  readonly moreProjects?: boolean
}

/** Returns the lines about the state of a service and about the parts that do not work. */
export const status = (
  { accounts, cache, limiter, metering, moreProjects, networks, projects, webhooks }: ServiceAnswers,
  problems: ReadonlyArray<string>,
  style: Style
): ReadonlyArray<string> => {
  const nodes = networks.flatMap((network): ReadonlyArray<NodeRow> => [
    {
      network: network.name,
      node: "",
      chain: String(network.chainId),
      state: StatusProblems.stateWord(network.upstream),
      behind: "",
      lies: network.upstreams.length === 0 ? lies(network) : ""
    },
    ...network.upstreams.map(({ behind, name, state }) => ({
      network: "",
      node: name,
      chain: "",
      state: StatusProblems.stateWord(state),
      behind: behind === null ? "" : String(behind),
      lies: lies(network, name)
    }))
  ])
  const whenDown = limiter.whenDown === "open" ? "admitted" : "refused"
  return [
    problems.length === 0 ? style.good("Everything works") : style.bad(Units.count(problems.length, "problem")),
    ...problems.map((problem) => `  ${TerminalText.printable(problem)}`),
    "",
    ...TextTable.lines(columns, nodes, style),
    "",
    ...ResultView.facts(
      [
        [
          "limits",
          limiter.store === "down"
            ? `down; calls are ${whenDown}`
            : `${limiter.store === "untried" ? "not asked yet, because no limited call has come" : limiter.store}; if their store fails, calls are ${whenDown}`
        ],
        ["usage", `${metering.store}; ${Units.count(metering.waiting, "call")} not recorded yet`],
        ...networks.map((network): ResultView.NamedFact => [`anchor of ${network.name}`, anchorText(network)]),
        ...networks.flatMap(liesOf),
        ["cache", cacheText(cache)],
        ["projects", `${accounts?.store === "down" ? "down; " : ""}${projectsText(projects, moreProjects)}`],
        ...webhookFacts(webhooks)
      ],
      style
    )
  ]
}

/** A row of the table: a network, or one of its nodes. */
type NodeRow = Readonly<Record<"network" | "node" | "chain" | "state" | "behind" | "lies", string>>

const columns: ReadonlyArray<TextTable.TableColumn<NodeRow>> = [
  ["network", ({ network }) => network],
  ["node", ({ node }) => node],
  ["chain", ({ chain }) => chain],
  ["state", ({ state }) => state],
  ["blocks behind", ({ behind }) => behind, "numbers"],
  ["lies", ({ lies }) => lies, "numbers"]
]

type Network = ServiceAnswers["networks"][number]

/** Returns the number of lies of one node, or of all nodes of the network: answers that a proof or check refuted. */
const lies = ({ checked, nodes }: Network, name?: string): string => {
  if (!checked) return ""
  const told = nodes.filter((node) => name === undefined || node.name === name)
  return Units.grouped(BigInt(told.reduce((sum, node) => sum + (node.lies?.count ?? 0), 0)))
}

/** Returns a line for each node that has lied: the number of its lies, and the last one. */
const liesOf = ({ name, nodes }: Network): ReadonlyArray<ResultView.NamedFact> =>
  nodes.flatMap((node): ReadonlyArray<ResultView.NamedFact> => {
    if (node.lies === null) return []
    const { count, last, ordered } = node.lies
    const drills = ordered == null || ordered === 0 ? "" : `, ${Units.grouped(BigInt(ordered))} by order of an operator`
    const text = `${Units.count(count, "lie")}${drills}; the last: ${last.method}, ${last.check}, at ${Units.utc(BigInt(Math.floor(last.at / 1000))) ?? String(last.at)}`
    return [[`lies of ${name}, ${node.name}`, text]]
  })

/** Maximum number of projects that are named. */
const NAMED = 10

const projectsText = (projects: ServiceAnswers["projects"], goesOn = false): string => {
  if (projects === undefined) return "cannot be read now"
  if (projects.length === 0) return "none"
  const named = projects.slice(0, NAMED).map(({ id, name }) => `${name} (${id})`)
  const more = projects.length - named.length
  return `${named.join(", ")}${more === 0 ? "" : `, and ${Units.grouped(BigInt(more))}${goesOn ? " or" : ""} more`}`
}

const NOT_TOLD = "not told by this version of the service"

const anchorText = ({ anchor, checked }: Network): string => {
  if (anchor === undefined) return NOT_TOLD
  // an anchor that the service announces to its readers is none of its own proofs
  if (anchor === null)
    return checked
      ? "none: with integrity: check, the service proves only what a hash in the question proves. Readers prove the rest from an anchor that they trust, such as the one that the console shows"
      : "none: with integrity: off, the service neither checks nor proves an answer"
  const { ageMillis, by, finality, hash, number, problem } = anchor
  if (problem !== null) return `none: ${problem}`
  return [
    `block ${number === null ? (hash ?? "?") : `${Units.grouped(number)} ${hash ?? ""}`}`.trimEnd(),
    ...(ageMillis === null ? [] : [`${Units.grouped(BigInt(Math.max(0, Math.floor(ageMillis / 1000))))} s old`]),
    ...(by === null ? [] : [`from ${by}`]),
    ...(finality === null ? [] : [finality])
  ].join(", ")
}

const cacheText = (cache: ServiceAnswers["cache"]): string => {
  if (cache === undefined) return NOT_TOLD
  if (cache === null) return "none"
  const { asked, bytes, corrupt, entries, hits, joined, stored } = cache
  const kept = hits + stored + joined
  const all = BigInt(kept + asked)
  return [
    `${Units.count(entries, "answer")} in memory, ${Units.count(bytes, "byte")}`,
    all === 0n
      ? "not asked yet"
      : `${Units.percent(BigInt(kept), all)} of ${Units.count(kept + asked, "question")} answered`,
    `${Units.count(corrupt, "stored answer was", "stored answers were")} changed`
  ].join("; ")
}

const webhookFacts = (webhooks: ServiceAnswers["webhooks"]): ReadonlyArray<ResultView.NamedFact> => {
  if (webhooks === undefined) return [["webhooks", NOT_TOLD]]
  if (webhooks.length === 0) return [["webhooks", "none"]]
  return webhooks.map(({ delivered, failures, lost, name, problem, waiting }): ResultView.NamedFact => [
    `webhook ${name}`,
    [
      `${Units.count(delivered, "event")} delivered, ${Units.grouped(BigInt(waiting))} waiting`,
      ...(lost === 0 ? [] : [`${Units.grouped(BigInt(lost))} lost`]),
      ...(failures === 0 ? [] : [`${Units.count(failures, "failed try", "failed tries")}: ${problem ?? ""}`])
    ].join("; ")
  ])
}
