/** Programs to paste. They contain the key as long as the page shows it, and its secret covered like that above. */
import * as Redacted from "effect/Redacted"

import { ProgramList } from "../programs/ProgramList.tsx"
import { type Explained, YOUR_KEY } from "../programs/ProgramParts.ts"
import type { NewSecret } from "./NewSecrets.ts"

/** The panel. */
export const UseIt = ({
  isOpen,
  programs,
  secret
}: {
  /** True if the reader has uncovered the secret. */
  readonly isOpen: boolean
  readonly programs: ReadonlyArray<Explained>
  readonly secret: NewSecret | undefined
}) => (
  <section className="sheet use" aria-labelledby="use-title">
    <header>
      <h2 id="use-title">Use it</h2>
      <span className="small soft">
        {secret === undefined ? `put your key in the place of ${YOUR_KEY}` : "with the key above, ready to paste"}
      </span>
    </header>
    {programs.length === 0 ? (
      <p className="inset soft">
        This project cannot use any network: the list below names the rule that refuses each one.
      </p>
    ) : (
      <ProgramList
        label="Program"
        programs={programs}
        secrets={secret === undefined ? [] : [Redacted.value(secret.apiKey), Redacted.value(secret.apiKeySecret)]}
        covered={secret === undefined || isOpen ? undefined : Redacted.value(secret.apiKeySecret)}
      />
    )}
  </section>
)
