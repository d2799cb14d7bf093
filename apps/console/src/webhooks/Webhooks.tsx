/** The receivers of events, each with the outcome of its deliveries, and the dialogue for a new receiver. */
import "../admin/admin.css"
import "./webhooks.css"
import { useState } from "react"

import { Fresh } from "../admin/Fresh.tsx"
import { Gate } from "../admin/Gate.tsx"
import { useEvery } from "../admin/live.ts"
import { Tabs } from "../alerts/Tabs.tsx"
import { StatePanel } from "../look/StatePanel.tsx"
import { count } from "../look/Text.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import * as Place from "../route/Place.ts"
import * as Reads from "./reads.ts"
import { WebhookPage } from "./Webhook.tsx"
import { MakeWebhook } from "./WebhookDialogs.tsx"
import { stateOf, typesOf } from "./words.ts"

const Webhooks = ({ name }: { readonly name: string | undefined }) => (
  <Gate>
    {({ kind, project }) => {
      if (kind === "operator") return name === undefined ? <All /> : <WebhookPage key={name} name={name} />
      return (
        <StatePanel
          kind="A project's session"
          title="Webhooks are the operator's"
          text="You signed in with the key of a project. Its page shows which of its thresholds were told."
        >
          <a className="button primary" href={Place.link({ _tag: "Project", id: project ?? "" }).href}>
            Go to the project
          </a>
        </StatePanel>
      )
    }}
  </Gate>
)

const WATCHED = [Reads.all]

const All = () => {
  const [isMaking, setMaking] = useState(false)
  const result = useAtom(Reads.all)
  useEvery(5000, WATCHED)
  const again = (): void => registry.refresh(Reads.all)
  return (
    <Fresh result={result} what="the webhooks" again={again}>
      {({ webhooks }) => (
        <div className="page webhooks">
          <div className="lead">
            <div>
              <h1>Webhooks</h1>
              <p className="soft">
                {count(webhooks.length, "receiver")} of events. Each event is signed, and sent until it is taken.
              </p>
            </div>
            <div className="row wrap">
              <Tabs current="Webhooks" />
              {webhooks.length === 0 ? null : (
                <button type="button" className="button primary" onClick={() => setMaking(true)}>
                  Make a webhook
                </button>
              )}
            </div>
          </div>
          {webhooks.length === 0 ? (
            <StatePanel
              kind="No webhook yet"
              title="Send alerts to your own systems"
              text="A webhook gets a signed POST request for each threshold that is passed and each day that ends."
            >
              <button type="button" className="button primary" onClick={() => setMaking(true)}>
                Make a webhook
              </button>
            </StatePanel>
          ) : (
            <ul className="sheet">
              {webhooks.map((webhook) => (
                <li key={webhook.name} className="inset webhook">
                  <p>
                    <a className="strong" href={Place.link({ _tag: "Webhooks", name: webhook.name }).href}>
                      {webhook.name}
                    </a>
                    <code className="soft">{webhook.host}</code>
                    <span className="soft small">{typesOf(webhook)}</span>
                    {webhook.source === "configuration" ? <span className="entry">configuration</span> : null}
                  </p>
                  <p className={webhook.failures > 0 ? "small strong" : "small soft"}>{stateOf(webhook)}</p>
                </li>
              ))}
            </ul>
          )}
          {isMaking ? (
            <MakeWebhook
              onClose={() => {
                setMaking(false)
                again()
              }}
            />
          ) : null}
        </div>
      )}
    </Fresh>
  )
}

export default Webhooks
