/** The memory and the processor time of a process, on systems that have them in `/proc`. */
import { readFileSync } from "node:fs"

const PAGE = 4096

/** Resident bytes of a process now. */
export const residentOf = (pid: number): number => {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * PAGE
  } catch {
    return Number.NaN
  }
}

/** Hundredths of a second, as Linux counts them for programs on every machine. */
const TICKS = 100

/** Seconds that a process has spent on processors so far. */
export const processorOf = (pid: number): number => {
  try {
    // the second field is the name of the program, which may hold anything but ends with the last bracket
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ")
    return (Number(fields[11]) + Number(fields[12])) / TICKS
  } catch {
    return Number.NaN
  }
}

/**
 * Does some work, and returns its result with the most resident bytes of a process meanwhile, measured twenty times a
 * second.
 */
export const peakDuring = async <A>(
  pid: number,
  work: () => Promise<A>
): Promise<readonly [result: A, peak: number]> => {
  let peak = residentOf(pid)
  const timer = setInterval(() => {
    peak = Math.max(peak, residentOf(pid))
  }, 50)
  try {
    return [await work(), peak]
  } finally {
    clearInterval(timer)
  }
}
