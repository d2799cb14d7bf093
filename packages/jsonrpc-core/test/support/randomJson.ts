/** Seeded random JSON, as values and as text in every form that the grammar allows. */
import * as Random from "@plumbline/seeded/Random"

export const shuffled = <A>(random: Random.Random, items: ReadonlyArray<A>): Array<A> =>
  items
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item)

/**
 * Strings that are difficult for scanners: quotes, backslashes before quotes, brackets, names of members, and
 * characters of several Unicode planes.
 */
const STRINGS = [
  "",
  "id",
  "result",
  "error",
  "jsonrpc",
  "__proto__",
  "constructor",
  '"',
  "\\",
  '\\"',
  '\\\\"',
  "\\\\",
  "}",
  "]",
  '{"id":1}',
  '","id":2,"x":"',
  "0x1234",
  "é",
  "漢字",
  "😀",
  "\u0000",
  "\n\t",
  "\u2028",
  "x".repeat(100)
]

/** Numbers as text. JSON.parse changes some of them. */
export const NUMBERS = ["0", "-0", "1", "1.0", "1e3", "1E+2", "-1.5e-7", "12345678901234567890", "1e999", "0.1"]

/** Returns the text of a random JSON value. */
export const jsonText = (random: Random.Random, depth = 3): string => {
  const kind = Random.int(random, depth > 0 ? 7 : 4)
  switch (kind) {
    case 0:
      return Random.pick(random, ["null", "true", "false"])
    case 1:
      return Random.pick(random, NUMBERS)
    case 2:
    case 3:
      return stringText(random, Random.pick(random, STRINGS))
    case 4:
      return arrayText(
        random,
        Array.from({ length: Random.int(random, 4) }, () => jsonText(random, depth - 1))
      )
    default:
      return objectText(
        random,
        Array.from(
          { length: Random.int(random, 4) },
          () => [Random.pick(random, STRINGS), jsonText(random, depth - 1)] as const
        )
      )
  }
}

/** Returns a JSON string with some of its characters written as escapes. */
export const stringText = (random: Random.Random, value: string): string => {
  const share = random() < 0.5 ? 0 : random()
  const text = Array.from(value, (char) =>
    random() < share
      ? Array.from({ length: char.length }, (_, unit) => escape(char.charCodeAt(unit))).join("")
      : plain(char)
  )
  return `"${text.join("")}"`
}

export const arrayText = (random: Random.Random, items: ReadonlyArray<string>): string =>
  `[${space(random)}${items.join(`${space(random)},${space(random)}`)}${space(random)}]`

export const objectText = (
  random: Random.Random,
  members: ReadonlyArray<readonly [name: string, value: string]>
): string => {
  const texts = members.map(
    ([name, value]) => `${stringText(random, name)}${space(random)}:${space(random)}${value}${space(random)}`
  )
  return `{${space(random)}${texts.join(`,${space(random)}`)}}`
}

export const space = (random: Random.Random): string =>
  random() < 0.7 ? "" : Random.pick(random, [" ", "\n", "\r\n", "\t", "  \n "])

const escape = (unit: number): string => `\\u${unit.toString(16).padStart(4, "0")}`

const plain = (char: string): string => JSON.stringify(char).slice(1, -1)
