/** Shows a key and its secret, once. */
import * as Redacted from "effect/Redacted"
import { useState } from "react"

import { Copied } from "../look/Hash.tsx"
import * as Secrets from "./Secrets.ts"

/** The panel. The secret is covered until the reader wants to see it: copying does not need the eye. */
export const SecretOnce = ({ secret }: { readonly secret: Secrets.Secret }) => {
  const [isOpen, setOpen] = useState(false)
  const hidden = Redacted.value(secret.apiKeySecret)
  return (
    <section className="once" aria-labelledby="once-title">
      <h2 id="once-title">Copy the secret now</h2>
      <p className="soft">It is shown this one time. The service keeps only its hash.</p>
      <div className="once-values">
        <span className="soft">Key</span>
        <code>{Redacted.value(secret.apiKey)}</code>
        <Copied text={Redacted.value(secret.apiKey)} label="Copy" />
        <span className="soft">Secret</span>
        <code>
          {isOpen ? (
            hidden
          ) : (
            <>
              <span aria-hidden="true">{"•".repeat(28)}</span>
              <span className="spoken">covered</span>
            </>
          )}
        </code>
        <Copied text={hidden} label="Copy" className="button primary" isSecret />
      </div>
      <p className="row">
        <button type="button" className="plain small" aria-pressed={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Cover the secret" : "Show the secret"}
        </button>
        <button type="button" className="plain small" onClick={Secrets.hide}>
          I have both: put them away
        </button>
      </p>
    </section>
  )
}
