/** The dialogues that change a project: one for its name and limits, one for its suspension. */
import type { Project } from "@plumbline/gateway/accounts/Account"

import { Check, Field, LimitFields, numbersOf, textOf } from "../admin/Fields.tsx"
import { ResourceDialog } from "../admin/ResourceDialog.tsx"

const LIMITS = [
  ["creditsPerDay", "Credits per day"],
  ["creditsPerSecond", "Credits per second"],
  ["burst", "Burst, in credits"],
  ["concurrency", "Calls at a time"],
  ["ipfsReadsPerSecond", "IPFS reads per second"],
  ["ipfsWritesPerSecond", "IPFS writes per second"],
  ["ipfsStored", "IPFS bytes stored"],
  ["ipfsUploadedPerDay", "IPFS bytes uploaded per day"],
  ["ipfsDownloadedPerDay", "IPFS bytes downloaded per day"]
] as const

/** The dialogue for name and limits. */
export const EditProject = ({ onClose, project }: { readonly project: Project; readonly onClose: () => void }) => {
  return (
    <ResourceDialog
      isWide
      title={`Edit ${project.name}`}
      confirm="Save"
      onClose={onClose}
      change={(data) => (client) =>
        client.projects.update({
          params: { id: project.id },
          payload: {
            name: textOf(data, "name"),
            secretRequired: data.has("secretRequired"),
            limits: numbersOf(
              data,
              LIMITS.map(([name]) => name)
            )
          }
        })
      }
    >
      <Field name="name" label="Name" required maxLength={256} defaultValue={project.name} />
      <Check name="secretRequired" isOn={project.secretRequired}>
        Calls need the secret beside the key. IPFS commands always do
      </Check>
      <fieldset>
        <legend>Limits</legend>
        <p className="small quiet">
          An empty field means no limit. A call costs credits by its method, often 80: the usage of the project shows
          how many. Every process has the change within a second.
        </p>
        <LimitFields names={LIMITS} limits={project.limits} />
      </fieldset>
    </ResourceDialog>
  )
}

/** The dialogue that suspends or resumes a project. It says what happens to calls. */
export const SuspendProject = ({ onClose, project }: { readonly project: Project; readonly onClose: () => void }) => {
  const { id, name, suspended } = project
  return (
    <ResourceDialog
      title={suspended ? `Resume ${name}` : `Suspend ${name}`}
      confirm={suspended ? "Resume" : "Suspend"}
      onClose={onClose}
      change={() => (client) => client.projects.update({ params: { id }, payload: { suspended: !suspended } })}
    >
      {suspended ? (
        <p>Its keys work again within a second, in every process. Limits and usage are as they were.</p>
      ) : (
        <ul className="points">
          <li>New calls are refused with 403 within a second, in every process.</li>
          <li>Calls under way are finished, answered and charged.</li>
          <li>WebSockets are closed within a second, with code 1008.</li>
          <li>Keys, limits, pins and usage stay. Resume undoes it.</li>
        </ul>
      )}
    </ResourceDialog>
  )
}
