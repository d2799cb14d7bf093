/**
 * The headline of the overview: one sentence about the state of the networks, and one about the worst problem.
 *
 * The order of severity: a network without any node, the store of projects, another store that is down, a refuted answer
 * of a node, a problem of a network that answers, a project over its limits, a project whose settings refuse its calls, a
 * project above 80 % of a limit.
 */
import { count, grouped } from "../look/TextFormats.ts"

/** The facts from which the headline is made. */
export interface HeadlineFacts {
  readonly networks: ReadonlyArray<{
    readonly name: string
    readonly state: "untried" | "up" | "down" | "wrong"
    /** The problems of a network, as `StatusProblems.ofNetwork` returns them. */
    readonly problems: ReadonlyArray<string>
  }>
  /** The problems of stores, as `StatusProblems.ofStores` returns them: the worst comes first. */
  readonly stores: ReadonlyArray<string>
  /** Refuted answers in the window, newest first. */
  readonly lies: ReadonlyArray<{ readonly node: string; readonly network: string; readonly check: string }>
  /** Projects with calls over a limit in the window. The project with the most such calls comes first. */
  readonly over: ReadonlyArray<{ readonly name: string; readonly calls: bigint }>
  /** Projects whose settings refused calls in the window. The project with the most refused calls comes first. */
  readonly barred: ReadonlyArray<{ readonly name: string; readonly calls: bigint }>
  /** Projects, each with the used share of its nearest limit: 1 at the limit. */
  readonly near: ReadonlyArray<{ readonly name: string; readonly share: number }>
}

/** The share from which a limit counts as near. */
export const NEAR = 0.8

/** Returns the two sentences. */
export const headline = (facts: HeadlineFacts): readonly [string, string] => [networksOf(facts), troubleOf(facts)]

const networksOf = ({ networks }: HeadlineFacts): string => {
  const gone = networks.filter(({ state }) => state === "down" || state === "wrong")
  if (networks.length === 0) return "This service has no network."
  if (gone.length > 0)
    return `${listed(gone.map(({ name }) => name))} ${gone.length === 1 ? "has" : "have"} no node that answers.`
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

const troubleOf = ({ barred, lies, near, networks, over, stores }: HeadlineFacts): string => {
  if (stores[0] !== undefined) return `${stores[0].charAt(0).toUpperCase()}${stores[0].slice(1)}.`
  const [lie] = lies
  if (lie !== undefined) return `${lie.node} of ${lie.network} lied, and was caught: ${lie.check}.`
  const troubled = networks.find(({ problems }) => problems.length > 0)
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
