/** The thresholds of one project, each with the time of its last alert. */
import "./alerts.css"
import type { AlertRules } from "@plumbline/gateway-admin/alerts/AlertRules"
import type { Fired } from "@plumbline/gateway-admin/api/AdminAlerts"

import { LiveValue, useDialog } from "../admin/OperatorPage.tsx"
import { Permitted } from "../admin/Permitted.tsx"
import { useWhyNot } from "../admin/rights.ts"
import { minuteOf } from "../admin/utcTimes.ts"
import { grouped } from "../look/TextFormats.ts"
import { registry } from "../look/useAtom.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { EndAlerts, SetAlerts } from "./AlertDialogs.tsx"
import * as AlertReads from "./alertReads.ts"
import { thresholdsOf } from "./thresholds.ts"

/** The panel with a project's thresholds, on the page of the project. */
export const AlertsPanel = ({
  hasLimit,
  project
}: {
  readonly project: AlertReads.WatchedProject
  /** True if the project has a limit of credits per day. */
  readonly hasLimit: boolean
}) => {
  const atom = AlertReads.one(project.id)
  const { ask, asked, close } = useDialog<"set" | "end">(() => registry.refresh(atom))
  const whyNot = useWhyNot()
  const isReadOnly = whyNot("alerts.set", project.id) !== undefined
  return (
    <section className="sheet" aria-labelledby="alerts-title">
      <header>
        <h2 id="alerts-title">Alerts</h2>
        <Permitted to="alerts.list" isSilent>
          <a href={ConsoleRoute.link({ _tag: "Alerts" }).href}>All alerts</a>
        </Permitted>
      </header>
      <LiveValue of={atom} what="the alerts">
        {({ fired, rules }) => {
          const isNone = thresholdsOf(rules).length === 0
          return (
            <>
              {isNone ? (
                <p className="inset small soft">
                  {isReadOnly
                    ? "No threshold is watched. Ask the operator to be told before a limit is reached."
                    : "No threshold is watched: nothing is told before a limit refuses calls."}
                </p>
              ) : (
                <Thresholds rules={rules} fired={fired} hasLimit={hasLimit} />
              )}
              {isReadOnly ? null : (
                <p className="inset ruled row">
                  <button type="button" className="plain small" onClick={() => ask("set")}>
                    {isNone ? "Watch this project…" : "Edit thresholds…"}
                  </button>
                  {isNone ? null : (
                    <button type="button" className="plain small" onClick={() => ask("end")}>
                      End…
                    </button>
                  )}
                </p>
              )}
              {asked === "set" ? (
                <SetAlerts project={project} rules={isNone ? undefined : rules} onClose={close} />
              ) : null}
              {asked === "end" ? <EndAlerts project={project} onClose={close} /> : null}
            </>
          )
        }}
      </LiveValue>
    </section>
  )
}

/** The list of thresholds. */
export const Thresholds = ({
  fired,
  hasLimit,
  rules
}: {
  readonly rules: AlertRules
  readonly fired: ReadonlyArray<typeof Fired.Type>
  readonly hasLimit: boolean
}) => (
  <ul className="thresholds">
    {thresholdsOf(rules).map(({ name, words }) => {
      const last = fired.find(({ threshold }) => threshold === name)
      return (
        <li key={name}>
          <b>{words}</b>
          <span className="soft">
            {last === undefined
              ? name.endsWith("%") && !hasLimit
                ? "never: there is no limit per day"
                : "not told yet"
              : `last told ${minuteOf(last.at)}, at ${grouped(last.credits)} credits`}
          </span>
        </li>
      )
    })}
  </ul>
)
