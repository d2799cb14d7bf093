/**
 * Adds large files and many files, and serves many clients, with our service, js-ipfs and the importer alone: `pnpm
 * lab ipfs-speed`.
 *
 * Everything is measured in the run, one contender at a time. The client is in this process, and the contender in
 * another one. All contenders must give the same CIDs, and every byte that is read back is compared. A busy machine
 * gives worse numbers.
 */
import { cpus, loadavg } from "node:os"

import type { File } from "./benchContent.ts"
import * as Contenders from "./contenders.ts"
import { peakDuring, processorOf, residentOf } from "./memory.ts"

const MIB = 1024 * 1024

/** The size of the largest file in MiB: the argument of the command, or 1 GiB. */
const LARGEST = Number(process.argv[2] ?? 1024)

interface Work {
  readonly name: string
  readonly uploads: ReadonlyArray<ReadonlyArray<File>>
  /** The unit in which the work is counted. */
  readonly counts: "MiB" | "files" | "adds"
  readonly amount: number
  readonly isRead: boolean
}

let numbers = 0
const file = (path: string, size: number): File => ({ file: ++numbers, path, size })
const large = (size: number): Work => ({
  name: `a file of ${size / MIB} MiB`,
  uploads: [[file("large", size)]],
  counts: "MiB",
  amount: size / MIB,
  isRead: true
})

const works: ReadonlyArray<Work> = [
  large(64 * MIB),
  large(LARGEST * MIB),
  {
    name: "10,000 files of 1 KiB in 100 directories, one add",
    uploads: [Array.from({ length: 10_000 }, (_, index) => file(`many/${index % 100}/${index}`, 1024))],
    counts: "files",
    amount: 10_000,
    isRead: false
  },
  {
    name: "100 adds of 1 MiB at the same time",
    uploads: Array.from({ length: 100 }, (_, index) => [file(`one${index}`, MIB)]),
    counts: "adds",
    amount: 100,
    isRead: false
  }
]

interface Measured {
  readonly seconds: number
  /** Seconds of processor time of the contender, which the work of other programs changes little. */
  readonly processor: number
  /** Maximum memory during the work, in bytes, minus the memory of the idle contender. */
  readonly over: number
}

const measured = async <A>(
  pid: number,
  resting: number,
  work: () => Promise<A>
): Promise<readonly [result: A, measured: Measured]> => {
  const began = performance.now()
  const before = processorOf(pid)
  const [result, peak] = await peakDuring(pid, work)
  return [
    result,
    {
      seconds: (performance.now() - began) / 1000,
      processor: processorOf(pid) - before,
      over: peak - resting
    }
  ]
}

const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

const rowOf = (what: string, { amount, counts }: Work, who: string, { over, processor, seconds }: Measured): string =>
  row([
    what,
    who,
    `${seconds.toFixed(2)} s`,
    `${(amount / seconds).toLocaleString("en", { maximumFractionDigits: 0 })} ${counts}/s`,
    Number.isNaN(processor) ? "-" : `${processor.toFixed(2)} s`,
    Number.isNaN(over) ? "-" : `${Math.round(over / MIB)} MiB`
  ])

const load = () => `load ${loadavg()[0]!.toFixed(1)} on ${cpus().length} cores`

/** The CIDs of the first contender. All others must give the same. */
const known = new Map<Work, string>()

const run = async (contender: Contenders.Contender): Promise<ReadonlyArray<readonly [key: string, row: string]>> => {
  const rows: Array<readonly [string, string]> = []
  const { add, cat, name, pid } = contender
  // warms up: code is compiled and connections are made
  await add([[file("first", MIB)], [file("second", MIB)]])
  const resting = residentOf(pid)
  console.log(`- ${name}: ${Math.round(resting / MIB)} MiB at rest`)
  for (const work of works) {
    const [cids, added] = await measured(pid, resting, () => add(work.uploads))
    if ((known.get(work) ?? cids.join()) !== cids.join()) throw new Error(`${name} has other CIDs: ${work.name}`)
    known.set(work, cids.join())
    rows.push([`add: ${work.name}`, rowOf(`add: ${work.name}`, work, name, added)])
    if (cat === undefined || !work.isRead) continue
    const [, read] = await measured(pid, resting, () => cat(cids[0]!, work.uploads[0]![0]!))
    rows.push([`cat: ${work.name}`, rowOf(`cat: ${work.name}`, work, name, read)])
  }
  return rows
}

console.log(`Node ${process.version}, ${load()}\n`)
const results: Array<ReadonlyMap<string, string>> = []
for (const open of [Contenders.importer, Contenders.ours, Contenders.jsIpfs]) {
  const contender = await open()
  if (contender === undefined) {
    console.log("- js-ipfs is not installed: `pnpm lab js-ipfs` installs it")
    continue
  }
  try {
    results.push(new Map(await run(contender)))
  } finally {
    await contender.close()
  }
}
console.log(`\n${row(["work", "who", "time", "rate", "its processor time", "memory over rest, at most"])}`)
console.log(row(["---", "---", "---:", "---:", "---:", "---:"]))
for (const key of works.flatMap(({ name }) => [`add: ${name}`, `cat: ${name}`])) {
  for (const rows of results) {
    const line = rows.get(key)
    if (line !== undefined) console.log(line)
  }
}
console.log(`\n${load()}`)
process.exit()
