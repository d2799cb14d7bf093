/** The table of `docs/interface.md`: each sentence of the interface, and the tests that prove it. */
import { readFileSync } from "node:fs"
import * as path from "node:path"

export const root = path.resolve(import.meta.dirname, "../../../..")

export interface Row {
  readonly section: string
  readonly sentence: string
  readonly proofs: ReadonlyArray<{ readonly file: string; readonly test: string }>
}

const OWN = "lab/interface/test/interface"

/**
 * Returns the rows. If a row names only a file, the file is in this package, and its test is named after the sentence.
 * For other files, the row also names the test.
 */
export const rows = (): ReadonlyArray<Row> => {
  const found: Array<Row> = []
  let section = ""
  for (const line of readFileSync(path.join(root, "docs/interface.md"), "utf8").split("\n")) {
    if (line.startsWith("## ")) section = line.slice(3)
    const cells = /^\| (.*?) +\| (`.*?) +\|$/u.exec(line)
    if (cells === null) continue
    const sentence = cells[1]!.replaceAll("\\<", "<").replaceAll("\\|", "|")
    const proofs = cells[2]!.split("<br>").map((proof) => {
      const parts = /^`([^`]+)`(?:: (.*))?$/u.exec(proof.trim())
      if (parts === null) throw new Error(`not a test: ${proof}`)
      const [, file, test] = parts
      return test === undefined
        ? { file: `${OWN}/${file}`, test: sentence }
        : { file: file!, test: test.replaceAll("\\<", "<").replaceAll("\\|", "|") }
    })
    found.push({ section, sentence, proofs })
  }
  return found
}

/** A sentence of the interface, with its section. */
export interface Sentence {
  readonly section: string
  readonly sentence: string
}

/** Splits the interface into sentences: those of its text, and one for each row of its tables. */
export const cut = (text: string): ReadonlyArray<Sentence> => {
  const found: Array<Sentence> = []
  let section: ReadonlyArray<string> = []
  let inTable = false
  for (const line of text.split("\n").map((line) => line.trim())) {
    if (line === "") continue
    const heading = /^(#+) (.*)$/u.exec(line)
    if (heading !== null) {
      // The title of the document is not a section.
      const depth = heading[1]!.length - 2
      section = depth < 0 ? [] : [...section.slice(0, depth), heading[2]!]
      inTable = false
      continue
    }
    const add = (sentence: string) => found.push({ section: section.at(-1) ?? "Introduction", sentence })
    if (line.startsWith("|")) {
      const [first, ...rest] = line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()) as [string, ...Array<string>]
      // The first row names the columns, and the second consists of dashes.
      if (inTable && !/^-+$/u.test(first)) add(`${first}: ${rest.join("; ")}`)
      inTable = true
      continue
    }
    inTable = false
    for (const sentence of line.replace(/^(?:\d+\.|-) /u, "").split(/(?<=\.) /u)) {
      // A sentence that only announces a table states nothing.
      if (!/^\w+:$/u.test(sentence)) add(sentence)
    }
  }
  return found
}
