/** Adds up the lies of nodes that several processes have found. */
import * as Struct from "effect/Struct"

import type { LieCount } from "./Upstream.ts"

/**
 * Returns one count for each node, method, check and drill: the sum of the given counts, with the values of the latest
 * lie. A node lies if it does so in one of the processes.
 *
 * ```ts import.meta.vitest
 * import { LieCounts } from "@plumbline/gateway"
 *
 * const lie = { node: "n", method: "eth_getProof", check: "account-proof", isLying: false }
 * const counts = LieCounts.sum([
 *   { ...lie, count: 2, firstAt: 4, lastAt: 5, got: "0x2" },
 *   { ...lie, count: 1, firstAt: 3, lastAt: 3, got: "0x1" }
 * ])
 * counts // => [{ ...lie, count: 3, firstAt: 3, lastAt: 5, got: "0x2" }]
 * ```
 */
export const sum = (counts: Iterable<LieCount>): ReadonlyArray<LieCount> => {
  const sums = new Map<string, LieCount>()
  for (const one of counts) {
    const key = JSON.stringify([one.node, one.method, one.check, one.drill?.at])
    const before = sums.get(key)
    const added = before && {
      ...Struct.omit(one.lastAt < before.lastAt ? before : one, ["asideUntil", "trustedSince"]),
      count: before.count + one.count,
      firstAt: Math.min(before.firstAt, one.firstAt),
      ...trustOf(before, one)
    }
    sums.set(key, added ?? one)
  }
  return [...sums.values()]
}

type Trust = Pick<LieCount, "asideUntil" | "isLying" | "trustedSince">

/** Returns the lower trust of two processes in a node. Times that are not known are left out. */
const trustOf = (one: Trust, other: Trust): Trust => {
  const isLying = one.isLying || other.isLying
  const latest = (name: "asideUntil" | "trustedSince"): Partial<Trust> => {
    const times = [one[name], other[name]].filter((time) => time !== undefined)
    return times.length === 0 ? {} : { [name]: Math.max(...times) }
  }
  return { isLying, ...(isLying ? latest("asideUntil") : latest("trustedSince")) }
}

/** Returns the trust in a node, given its counts in all processes: the lowest. */
export const trustIn = (counts: ReadonlyArray<LieCount>): Trust => {
  const [first, ...others] = counts.map(({ asideUntil, isLying, trustedSince }): Trust => ({
    asideUntil,
    isLying,
    trustedSince
  }))
  return first === undefined ? { isLying: false } : others.reduce(trustOf, first)
}
