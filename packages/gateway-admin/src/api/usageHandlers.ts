/** The handlers of the admin API for usage. */
import * as UsageFigures from "@plumbline/gateway/metering/usage/UsageFigures"
import * as UsageReport from "@plumbline/gateway/metering/usage/UsageReport"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"

import * as AdminApi from "./AdminApi.ts"
import * as AdminError from "./AdminError.ts"
import * as RowsAnswer from "./rowsAnswer.ts"
import { toAdminError } from "./storeFailures.ts"

export const usageGroup = (figures: UsageFigures.UsageFigures["Service"]) =>
  HttpApiBuilder.group(AdminApi.Api, "usage", (handlers) =>
    handlers.handleAll({
      report: Effect.fnUntraced(function* ({ query: { project, ...asked } }) {
        const range = yield* rangeOf(asked)
        const read = UsageReport.read({ ...range, project })
        return yield* RowsAnswer.answer(
          yield* toAdminError(Effect.provideService(read, UsageFigures.UsageFigures, figures))
        )
      }),
      totals: ({ query }) => Effect.flatMap(selectionOf(query), (selection) => toAdminError(figures.totals(selection))),
      by: Effect.fnUntraced(function* ({ query: { by, order, top, ...query } }) {
        const { from, to, ...grouped } = yield* toAdminError(
          figures.by({ ...(yield* selectionOf(query)), by, order, top })
        )
        return yield* RowsAnswer.answer({
          ...grouped,
          from: new Date(from).toISOString(),
          to: new Date(to).toISOString()
        })
      }),
      series: ({ query: { by, everySeconds, order, top, ...query } }) =>
        Effect.flatMap(selectionOf(query), (selection) =>
          Effect.map(
            toAdminError(figures.series({ ...selection, by, order, top, every: Duration.seconds(everySeconds) })),
            ({ every, ...series }) => ({ ...series, everySeconds: every / 1000 })
          )
        ),
      latency: ({ query: { everySeconds, ...query } }) =>
        Effect.flatMap(selectionOf(query), (selection) => {
          const every = everySeconds === undefined ? undefined : Duration.seconds(everySeconds)
          return Effect.map(
            toAdminError(figures.latencies({ ...selection, every })),
            ({ every, lines, ...latencies }) => ({
              ...latencies,
              everySeconds: every === undefined ? null : every / 1000,
              lines: lines.map(({ buckets, ...line }) => ({
                ...line,
                buckets: buckets.map((figure) => figure ?? null)
              }))
            })
          )
        }),
      stored: ({ query: { everySeconds, project, ...asked } }) =>
        Effect.flatMap(rangeOf(asked), (range) =>
          Effect.map(
            toAdminError(figures.stored({ ...range, project, every: Duration.seconds(everySeconds) })),
            ({ every, ...stored }) => ({ ...stored, everySeconds: every / 1000 })
          )
        )
    })
  )

interface UsageRequest {
  readonly window?: keyof typeof UsageFigures.windows | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** Returns the time range of a query (default: the last 24 hours). */
export const rangeOf = Effect.fnUntraced(function* ({ from, to, window }: UsageRequest) {
  const now = yield* Clock.currentTimeMillis
  if (from === undefined) {
    if (to === undefined) return UsageFigures.last(window ?? "24h", now)
    return yield* new AdminError.BadRequest({ at: "query.from", message: "is needed where there is a to" })
  }
  if (window !== undefined) {
    return yield* new AdminError.BadRequest({ at: "query.window", message: "cannot stand beside a from" })
  }
  return { from, to: to ?? UsageFigures.last("15m", now).to }
})

const selectionOf = <Q extends UsageRequest>({ from, to, window, ...query }: Q) =>
  Effect.map(rangeOf({ from, to, window }), (range) => ({ ...query, ...range }))
