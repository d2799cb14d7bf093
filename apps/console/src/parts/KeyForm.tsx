/**
 * Forms for an API key, alone or with its secret. Both stay in the memory of the open page.
 *
 * The button is always enabled. Once the reader has pressed it, each field shows why its text is refused.
 */
import { lazy, Suspense, useId, useState } from "react"

import * as SignInState from "../admin/SignInState.ts"
import * as PageSession from "../chain/PageSession.ts"
import { setAtom, useAtom } from "../look/useAtom.ts"
import * as TypedText from "../route/TypedText.ts"
import { TypedField } from "./TypedField.tsx"

/** Shows a field for an API key, which serves JSON-RPC. */
export const KeyForm = ({ onKey, submit }: { readonly onKey: (key: string) => void; readonly submit: string }) => (
  <Secrets names={["API key"]} submit={submit} onTexts={([key = ""]) => onKey(key)} />
)

const OperatorKey = lazy(() => import("../projects/OperatorKey.tsx"))

/** Shows fields for an API key and its secret, which IPFS needs both. A signed-in operator can choose a project instead. */
export const AccessForm = () => {
  const isSet = useAtom(PageSession.access) !== undefined
  const signed = useAtom(SignInState.signInState)
  const form = (
    <Secrets
      names={["API key", "API key secret"]}
      submit={isSet ? "Use this one" : "Use it"}
      onTexts={([key = "", secret = ""]) =>
        setAtom(PageSession.access, { apiKey: PageSession.redacted(key), apiKeySecret: PageSession.redacted(secret) })
      }
    />
  )
  return signed._tag === "In" && signed.session.kind === "operator" ? (
    <Suspense fallback={form}>
      <OperatorKey>{form}</OperatorKey>
    </Suspense>
  ) : (
    form
  )
}

const Secrets = ({
  names,
  onTexts,
  submit
}: {
  readonly names: ReadonlyArray<string>
  readonly submit: string
  readonly onTexts: (texts: ReadonlyArray<string>) => void
}) => {
  const id = useId()
  const [texts, setTexts] = useState<ReadonlyArray<string>>(names.map(() => ""))
  const [isAsked, ask] = useState(false)
  const problems = texts.map((text, at) => TypedText.secretProblem(text.trim(), names[at]!))
  return (
    <form
      className="typed-row"
      onSubmit={(event) => {
        event.preventDefault()
        const isWhole = problems.every((problem) => problem === undefined)
        ask(!isWhole)
        if (!isWhole) return
        onTexts(texts.map((text) => text.trim()))
        setTexts(names.map(() => ""))
      }}
    >
      {names.map((name, at) => (
        <TypedField
          key={name}
          id={`${id}${at}`}
          type="password"
          aria-label={name}
          placeholder={name}
          value={texts[at]}
          onText={(text) => setTexts(texts.with(at, text))}
          problem={isAsked ? problems[at] : undefined}
        />
      ))}
      <button type="submit" className="button primary">
        {submit}
      </button>
    </form>
  )
}
