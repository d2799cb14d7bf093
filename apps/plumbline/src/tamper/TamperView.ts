import type { Lie } from "@plumbline/tamper/lie/Lie"
import type { ToldLie } from "@plumbline/tamper/tell/Tamper"

import type { Style } from "../terminal/Style.ts"
import * as TerminalText from "../terminal/TerminalText.ts"
import * as Units from "../terminal/Units.ts"
import type { LieFinding } from "./TamperCheck.ts"

/** Returns the lines of the catalogue: its lies below the methods whose answers they change, and their number. */
export const list = (lies: ReadonlyArray<Lie>, style: Style): ReadonlyArray<string> => {
  const width = Math.max(...lies.map(({ name }) => name.length))
  const groups = Map.groupBy(lies, ({ methods }) => (methods.length === 0 ? "any method" : methods.join(", ")))
  return [
    ...[...groups].flatMap(([methods, group]) => [
      ...TerminalText.wrap(`${methods}: ${Units.count(group.length, "lie")}`, style.columns).map(style.title),
      ...group.map(
        ({ about, expected, name }) => `  ${style.label(name.padEnd(width))}  ${expected.padEnd(7)}  ${about}`
      ),
      ""
    ]),
    Units.count(lies.length, "lie")
  ]
}

/** Returns the lines with the address of the lying node. */
export const opened = (url: string, lie: string, style: Style): ReadonlyArray<string> => [
  style.bad(`This endpoint lies: ${lie}.`),
  "",
  `  ${style.label("HTTP")}  ${url}`,
  "",
  style.faint("Ctrl-C ends it.")
]

/** Maximum number of characters that are shown of an answer. */
const SHOWN = 120

/** Returns the line about a lie that was told: the first place where the answer differs from the truth. */
export const told = ({ lie, method, told, truth }: ToldLie): string => {
  const [from, to] = [JSON.stringify(truth) ?? "nothing", JSON.stringify(told) ?? "nothing"]
  let at = 0
  while (at < from.length && at < to.length && from[at] === to[at]) at++
  const start = Math.max(0, at - 20)
  return TerminalText.printable(
    `${lie}: ${method}: ${from.slice(start, start + SHOWN)} -> ${to.slice(start, start + SHOWN)}`
  )
}

/** Returns the lines of a check: each lie with its outcome, then the count. */
export const report = (findings: ReadonlyArray<LieFinding>, style: Style): ReadonlyArray<string> => {
  const width = Math.max(...findings.map(({ lie }) => lie.length))
  const believed = findings.filter(({ fate }) => fate === "believed").length
  const asked = findings.filter(({ fate }) => fate !== "not asked").length
  return [
    ...findings.map(({ expected, fate, lie }) => {
      const shown = fate === "believed" ? style.bad(fate.padEnd(9)) : fate.padEnd(9)
      return `${style.label(lie.padEnd(width))}  ${shown}  want ${expected}`
    }),
    "",
    `${believed} of ${asked} lies believed`
  ]
}
