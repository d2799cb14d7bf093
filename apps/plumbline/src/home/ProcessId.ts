/**
 * Processes by their ids.
 */

/** True if there is such a process. It may be another one with the same id, or a zombie. */
export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // EPERM: the process lives, and belongs to another user
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}
