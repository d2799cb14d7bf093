/** The choice of the node that a call asks next. */
import type { RoutedCall } from "./poolCall.ts"
import type { PoolHeads } from "./poolHeads.ts"
import { KEPT_STATES, type PoolMember, RANK } from "./poolMember.ts"
import type { ResolvedPoolSettings } from "./poolSettings.ts"

/** True for nodes that can be asked a question. */
export type IsSuitable = (member: PoolMember) => boolean

/** Chooses among the nodes of a pool. */
export interface NodeChoice {
  /**
   * Returns the best node that was not tried yet, among those for which `suits` is true; undefined if there is none.
   * Nodes that cannot be asked come last.
   */
  readonly next: (
    question: RoutedCall,
    tried: ReadonlyArray<PoolMember>,
    now: number,
    suits?: IsSuitable
  ) => PoolMember | undefined
  /**
   * Returns the shortest time until a node's budget allows the call. It ignores nodes that cannot be asked for another
   * reason.
   */
  readonly soonest: (question: RoutedCall, now: number) => number
  /** True if a node that was not tried yet can be asked. */
  readonly hasAnother: (question: RoutedCall, tried: ReadonlyArray<PoolMember>, now: number) => boolean
}

export const make = (
  members: ReadonlyArray<PoolMember>,
  by: ResolvedPoolSettings["balance"],
  heads: PoolHeads,
  /**
   * Called for a node that is passed over for one reason only: a caller has seen a higher head than the node's last
   * known head.
   */
  onStale: (member: PoolMember, now: number) => void,
  random: { readonly nextDoubleUnsafe: () => number }
): NodeChoice => {
  const pool = by === "cost" ? members.toSorted((a, b) => a.cost - b.cost) : members

  const rank = (member: PoolMember, question: RoutedCall, now: number): number => {
    if (member.barrier(question, now) !== undefined) return BARRED
    const { newest, oldest, tag, trait } = question
    let rank = member.rank(question, now)
    if (pool.length === 1) return rank
    const isOldState =
      oldest !== undefined && trait.history.startsWith("state") && heads.top(now) - oldest >= KEPT_STATES
    if (isOldState && member.hasData(question, now) !== true) {
      if (pool.some((other) => other.hasData(question, now) === true)) rank += RANK.usual
    }
    if (tag !== undefined && heads.isFar(member, now)) return rank | RANK.far
    if (tag !== undefined && heads.isStale(member, tag, now)) return rank | RANK.unfit
    const { latest } = member.heads
    const lacksIt = newest !== undefined && latest >= 0 && newest > latest && newest <= heads.top(now)
    return lacksIt ? rank | RANK.unfit : rank
  }

  const best = (
    question: RoutedCall,
    tried: ReadonlyArray<PoolMember>,
    now: number,
    suits: IsSuitable
  ): ReadonlyArray<PoolMember> => {
    let least = Infinity
    let found: Array<PoolMember> = []
    for (const member of pool) {
      if (tried.includes(member) || !suits(member)) continue
      const own = rank(member, question, now)
      if (own > least) continue
      if (own < least) found = []
      least = own
      found.push(member)
      if (own === 0 && by !== "weight") break
    }
    const { tag } = question
    if (tag !== undefined && pool.length > 1) {
      for (const member of pool) {
        if (member === found[0] && by !== "weight") break
        if (heads.isStale(member, tag, now) && rank(member, question, now) === RANK.unfit) onStale(member, now)
      }
    }
    return found
  }

  return {
    next: (question, tried, now, suits = always) => {
      const found = best(question, tried, now, suits)
      return by === "weight" && found.length > 1 ? drawn(found, random.nextDoubleUnsafe()) : found[0]
    },
    soonest: (question, now) =>
      pool.reduce((least, member) => {
        const wait =
          member.budget === undefined || member.ban(question, now) !== undefined ? Infinity : member.budget.wait(now)
        return Math.min(least, wait)
      }, Infinity),
    hasAnother: (question, tried, now) =>
      pool.length > 1 && pool.some((member) => !tried.includes(member) && member.barrier(question, now) === undefined)
  }
}

/** The rank of a node that cannot be asked. */
const BARRED = 64

const always = (): boolean => true

/** Chooses a node at random, in proportion to the weights. */
const drawn = (members: ReadonlyArray<PoolMember>, point: number): PoolMember => {
  let left = point * members.reduce((sum, { weight }) => sum + weight, 0)
  return members.find(({ weight }) => (left -= weight) < 0) ?? members.at(-1)!
}
