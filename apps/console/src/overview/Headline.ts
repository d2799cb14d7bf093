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
    /** The problems of a network, as `NetworkProblems` returns them. */
    readonly problems: ReadonlyArray<string>
  }>
  /** Null for a service that does not say. */
  readonly accounts: { readonly store: "up" | "down" } | null
  readonly limiter: { readonly store: "untried" | "up" | "down"; readonly whenDown: "open" | "closed" }
  readonly metering: { readonly store: "up" | "down"; readonly waiting: number }
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
  const untried = networks.filter(({ state }) => state === "untried")
  if (untried.length > 0)
    return `${listed(untried.map(({ name }) => name))} ${untried.length === 1 ? "was" : "were"} not asked yet.`
  const all = networks.length === 1 ? `${networks[0]!.name} answers` : `All ${networks.length} networks answer`
  const troubled = networks.filter(({ problems }) => problems.length > 0)
  return troubled.length === 0
    ? `${all}.`
    : `${all}, ${networks.length === 1 ? "with a problem" : `${listed(troubled.map(({ name }) => name))} with a problem`}.`
}

const troubleOf = ({ accounts, barred, lies, limiter, metering, near, networks, over }: HeadlineFacts): string => {
  if (accounts?.store === "down") return "The store of projects is down: calls are refused meanwhile."
  if (metering.store === "down") {
    return `The store of usage is down: ${count(metering.waiting, "call")} ${metering.waiting === 1 ? "waits" : "wait"} to be recorded.`
  }
  if (limiter.store === "down") {
    return `The store of limits is down: calls are ${limiter.whenDown === "open" ? "admitted without limits" : "refused"} meanwhile.`
  }
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
