/** Shows a key and its secret, once. */
import * as Redacted from "effect/Redacted"

import { ShownOnce } from "../admin/ShownOnce.tsx"
import * as NewSecrets from "./NewSecrets.ts"

/** The panel. */
export const SecretOnce = ({ secret }: { readonly secret: NewSecrets.NewSecret }) => (
  <ShownOnce
    key={Redacted.value(secret.apiKey)}
    title="Copy the secret now"
    text="It is shown this one time. The service keeps only its hash."
    values={[
      { name: "Key", text: Redacted.value(secret.apiKey), isSecret: false },
      { name: "Secret", text: Redacted.value(secret.apiKeySecret), isSecret: true }
    ]}
    putAway="I have both: put them away"
    onHide={NewSecrets.hide}
  />
)
