/**
 * Counts sentences that must be read twice, and fails if a package has more of them than its ceiling:
 *
 * - `start`: doc comments and strings of several words that begin with What, Whether, Who, Whose, Where, Why, Of or
 *   How, because the subject comes last; doc comments that begin with "The most" and a plural, in place of "Maximum
 *   number of",
 * - `shall`: the modal verb that prose.md forbids (rule 4),
 * - `actor`: pronouns such as `nobody`, which hide an actor (rule 2), and `anew`, which is "again",
 * - `no`: `is no` or `are no` before a noun, in place of "is not a",
 * - `want`: a message with `: want`, in place of "must be".
 *
 * Comments and Markdown are read everywhere, strings only in `src`. The last three rules skip the strings of tools,
 * because many of these are names of rows.
 *
 * A ceiling only falls. Lower it in this file when a package has fewer. `--list` prints each place.
 */
import { globSync, readFileSync } from "node:fs"
import * as path from "node:path"

import { parseSync, Visitor } from "oxc-parser"

import { root } from "./workspace.ts"

/** Maximum number of places in each part of the repository; zero for a part without an entry. */
const CEILINGS: Readonly<Record<string, number>> = {}

const RULES = ["start", "shall", "actor", "no", "want"] as const

/** A place that breaks a rule. */
export interface Place {
  readonly line: number
  readonly rule: (typeof RULES)[number]
  readonly text: string
}

const START = /^(?:What|Whatever|Whoever|Whether|Who|Whose|Where|Why|Of|How)\b/u
const MOST = /^The most \w+s\b/u
const SHALL = /\bshall\b/giu
const ACTOR = /\b(?:nobody|somebody|anybody|everybody|whoever|whomever|anew)\b/giu
/** A gap between two words, which may be a line break with the margin of a comment. */
const GAP = String.raw`(?:[ \t]+|[ \t]*\n[ \t]*(?:\*|//)?[ \t]*)`
// "there is no" is good English, and so is "is no longer"
const NO = new RegExp(
  String.raw`(?<!\bthere${GAP})\b(?:is|are)${GAP}no${GAP}(?!(?:longer|more|other|such|one|larger|better|less|fewer)\b)\w`,
  "giu"
)
const WANT = /: want\b/gu

/** The text of a comment on one line, without the asterisks of its margin. */
const flat = (comment: string): string =>
  comment
    .split("\n")
    .map((line) => line.replace(/^\s*\*?\s?/u, ""))
    .join(" ")
    .trim()

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length

/** Replaces code with blanks, because its words are names. Every line keeps its position. */
const withoutCode = (text: string): string =>
  text.replaceAll(/```.*?```|`[^`\n]*`/gsu, (code) => code.replaceAll(/[^\n]/gu, " "))

/** Returns a place for each match in a text that begins at `offset` of the whole. */
const matches = (
  rule: Place["rule"],
  pattern: RegExp,
  whole: string,
  text: string,
  offset: number
): ReadonlyArray<Place> =>
  [...text.matchAll(pattern)].map(({ index }) => ({
    line: lineAt(whole, offset + index),
    rule,
    text: text
      .slice(Math.max(0, index - 40), index + 40)
      .replaceAll(/\s+/gu, " ")
      .trim()
  }))

/** Returns the places of forbidden words. */
const words = (whole: string, text: string, offset: number): ReadonlyArray<Place> => [
  ...matches("actor", ACTOR, whole, text, offset),
  ...matches("no", NO, whole, text, offset)
]

const shalls = (whole: string, text: string, offset: number): ReadonlyArray<Place> =>
  matches("shall", SHALL, whole, text, offset)

/** Returns the place of a string of several words that begins with a forbidden word. */
const starts = (whole: string, text: string, offset: number): ReadonlyArray<Place> =>
  START.test(text) && text.includes(" ")
    ? [{ line: lineAt(whole, offset), rule: "start", text: text.slice(0, 80) }]
    : []

/** Returns the places in a source file; strings are read in the files of `src` only. */
export const inSource = (file: string, text: string): ReadonlyArray<Place> => {
  const { comments, errors, program } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`)
  const places: Array<Place> = []
  for (const { start, type, value } of comments) {
    const prose = withoutCode(value)
    places.push(...shalls(text, prose, start + 2), ...words(text, prose, start + 2))
    if (type !== "Block" || !value.startsWith("*")) continue
    const sentence = flat(value.slice(1))
    if (START.test(sentence) || MOST.test(sentence))
      places.push({ line: lineAt(text, start), rule: "start", text: sentence.slice(0, 80) })
  }
  if (/(?:^|\/)src\//u.test(file)) {
    const isShown = /^(?:packages|apps)\//u.test(file)
    const shown = (value: string, offset: number): ReadonlyArray<Place> =>
      isShown ? [...words(text, value, offset), ...matches("want", WANT, text, value, offset)] : []
    new Visitor({
      Literal: ({ start, value }) => {
        if (typeof value !== "string") return
        places.push(...shalls(text, value, start + 1), ...starts(text, value, start), ...shown(value, start + 1))
      },
      JSXText: ({ start, value }) => {
        places.push(...shalls(text, value, start), ...shown(value, start))
      },
      TemplateLiteral: ({ quasis }) => {
        quasis.forEach(({ start, value }, index) => {
          places.push(...shalls(text, value.raw, start + 1), ...shown(value.raw, start + 1))
          if (index === 0) places.push(...starts(text, value.raw, start))
        })
      }
    }).visit(program)
  }
  return places
}

