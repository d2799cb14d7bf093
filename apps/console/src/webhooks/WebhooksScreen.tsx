/** The receivers of events, each with the outcome of its deliveries, and the dialogue for a new receiver. */
import "../admin/admin.css"
import "./webhooks.css"
import { Lead, OperatorPage, useDialog } from "../admin/OperatorPage.tsx"
import { AlertTabs } from "../alerts/AlertTabs.tsx"
import { StatePanel } from "../look/StatePanel.tsx"
import { count } from "../look/TextFormats.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { MakeWebhook } from "./WebhookDialogs.tsx"
import { WebhookPage } from "./WebhookPage.tsx"
import * as WebhookReads from "./webhookReads.ts"
import { stateOf, typesOf } from "./webhookWords.ts"

const REFUSED = { title: "Webhooks are the operator's", text: "which of its thresholds were told" }

const Webhooks = ({ name }: { readonly name: string | undefined }) =>
  name === undefined ? (
    <OperatorPage of={WebhookReads.all} what="the webhooks" every={5000} refused={REFUSED}>
      {({ webhooks }, again) => <All webhooks={webhooks} again={again} />}
    </OperatorPage>
  ) : (
    <OperatorPage key={name} of={WebhookReads.one(name)} what="the webhook" every={5000} refused={REFUSED}>
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
  return (
    <div className="page webhooks">
      <Lead
        title="Webhooks"
        text={`${count(webhooks.length, "receiver")} of events. Each event is signed, and sent until it is taken.`}
      >
        <div className="row wrap">
          <AlertTabs current="Webhooks" />
          {webhooks.length === 0 ? null : (
            <button type="button" className="button primary" onClick={() => ask("new")}>
              Make a webhook
            </button>
          )}
        </div>
      </Lead>
      {webhooks.length === 0 ? (
        <StatePanel
          kind="No webhook yet"
          title="Send alerts to your own systems"
          text="A webhook gets a signed POST request for each threshold that is passed and each day that ends."
        >
          <button type="button" className="button primary" onClick={() => ask("new")}>
            Make a webhook
          </button>
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
