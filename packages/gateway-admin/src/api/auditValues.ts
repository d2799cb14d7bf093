/** The values of a changed thing before and after, for the audit log. */

/** The members that differ, as JSON; null if the thing did not exist, or nothing is known. */
interface Difference {
  readonly state_before: string | null
  readonly state_after: string | null
}

/** The values of an entry whose action stores none. */
export const none: Difference = { state_before: null, state_after: null }

/** Returns the members that differ between two states. An absent state is null. */
export const between = (before: object | undefined, after: object | undefined): Difference => {
  const [old, now] = [membersOf(before), membersOf(after)]
  const names = [...new Set([...old.keys(), ...now.keys()])].filter((name) => old.get(name) !== now.get(name))
  return {
    state_before: before === undefined ? null : textOf(old, names),
    state_after: after === undefined ? null : textOf(now, names)
  }
}

/** Reads the stored values. */
export const parse = (text: string | null): Readonly<Record<string, unknown>> | null =>
  text === null ? null : (JSON.parse(text) as Readonly<Record<string, unknown>>)

/** Returns the JSON of each member. */
const membersOf = (state: object = {}): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(state).flatMap(([name, value]) => {
      const text: string | undefined = JSON.stringify(value)
      return text === undefined ? [] : [[name, text]]
    })
  )

/** Returns the named members as JSON. A value that is too long for the log is replaced by its length. */
const textOf = (members: ReadonlyMap<string, string>, names: ReadonlyArray<string>): string => {
  const texts = names.flatMap((name) => {
    const text = members.get(name)
    if (text === undefined) return []
    const shown = text.length > MAX_LENGTH ? `"${text.length} characters of JSON"` : text
    return [`${JSON.stringify(name)}:${shown}`]
  })
  return `{${texts.join(",")}}`
}

/** Maximum number of characters of one member. */
const MAX_LENGTH = 4096
