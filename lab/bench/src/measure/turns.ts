/** Measures contenders in turns in one run, so that a busy moment of the machine affects all of them. */
import * as Random from "@plumbline/seeded/Random"
import { do_not_optimize } from "mitata"

import type { Contender, Metered, Row } from "./measuredRow.ts"
import { shuffled } from "./order.ts"

export interface Options {
  readonly rounds: number
  /** True for short turns, which only show that a row works. Their figures are meaningless. */
  readonly isShort?: boolean
  /** Decides the order of turns. */
  readonly seed: number
}

export interface Outcome {
  readonly row: Row
  /** Nanoseconds per operation, the median of the rounds. */
  readonly ours: number
  /** The peers, the fastest first. */
  readonly peers: ReadonlyArray<Measured>
  readonly yardsticks: ReadonlyArray<Measured>
  /** The 99th percentiles of the latencies, ours first, if the row has requests. */
  readonly tails?: ReadonlyArray<Measured>
}

export interface Measured {
  readonly name: string
  readonly time: number
}

/** Measures a row. Throws if results differ, because the contenders then do not do the same work. */
export const measure = async (row: Row, options: Options): Promise<ReadonlyArray<Outcome>> => {
  const peers = named(row.peers)
  await assertSame(row, peers)
  const contenders = [...named({ ours: row.ours }), ...peers, ...named(row.yardsticks ?? {})]
  const numbers = counter(row.operations ?? 1)
  const milliseconds = options.isShort === true ? 1 : (row.turn ?? (row.waits === true ? 100 : 8))
  const runs: Array<number> = []
  for (const { metered } of contenders) runs.push(await calibrate(row, metered, numbers, milliseconds, options))
  const times = contenders.map((): Array<Times> => [])
  const tails = contenders.map((): Array<number> => [])
  const next = Random.make(options.seed)
  for (let round = 0; round < Math.min(options.rounds, row.rounds ?? options.rounds); round++) {
    for (const i of shuffled(contenders.length, next)) {
      const { metered } = contenders[i]!
      times[i]!.push(await timesOf(row, metered, numbers, runs[i]!))
      if (metered.tail !== undefined) tails[i]!.push(metered.tail())
    }
  }
  const outcomeBy = (meter: keyof Times, row: Row): Outcome => {
    const [ours, ...others] = contenders.map(({ name }, i): Measured => ({
      name,
      time: median(times[i]!.map((time) => time[meter] / runs[i]! / (row.operations ?? 1)))
    }))
    return {
      row,
      ours: ours!.time,
      peers: others.slice(0, peers.length).sort((a, b) => a.time - b.time),
      yardsticks: others.slice(peers.length)
    }
  }
  const latencies = contenders.flatMap(({ name }, i) =>
    tails[i]!.length === 0 ? [] : [{ name, time: median(tails[i]!) }]
  )
  const withTails = (outcome: Outcome): Outcome => (latencies.length === 0 ? outcome : { ...outcome, tails: latencies })
  if (row.meter !== "both") return [withTails(outcomeBy(row.meter ?? "processor", row))]
  const { ceiling: _1, goal: _2, ...second } = row
  return [
    withTails(outcomeBy("clock", row)),
    outcomeBy("processor", { ...second, name: `${row.name}: processor time` })
  ]
}

interface Times {
  readonly processor: number
  readonly clock: number
}

/** Returns the median of the numbers. */
export const median = (values: ReadonlyArray<number>): number => [...values].sort((a, b) => a - b)[values.length >> 1]!

interface Named {
  readonly name: string
  readonly metered: Metered
}

const named = (contenders: Readonly<Record<string, Contender>>): ReadonlyArray<Named> =>
  Object.entries(contenders).map(([name, contender]) => ({
    name,
    metered: typeof contender === "function" ? { run: contender } : contender
  }))

const assertSame = async (row: Row, peers: ReadonlyArray<Named>): Promise<void> => {
  const show = row.show ?? String
  const [ours] = named({ ours: row.ours })
  const shown = async ({ metered: { before, run } }: Named): Promise<string> => {
    await before?.()
    return show(await run(1))
  }
  const expected = await shown(ours!)
  for (const peer of peers) {
    const got = await shown(peer)
    if (got !== expected) throw new Error(`${row.name}: ${difference(peer.name, got, expected)}`)
  }
}

/** Describes the first place where two texts differ, with some of the text around it. */
const difference = (name: string, got: string, expected: string): string => {
  let at = 0
  while (at < got.length && got[at] === expected[at]) at++
  const around = (text: string) => text.slice(Math.max(0, at - 60), at + 60)
  return `${name} does other work than we do: ...${around(got)}... and not ...${around(expected)}...`
}

/** Returns numbers that never repeat, because clients merge equal calls. */
const counter = (step: number): (() => number) => {
  let next = 1
  return () => (next += step)
}

/** Returns the nanoseconds of processor time of this process, including garbage collection and other threads. */
const usedHere = (): number => {
  const { system, user } = process.cpuUsage()
  return (user + system) * 1e3
}

/** Returns the nanoseconds of this many consecutive runs. */
const timesOf = async (row: Row, { before, run, used = usedHere }: Metered, numbers: () => number, runs: number) => {
  await before?.()
  const began = performance.now()
  const usedBefore = used()
  if (row.waits === true) for (let i = 0; i < runs; i++) use(await run(numbers()))
  else for (let i = 0; i < runs; i++) use(run(0))
  return { processor: used() - usedBefore, clock: (performance.now() - began) * 1e6 }
}

/** Default milliseconds before the first turn, in which connections are made and code is compiled. */
const WARM_UP = { computing: 150, waiting: 500 }

/** Returns the number of runs that take about one turn, after a warm-up. */
const calibrate = async (
  row: Row,
  metered: Metered,
  numbers: () => number,
  milliseconds: number,
  { isShort = false }: Options
) => {
  const usual = row.warmUp ?? (row.waits === true ? WARM_UP.waiting : WARM_UP.computing)
  const warmUp = (isShort ? milliseconds : Math.max(usual, milliseconds)) * 1e6
  for (let runs = 1; ; runs *= 2) {
    const { clock } = await timesOf(row, metered, numbers, runs)
    if (clock >= warmUp) return Math.max(1, Math.round((runs * milliseconds * 1e6) / clock))
  }
}

/** Reads a result, because JavaScript joins the pieces of a text only when the text is read. */
const use = (result: unknown): void => {
  do_not_optimize(typeof result === "string" ? result.charCodeAt(result.length >> 1) : result)
}
