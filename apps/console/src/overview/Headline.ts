/**
 * The headline of the overview: one sentence about the state of the networks, and one about the worst problem.
 *
 * The order of severity: a network without any node, the store of projects, another store that is down, a lie of a node
 * in the last hour, a problem of a network that answers, a project over its limits, a project whose settings refuse its calls, a
 * project above 80 % of a limit.
 */
import type { NodeState } from "../look/Level.tsx"
import { count, grouped } from "../look/TextFormats.ts"
import { span } from "./numberFormats.ts"

/** The facts from which the headline is made. */
export interface HeadlineFacts {
  /** The time of the service's clock, in milliseconds since 1970. */
  readonly at: number
  readonly networks: ReadonlyArray<{
    readonly name: string
    readonly state: NodeState
    /** The problems of a network, as `StatusProblems.ofNetwork` returns them. */
    readonly problems: ReadonlyArray<string>
  }>
  /** The problems of stores, as `StatusProblems.ofStores` returns them: the worst comes first. */
  readonly stores: ReadonlyArray<string>
  /** The lies of nodes, newest first: one entry for each node, method and check. */
  readonly lies: ReadonlyArray<{
    readonly node: string
    readonly network: string
    readonly method: string
    readonly check: string
    readonly firstAt?: number | null | undefined
    readonly lastAt: number
    readonly expected?: string | null | undefined
    readonly got?: string | null | undefined
    /** The order by which the node lied; null if no operator ordered it. */
    readonly drill?: { readonly by: string | null; readonly at: number; readonly until: number } | null | undefined
  }>
  /** Projects with calls over a limit in the window. The project with the most such calls comes first. */
  readonly over: ReadonlyArray<{ readonly name: string; readonly calls: bigint }>
  /** Projects whose settings refused calls in the window. The project with the most refused calls comes first. */
  readonly barred: ReadonlyArray<{ readonly name: string; readonly calls: bigint }>
  /** Projects, each with the used share of its nearest limit: 1 at the limit. */
  readonly near: ReadonlyArray<{ readonly name: string; readonly share: number }>
}

/** The share from which a limit counts as near. */
export const NEAR = 0.8

/** Milliseconds for which a lie is in the headline: one hour, as long as the alert `NodeLies` fires for one lie. */
export const NEWS = 3_600_000

/**
 * Returns the lie of which the headline tells; undefined if it tells of none. A lie that no operator ordered comes before
 * those of a drill.
 */
export const toldLie = ({ at, lies, stores }: HeadlineFacts): HeadlineFacts["lies"][number] | undefined => {
  if (stores.length > 0) return undefined
  const news = lies.filter(({ lastAt }) => at - lastAt < NEWS)
  return news.find(({ drill }) => drill == null) ?? news[0]
}

/** Returns the two sentences. */
export const headline = (facts: HeadlineFacts): readonly [string, string] => [networksOf(facts), troubleOf(facts)]

const networksOf = ({ networks }: HeadlineFacts): string => {
  const gone = networks.filter(({ state }) => isGone(state))
  if (networks.length === 0) return "This service has no network."
  if (gone.length > 0)
    return `${listed(gone.map(({ name }) => name))} ${gone.length === 1 ? "has" : "have"} no node that answers.`
  const lying = networks.filter(({ state }) => state === "lies")
  if (lying.length > 0)
    return `${listed(lying.map(({ name }) => name))} ${lying.length === 1 ? "has" : "have"} no node that tells the truth: callers get an error in place of each lie.`
  const up = networks.filter(({ state }) => state === "up")
  const all = answering(up, networks)
  const troubled = networks.filter(({ problems }) => problems.length > 0)
  return troubled.length === 0
    ? `${all}.`
    : `${all}, ${networks.length === 1 ? "with a problem" : `${listed(troubled.map(({ name }) => name))} with a problem`}.`
}

/**
 * Says how many networks answer. A network is asked for the first time by a caller, so an unused one has no state yet, and
 * no problem.
 */
const answering = (up: HeadlineFacts["networks"], networks: HeadlineFacts["networks"]): string => {
  if (up.length === 0) return `No call has come for ${networks.length === 1 ? networks[0]!.name : "any network"} yet`
  if (up.length === 1) return `${up[0]!.name} answers`
  return up.length === networks.length ? `All ${up.length} networks answer` : `The ${up.length} networks in use answer`
}

const troubleOf = (facts: HeadlineFacts): string => {
  const { at, barred, near, networks, over, stores } = facts
  if (stores[0] !== undefined) return `${stores[0].charAt(0).toUpperCase()}${stores[0].slice(1)}.`
  const lie = toldLie(facts)
  if (lie !== undefined) {
    const order =
      lie.drill == null ? "" : ` in a drill ordered by ${lie.drill.by === null ? "an operator" : `“${lie.drill.by}”`}`
    return `${lie.node} of ${lie.network} lied ${agoOf(at - lie.lastAt)}${order}, and no caller got the lie.`
  }
  // the first sentence names the networks without a node
  const troubled = networks.find(({ problems, state }) => problems.length > 0 && !isGone(state))
  if (troubled !== undefined) return `${troubled.name}: ${troubled.problems[0]}.`
  if (over[0] !== undefined)
    return `${named(over)} refused ${calls(over)} over ${over.length === 1 ? "its" : "their"} limits.`
  if (barred[0] !== undefined)
    return `${named(barred)} refused ${calls(barred)} by ${barred.length === 1 ? "its" : "their"} own settings.`
  const close = near.find(({ share }) => share >= NEAR)
  return close === undefined
    ? "No project is near a limit."
    : `${close.name} is at ${Math.floor(close.share * 100)} % of a limit.`
}

const isGone = (state: NodeState): boolean => state === "down" || state === "wrong"

const agoOf = (millis: number): string => (millis < 60_000 ? "less than a minute ago" : `${span(millis)} ago`)

const named = (projects: ReadonlyArray<{ readonly name: string }>): string =>
  `${listed(
    projects.slice(0, 2).map(({ name }) => name),
    projects.length - 2
  )} ${projects.length === 1 ? "was" : "were"}`

const calls = (projects: ReadonlyArray<{ readonly calls: bigint }>): string => {
  const sum = projects.reduce((sum, { calls }) => sum + calls, 0n)
  return `${grouped(sum)} call${sum === 1n ? "" : "s"}`
}

const listed = (names: ReadonlyArray<string>, more = 0): string => {
  if (more > 0) return `${names.join(", ")} and ${count(more, "other")}`
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`
}
