/**
 * The words for the states of nodes, and the problems of a service, in sentences for operators. The health path, the
 * command and the console show these words and sentences.
 */
import type { UpstreamState } from "../networks/Upstream.ts"

/**
 * Returns the state of a node in words.
 *
 * ```ts import.meta.vitest
 * import { ServiceProblems } from "@plumbline/gateway"
 *
 * ServiceProblems.stateWord("lies") // => "lies"
 * ServiceProblems.stateWord("wrong") // => "another chain"
 * ```
 */
export const stateWord = (state: UpstreamState): string => STATE_WORDS[state]

const STATE_WORDS: Readonly<Record<UpstreamState, string>> = {
  untried: "not asked yet",
  up: "up",
  down: "down",
  lies: "lies",
  wrong: "another chain"
}

/** A node, as the problems of its network need it. */
export interface ProblemNode {
  readonly name: string
  readonly state: UpstreamState
  /** The reason for the states `lies` and `wrong`. */
  readonly problem?: string | null | undefined
}

/** A network, as its problems need it. */
export interface ProblemNetwork {
  readonly upstream: UpstreamState
  /** Its nodes, if a pool watches them. */
  readonly nodes: ReadonlyArray<ProblemNode>
  /** The problems of the trust behind its proofs. */
  readonly warnings?: ReadonlyArray<string> | null | undefined
  /** The reason why nothing can be proven. */
  readonly unproven?: string | null | undefined
}

/**
 * Returns the problems of a network: that no node answers, or only nodes that lie, its nodes that are down, lie or are of another chain, the
 * reason why nothing can be proven, and the problems of its trust.
 *
 * ```ts import.meta.vitest
 * import { ServiceProblems } from "@plumbline/gateway"
 *
 * const nodes = [
 *   { name: "a", state: "up" },
 *   { name: "b", state: "lies", problem: "its answer was refuted: header hash" }
 * ] as const
 * ServiceProblems.ofNetwork({ upstream: "up", nodes }) // => ["node b lies: its answer was refuted: header hash"]
 * ```
 */
export const ofNetwork = ({ nodes, unproven, upstream, warnings }: ProblemNetwork): ReadonlyArray<string> => [
  ...(upstream === "down" || upstream === "wrong" ? ["no node answers"] : []),
  ...(upstream === "lies" ? ["no honest node answers: callers get an error in place of each lie"] : []),
  ...nodes.flatMap(ofNode),
  ...(typeof unproven === "string" && warnings?.includes(unproven) !== true
    ? [`nothing can be proven: ${unproven}`]
    : []),
  ...(warnings ?? [])
]

const ofNode = ({ name, problem, state }: ProblemNode): ReadonlyArray<string> => {
  const why = typeof problem === "string" ? `: ${problem}` : ""
  switch (state) {
    case "down":
      return [`node ${name} is down`]
    case "lies":
      return [`node ${name} lies${why}`]
    case "wrong":
      return [`node ${name} is of another chain${why}`]
    default:
      return []
  }
}

/** The stores of a service, as their problems need them. */
export interface ProblemStores {
  readonly accounts?: { readonly store: "up" | "down" } | null | undefined
  readonly limiter: { readonly store: "untried" | "up" | "down"; readonly whenDown: "open" | "closed" }
  readonly metering: { readonly store: "up" | "down"; readonly waiting: number }
}

/**
 * Returns a sentence for each store that is down, with what happens to calls meanwhile. The worst comes first: the store
 * of projects, without which no call is admitted, then usage, then limits.
 *
 * ```ts import.meta.vitest
 * import { ServiceProblems } from "@plumbline/gateway"
 *
 * const limiter = { store: "down", whenDown: "closed" } as const
 * const metering = { store: "up", waiting: 0 } as const
 * const accounts = { store: "up" } as const
 * ServiceProblems.ofStores({ accounts, limiter, metering }) // => ["limits: the store is down, calls are refused"]
 * ```
 */
export const ofStores = ({ accounts, limiter, metering }: ProblemStores): ReadonlyArray<string> => [
  ...(accounts?.store === "down" ? ["projects: the store is down, calls are refused"] : []),
  ...(metering.store === "down"
    ? [`usage: the store is down, ${metering.waiting} ${metering.waiting === 1 ? "call waits" : "calls wait"}`]
    : []),
  ...(limiter.store === "down"
    ? [`limits: the store is down, calls are ${limiter.whenDown === "open" ? "admitted uncounted" : "refused"}`]
    : [])
]
