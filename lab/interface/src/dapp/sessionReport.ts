/** The counts of a played session, by method and verdict. */
import type { Played } from "./playSession.ts"

const isVerified = (verdict: string): boolean => verdict.startsWith("VERIFIED")

/** The part of the reads that are VERIFIED, from 0 to 1. */
export const verifiedPart = (played: ReadonlyArray<Played>): number => {
  const reads = played.filter(({ kind }) => kind === "read")
  return reads.filter(({ verdict }) => isVerified(verdict)).length / reads.length
}

/** Returns the lines of a report. */
export const lines = (played: ReadonlyArray<Played>): ReadonlyArray<string> => {
  const rows = new Map<string, number>()
  for (const { kind, method, verdict } of played) {
    const row = `${kind.padEnd(7)}${method.padEnd(27)}${verdict}`
    rows.set(row, (rows.get(row) ?? 0) + 1)
  }
  const reads = played.filter(({ kind }) => kind === "read")
  const differing = played.filter(({ difference }) => difference !== undefined)
  return [
    ...Array.from(rows, ([row, count]) => `${String(count).padStart(5)}  ${row}`).sort((a, b) =>
      a.slice(7).localeCompare(b.slice(7))
    ),
    `${played.length} requests; of ${reads.length} reads ${(100 * verifiedPart(played)).toFixed(1)} % are VERIFIED. Not counted: fees, the chain's number, what is pending, and sent transactions.`,
    ...reads
      .filter(({ verdict }) => !isVerified(verdict))
      .map(
        ({ method, params, part, verdict }) => `${verdict}: ${part}: ${method} ${JSON.stringify(params).slice(0, 200)}`
      ),
    ...differing.map(({ difference, method, part }) => `DIFFERS: ${part}: ${method}: ${difference!.slice(0, 400)}`),
    `${differing.length} answers differ from the node's own`
  ]
}
