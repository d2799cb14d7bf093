/** The fields of forms of the admin API, and how their texts are read. */
import { type ReactNode, useState } from "react"

/**
 * A field with its name above it and a sentence below it. If the browser refuses its text, the sentence becomes the
 * reason, because a browser's own message passes after some seconds. `wrong` is the reason of a text that does not match
 * the pattern: the browser knows no form that is asked for.
 */
export const Field = ({
  hint,
  label,
  name,
  wrong,
  ...input
}: {
  readonly label: string
  readonly name: string
  readonly hint?: ReactNode
  readonly wrong?: string
} & React.InputHTMLAttributes<HTMLInputElement>) => {
  const [problem, setProblem] = useState<string | undefined>(undefined)
  return (
    <label className="labelled">
      <span>{label}</span>
      <input
        className="field"
        name={name}
        autoComplete="off"
        {...input}
        aria-invalid={problem !== undefined}
        onInvalid={(event) => {
          event.preventDefault()
          const { form, validationMessage, validity } = event.currentTarget
          setProblem(validity.patternMismatch ? (wrong ?? validationMessage) : validationMessage)
          form?.querySelector<HTMLInputElement>("input:invalid")?.focus()
        }}
        onInput={() => setProblem(undefined)}
      />
      {problem === undefined ? null : (
        <span className="problem" role="alert">
          {problem}
        </span>
      )}
      {hint === undefined ? null : <span className="small quiet">{hint}</span>}
    </label>
  )
}

/** A checkbox with its label. */
export const Check = ({
  children,
  isOn,
  name
}: {
  readonly name: string
  readonly isOn: boolean
  readonly children: ReactNode
}) => (
  <label className="check">
    <input type="checkbox" name={name} defaultChecked={isOn} />
    <span>{children}</span>
  </label>
)

/** A list of choices with its label; `value` is the choice at first. */
export const Choice = ({
  choices,
  label,
  name,
  value
}: {
  readonly label: string
  readonly name: string
  readonly value?: string
  readonly choices: ReadonlyArray<readonly [value: string, words: string]>
}) => (
  <label className="labelled">
    <span>{label}</span>
    <select className="field" name={name} defaultValue={value}>
      {choices.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  </label>
)

/** Returns the text of a field, without spaces around it. */
export const textOf = (data: FormData, name: string): string => {
  const value = data.get(name)
  return typeof value === "string" ? value.trim() : ""
}

/** Returns the whole numbers of the named fields; a field without text is absent. */
export const numbersOf = <N extends string>(data: FormData, names: ReadonlyArray<N>): { readonly [K in N]?: number } =>
  Object.fromEntries(
    names.flatMap((name) => {
      const text = textOf(data, name).replaceAll(/[,_\s]/gu, "")
      return text === "" ? [] : [[name, Number(text)]]
    })
  ) as { readonly [K in N]?: number }

/** The limits of a key, or of a user with a token, with their labels. */
export const OF_A_CALLER = [
  ["requestsPerSecond", "Requests per second"],
  ["burst", "Burst, in requests"],
  ["creditsPerDay", "Credits per day"]
] as const

/**
 * Shows a field for each limit, in two columns. `names` pairs the name of each limit with its label; an empty field
 * means no limit.
 */
export const LimitFields = <N extends string>({
  limits,
  names
}: {
  readonly names: ReadonlyArray<readonly [name: N, label: string]>
  readonly limits: { readonly [K in N]?: number | undefined } | undefined
}) => (
  <div className="two">
    {names.map(([name, label]) => (
      <Field
        key={name}
        name={name}
        label={label}
        inputMode="numeric"
        pattern="[0-9][0-9,_ ]*"
        wrong="A limit is a whole number. Leave the field empty for no limit."
        placeholder="no limit"
        defaultValue={limits?.[name]}
      />
    ))}
  </div>
)
