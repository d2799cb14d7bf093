/** `plumbline usage` */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"

import * as AdminCommand from "./AdminCommand.ts"
import * as AdminFlags from "./AdminFlags.ts"

const flags = {
  project: AdminFlags.text("project", "id|name", "Only the usage of this project (default: all)"),
  from: AdminFlags.text("from", "time", "The start: an ISO time, a day, or 24h for 24 hours ago (default: 24h)"),
  to: AdminFlags.text("to", "time", "The end, in the same forms (default: now)"),
  csv: Flag.Boolean("csv").pipe(
    Flag.withoutNegation,
    Flag.withDescription("Print lines of CSV (RFC 4180) for a spreadsheet; cells are safe from formulas"),
    Flag.withDefault(false)
  )
}

/** The values of the flags. */
export type UsageFlags = AdminCommand.Values<typeof flags>

/** Shows usage, row by row. */
export const usage = AdminCommand.of(() => import("./OperatorUsage.ts"))("usage", flags, ({ usage }) => usage).pipe(
  Command.withDescription("Show what projects have used: calls, credits and bytes, by network, method and status"),
  Command.withExamples([
    { command: "plumbline usage --from 7d", description: "The last seven days" },
    {
      command: "plumbline usage --from 2026-11-01 --to 2026-12-01 --json",
      description: "One month, for an invoice"
    }
  ])
)
