/** Shows a key and its secret, once. */
import * as Redacted from "effect/Redacted"

import { Once } from "../admin/Once.tsx"
import * as Secrets from "./Secrets.ts"

/** The panel. */
export const SecretOnce = ({ secret }: { readonly secret: Secrets.Secret }) => (
  <Once
    title="Copy the secret now"
    text="It is shown this one time. The service keeps only its hash."
    values={[
      { name: "Key", text: Redacted.value(secret.apiKey), isSecret: false },
      { name: "Secret", text: Redacted.value(secret.apiKeySecret), isSecret: true }
    ]}
    putAway="I have both: put them away"
    onHide={Secrets.hide}
  />
)
