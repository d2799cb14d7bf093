/**
 * Handles SIGHUP from the first moment of the process. This module imports nothing, so that it runs before any other
 * code is loaded.
 */

let listener: (() => void) | undefined
let isPending = false

/**
 * True if the process is a service with a configuration file, which it reads again at SIGHUP. Any other process ends at
 * SIGHUP.
 */
export const isExpected = (args: ReadonlyArray<string>, env: Readonly<Record<string, string | undefined>>): boolean =>
  args[0] === "up" &&
  ((env["PLUMBLINE_CONFIG"] ?? "") !== "" || args.some((arg) => arg === "--config" || arg.startsWith("--config=")))

/** Records hangups for `take`. */
export const listen = (): void => {
  process.on("SIGHUP", () => {
    if (listener === undefined) isPending = true
    else listener()
  })
}

/** Passes hangups to a listener, including an earlier hangup. The returned function removes the listener. */
export const take = (next: () => void): (() => void) => {
  listener = next
  if (isPending) next()
  isPending = false
  return () => {
    if (listener === next) listener = undefined
  }
}
