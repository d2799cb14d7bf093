/** Programs to paste. They contain the key as long as the page shows it. */
import * as Redacted from "effect/Redacted"

import * as PageSession from "../chain/PageSession.ts"
import { useAtom } from "../look/useAtom.ts"
import { ProgramList } from "../programs/ProgramList.tsx"
import { YOUR_KEY } from "../programs/ProgramParts.ts"
import type { NewSecret } from "./NewSecrets.ts"
import { projectPrograms } from "./ProjectPrograms.ts"
import type { ProjectRead } from "./projectReads.ts"

/** The panel. */
export const UseIt = ({ read, secret }: { readonly read: ProjectRead; readonly secret: NewSecret | undefined }) => {
  const url = useAtom(PageSession.service)
  const open = read.access.places.filter(({ refused }) => refused === null || refused === "suspended")
  const all = projectPrograms({
    url,
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
        <ProgramList
          label="Program"
          programs={all}
          secrets={secret === undefined ? [] : [Redacted.value(secret.apiKey), Redacted.value(secret.apiKeySecret)]}
        />
      )}
    </section>
  )
}
