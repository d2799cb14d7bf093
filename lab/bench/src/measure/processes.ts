/** Reads the processor time of other processes from `/proc`, on systems that have it. */
import { readdirSync, readFileSync } from "node:fs"

/** Returns the text of a file of `/proc`, empty if its process has ended. */
const read = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

const list = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Returns the parent of a process. The second field is the name of the program, and ends with the last bracket. */
const parentOf = (pid: number): number => Number(read(`/proc/${pid}/stat`).split(") ").at(-1)?.split(" ")[1])

/** Returns a process and all its descendants. */
export const treeOf = (root: number): ReadonlyArray<number> => {
  const pids = list("/proc").map(Number).filter(Number.isInteger)
  const parents = new Map(pids.map((pid) => [pid, parentOf(pid)]))
  const isWithin = (pid: number): boolean => {
    for (let at: number | undefined = pid; at !== undefined && at > 1; at = parents.get(at))
      if (at === root) return true
    return false
  }
  return pids.filter(isWithin)
}

/**
 * Returns the nanoseconds of processor time of a process: the sum over its threads of the first field of `schedstat`.
 */
export const usedOf = (pid: number): number =>
  list(`/proc/${pid}/task`).reduce((sum, task) => {
    const nanoseconds = Number(read(`/proc/${pid}/task/${task}/schedstat`).split(" ")[0])
    return sum + nanoseconds
  }, 0)

/** Returns the nanoseconds of processor time of a process and its children. Throws on systems without `/proc`. */
export const used = (root: number): number => {
  if (read("/proc/self/schedstat") === "") throw new Error("this row needs Linux: it reads /proc")
  return treeOf(root).reduce((sum, pid) => sum + usedOf(pid), 0)
}
