/** The dialogues that set and end the rules for tokens of a project's users. */
import type { AdminClient } from "@plumbline/gateway-admin/api/AdminClient"
import type { TokenRules } from "@plumbline/gateway/accounts/TokenRules"

import { Check, Field, LimitFields, numbersOf, OF_A_CALLER, textOf } from "../admin/Fields.tsx"
import { ResourceDialog } from "../admin/ResourceDialog.tsx"
import * as PastedKeys from "./pastedKeys.ts"

/** The dialogue that sets the rules. It refuses text that is not a public key before sending anything. */
export const SetRules = ({
  id,
  onClose,
  rules
}: {
  readonly id: string
  readonly rules: TokenRules | undefined
  readonly onClose: () => void
}) => {
  const change = (data: FormData) => {
    const read = PastedKeys.keysIn(textOf(data, "keys"))
    if ("wrong" in read) return read.wrong
    const audience = textOf(data, "audience")
    const tolerance = textOf(data, "toleranceSeconds")
    const userLimits = numbersOf(
      data,
      OF_A_CALLER.map(([name]) => name)
    )
    return (client: AdminClient) =>
      client.tokens.set({
        params: { id },
        payload: {
          keys: read.keys,
          required: data.has("required"),
          userLimits,
          ...(audience === "" ? {} : { audience }),
          ...(tolerance === "" ? {} : { toleranceSeconds: Number(tolerance) })
        }
      })
  }
  return (
    <ResourceDialog
      isWide
      title={rules === undefined ? "Let users in with tokens" : "Edit the rules for tokens"}
      confirm="Save"
      onClose={onClose}
      change={change}
    >
      <label className="labelled">
        <span>Public keys</span>
        <textarea
          className="field mono"
          name="keys"
          rows={6}
          required
          spellCheck={false}
          autoComplete="off"
          placeholder='{"kid":"2026-11-23","kty":"OKP","crv":"Ed25519","x":"…"}'
          defaultValue={rules === undefined ? "" : JSON.stringify({ keys: rules.keys }, null, 2)}
        />
        <span className="small quiet">
          A JWK with a kid, a list of them, or a JWK set: Ed25519, P-256 or RSA, ten at most. A private key is never
          sent.
        </span>
      </label>
      <Check name="required" isOn={rules?.required ?? false}>
        Every call of JSON-RPC must carry a token, in the place of the secret
      </Check>
      <div className="two">
        <Field
          name="audience"
          label="Audience"
          maxLength={256}
          placeholder={id}
          defaultValue={rules?.audience}
          hint="The aud that a token must name. Empty: the project's id."
        />
        <Field
          name="toleranceSeconds"
          label="Difference of clocks, in seconds"
          inputMode="numeric"
          pattern="[0-9]{1,3}"
          wrong="The difference is a whole number of seconds, of at most three digits."
          placeholder="30"
          defaultValue={rules?.toleranceSeconds}
        />
      </div>
      <fieldset>
        <legend>Limits of each user</legend>
        <p className="small quiet">They hold under those of the project. With any of them a token must have a sub.</p>
        <LimitFields names={OF_A_CALLER} limits={rules?.userLimits} />
      </fieldset>
    </ResourceDialog>
  )
}

/** The dialogue that ends the rules. */
export const EndRules = ({
  id,
  isRequired,
  onClose
}: {
  readonly id: string
  readonly isRequired: boolean
  readonly onClose: () => void
}) => {
  return (
    <ResourceDialog
      title="End the user tokens of this project"
      confirm="End them"
      onClose={onClose}
      change={() => (client) => client.tokens.remove({ params: { id } })}
    >
      <ul className="points">
        <li>Every token is refused with 401 within a second, in every process. The public keys are forgotten.</li>
        {isRequired ? (
          <li>
            Tokens are required now. Afterwards the key alone is enough, or the key and its secret if the project
            requires the secret.
          </li>
        ) : null}
        <li>WebSockets that were opened with a token are closed within a second.</li>
      </ul>
    </ResourceDialog>
  )
}
