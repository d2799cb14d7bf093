/** Shows a key and its secret once, with a first call that is ready to paste. */
import * as Redacted from "effect/Redacted"

import { ShownOnce } from "../admin/ShownOnce.tsx"
import type { Explained } from "../programs/ProgramParts.ts"
import * as NewSecrets from "./NewSecrets.ts"

/** The panel. A call that contains the secret is covered with it. */
export const SecretOnce = ({
  onOpen,
  programs,
  secret
}: {
  /** Called when the reader uncovers the secret or covers it again. */
  readonly onOpen: (isOpen: boolean) => void
  readonly secret: NewSecrets.NewSecret
  /** The programs of the project, of which the first one for a shell is shown beside the key. */
  readonly programs: ReadonlyArray<Explained>
}) => (
  <ShownOnce
    key={Redacted.value(secret.apiKey)}
    title="Copy the secret now"
    text="It is shown this one time. The service keeps only its hash."
    values={[
      { name: "Key", text: Redacted.value(secret.apiKey), isSecret: false },
      { name: "Secret", text: Redacted.value(secret.apiKeySecret), isSecret: true },
      ...programs
        .filter(({ name }) => name === "curl")
        .map(({ name, text }) => ({
          name,
          text,
          isSecret: text.includes(Redacted.value(secret.apiKeySecret))
        }))
    ]}
    putAway="I have both: put them away"
    onHide={NewSecrets.hide}
    onOpen={onOpen}
  />
)
