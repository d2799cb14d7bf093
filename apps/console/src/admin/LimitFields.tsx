/** The fields of a dialogue that sets limits. */
import { Field } from "./ResourceDialog.tsx"

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
        placeholder="no limit"
        defaultValue={limits?.[name]}
      />
    ))}
  </div>
)