/** Returns the places in Markdown. */
export const inMarkdown = (text: string): ReadonlyArray<Place> => {
  const prose = withoutCode(text)
  return [...shalls(text, prose, 0), ...words(text, prose, 0)]
}

/** The part of the repository that a file belongs to: a package, an app, a tool, or a folder of the root. */
export const partOf = (file: string): string => {
  const [first, second, third] = file.split("/")
  if (second === undefined) return "."
  return third !== undefined && ["packages", "apps", "tools", "lab"].includes(first!) ? `${first}/${second}` : first!
}

/** Returns the parts with more places than their ceiling, and those whose ceiling can be lowered. */
export const judge = (
  counts: ReadonlyMap<string, number>,
  ceilings: Readonly<Record<string, number>>
): { readonly faults: ReadonlyArray<string>; readonly notes: ReadonlyArray<string> } => {
  const faults: Array<string> = []
  const notes: Array<string> = []
  for (const part of new Set([...counts.keys(), ...Object.keys(ceilings)])) {
    const count = counts.get(part) ?? 0
    const ceiling = ceilings[part] ?? 0
    if (count > ceiling)
      faults.push(`${part} has ${count}, and may have ${ceiling}. Run "pnpm check:prose --list ${part}".`)
    if (count < ceiling) notes.push(`${part} has ${count}. Lower its ceiling of ${ceiling} in scripts/check-prose.ts.`)
  }
  return { faults, notes }
}

if (import.meta.main) {
  const ignored = ["**/node_modules", "**/dist", "**/CHANGELOG.md", "coverage"]
  const places = globSync(
    ["{packages,apps,tools,lab,scripts,examples,docs,deploy,.changeset}/**/*.{ts,tsx,md}", "*.{ts,md}"],
    {
      cwd: root,
      exclude: ignored
    }
  )
    .sort()
    .flatMap((file) => {
      const text = readFileSync(path.join(root, file), "utf8")
      return (file.endsWith(".md") ? inMarkdown(text) : inSource(file, text)).map((place) => ({ ...place, file }))
    })
  if (process.argv.includes("--list")) {
    const wanted = process.argv.slice(process.argv.indexOf("--list") + 1)
    for (const { file, line, rule, text } of places)
      if (wanted.length === 0 || wanted.includes(partOf(file))) console.log(`${file}:${line}: ${rule}: ${text}`)
  } else {
    const counts = new Map<string, number>()
    for (const { file } of places) counts.set(partOf(file), (counts.get(partOf(file)) ?? 0) + 1)
    const { faults, notes } = judge(counts, CEILINGS)
    const of = (part: string, rule: Place["rule"]) =>
      places.filter((place) => partOf(place.file) === part && place.rule === rule).length
    for (const part of [...counts.keys()].sort())
      console.log(`${part}: ${RULES.map((rule) => `${of(part, rule)} ${rule}`).join(", ")}`)
    console.log([...notes, ...faults, `${places.length} places, ${faults.length} parts above their ceiling`].join("\n"))
    process.exitCode = faults.length > 0 ? 1 : 0
  }
}
