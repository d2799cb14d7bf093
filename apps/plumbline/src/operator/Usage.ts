/**
 * `plumbline usage`
 */
import * as UsageReport from "@plumbline/gateway/metering/usage/UsageReport"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

import { UsageError } from "../terminal/UsageError.ts"
import * as AdminCall from "./AdminCall.ts"
import type { AdminFlags } from "./AdminFlags.ts"
import * as OperatorView from "./OperatorView.ts"
import * as Times from "./Times.ts"

/** The flags of `usage`. */
export interface UsageFlags extends AdminFlags {
  readonly project: Option.Option<string>
  readonly from: Option.Option<string>
  readonly to: Option.Option<string>
}

/** `plumbline usage` */
export const usage = Effect.fnUntraced(function* (flags: UsageFlags) {
  const now = yield* Clock.currentTimeMillis
  const at = (flag: "from" | "to") =>
    Option.isNone(flags[flag]) ? Effect.undefined : Effect.fromResult(Times.moment(flag, flags[flag].value, now))
  const [from, to] = [yield* at("from"), yield* at("to")]
  if (from === undefined && to !== undefined) {
    return yield* new UsageError({ problem: "--to: wants a --from before it" })
  }
  if (from !== undefined && from >= (to ?? now)) {
    return yield* new UsageError({ problem: `--from: must be before ${to === undefined ? "now" : "--to"}` })
  }
  return yield* AdminCall.answer(flags, (admin) =>
    Effect.map(
      admin.usage.report({
        query: {
          ...(Option.isSome(flags.project) ? { project: flags.project.value } : {}),
          ...(from === undefined ? {} : { from }),
          ...(to === undefined ? {} : { to })
        }
      }),
      (report) => ({
        // JSON.stringify cannot write bigints
        json: UsageReport.toJson(report),
        view: (style) => OperatorView.usage(report, style)
      })
    )
  )
})
