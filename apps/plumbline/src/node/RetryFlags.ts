/**
 * The flags for the time that a command waits for a server, and for the number of its tries. `RetryPolicy` applies them.
 */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"

/** The flags of every command that asks a server. */
export const flags = {
  timeout: Flag.String("timeout").pipe(
    Flag.withMetavar("seconds"),
    Flag.withDescription("Seconds after which a read is given up, including retries (default: 10 without an answer)"),
    Flag.optional
  ),
  retries: Flag.String("retries").pipe(
    Flag.withMetavar("n"),
    Flag.withDescription(
      "Maximum number of retries, within --timeout, after a temporary failure of a read: HTTP 429, 502, 503 or 504, a broken connection, a rate limit (default: 4)"
    ),
    Flag.optional
  )
}

export type RetryFlags = Command.Command.Config.Infer<typeof flags>
