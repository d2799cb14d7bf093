/**
 * A form for an API key, and the fields of secrets. What is entered stays in the memory of the open page.
 *
 * The button is always enabled. Once the reader has pressed it, each field shows why its text is refused.
 */
import { useId, useState } from "react"

import * as TypedText from "../route/TypedText.ts"
import { TypedField } from "./TypedField.tsx"

/** Shows a field for an API key, which serves JSON-RPC. */
export const KeyForm = ({ onKey, submit }: { readonly onKey: (key: string) => void; readonly submit: string }) => (
  <Secrets names={["API key"]} submit={submit} onTexts={([key = ""]) => onKey(key)} />
)

/** Shows a field for each secret. */
export const Secrets = ({
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
