/** The dialogues that make, change, replace and end a key. */
import { useState } from "react"

import { Choice, Field, LimitFields, numbersOf, OF_A_CALLER, textOf } from "../admin/Fields.tsx"
import { ResourceDialog } from "../admin/ResourceDialog.tsx"
import { registry } from "../look/useAtom.ts"
import * as NewSecrets from "./NewSecrets.ts"
import type { ProjectKey } from "./projectReads.ts"

interface OfKey {
  readonly held: ProjectKey
  readonly onClose: () => void
}

/** The dialogue for one more key. */
export const NewKey = ({ onClose, project }: { readonly project: string; readonly onClose: () => void }) => {
  // one idempotency key for all attempts of this dialogue: repeating a lost request makes no second API key
  const [request] = useState(() => crypto.randomUUID())
  return (
    <ResourceDialog
      title="Create a key"
      confirm="Create the key"
      onClose={onClose}
      change={(data) => (client) =>
        client.keys.issue({
          params: { id: project },
          headers: { "idempotency-key": request },
          payload: settingsOf(data)
        })
      }
      onDone={(issued) => {
        NewSecrets.show(issued)
        onClose()
      }}
    >
      <Settings />
    </ResourceDialog>
  )
}

/** The dialogue for the settings of a key. */
export const EditKey = ({ held, onClose }: OfKey) => {
  return (
    <ResourceDialog
      title={`Edit the key ${held.start}…`}
      confirm="Save"
      onClose={onClose}
      change={(data) => (client) => client.keys.update({ params: { id: held.id }, payload: settingsOf(data) })}
    >
      <Settings held={held} />
    </ResourceDialog>
  )
}

const DAY = "86400"

/** The seconds for which an old key is still accepted. */
const OVERLAPS = [
  ["0", "No time: it ends at once"],
  ["3600", "1 hour"],
  [DAY, "1 day"],
  ["604800", "7 days"],
  ["2592000", "30 days"]
] as const

/** The dialogue that replaces a key with a new one. */
export const Rotate = ({ held, onClose }: OfKey) => {
  return (
    <ResourceDialog
      title={`Rotate the key ${held.start}…`}
      confirm="Rotate"
      onClose={onClose}
      change={(data) => (client) =>
        client.keys.rotate({
          params: { id: held.id },
          payload: { overlapSeconds: Number(textOf(data, "overlapSeconds")) }
        })
      }
      onDone={(issued) => {
        NewSecrets.show(issued)
        onClose()
      }}
    >
      <p>A new key with a new secret takes its place, with the same label and limits. It is shown once.</p>
      <Choice name="overlapSeconds" label="The old key is still accepted for" value={DAY} choices={OVERLAPS} />
    </ResourceDialog>
  )
}

/** The dialogue that ends a key. */
export const Revoke = ({ held, isLast, onClose }: OfKey & { readonly isLast: boolean }) => {
  return (
    <ResourceDialog
      title={`Revoke the key ${held.start}…`}
      confirm="Revoke"
      onClose={onClose}
      change={() => (client) => client.keys.revoke({ params: { id: held.id } })}
      onDone={() => {
        // a revoked key is of no use to copy
        if (registry.get(NewSecrets.shown)?.key === held.id) NewSecrets.hide()
        onClose()
      }}
    >
      <ul className="points">
        <li>Calls with it are refused with 401 within a second, in every process. This cannot be undone.</li>
        <li>Calls under way are finished. WebSockets that it opened are closed within a second.</li>
        <li>A session that was begun with it ends.</li>
        {isLast ? <li>It is the last key: without a new one, every call of the project is refused.</li> : null}
      </ul>
    </ResourceDialog>
  )
}

const Settings = ({ held }: { readonly held?: ProjectKey }) => (
  <>
    <Field
      name="label"
      label="Label"
      maxLength={256}
      defaultValue={held?.label ?? ""}
      hint="For people, such as web page."
    />
    <Field
      name="expiresAt"
      label="Expires (UTC)"
      type="datetime-local"
      defaultValue={held?.expiresAt == null ? "" : new Date(held.expiresAt).toISOString().slice(0, 16)}
      hint="Without a time it does not expire."
    />
    <LimitFields names={OF_A_CALLER} limits={held?.limits} />
    <p className="small quiet">Limits of a key hold under those of its project.</p>
  </>
)

const settingsOf = (data: FormData) => {
  const expires = textOf(data, "expiresAt")
  return {
    label: textOf(data, "label") === "" ? null : textOf(data, "label"),
    // the field has no time zone; its label says UTC
    expiresAt: expires === "" ? null : Date.parse(`${expires}Z`),
    limits: numbersOf(
      data,
      OF_A_CALLER.map(([name]) => name)
    )
  }
}
