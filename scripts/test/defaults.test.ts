/** Each value that a comment of an option states as the default is in `defaults`, from which the code reads it. */
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { pathToFileURL } from "node:url"

import * as Duration from "effect/Duration"
import { expect, test } from "vitest"

import { packages } from "../workspace.ts"

/** An option whose comment states its default as a value. */
interface StatedDefault {
  readonly key: string
  readonly text: string
}

const INTERFACES = /^export interface \w*Options\b[^{]*\{\n(.*?)^\}/gmsu
const MEMBERS = /^ {2}\/\*\*((?:[^*]|\*(?!\/))*)\*\/\n {2}readonly (\w+)\?/gmu
const STATED =
  /(?:Default: |\(default: )(`[^`]+`(?= \(|[.,;:)])|(?:true|false)\b|\d[\d,]*(?:\.\d+)?(?: (?:[KMG]iB|milliseconds?|seconds?|minutes?|hours?))?(?=[.,;)]+(?:\s|$))(?!, or ))/u

/** True if a comment's text names something else of the program: a function, another option or a variable. */
const isReference = (text: string, source: string): boolean => {
  const name = /^`(\w+)`$/u.exec(text)?.[1]
  return name === undefined
    ? /^`[A-Za-z]\w*\./u.test(text)
    : /^[A-Z_]+$/u.test(name) || new RegExp(`(?:readonly|const|import \\{[^}]*) ${name}\\b`, "u").test(source)
}

/** The members of exported `...Options` interfaces whose comments state a value as the default. */
const statedIn = (source: string): ReadonlyArray<StatedDefault> =>
  Array.from(source.matchAll(INTERFACES)).flatMap(([, body]) =>
    Array.from(body!.matchAll(MEMBERS)).flatMap(([, comment, key]) => {
      const text = STATED.exec(comment!.replaceAll(/\s*\n\s*\* ?/gu, " ").trimEnd() + " ")?.[1]
      return text === undefined || isReference(text, source) ? [] : [{ key: key!, text }]
    })
  )

const SIZES: Readonly<Record<string, number>> = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 }

/** True if the text of a comment means the value. */
const means = (text: string, value: unknown): boolean => {
  if (typeof value === "object" && value !== null && !Duration.isDuration(value)) {
    return Object.values(value).some((part) => means(text, part))
  }
  const plain = text.replaceAll(/[`,]/gu, "").replace("millisecond", "milli")
  const [number, unit] = plain.split(" ")
  if (unit === undefined) return String(value) === plain
  if (SIZES[unit] !== undefined) return value === Number(number) * SIZES[unit]
  return Duration.toMillis(value as Duration.Input) === Duration.toMillis(plain as Duration.Input)
}

/** Modules that only declare: a node applies the defaults, which are those of Kubo's commands. */
const DECLARATIONS: ReadonlySet<string> = new Set(["ipfs-client/node/IpfsNode"])

test("a public module exports as `defaults` what its comments state", async () => {
  const wrong: Array<string> = []
  let compared = 0
  for (const { dir, modules } of packages()) {
    for (const module of modules) {
      if (DECLARATIONS.has(`${path.basename(dir)}/${module}`)) continue
      const file = path.join(dir, "src", `${module}.ts`)
      const stated = statedIn(readFileSync(file, "utf8"))
      if (stated.length === 0) continue
      const { defaults } = (await import(pathToFileURL(file).href)) as {
        readonly defaults?: Readonly<Record<string, unknown>>
      }
      for (const { key, text } of stated) {
        compared++
        if (defaults === undefined || !(key in defaults) || !means(text, defaults[key])) {
          wrong.push(`${path.basename(dir)}/${module} ${key}: ${text}, not ${String(defaults?.[key])}`)
        }
      }
    }
  }
  expect(wrong).toEqual([])
  expect(compared).toBeGreaterThan(60)
})

test("a default is found as a number, a size, a duration or a name, and not as a sentence", () => {
  const of = (comment: string) => statedIn(`export interface AnyOptions {\n  /** ${comment} */\n  readonly it?: 1\n}\n`)
  const texts = [
    "Most. Default: 1,000.",
    "Most (default: 2 MiB).",
    "Default: 30 seconds.",
    "Default: `gap`, which waits."
  ]
  expect(texts.flatMap(of).map(({ text }) => text)).toEqual(["1,000", "2 MiB", "30 seconds", "`gap`"])
  expect(["Default: no limit.", "Default: 1 for each call.", "Default: `it` of each."].flatMap(of)).toEqual([])
})

test("a stated default is compared by its meaning", () => {
  expect(means("1,000", 1000) && means("2 MiB", 2_097_152) && means("30 seconds", 30_000)).toBe(true)
  expect(means("1,000", 1001) || means("2 MiB", 2) || means("`gap`", "wait") || means("30 seconds", 30)).toBe(false)
})
