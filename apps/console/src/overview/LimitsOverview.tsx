/** The limits of projects, with the calls that each limit refused. The limit that is used most comes first. */
import type * as AsyncResult from "effect/reactivity/AsyncResult"

import { PolledValue } from "../admin/PolledValue.tsx"
import { Meter } from "../look/Meter.tsx"
import { grouped } from "../look/TextFormats.ts"
import { registry } from "../look/useAtom.ts"
import type { ReadFailure } from "../parts/ReadState.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { span } from "./numberFormats.ts"
import * as OverviewFigures from "./overviewFigures.ts"

/** Calls over a limit, by project and limit. */
export interface CallsOverLimit {
  readonly project?: string
  readonly outcome?: string
  readonly calls: bigint
}

/** The words for each kind of limit that refuses calls. A project has credits per second, a key or user requests. */
const LIMITS: Readonly<Record<string, string>> = {
  day: "credits per day",
  rate: "a limit per second",
  burst: "a burst",
  concurrency: "calls at a time",
  limited: "another limit"
}

const SHOWN = 6

/** The panel. */
export const LimitsOverview = ({
  at,
  over,
  result
}: {
  readonly result: AsyncResult.AsyncResult<
    { readonly standings: ReadonlyArray<OverviewFigures.QuotaStatus>; readonly isAll: boolean },
    ReadFailure
  >
  readonly over: ReadonlyArray<CallsOverLimit>
  /** The time on the service's clock. */
  readonly at: number
}) => (
  <section className="sheet limits" aria-labelledby="limits-title">
    <header>
      <h2 id="limits-title">Limits</h2>
      <span className="small soft">nearest first</span>
    </header>
    <PolledValue result={result} what="the limits" again={() => registry.refresh(OverviewFigures.quotaStatuses)}>
      {({ isAll, standings }) => {
        const ranked = standings
          .map((standing) => ({ standing, share: OverviewFigures.nearest(standing) }))
          .sort((a, b) => (b.share ?? -1) - (a.share ?? -1))
        if (ranked.length === 0) {
          return (
            <p className="inset soft">
              There is no project yet. <a href={ConsoleRoute.link({ _tag: "Projects" }).href}>Make the first one</a>,
              with its key and its limits.
            </p>
          )
        }
        return (
          <>
            {ranked.slice(0, SHOWN).map(({ share, standing }) => (
              <One
                key={standing.project}
                standing={standing}
                share={share}
                at={at}
                over={over.filter(({ project }) => project === standing.project)}
              />
            ))}
            {ranked.length > SHOWN || !isAll ? (
              <p className="inset small">
                <a href={ConsoleRoute.link({ _tag: "Projects" }).href}>
                  {isAll ? `All ${grouped(ranked.length)} projects` : "All projects"}
                </a>
              </p>
            ) : null}
          </>
        )
      }}
    </PolledValue>
  </section>
)

const One = ({
  at,
  over,
  share,
  standing
}: {
  readonly standing: OverviewFigures.QuotaStatus
  readonly share: number | undefined
  readonly at: number
  readonly over: ReadonlyArray<CallsOverLimit>
}) => {
  const { counted, day, name, project, suspended } = standing
  const refused = over.reduce((sum, { calls }) => sum + calls, 0n)
  const by = over.map(({ outcome = "" }) => LIMITS[outcome] ?? outcome).join(", ")
  const near = nearestOf(standing)
  return (
    <div className="limit inset">
      <p>
        <a href={ConsoleRoute.link({ _tag: "Project", id: project }).href} className="strong stretched">
          {name}
        </a>
        <span className="soft">{suspended ? "suspended" : (near ?? (counted ? "no limits" : "not counted now"))}</span>
      </p>
      {share === undefined ? null : <Meter label={`${name}: nearest limit, percent`} share={share} />}
      {share === undefined && refused === 0n ? null : (
        <p className="soft small">
          <span>
            {share === undefined ? "" : `${Math.floor(share * 100)} %`}
            {day !== null && day.used >= day.allowed ? `, resets in ${span(day.endsAt - at)}` : ""}
          </span>
          <span>{refused === 0n ? "no call over a limit" : `${grouped(refused)} refused by ${by}`}</span>
        </p>
      )}
    </div>
  )
}

const nearestOf = ({ day, rate, underWay }: OverviewFigures.QuotaStatus): string | undefined => {
  const all = [
    ...(day === null
      ? []
      : [
          {
            share: day.allowed === 0 ? 1 : day.used / day.allowed,
            text: `${grouped(day.used)} of ${grouped(day.allowed)} credits used today`
          }
        ]),
    ...(rate === null
      ? []
      : [
          {
            share: rate.current / rate.allowed,
            text: `${grouped(Math.round(rate.current))} of ${grouped(rate.allowed)} credits per second`
          }
        ]),
    ...(underWay === null
      ? []
      : [
          {
            share: underWay.current / underWay.allowed,
            text: `${underWay.current} of ${grouped(underWay.allowed)} calls at a time`
          }
        ])
  ]
  return all.sort((a, b) => b.share - a.share)[0]?.text
}
