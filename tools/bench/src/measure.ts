/** Measures contenders against each other in one process, in turns, so that a busy moment hits them all. */
import { do_not_optimize } from "mitata"

/** Does the same work as the other contenders, and returns a value that shows it. */
export type Contender = () => unknown

/** One line of the table: the same work by us and by others. */
export interface Row {
  readonly name: string
  /** The number of operations in one call; times are per operation. */
  readonly operations?: number
  /** The ratio to the best peer that we want to reach. */
  readonly goal?: number
  readonly ours: Contender
  readonly peers: Readonly<Record<string, Contender>>
  /** Other work of the same size, to compare with: not a peer, and its result is not compared. */
  readonly yardsticks?: Readonly<Record<string, Contender>>
  /** Makes results comparable across libraries. All results must be the same before anything is measured. */
  readonly show?: (result: unknown) => string
}

export interface Subject {
  readonly name: string
  readonly rows: ReadonlyArray<Row>
}

export interface Options {
  readonly rounds: number
  readonly millisecondsPerRound: number
}

export interface Outcome {
  readonly name: string
  readonly goal: number | undefined
  /** Nanoseconds per operation. */
  readonly ours: number
  /** The quickest first. */
  readonly peers: ReadonlyArray<Measured>
  readonly yardsticks: ReadonlyArray<Measured>
}

export interface Measured {
  readonly name: string
  readonly time: number
}

export const measure = (row: Row, { rounds, millisecondsPerRound }: Options): Outcome => {
  const peers = Object.entries(row.peers)
  assertSame(row, peers)
  const contenders: ReadonlyArray<readonly [string, Contender]> = [
    ["ours", row.ours],
    ...peers,
    ...Object.entries(row.yardsticks ?? {})
  ]
  const batches = contenders.map(([, run]) => calibrate(run, millisecondsPerRound))
  const times = contenders.map((): Array<number> => [])
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      // another one begins each round
      const i = (turn + round) % contenders.length
      times[i]!.push(timeOf(contenders[i]![1], batches[i]!) / batches[i]! / (row.operations ?? 1))
    }
  }
  const [ours, ...others] = contenders.map(([name], i): Measured => ({ name, time: median(times[i]!) }))
  return {
    name: row.name,
    goal: row.goal,
    ours: ours!.time,
    peers: others.slice(0, peers.length).sort((a, b) => a.time - b.time),
    yardsticks: others.slice(peers.length)
  }
}

const assertSame = (row: Row, peers: ReadonlyArray<readonly [string, Contender]>): void => {
  const show = row.show ?? String
  const expected = show(row.ours())
  for (const [name, run] of peers) {
    if (show(run()) !== expected) throw new Error(`${row.name}: ${name} does other work than we do`)
  }
}

/**
 * Returns the nanoseconds of processor time of that many calls, garbage collection included. The work of other programs
 * counts little.
 */
const timeOf = (run: Contender, calls: number): number => {
  const before = process.cpuUsage()
  for (let i = 0; i < calls; i++) use(run())
  const { user, system } = process.cpuUsage(before)
  return (user + system) * 1e3
}

/** Number of calls that take about so long, after a warm-up of as long. */
const calibrate = (run: Contender, milliseconds: number): number => {
  const wanted = milliseconds * 1e6
  let calls = 1
  for (;;) {
    const time = timeOf(run, calls)
    if (time >= wanted) return Math.max(1, Math.round((calls * wanted) / time))
    calls *= 2
  }
}

/** Reads a result, because JavaScript joins the pieces of a text only when it is read. */
const use = (result: unknown): void => {
  do_not_optimize(typeof result === "string" ? result.charCodeAt(result.length >> 1) : result)
}

export const median = (values: Array<number>): number => values.sort((a, b) => a - b)[values.length >> 1]!
