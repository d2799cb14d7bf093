/**
 * Keeps a service saturated, and prints what it holds after each window of calls: `pnpm lab saturation [minutes]` (5).
 * The heap is read after a collection of garbage. A pause is processor time that the service's thread used without a
 * turn of its event loop, so other programs on the machine make no pause. Fails if the heap has grown, or at a pause
 * above 150 ms.
 */
import * as Saturation from "../test/support/saturation.ts"

const [minutes = 5] = process.argv.slice(2).map(Number)
const CALLS = 20_000
/** Bytes that the heap may grow for each call: less than any object. */
const GROWTH = 4
const PAUSE = 150

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`

const median = (numbers: ReadonlyArray<number>): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!

console.log(["calls", "heap", "resident", "longest pause"].map((name) => name.padStart(16)).join(""))
const windows: Array<Saturation.Window> = []
const until = performance.now() + minutes * 60_000
await Saturation.run(CALLS, (window) => {
  windows.push(window)
  const { calls, heap, pause, resident } = window
  const cells = [String(calls), mebibytes(heap), mebibytes(resident), `${pause.toFixed(0)} ms`]
  console.log(cells.map((cell) => cell.padStart(16)).join(""))
  return performance.now() < until
})

// The first third fills caches and compiles.
const third = Math.ceil(windows.length / 3)
const [middle, last] = [windows.slice(third, 2 * third), windows.slice(2 * third)]
const grown = median(last.map(({ heap }) => heap)) - median(middle.map(({ heap }) => heap))
const perCall = grown / (third * CALLS)
const longest = Math.max(...windows.slice(1).map(({ pause }) => pause))
console.log(`\nheap: ${perCall.toFixed(2)} bytes for each call; longest pause: ${longest.toFixed(0)} ms`)
process.exitCode = windows.length >= 6 && perCall <= GROWTH && longest <= PAUSE ? 0 : 1
