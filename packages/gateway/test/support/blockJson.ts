/** Seeded random blocks as JSON text, written in every way the grammar allows. */
import { int, pick, type Random } from "@plumbline/seeded/Random"

/** Usually returns an object with the names that matter, and sometimes any other JSON. */
export const block = (random: Random): string => (random() < 0.9 ? objectText(random, 3) : jsonText(random, 3))

const NAMES = ["transactions", "transactions", "block_hash", "block_number", "x", "", "__proto__"]

/**
 * Strings that are hard for scanners: quotes, backslashes before quotes, brackets, names of members, and characters of
 * several Unicode planes.
 */
const STRINGS = [...NAMES, '"', "\\", '\\"', '\\\\"', "\\\\", "}", "]", '","transactions":[],"x":"', "é", "😀", "\n\t"]

const WORDS = ["null", "true", "false", "0", "-0", "1.0", "1E+2", "-1.5e-7", "12345678901234567890", "1e999"]

const jsonText = (random: Random, depth: number): string => {
  const kind = int(random, depth > 0 ? 6 : 3)
  if (kind < 2) return pick(random, WORDS)
  if (kind === 2) return stringText(random, pick(random, STRINGS))
  if (kind === 3) return objectText(random, depth - 1)
  return listed(random, "[]", () => jsonText(random, depth - 1))
}

const objectText = (random: Random, depth: number): string =>
  listed(
    random,
    "{}",
    () => `${stringText(random, pick(random, NAMES))}${space(random)}:${space(random)}${jsonText(random, depth)}`
  )

const listed = (random: Random, brackets: string, item: () => string): string => {
  const items = Array.from({ length: int(random, 5) }, () => `${space(random)}${item()}${space(random)}`)
  return `${space(random)}${brackets[0]}${items.join(",")}${space(random)}${brackets[1]}${space(random)}`
}

const stringText = (random: Random, value: string): string => {
  const isEscaped = random() < 0.3
  return `"${Array.from(value, (char) => (isEscaped && random() < 0.5 ? escaped(char) : plain(char))).join("")}"`
}

const escaped = (text: string): string =>
  text
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("")

const plain = (char: string): string => JSON.stringify(char).slice(1, -1)

const space = (random: Random): string => (random() < 0.7 ? "" : pick(random, [" ", "\n", "\r\n", "\t", "  \n "]))
