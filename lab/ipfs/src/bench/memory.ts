/** Reads the memory and the processor time of a process from `/proc`, on systems that have it. */
import { readFileSync } from "node:fs"

const PAGE = 4096

/** Returns the resident bytes of a process now. */
export const residentOf = (pid: number): number => {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * PAGE
  } catch {
    return Number.NaN
  }
}

/** Ticks per second. Linux reports times to programs in hundredths of a second on every machine. */
const TICKS = 100

/** Returns the seconds of processor time that a process has used. */
export const processorOf = (pid: number): number => {
  try {
    // the second field is the name of the program, which may contain anything and ends with the last bracket
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ")
    return (Number(fields[11]) + Number(fields[12])) / TICKS
  } catch {
    return Number.NaN
  }
}

/**
 * Does some work. Returns its result, and the maximum number of resident bytes of a process during the work. The bytes
 * are measured twenty times a second.
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
