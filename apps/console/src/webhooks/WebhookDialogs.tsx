/** The dialogues that make and end a webhook. */
import { Check, Field, textOf } from "../admin/Fields.tsx"
import { ResourceDialog } from "../admin/ResourceDialog.tsx"
import * as Router from "../route/Router.ts"
import * as NewWebhook from "./NewWebhook.ts"
import type { Webhook } from "./webhookReads.ts"
import { TYPES } from "./webhookWords.ts"

/** The dialogue for a new webhook. The webhook's page then shows its secret once. */
export const MakeWebhook = ({ onClose }: { readonly onClose: () => void }) => {
  return (
    <ResourceDialog
      title="Make a webhook"
      confirm="Make it"
      onClose={onClose}
      change={(data) => (client) =>
        client.webhooks.create({
          payload: {
            name: textOf(data, "name"),
            url: textOf(data, "url"),
            events: TYPES.flatMap(([type]) => (data.has(type) ? [type] : []))
          }
        })
      }
      onDone={({ name, secret }) => {
        onClose()
        Router.go({ _tag: "Webhooks", name })
        NewWebhook.show({ name, secret })
      }}
    >
      <Field
        name="name"
        label="Name"
        required
        maxLength={64}
        pattern="[A-Za-z0-9_.\-]{1,64}"
        wrong="A name has only letters, digits, dots, dashes and underscores, and no blank."
        placeholder="pager"
        hint="Letters, digits, dots, dashes and underscores."
      />
      <Field
        name="url"
        label="Address"
        type="url"
        required
        maxLength={2048}
        placeholder="https://hooks.example/plumbline"
        hint="This service sends its requests there. The address may hold a key: only its host is shown again."
      />
      <fieldset>
        <legend className="small">Events</legend>
        <div className="checks">
          {TYPES.map(([type, , words]) => (
            <Check key={type} name={type} isOn>
              {words}
            </Check>
          ))}
        </div>
      </fieldset>
      <p className="small quiet">
        It gets the events from now on, in order, each until it answers with a status from 200 to 299.
      </p>
    </ResourceDialog>
  )
}

/** The dialogue that ends a webhook. */
export const EndWebhook = ({
  onClose,
  onEnded,
  webhook: { name, waiting }
}: {
  readonly webhook: Webhook
  readonly onClose: () => void
  readonly onEnded: () => void
}) => {
  return (
    <ResourceDialog
      title={`End the webhook ${name}`}
      confirm="End it"
      onClose={onClose}
      change={() => (client) => client.webhooks.remove({ params: { id: name } })}
      onDone={onEnded}
    >
      <ul className="points">
        <li>Nothing is sent to it any more. A request that is under way is still finished.</li>
        <li>Its secret ends with it. A new webhook of this name gets a new one, and no older events.</li>
        {waiting > 0 ? (
          <li>Events wait for it now, and it does not get them. They stay in the table of events.</li>
        ) : null}
      </ul>
    </ResourceDialog>
  )
}
