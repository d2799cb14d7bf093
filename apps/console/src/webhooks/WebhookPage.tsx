/** The page of one webhook: a new secret (once), the last deliveries, a test, and a program that receives events. */
import * as Redacted from "effect/Redacted"
import { useState } from "react"

import { Lead } from "../admin/OperatorPage.tsx"
import { Permitted } from "../admin/Permitted.tsx"
import { ShownOnce } from "../admin/ShownOnce.tsx"
import { useWork } from "../admin/useWork.ts"
import { minuteOf, secondOf } from "../admin/utcTimes.ts"
import { grouped } from "../look/TextFormats.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import { ProgramList } from "../programs/ProgramList.tsx"
import { YOUR_SECRET } from "../programs/ProgramParts.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as Router from "../route/Router.ts"
import * as NewWebhook from "./NewWebhook.ts"
import { EndWebhook } from "./WebhookDialogs.tsx"
import * as WebhookReads from "./webhookReads.ts"
import { receivers } from "./WebhookReceiver.ts"
import { outcomeOf, stateOf, typesOf } from "./webhookWords.ts"

/** The page. */
export const WebhookPage = ({
  again,
  tries,
  webhook
}: {
  readonly webhook: WebhookReads.Webhook
  readonly tries: ReadonlyArray<WebhookReads.DeliveryAttempt>
  readonly again: () => void
}) => {
  const [isEnding, setEnding] = useState(false)
  const work = useWork()
  const shown = useAtom(NewWebhook.shown)
  const { delivered, deliveredAt, host, lost, name, source, waiting } = webhook
  const secret = shown?.name === name ? Redacted.value(shown.secret) : undefined
  const attempt = (event?: number): void =>
    work.run(
      (client) => client.webhooks.attempt({ params: { id: name }, payload: event === undefined ? {} : { event } }),
      again
    )
  return (
    <div className="page webhooks">
      <p className="small way-back">
        <a href={ConsoleRoute.link({ _tag: "Webhooks" }).href}>All webhooks</a>
      </p>
      <Lead title={name} text={<p className={webhook.failures > 0 ? "strong" : "soft"}>{stateOf(webhook)}</p>}>
        <div className="row wrap">
          <Permitted to="webhooks.attempt" what="Sending a test">
            <button type="button" className="button" disabled={work.isBusy} onClick={() => attempt()}>
              {work.isBusy ? "Sending …" : "Send a test"}
            </button>
          </Permitted>
          {source === "operator" ? (
            <Permitted to="webhooks.remove" isSilent>
              <button type="button" className="button" onClick={() => setEnding(true)}>
                End…
              </button>
            </Permitted>
          ) : null}
        </div>
      </Lead>
      {work.failed === undefined ? null : (
        <p className="notice" role="alert">
          <span>{work.failed}</span>
        </p>
      )}
      <div className="duo">
        <div>
          {secret === undefined ? null : (
            <ShownOnce
              title="Copy the secret now"
              text="It is shown this one time. The receiver checks signatures with it."
              values={[{ name: "Secret", text: secret, isSecret: true }]}
              putAway="I have it: put it away"
              onHide={NewWebhook.hide}
            />
          )}
          <section className="sheet" aria-labelledby="tries-title">
            <header>
              <h2 id="tries-title">
                Last tries <span>20 at most</span>
              </h2>
            </header>
            {tries.length === 0 ? (
              <p className="inset soft">Nothing was sent yet. Send a test to see if the receiver answers.</p>
            ) : (
              <ul>
                {tries.map((tried) => (
                  <li key={tried.id} className="inset try">
                    <span className="soft small">{secondOf(tried.at)}</span>
                    <span>{tried.event === null ? "test" : `event ${tried.event}`}</span>
                    <span className={tried.problem === null ? "soft" : "strong"}>{outcomeOf(tried)}</span>
                    {tried.event === null ? null : (
                      <Permitted to="webhooks.attempt" isSilent>
                        <button
                          type="button"
                          className="plain small"
                          disabled={work.isBusy}
                          aria-label={`Send event ${tried.event} again`}
                          onClick={() => attempt(tried.event!)}
                        >
                          Send again
                        </button>
                      </Permitted>
                    )}
                  </li>
                ))}
              </ul>
            )}
          </section>
        </div>
        <div>
          <section className="sheet" aria-labelledby="facts-title">
            <header>
              <h2 id="facts-title">Receiver</h2>
            </header>
            <dl className="facts">
              {(
                [
                  ["Host", <code key="host">{host}</code>],
                  ["Events", typesOf(webhook)],
                  [
                    "Delivered",
                    deliveredAt === null ? "none" : `${grouped(delivered)}, the last ${minuteOf(deliveredAt)}`
                  ],
                  ["Waiting", grouped(waiting)],
                  ["Lost", lost === 0 ? "none" : `${grouped(lost)}: too old to be kept until they were taken`],
                  [
                    "Made",
                    source === "operator" ? "by an operator" : "in the configuration, which is where it is changed"
                  ]
                ] as const
              ).map(([term, text]) => (
                <div key={term}>
                  <dt>{term}</dt>
                  <dd>{text}</dd>
                </div>
              ))}
            </dl>
          </section>
          <section className="sheet" aria-labelledby="receive-title">
            <header>
              <h2 id="receive-title">Receive it</h2>
              <span className="small soft">
                {secret === undefined
                  ? `put the secret in the place of ${YOUR_SECRET}`
                  : "with the secret, ready to paste"}
              </span>
            </header>
            <ProgramList label="Receiver" programs={receivers(secret)} secrets={secret === undefined ? [] : [secret]} />
          </section>
        </div>
      </div>
      {isEnding ? (
        <EndWebhook
          webhook={webhook}
          onClose={() => setEnding(false)}
          onEnded={() => {
            registry.refresh(WebhookReads.all)
            Router.go({ _tag: "Webhooks" })
          }}
        />
      ) : null}
    </div>
  )
}
