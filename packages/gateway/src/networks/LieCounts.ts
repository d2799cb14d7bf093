/** Adds up the lies of nodes that several processes have found. */
import type { LieCount } from "./Upstream.ts"

/**
 * Returns one count for each node, method and check: the sum of the given counts, with the time and the values of the
 * latest lie. A node lies if it does so in one of the processes.
 *
 * ```ts import.meta.vitest
 * import { LieCounts } from "@plumbline/gateway"
 *
 * const lie = { node: "n", method: "eth_getProof", check: "account-proof", isLying: false }
 * const counts = LieCounts.sum([
 *   { ...lie, count: 2, lastAt: 5, got: "0x2" },
 *   { ...lie, count: 1, lastAt: 3, got: "0x1" }
 * ])
 * counts // => [{ ...lie, count: 3, lastAt: 5, got: "0x2" }]
 * ```
 */
export const sum = (counts: Iterable<LieCount>): ReadonlyArray<LieCount> => {
  const sums = new Map<string, LieCount>()
  for (const one of counts) {
    const key = JSON.stringify([one.node, one.method, one.check])
    const before = sums.get(key)
    const added = before && {
      ...(one.lastAt < before.lastAt ? before : one),
      count: before.count + one.count,
      isLying: before.isLying || one.isLying
    }
    sums.set(key, added ?? one)
  }
  return [...sums.values()]
}
