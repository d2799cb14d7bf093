/**
 * The table of a set of fixtures: for each kind, how many fixtures are proven, how many are refuted, and how many the
 * verification does not cover, by reason.
 */
import { afterAll, assert } from "@effect/vitest"

/** Counts by reason. */
export type Reasons = Readonly<Record<string, number>>

export interface Counts {
  readonly verified?: number
  /** Counts of refuted fixtures, by the check that refuted them. */
  readonly refuted?: Reasons
  /** Counts of fixtures that the verification does not cover, by reason. */
  readonly outside?: Reasons
}

/** Counts the fixtures of one kind. */
export interface Counter {
  readonly verified: () => void
  readonly refuted: (check: string) => void
  readonly outside: (why: string) => void
  /** Asserts the exact counts. This fails if a fixture is lost or has a different verdict. */
  readonly expect: (counts: Counts) => void
}

/** The counters of one set. */
export interface Tally {
  readonly count: (kind: string) => Counter
}

interface Row {
  readonly kind: string
  verified: number
  readonly refuted: Map<string, number>
  readonly outside: Map<string, number>
}

/** Returns the counters of a set. Their table is printed after all tests of the suite. */
export const make = (set: string): Tally => {
  const rows: Array<Row> = []
  afterAll(() => console.log(table(set, rows)))
  return {
    count: (kind) => {
      const row: Row = { kind, verified: 0, refuted: new Map(), outside: new Map() }
      rows.push(row)
      return {
        verified: () => {
          row.verified++
        },
        refuted: (check) => add(row.refuted, check.replaceAll(/\[\d+\]/gu, "[i]").replaceAll(/ node \d+/gu, "")),
        outside: (why) => add(row.outside, why),
        expect: ({ outside = {}, refuted = {}, verified = 0 }) => {
          assert.deepStrictEqual(
            {
              verified: row.verified,
              refuted: Object.fromEntries(row.refuted),
              outside: Object.fromEntries(row.outside)
            },
            { verified, refuted, outside },
            kind
          )
        }
      }
    }
  }
}

const add = (counts: Map<string, number>, reason: string): void => {
  counts.set(reason, (counts.get(reason) ?? 0) + 1)
}

const sum = (counts: Map<string, number>): number => [...counts.values()].reduce((total, count) => total + count, 0)

const table = (set: string, rows: ReadonlyArray<Row>): string =>
  [
    `\n### ${set}\n`,
    "| kind | how many | verified | refuted | outside | by which check it is refuted, or why it is outside |",
    "| --- | ---: | ---: | ---: | ---: | --- |",
    ...rows.map(({ kind, outside, refuted, verified }) => {
      const reasons = [...refuted, ...outside].map(([reason, count]) => `${count} ${reason}`).join("; ")
      const all = verified + sum(refuted) + sum(outside)
      return `| ${kind} | ${all} | ${verified} | ${sum(refuted)} | ${sum(outside)} | ${reasons} |`
    })
  ].join("\n")
