/**
 * The operator's first screen: the state of the service in a sentence, then figures, limits, networks, nodes that lied
 * and methods.
 */
import "../admin/admin.css"
import "./overview.css"
import type { Status } from "@plumbline/gateway-admin/api/AdminModel"
import * as StatusProblems from "@plumbline/gateway-admin/api/StatusProblems"
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import type * as Atom from "effect/reactivity/Atom"
import { useEffect, useMemo } from "react"

import { Lead, LiveValue, OperatorPage } from "../admin/OperatorPage.tsx"
import { whyNot } from "../admin/rights.ts"
import * as SignInState from "../admin/SignInState.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import type * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { NODES_THAT_LIED } from "../route/panels.ts"
import { headline, type HeadlineFacts, toldLie } from "./Headline.ts"
import { orderText, timesOf, trustIn, trustText } from "./lieWords.ts"
import { LimitsOverview } from "./LimitsOverview.tsx"
import { NetworksOverview } from "./NetworksOverview.tsx"
import { NodesThatLied, SaidAndExpected } from "./NodesThatLied.tsx"
import { moment } from "./numberFormats.ts"
import * as OverviewFigures from "./overviewFigures.ts"
import { TopMethods, TopProjects } from "./TopUsage.tsx"
import { Traffic } from "./Traffic.tsx"
import { WindowChoice } from "./WindowChoice.tsx"
import { USUAL, useWindow, WINDOWS } from "./windows.ts"

type At = Extract<ConsoleRoute.ConsoleRoute, { readonly _tag: "Overview" }>

/** Milliseconds between two reads of usage, which the service records per minute. */
const EVERY = 15_000

const Overview = ({ place }: { readonly place: At }) => {
  const window = useWindow(place.window, USUAL)
  const ofUsage = OverviewFigures.usage(window)
  const signed = useAtom(SignInState.signInState)
  const isOperator = signed._tag === "In" && whyNot(signed.session, "usage.series") === undefined
  // all reads begin together, and none without the operator's session
  useEffect(() => {
    if (!isOperator) return undefined
    const ends = [registry.mount(ofUsage), registry.mount(OverviewFigures.quotaStatuses)]
    return () => {
      for (const end of ends) end()
    }
  }, [isOperator, ofUsage])
  return (
    <OperatorPage
      of={OverviewFigures.service}
      what="this service"
      changes="networks stores lies accounts"
      also={STANDINGS}
      needs="usage.series"
      refused={{ title: "The overview is the operator's", text: "its limits, its keys and its usage" }}
    >
      {(service) => (
        <LiveValue of={ofUsage} what="the usage" every={EVERY} also={REPEATED}>
          {(usage) => <Service place={{ ...place, window }} service={service} usage={usage} />}
        </LiveValue>
      )}
    </OperatorPage>
  )
}

const STANDINGS = [OverviewFigures.quotaStatuses]

/** Read again with the usage: the limits, and the service and its lies, because their age changes by itself. */
const REPEATED = [OverviewFigures.quotaStatuses, OverviewFigures.service, OverviewFigures.lieEnds]

const Service = ({
  place,
  service: { lies, refused, status },
  usage
}: {
  readonly place: At & { readonly window: ConsoleRoute.UsageWindow }
  readonly service: Atom.Success<typeof OverviewFigures.service>
  readonly usage: Atom.Success<ReturnType<typeof OverviewFigures.usage>>
}) => {
  const { window } = place
  const standings = useAtom(OverviewFigures.quotaStatuses)
  const limits = Option.getOrUndefined(AsyncResult.value(standings))
  const nameOf = useMemo(() => {
    const names = new Map(limits?.standings.map(({ name, project }) => [project, name]))
    return (id: string): string => names.get(id) ?? id.slice(0, 8)
  }, [limits])
  const since = usage.outcomes.from
  const over = perProject(usage.over.rows, nameOf)
  const facts: HeadlineFacts = {
    at: status.at,
    networks: status.networks.map((network) => ({
      name: network.name,
      state: network.upstream,
      problems: StatusProblems.ofNetwork(network)
    })),
    stores: StatusProblems.ofStores(status),
    lies: lies.lies,
    over,
    barred: perProject(usage.barred.rows, nameOf),
    near: (limits?.standings ?? [])
      .map((one) => ({ name: one.name, share: OverviewFigures.nearest(one) ?? 0 }))
      .sort((a, b) => b.share - a.share)
  }
  const [first, second] = headline(facts)
  const lie = toldLie(facts)
  return (
    <div className="page overview">
      <Lead
        title={
          <>
            <span>{first}</span>{" "}
            <span className={lie !== undefined && lie.drill == null ? "lied" : undefined}>{second}</span>
          </>
        }
        text={
          <p className="soft">
            {lie === undefined ? null : (
              <>
                It lied about <code>{lie.method}</code> {timesOf(lie.firstAt, lie.lastAt, status.at)}, and the check{" "}
                <b>{lie.check}</b> refuted it
                <SaidAndExpected {...lie} />. {adviceOn(status.networks, lie, status.at)}{" "}
                <a href={`#${NODES_THAT_LIED}`}>Nodes that lied</a>, below, has the values in full.
                <br />
              </>
            )}
            {WINDOWS[window].name}, from {moment(since, status.at)} UTC until now.
          </p>
        }
      >
        <WindowChoice place={place} shown={window} />
      </Lead>
      <div className="overview-grid">
        <Traffic place={place} usage={usage} nameOf={nameOf} />
        <LimitsOverview result={standings} over={usage.over.rows} at={status.at} />
        <NetworksOverview networks={status.networks} lies={lies.lies} latency={usage.ofNetworks.lines} at={status.at} />
        <NodesThatLied
          lies={lies.lies}
          refused={refused}
          nameOf={nameOf}
          since={since}
          at={status.at}
          networks={status.networks}
        />
        <TopMethods rows={usage.methods.rows} totals={usage.methods.totals} latency={usage.ofMethods.lines} />
        <TopProjects
          rows={usage.projects.rows}
          totals={usage.projects.totals}
          nameOf={nameOf}
          unauthorized={status.unauthorized}
          window={window}
        />
      </div>
    </div>
  )
}

/** Says if a node that lied is trusted, and what to do; no text for a node that does not answer. */
const adviceOn = (
  networks: Status["networks"],
  { drill, network, node }: NonNullable<ReturnType<typeof toldLie>>,
  at: number
): string => {
  const trust = trustIn(networks, network, node)
  const state = trust === undefined ? "" : `It is ${trustText(trust, at, drill)}. `
  return drill == null
    ? `${state}If it lies again, take it out of the configuration.`
    : `${state}This is a drill: ${drill.by === null ? "an operator" : `the operator “${drill.by}”`} ordered it ${orderText(drill, at)}, and there is nothing to do.`
}

/** Adds up the calls of each project, and sorts the projects by their number of calls, the highest first. */
const perProject = (
  rows: ReadonlyArray<{ readonly project?: string; readonly calls: bigint }>,
  nameOf: (id: string) => string
): HeadlineFacts["over"] => {
  const sums = new Map<string, bigint>()
  for (const { calls, project = "" } of rows) sums.set(project, (sums.get(project) ?? 0n) + calls)
  return [...sums]
    .map(([id, calls]) => ({ name: nameOf(id), calls }))
    .sort((a, b) => (a.calls < b.calls ? 1 : a.calls > b.calls ? -1 : 0))
}

export default Overview
