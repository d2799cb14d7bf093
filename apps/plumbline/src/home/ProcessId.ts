/** True if a process has this id. It may be another process than the expected one, or a zombie. */
export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // EPERM: the process lives, and belongs to another user
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}
