/** What a process takes of memory and processors, where the system says so in `/proc`. */
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

/** Looks twenty times a second: the result of some work, and the most resident bytes of a process while it was done. */
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
