/**
 * The operator's first screen: the state of the service in a sentence, then figures, limits, networks, refuted answers
 * and methods.
 */
import "../admin/admin.css"
import "./overview.css"
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { useMemo } from "react"

import { Fresh } from "../admin/Fresh.tsx"
import { Gate } from "../admin/Gate.tsx"
import { useChanges, useEvery } from "../admin/live.ts"
import { StatePanel } from "../look/StatePanel.tsx"
import { registry, useAtom } from "../look/useAtom.ts"
import * as Place from "../route/Place.ts"
import * as Figures from "./figures.ts"
import { headline, type Facts } from "./Headline.ts"
import { Lies } from "./Lies.tsx"
import { Limits } from "./Limits.tsx"
import { Methods, Projects } from "./Most.tsx"
import { Networks } from "./Networks.tsx"
import { Traffic } from "./Traffic.tsx"
import { USUAL, WINDOWS } from "./windows.ts"

type At = Extract<Place.Place, { readonly _tag: "Overview" }>

/** Milliseconds between two reads of usage, which the service records per minute. */
const EVERY = 15_000

const Overview = ({ place }: { readonly place: At }) => (
  <Gate>
    {({ kind, project }) =>
      kind === "operator" ? (
        <Service place={place} />
      ) : (
        <StatePanel
          kind="A project's session"
          title="The overview is the operator's"
          text="You signed in with the key of a project. Its page shows its limits, its keys and its usage."
        >
          <a className="button primary" href={Place.link({ _tag: "Project", id: project ?? "" }).href}>
            Go to the project
          </a>
        </StatePanel>
      )
    }
  </Gate>
)

const STATES = [Figures.service, Figures.standings]

const Service = ({ place }: { readonly place: At }) => {
  const window = place.window ?? USUAL
  const usageOf = Figures.usage(window)
  const read = useMemo(() => [usageOf, Figures.standings], [usageOf])
  useChanges("networks stores lies accounts", STATES)
  useEvery(EVERY, read)
  const service = useAtom(Figures.service)
  const standings = useAtom(Figures.standings)
  const usage = useAtom(usageOf)
  const again = (): void => {
    for (const atom of STATES) registry.refresh<unknown>(atom)
    registry.refresh(usageOf)
  }
  const limits = Option.getOrUndefined(AsyncResult.value(standings))
  const nameOf = useMemo(() => {
    const names = new Map(limits?.standings.map(({ name, project }) => [project, name]))
    return (id: string): string => names.get(id) ?? id.slice(0, 8)
  }, [limits])
  return (
    <Fresh result={service} what="this service" again={again}>
      {({ lies, status }) => (
        <Fresh result={usage} what="the usage" again={again}>
          {(usage) => {
            const since = usage.outcomes.from
            const recent = lies.lies.filter(({ lastAt }) => lastAt >= since)
            const over = perProject(usage.over.rows, nameOf)
            const facts: Facts = {
              networks: status.networks.map(({ name, upstream }) => ({ name, state: upstream })),
              accounts: status.accounts ?? null,
              limiter: status.limiter,
              metering: status.metering,
              lies: recent,
              over,
              barred: perProject(usage.barred.rows, nameOf),
              near: (limits?.standings ?? [])
                .map((one) => ({ name: one.name, share: Figures.nearest(one) ?? 0 }))
                .sort((a, b) => b.share - a.share)
            }
            const [first, second] = headline(facts)
            return (
              <div className="page overview">
                <div className="lead">
                  <div>
                    <h1>
                      <span>{first}</span> <span>{second}</span>
                    </h1>
                    <p className="soft">
                      {WINDOWS[window].name}, until {new Date(status.at).toISOString().slice(11, 16)} UTC.
                    </p>
                  </div>
                  <nav className="seg" aria-label="Window">
                    {Place.windows.map((one) => (
                      <a
                        key={one}
                        href={Place.link({ ...place, window: one }).href}
                        aria-current={one === window ? "true" : undefined}
                      >
                        {WINDOWS[one].short}
                      </a>
                    ))}
                  </nav>
                </div>
                <div className="overview-grid">
                  <Traffic place={{ ...place, window }} usage={usage} nameOf={nameOf} />
                  <Limits result={standings} over={usage.over.rows} at={status.at} />
                  <Networks networks={status.networks} latency={usage.ofNetworks.lines} at={status.at} />
                  <Lies lies={lies.lies} since={since} at={status.at} networks={status.networks} />
                  <Methods rows={usage.methods.rows} totals={usage.methods.totals} latency={usage.ofMethods.lines} />
                  <Projects rows={usage.projects.rows} totals={usage.projects.totals} nameOf={nameOf} />
                </div>
              </div>
            )
          }}
        </Fresh>
      )}
    </Fresh>
  )
}

/** Adds up the calls of each project, and sorts the projects by their number of calls, the highest first. */
const perProject = (
  rows: ReadonlyArray<{ readonly project?: string; readonly calls: bigint }>,
  nameOf: (id: string) => string
): Facts["over"] => {
  const sums = new Map<string, bigint>()
  for (const { calls, project = "" } of rows) sums.set(project, (sums.get(project) ?? 0n) + calls)
  return [...sums]
    .map(([id, calls]) => ({ name: nameOf(id), calls }))
    .sort((a, b) => (a.calls < b.calls ? 1 : a.calls > b.calls ? -1 : 0))
}

export default Overview
