/** The thresholds of all projects, each with the time of its last alert. */
import "../admin/admin.css"
import "./alerts.css"
import type { ProjectAlerts } from "@plumbline/gateway-admin/api/AdminAlerts"

import { Lead, OperatorPage, useDialog } from "../admin/OperatorPage.tsx"
import { useWhyNot } from "../admin/rights.ts"
import { minuteOf } from "../admin/utcTimes.ts"
import { VirtualTable } from "../charts/VirtualTable.tsx"
import { StatePanel } from "../look/StatePanel.tsx"
import { count } from "../look/TextFormats.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { NODES_THAT_LIED } from "../route/panels.ts"
import { EndAlerts, SetAlerts } from "./AlertDialogs.tsx"
import * as AlertReads from "./alertReads.ts"
import { AlertTabs } from "./AlertTabs.tsx"
import { thresholdsOf, wordsOf } from "./thresholds.ts"

const Alerts = () => (
  <OperatorPage
    of={AlertReads.all}
    what="the alerts"
    changes="accounts audit"
    every={15_000}
    needs="alerts.list"
    refused={{
      title: "The alerts of all projects are the operator's",
      text: "its own thresholds, and when each was last told"
    }}
  >
    {(read, again) => <All {...read} again={again} />}
  </OperatorPage>
)

/** The panel of the overview with the lies of nodes. */
const LIES = `${ConsoleRoute.link({ _tag: "Overview" }).href}#${NODES_THAT_LIED}`

type AlertRow = typeof ProjectAlerts.Type

type Asked = { readonly _tag: "New" } | { readonly _tag: "Edit" | "End"; readonly row: AlertRow }

const All = ({
  again,
  alerts,
  listening,
  toldOfLies,
  without
}: AlertReads.AllAlerts & { readonly again: () => void }) => {
  const { ask, asked, close } = useDialog<Asked>(again)
  const whyNot = useWhyNot()
  const watchable = without.filter(({ id }) => whyNot("alerts.set", id) === undefined)
  const canMakeWebhook = whyNot("webhooks.create") === undefined
  // the reason for the first project is that for all of them, unless some can be watched
  const [first] = [...without.map(({ id }) => id), ...alerts.map(({ project }) => project)]
  const why = first === undefined ? undefined : whyNot("alerts.set", first, "Watching a project")
  return (
    <div className="page alerts">
      <Lead
        title="Alerts"
        text={`${count(alerts.length, "project")} watched, ${count(without.length, "project")} without a threshold.`}
      >
        <div className="row wrap">
          <AlertTabs current="Alerts" />
          {alerts.length === 0 ? null : watchable.length > 0 ? (
            <button type="button" className="button primary" onClick={() => ask({ _tag: "New" })}>
              Watch a project
            </button>
          ) : why === undefined ? null : (
            <p className="soft small">{why}</p>
          )}
        </div>
      </Lead>
      {alerts.length > 0 && listening?.length === 0 ? (
        <p className="notice">
          <span>
            <b>No one is told.</b> Events wait in the table of events until a program reads them, or a webhook sends
            them.
          </span>
          {canMakeWebhook ? (
            <a className="button" href={ConsoleRoute.link({ _tag: "Webhooks" }).href}>
              Make a webhook
            </a>
          ) : null}
        </p>
      ) : null}
      {toldOfLies === undefined ? null : (
        <p className="soft small lies-told">
          <b>A node that lies</b>{" "}
          {toldOfLies.length === 0 ? (
            <>
              is in the <a href={LIES}>overview</a>, and no webhook is told.{" "}
              {canMakeWebhook ? (
                <a href={ConsoleRoute.link({ _tag: "Webhooks" }).href}>Make a webhook of lies</a>
              ) : null}
            </>
          ) : (
            <>
              is told to {toldOfLies.join(", ")}, at most once an hour for each check, and is in the{" "}
              <a href={LIES}>overview</a>.
            </>
          )}
        </p>
      )}
      {alerts.length === 0 ? (
        <First isPossible={watchable.length > 0} why={why} onMake={() => ask({ _tag: "New" })} />
      ) : (
        <section className="sheet">
          <VirtualTable
            label="Alerts"
            height={620}
            total={alerts.length}
            figuresFrom={4}
            head={["Project", "Thresholds, % of the limit or credits", "Last told", "Change"]}
            row={(at) => rowOf(alerts[at]!, ask, whyNot("alerts.set", alerts[at]!.project) === undefined)}
          />
        </section>
      )}
      {asked?._tag === "New" ? <SetAlerts choices={watchable} onClose={close} /> : null}
      {asked?._tag === "Edit" ? (
        <SetAlerts project={watchedOf(asked.row)} rules={asked.row.rules} onClose={close} />
      ) : null}
      {asked?._tag === "End" ? <EndAlerts project={watchedOf(asked.row)} onClose={close} /> : null}
    </div>
  )
}

const First = ({
  isPossible,
  onMake,
  why
}: {
  readonly isPossible: boolean
  /** The reason why no project can be watched, if there are projects. */
  readonly why: string | undefined
  readonly onMake: () => void
}) => (
  <StatePanel
    kind="No alert yet"
    title="Be told before a limit refuses calls"
    text="A threshold is a part of a project's credits of the day, or a number of credits. It is told once a day."
  >
    {isPossible ? (
      <button type="button" className="button primary" onClick={onMake}>
        Watch a project
      </button>
    ) : why !== undefined ? (
      <p className="soft small">{why}</p>
    ) : (
      <a className="button primary" href={ConsoleRoute.link({ _tag: "Projects" }).href}>
        Make a project first
      </a>
    )}
  </StatePanel>
)

const watchedOf = ({ name, project }: AlertRow): AlertReads.WatchedProject => ({ id: project, name })

const rowOf = (row: AlertRow, ask: (asked: Asked) => void, canChange: boolean) => {
  const { fired, name, project, rules } = row
  const [last] = fired
  return [
    <a key="name" className="strong" href={ConsoleRoute.link({ _tag: "Project", id: project }).href}>
      {name}
    </a>,
    <span key="rules" className="entries">
      {thresholdsOf(rules).map((threshold) => (
        <span key={threshold.name} className="entry" title={`${threshold.words}: ${toldOf(fired, threshold.name)}`}>
          {threshold.short}
        </span>
      ))}
    </span>,
    <span key="last" className="soft">
      {last === undefined ? "not yet" : `${minuteOf(last.at)}: ${wordsOf(last.threshold)}`}
    </span>,
    <span key="change" className="row">
      {(canChange ? (["Edit", "End"] as const) : []).map((_tag) => (
        <button
          key={_tag}
          type="button"
          className="plain small"
          aria-label={`${_tag === "Edit" ? "Edit" : "End"} the alerts of ${name}`}
          onClick={() => ask({ _tag, row })}
        >
          {_tag}…
        </button>
      ))}
    </span>
  ]
}

const toldOf = (fired: AlertRow["fired"], name: string): string => {
  const last = fired.find(({ threshold }) => threshold === name)
  return last === undefined ? "not told yet" : `last told ${minuteOf(last.at)}`
}

export default Alerts
