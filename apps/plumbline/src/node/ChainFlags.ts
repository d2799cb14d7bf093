/** The flags that name the node of a chain, its time limit and its retries. */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"

import * as DataFolder from "../home/DataFolder.ts"
import * as RetryFlags from "./RetryFlags.ts"

export const flags = {
  url: Flag.Redacted("url").pipe(
    Flag.withMetavar("url"),
    Flag.withDescription("Any JSON-RPC or service URL (default: the service that `plumbline up` started)"),
    Flag.optional
  ),
  network: Flag.String("network").pipe(
    Flag.withMetavar("name"),
    Flag.withDescription("One of the service's networks (default: its first)"),
    Flag.optional
  ),
  ...RetryFlags.flags,
  data: DataFolder.flag
}

export type ChainFlags = Command.Command.Config.Infer<typeof flags> & {
  /** The flag that gave `url`, for errors. Default: `--url`. */
  readonly urlFlag?: string | undefined
}
