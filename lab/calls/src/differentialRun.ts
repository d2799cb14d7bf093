/** Asks the calls of every contender, and compares each pair that reads the same world. */
import * as Random from "@plumbline/seeded/Random"

import { type Choices, declines, difference, type Side } from "./compare.ts"
import { allKinds, type Call, type Kind, type Place } from "./draw/randomCalls.ts"
import type { Node } from "./oracleNodes.ts"
import { ask, type Outcome, type Transaction } from "./outcome.ts"
import { mutants } from "./outcomeMutants.ts"

/** A side, and the way to ask it. */
export interface Contender {
  readonly side: Side
  readonly ask: (transactions: ReadonlyArray<Transaction>) => Promise<ReadonlyArray<Outcome>>
}

/** Returns a node as a contender. */
export const asked = (node: Node, choices: Choices): Contender => ({
  side: { name: node.name, node, choices },
  ask: (transactions) => ask(node.send, node.head.number, transactions)
})

/** Returns the block of a node, as far as calls refer to it. */
export const placeOf = ({ head }: Node): Place => ({ number: Number(head.number), timestamp: Number(head.timestamp) })

/** A call that ends differently on two sides. */
export interface Difference {
  /** The number of the call. */
  readonly index: number
  readonly call: Call
  readonly sides: readonly [string, string]
  readonly ends: readonly [string, string]
}

/** The comparison of two sides. */
export interface Pair {
  readonly sides: readonly [string, string]
  readonly differences: ReadonlyArray<Difference>
  /** Calls that one of the sides declined, as its choices foretell. */
  readonly declined: number
  /** Ends of the second side that were changed in one place, and how many of the changes the comparison noticed. */
  readonly changed: number
  readonly noticed: number
}

/** A comparison of all calls. */
export interface Report {
  readonly pairs: ReadonlyArray<Pair>
  /** For each kind of call, how many ended in each way, by the first contender. */
  readonly ends: ReadonlyMap<Kind, Readonly<Record<Outcome["_tag"], number>>>
}

/** Asks and compares. The first contender is compared with each of the others, as `pairs` names them. */
export const run = async (
  contenders: ReadonlyArray<Contender>,
  pairs: ReadonlyArray<readonly [one: string, other: string]>,
  calls: ReadonlyArray<Call>,
  onProgress: (name: string, done: number) => void = () => {}
): Promise<Report> => {
  const ends = new Map<string, ReadonlyArray<Outcome>>()
  for (const { ask, side } of contenders) {
    const found: Array<Outcome> = []
    for (let at = 0; at < calls.length; at += AT_ONCE) {
      found.push(...(await ask(calls.slice(at, at + AT_ONCE).map(({ transaction }) => transaction))))
      onProgress(side.name, found.length)
    }
    ends.set(side.name, found)
  }
  const sides = new Map(contenders.map(({ side }) => [side.name, side]))
  return {
    pairs: pairs.map(([one, other]) =>
      comparePair(calls, [sides.get(one)!, ends.get(one)!], [sides.get(other)!, ends.get(other)!])
    ),
    ends: countEnds(calls, ends.get(contenders[0]!.side.name)!)
  }
}

/** Calls that a contender is given at once. */
const AT_ONCE = 100

type Ends = readonly [side: Side, ends: ReadonlyArray<Outcome>]

const comparePair = (calls: ReadonlyArray<Call>, [one, oneEnds]: Ends, [other, otherEnds]: Ends): Pair => {
  const random = Random.make(calls.length)
  const sides = [one.name, other.name] as const
  const differences: Array<Difference> = []
  let [declined, changed, noticed] = [0, 0, 0]
  for (const [index, call] of calls.entries()) {
    const [oneEnd, otherEnd] = [oneEnds[index]!, otherEnds[index]!]
    const ends = difference(call, [one, oneEnd], [other, otherEnd])
    if (ends !== undefined) {
      differences.push({ index, call, sides, ends })
      continue
    }
    if (declines(one, oneEnd) || declines(other, otherEnd)) {
      declined++
      continue
    }
    // where a choice decides, one side may not run the call at all, and then there is nothing to compare
    if (call.choice !== undefined) continue
    for (const mutant of mutants(random, otherEnd)) {
      changed++
      if (difference(call, [one, oneEnd], [other, mutant]) !== undefined) noticed++
    }
  }
  return { sides, differences, declined, changed, noticed }
}

const countEnds = (calls: ReadonlyArray<Call>, ends: ReadonlyArray<Outcome>): Report["ends"] =>
  new Map(
    allKinds.map((kind) => {
      const count = { returned: 0, reverted: 0, halted: 0, refused: 0, declined: 0 }
      for (const [index, call] of calls.entries()) if (call.kind === kind) count[ends[index]!._tag]++
      return [kind, count]
    })
  )

/** Returns the report as Markdown. */
export const shownReport = ({ ends, pairs }: Report): string => {
  const row = (cells: ReadonlyArray<string | number>): string => `| ${cells.join(" | ")} |`
  const total = (kind: Kind): number => Object.values(ends.get(kind)!).reduce((sum, count) => sum + count, 0)
  return [
    row(["calls", "number", "returned", "reverted", "halted", "refused"]),
    row(["---", "--:", "--:", "--:", "--:", "--:"]),
    ...[...ends].map(([kind, { halted, refused, returned, reverted }]) =>
      row([kind, total(kind), returned, reverted, halted, refused])
    ),
    "",
    row(["sides", "differences", "declined", "changed ends", "noticed"]),
    row(["---", "--:", "--:", "--:", "--:"]),
    ...pairs.map(({ changed, declined, differences, noticed, sides }) =>
      row([sides.join(" and "), differences.length, declined, changed, noticed])
    )
  ].join("\n")
}

/** Returns one difference as text, with the command that repeats it. */
export const shownDifference = ({ call, ends, index, sides }: Difference, seed: number): string =>
  [
    `call ${index} of seed ${seed} (${call.kind}): ${JSON.stringify(call.transaction)}`,
    ...sides.map((name, side) => `  ${name}: ${ends[side as 0 | 1]}`)
  ].join("\n")
