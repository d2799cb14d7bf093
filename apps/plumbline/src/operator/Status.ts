/**
 * `plumbline status`
 */
import type * as AdminModel from "@plumbline/gateway/admin/AdminModel"
import * as Effect from "effect/Effect"

import * as ExitCode from "../terminal/ExitCode.ts"
import * as AdminCall from "./AdminCall.ts"
import type { AdminFlags } from "./AdminFlags.ts"
import * as OperatorView from "./OperatorView.ts"

/** `plumbline status`: the exit code says whether something needs an operator. */
export const status = (flags: AdminFlags) =>
  AdminCall.answer(flags, (admin) =>
    Effect.map(admin.service.status(), (found) => {
      const problems = problemsOf(found)
      return {
        json: JSON.stringify({ ...found, problems }, digits),
        view: (style) => OperatorView.status(found, problems, style),
        exitCode: problems.length === 0 ? ExitCode.DONE : ExitCode.FAILED
      }
    })
  )

/** Returns a sentence for each part of the service that does not work. A part that was not used yet is well. */
export const problemsOf = ({ limiter, metering, networks }: AdminModel.Status): ReadonlyArray<string> => [
  ...networks.flatMap(({ name, upstream, upstreams }) => [
    ...(upstream === "down" ? [`network ${name}: no node answers`] : []),
    ...(upstream === "wrong" ? [`network ${name}: its node is one of another chain`] : []),
    ...(upstreams.length < 2
      ? []
      : upstreams.flatMap((node) =>
          isWell(node.state) ? [] : [`network ${name}: node ${node.name} is ${node.state}`]
        ))
  ]),
  ...(limiter.store === "down"
    ? [`limits cannot be counted: calls are ${limiter.whenDown === "open" ? "admitted uncounted" : "refused"}`]
    : []),
  ...(metering.store === "down" ? [`usage cannot be recorded: ${metering.waiting} calls wait`] : [])
]

const isWell = (state: string): boolean => state !== "down" && state !== "wrong"

const digits = (_: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value)
