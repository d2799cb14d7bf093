/**
 * SIGHUP from the first moment of the process on. It imports nothing, so that it runs before anything else is loaded.
 */

let listener: (() => void) | undefined
let isPending = false

/** True if the process is a service with a configuration file, which reads it again at SIGHUP. Any other ends at it. */
export const isExpected = (args: ReadonlyArray<string>, env: Readonly<Record<string, string | undefined>>): boolean =>
  args[0] === "up" &&
  ((env["PLUMBLINE_CONFIG"] ?? "") !== "" || args.some((arg) => arg === "--config" || arg.startsWith("--config=")))

/** Keeps hangups for `take`. */
export const listen = (): void => {
  process.on("SIGHUP", () => {
    if (listener === undefined) isPending = true
    else listener()
  })
}

/** Hands hangups to a listener, one that came before included. The function that is returned lets go of it. */
export const take = (next: () => void): (() => void) => {
  listener = next
  if (isPending) next()
  isPending = false
  return () => {
    if (listener === next) listener = undefined
  }
}
