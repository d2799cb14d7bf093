/** The same as `measure`, for work that waits: its cost in processor time, and its time on the clock. */
import { median, type Measured, type Options, type Outcome } from "./measure.ts"

/** Does the work for the numbers from `first` on, which no two runs share, and returns a value that shows it. */
export type Contender = (first: number) => Promise<unknown>

/** One line of each table: the same calls by us and by others. */
export interface Row {
  readonly name: string
  /** The number of calls in one run; times are per call. */
  readonly calls: number
  /** The ratio of processor time to the best peer that we want to reach. */
  readonly goal?: number
  readonly ours: Contender
  readonly peers: Readonly<Record<string, Contender>>
  /** To compare with: not a peer. */
  readonly yardsticks: Readonly<Record<string, Contender>>
  /** Makes results comparable across libraries. All results must be the same before anything is measured. */
  readonly show: (result: any) => string
}

export interface Subject {
  readonly name: string
  /** Starts what the rows need. */
  readonly open: () => Promise<{ readonly rows: ReadonlyArray<Row>; readonly close: () => Promise<void> }>
}

export interface Outcomes {
  /** Processor time of this process per call. */
  readonly processor: Outcome
  /** Time on the clock per call. */
  readonly clock: Outcome
}

interface Times {
  readonly processor: number
  readonly clock: number
}

export const measure = async (row: Row, { rounds, millisecondsPerRound }: Options): Promise<Outcomes> => {
  const peers = Object.entries(row.peers)
  const contenders = [["ours", row.ours] as const, ...peers, ...Object.entries(row.yardsticks)]
  await assertSame(row, contenders)
  const numbers = counter(row.calls)
  const runs: Array<number> = []
  for (const [, contender] of contenders) runs.push(await calibrate(contender, numbers, millisecondsPerRound))
  const times = contenders.map((): Array<Times> => [])
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      // another one begins each round
      const i = (turn + round) % contenders.length
      times[i]!.push(await timesOf(contenders[i]![1], numbers, runs[i]!))
    }
  }
  const outcomeBy = (kind: keyof Times): Outcome => {
    const [ours, ...others] = contenders.map(([name], i): Measured => ({
      name,
      time: median(times[i]!.map((time) => time[kind] / runs[i]! / row.calls))
    }))
    return {
      name: row.name,
      goal: kind === "processor" ? row.goal : undefined,
      ours: ours!.time,
      peers: others.slice(0, peers.length).sort((a, b) => a.time - b.time),
      yardsticks: others.slice(peers.length)
    }
  }
  return { processor: outcomeBy("processor"), clock: outcomeBy("clock") }
}

const assertSame = async (row: Row, contenders: ReadonlyArray<readonly [string, Contender]>): Promise<void> => {
  const expected = row.show(await row.ours(1))
  for (const [name, contender] of contenders) {
    const got = row.show(await contender(1))
    if (got !== expected) throw new Error(`${row.name}: ${name} does other work than we do: ${got}, not ${expected}`)
  }
}

/** Returns numbers that never repeat, because clients merge calls that are the same. */
const counter = (step: number): (() => number) => {
  let next = 1
  return () => (next += step)
}

/** In nanoseconds. Runs follow each other: only what one run does at once is done at once. */
const timesOf = async (contender: Contender, numbers: () => number, runs: number): Promise<Times> => {
  const began = performance.now()
  const before = process.cpuUsage()
  for (let i = 0; i < runs; i++) await contender(numbers())
  const { user, system } = process.cpuUsage(before)
  return { processor: (user + system) * 1e3, clock: (performance.now() - began) * 1e6 }
}

/** Connections are made and code is compiled in its first half second. */
const WARM_UP = 500e6

/** Number of runs that take about so long on the clock, after a warm-up. */
const calibrate = async (contender: Contender, numbers: () => number, milliseconds: number): Promise<number> => {
  let runs = 1
  for (;;) {
    const { clock } = await timesOf(contender, numbers, runs)
    if (clock >= WARM_UP) return Math.max(1, Math.round((runs * milliseconds * 1e6) / clock))
    runs *= 2
  }
}
