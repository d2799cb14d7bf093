/** Prints values as TypeScript, in the format that oxfmt and Prettier leave unchanged. */

/** A value that can be printed. */
export type Printable = string | number | ReadonlyArray<Printable> | PrintableObject

export interface PrintableObject {
  readonly [key: string]: Printable
}

/** Prints an object that starts at the beginning of a line, with a line for each of its members. */
export const object = (value: PrintableObject): string => expanded(value, 0)

const WIDTH = 120

/** Prints a value. `before` and `after` are the numbers of characters on the line before and after it. */
const print = (value: Printable, indent: number, before: number, after: number): string => {
  if (typeof value === "number") return String(value)
  if (typeof value === "string") return quote(value)
  const line = flat(value)
  return line !== undefined && indent + before + line.length + after <= WIDTH ? line : expanded(value, indent)
}

/** Prints a value on one line. Returns undefined if the formatters would use several lines. */
const flat = (value: Printable): string | undefined => {
  if (typeof value === "number") return String(value)
  if (typeof value === "string") return quote(value)
  if (isArray(value)) {
    if (value.length > 1 && value.every((item) => typeof item === "object" && Object.keys(item).length > 1))
      return undefined
    return joined(value.map(flat), ["[", "]"])
  }
  const members = Object.entries(value).map(([key, member]) => {
    const text = flat(member)
    return text === undefined ? undefined : `${keyText(key)}: ${text}`
  })
  return members.length === 0 ? "{}" : joined(members, ["{ ", " }"])
}

const joined = (
  items: ReadonlyArray<string | undefined>,
  [open, close]: readonly [string, string]
): string | undefined => (items.includes(undefined) ? undefined : `${open}${items.join(", ")}${close}`)

const expanded = (value: ReadonlyArray<Printable> | PrintableObject, indent: number): string => {
  const space = " ".repeat(indent + 2)
  const [open, close] = isArray(value) ? ["[", "]"] : ["{", "}"]
  const entries: ReadonlyArray<readonly [string, Printable]> = isArray(value)
    ? value.map((item) => ["", item] as const)
    : Object.entries(value).map(([key, member]) => [`${keyText(key)}: `, member] as const)
  const lines = entries.map(([key, member], i) => {
    const comma = i + 1 < entries.length ? "," : ""
    const text = print(member, indent + 2, key.length, comma.length)
    const room = WIDTH - space.length - key.length
    // a long text gets a separate line, except after a very short key, where that would save little
    const isLong = typeof member === "string" && key.length >= 7 && text.length + comma.length > room
    const breaks = isLong || (typeof member === "object" && key.length > 0 && room < 1)
    return breaks
      ? `${space}${key.trimEnd()}\n${space}  ${print(member, indent + 4, 0, comma.length)}${comma}`
      : `${space}${key}${text}${comma}`
  })
  return `${open}\n${lines.join("\n")}\n${" ".repeat(indent)}${close}`
}

const isArray = (value: Printable): value is ReadonlyArray<Printable> => Array.isArray(value)

/** Quotes a key only if it must be quoted. An uncomputed key `__proto__` would set the prototype. */
const keyText = (key: string): string =>
  key === "__proto__" ? `["__proto__"]` : /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(key) ? key : quote(key)

/** Quotes a text with double quotes, unless that needs more escapes than single quotes. */
const quote = (text: string): string => {
  const json = JSON.stringify(text).replaceAll(/[^\x20-\x7e]/g, escape)
  const [double, single] = [/"/g, /'/g].map((mark) => text.match(mark)?.length ?? 0)
  if (double! <= single!) return json
  return `'${json
    .slice(1, -1)
    .replaceAll(String.raw`\"`, `"`)
    .replaceAll("'", String.raw`\'`)}'`
}

/** Escapes a character outside ASCII, which may be invisible, or reorder the characters around it. */
const escape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
