/** Pins the gateways to one core, and the load and the node to the others, if `taskset` is available. */
import { spawnSync } from "node:child_process"
import { availableParallelism, cpus } from "node:os"

const set = (pid: number, cores: string): boolean =>
  spawnSync("taskset", ["-a", "-p", "-c", cores, String(pid)], { stdio: "ignore" }).status === 0

/** Returns false and does nothing if this process may use fewer than two cores, or not all cores of the machine. */
export const pin = (gateways: ReadonlyArray<number>, others: ReadonlyArray<number>): boolean => {
  const cores = availableParallelism()
  if (cores < 2 || cores !== cpus().length) return false
  return gateways.every((pid) => set(pid, "0")) && others.every((pid) => set(pid, `1-${cores - 1}`))
}

/** Lets this process use all cores again. */
export const unpin = (): void => {
  const cores = cpus().length
  if (availableParallelism() === cores - 1) set(process.pid, `0-${cores - 1}`)
}
