/** The dialogues that set and end the thresholds of a project. */
import { type AlertRules, defaults } from "@plumbline/gateway-admin/alerts/AlertRules"
import type { AdminClient } from "@plumbline/gateway-admin/api/AdminClient"

import { Field, textOf } from "../admin/Fields.tsx"
import { ResourceDialog } from "../admin/ResourceDialog.tsx"
import type { WatchedProject } from "./alertReads.ts"
import { numbersIn } from "./thresholds.ts"

const NO_CHOICES: ReadonlyArray<WatchedProject> = []

/** The thresholds of one project. Without `project` the reader chooses one of `choices` first. */
export const SetAlerts = ({
  choices = NO_CHOICES,
  onClose,
  project,
  rules
}: {
  readonly project?: WatchedProject | undefined
  readonly choices?: ReadonlyArray<WatchedProject>
  readonly rules?: AlertRules | undefined
  readonly onClose: () => void
}) => {
  const { creditsOfDay, percentOfDay } = rules ?? defaults
  const change = (data: FormData) => {
    const id = project?.id ?? textOf(data, "project")
    const percents = numbersIn(textOf(data, "percentOfDay"))
    const credits = numbersIn(textOf(data, "creditsOfDay"))
    if ("wrong" in percents) return `${percents.wrong} is not a percentage. Write whole numbers, such as 75, 100.`
    if ("wrong" in credits) return `${credits.wrong} is not a number of credits. Write 1000000, not 1M.`
    if (percents.length + credits.length === 0) {
      return "Name one threshold at least. To be told nothing, end the alerts instead."
    }
    return (client: AdminClient) =>
      client.alerts.set({ params: { id }, payload: { percentOfDay: percents, creditsOfDay: credits } })
  }
  return (
    <ResourceDialog
      title={project === undefined ? "Watch a project" : `Alerts of ${project.name}`}
      confirm="Save"
      onClose={onClose}
      change={change}
    >
      {project === undefined ? (
        <label className="labelled">
          <span>Project</span>
          <select className="field" name="project" required>
            {choices.map(({ id, name }) => (
              <option key={id} value={id}>
                {name} ({id.slice(0, 8)})
              </option>
            ))}
          </select>
        </label>
      ) : null}
      <Field
        name="percentOfDay"
        label="Percent of the day's limit"
        defaultValue={percentOfDay.join(", ")}
        placeholder="75, 100"
        hint="Parts of its credits per day, 1 to 100. A project without that limit is never told by these."
      />
      <Field
        name="creditsOfDay"
        label="Credits of a day"
        defaultValue={creditsOfDay.join(", ")}
        placeholder="1000000"
        hint="Numbers of credits, whatever the limit."
      />
      <p className="small quiet">
        Each threshold is told once a day, within ten seconds. A day begins at midnight UTC. Ten of each kind at most.
      </p>
    </ResourceDialog>
  )
}

/** The dialogue that ends a project's thresholds. */
export const EndAlerts = ({ onClose, project }: { readonly project: WatchedProject; readonly onClose: () => void }) => {
  return (
    <ResourceDialog
      title={`End the alerts of ${project.name}`}
      confirm="End them"
      onClose={onClose}
      change={() => (client) => client.alerts.remove({ params: { id: project.id } })}
    >
      <ul className="points">
        <li>No threshold of this project is told from now on. Its limits stay, and still refuse calls.</li>
        <li>Events that were told stay, and are still sent to webhooks.</li>
      </ul>
    </ResourceDialog>
  )
}
