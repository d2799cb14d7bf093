/** The receivers of events, each with the outcome of its deliveries, and the dialogue for a new receiver. */
import "../admin/admin.css"
import "./webhooks.css"
import { Lead, OperatorPage, useDialog } from "../admin/OperatorPage.tsx"
import { Permitted } from "../admin/Permitted.tsx"
import { AlertTabs } from "../alerts/AlertTabs.tsx"
import { StatePanel } from "../look/StatePanel.tsx"
import { count } from "../look/TextFormats.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { MakeWebhook } from "./WebhookDialogs.tsx"
import { WebhookPage } from "./WebhookPage.tsx"
import * as WebhookReads from "./webhookReads.ts"
import { stateOf, typesOf } from "./webhookWords.ts"

/** A webhook gets the events of all projects, so there is no list of those of some projects. */
const GUARD = {
  needs: "webhooks.list",
  refused: { title: "A webhook gets the events of all projects", text: "which of its thresholds were told" }
} as const

const Webhooks = ({ name }: { readonly name: string | undefined }) =>
  name === undefined ? (
    <OperatorPage of={WebhookReads.all} what="the webhooks" every={5000} {...GUARD}>
      {({ webhooks }, again) => <All webhooks={webhooks} again={again} />}
    </OperatorPage>
  ) : (
    <OperatorPage key={name} of={WebhookReads.one(name)} what="the webhook" every={5000} {...GUARD}>
      {(read, again) =>
        read === undefined ? (
          <StatePanel kind="Not found" title={`There is no webhook ${name}`} text="It may have ended.">
            <a className="button primary" href={ConsoleRoute.link({ _tag: "Webhooks" }).href}>
              See all webhooks
            </a>
          </StatePanel>
        ) : (
          <WebhookPage {...read} again={again} />
        )
      }
    </OperatorPage>
  )

const All = ({
  again,
  webhooks
}: {
  readonly webhooks: ReadonlyArray<WebhookReads.Webhook>
  readonly again: () => void
}) => {
  const { ask, asked, close } = useDialog<"new">(again)
  const make = (
    <Permitted to="webhooks.create" what="Making a webhook">
      <button type="button" className="button primary" onClick={() => ask("new")}>
        Make a webhook
      </button>
    </Permitted>
  )
  return (
    <div className="page webhooks">
      <Lead
        title="Webhooks"
        text={`${count(webhooks.length, "receiver")} of events. Each event is signed, and sent until it is taken.`}
      >
        <div className="row wrap">
          <AlertTabs current="Webhooks" />
          {webhooks.length === 0 ? null : make}
        </div>
      </Lead>
      {webhooks.length === 0 ? (
        <StatePanel
          kind="No webhook yet"
          title="Send alerts to your own systems"
          text="A webhook gets a signed POST request for each threshold that is passed and each day that ends."
        >
          {make}
        </StatePanel>
      ) : (
        <ul className="sheet">
          {webhooks.map((webhook) => (
            <li key={webhook.name} className="inset webhook">
              <p>
                <a className="strong" href={ConsoleRoute.link({ _tag: "Webhooks", name: webhook.name }).href}>
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
      {asked === undefined ? null : <MakeWebhook onClose={close} />}
    </div>
  )
}

export default Webhooks
