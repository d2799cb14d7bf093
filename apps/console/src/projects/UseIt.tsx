/** Programs to paste, with the key while it is shown. */
import { Tabs } from "@base-ui/react/tabs"
import * as Redacted from "effect/Redacted"

import { Copied } from "../look/Hash.tsx"
import type { Read } from "./reads.ts"
import type { Secret } from "./Secrets.ts"
import { snippets, YOUR_KEY } from "./Snippets.ts"

/** The panel. */
export const UseIt = ({ read, secret }: { readonly read: Read; readonly secret: Secret | undefined }) => {
  const open = read.access.places.filter(({ refused }) => refused === null || refused === "suspended")
  const all = snippets({
    url: location.origin,
    network: open.find(({ product }) => product === "rpc")?.name,
    hasIpfs: open.some(({ product }) => product === "ipfs"),
    secretRequired: read.project.secretRequired,
    apiKey: secret === undefined ? undefined : Redacted.value(secret.apiKey),
    apiKeySecret: secret === undefined ? undefined : Redacted.value(secret.apiKeySecret)
  })
  return (
    <section className="sheet use" aria-labelledby="use-title">
      <header>
        <h2 id="use-title">Use it</h2>
        <span className="small soft">
          {secret === undefined ? `put your key in the place of ${YOUR_KEY}` : "with the key above, ready to paste"}
        </span>
      </header>
      {all.length === 0 ? (
        <p className="inset soft">
          This project cannot use any network: the list below names the rule that refuses each one.
        </p>
      ) : (
        <Tabs.Root defaultValue="curl">
          <Tabs.List className="tabs" aria-label="Program">
            {all.map(({ name }) => (
              <Tabs.Tab key={name} value={name}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {all.map(({ how, name, text }) => (
            <Tabs.Panel key={name} value={name} className="snippet">
              <p className="small soft">
                <span>{how}</span>
                <Copied text={text} label="Copy" isSecret />
              </p>
              {/* long lines scroll, also with the keyboard */}
              {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
              <pre tabIndex={0}>{secret === undefined ? text : <Marked text={text} secret={secret} />}</pre>
            </Tabs.Panel>
          ))}
        </Tabs.Root>
      )}
    </section>
  )
}

/** The text with the key and the secret marked, so that the eye finds what must not be passed on. */
const Marked = ({ secret, text }: { readonly text: string; readonly secret: Secret }) => {
  const parts = text.split(new RegExp(`(${Redacted.value(secret.apiKey)}|${Redacted.value(secret.apiKeySecret)})`, "u"))
  // a split at a group alternates between text and match
  // oxlint-disable-next-line react/no-array-index-key
  return parts.map((part, i) => (i % 2 === 1 ? <mark key={i}>{part}</mark> : part))
}
