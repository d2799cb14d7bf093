/** The lists of `docs/interface.md`: each sentence of the interface, and the tests that prove it. */
import { readFileSync } from "node:fs"
import * as path from "node:path"

export const root = path.resolve(import.meta.dirname, "../../../..")

export interface Row {
  readonly section: string
  readonly sentence: string
  readonly proofs: ReadonlyArray<{ readonly file: string; readonly test: string }>
}

const OWN = "lab/interface/test/interface"

const textOf = (markdown: string): string => markdown.replaceAll("\\<", "<").replaceAll("\\_", "_")

/**
 * Returns the rows: the items of the page's lists. The items below a sentence name its tests. A sentence without such
 * items, and an item without a test's name, mean the test that has the sentence as its name; its file is the one that
 * the section names. A name that ends with " ..." is the beginning of the only other sentence that begins with it.
 */
export const rows = (): ReadonlyArray<Row> => {
  const all = rowsAsWritten()
  const wholeOf = (test: string): string => {
    if (!test.endsWith(" ...")) return test
    const found = new Set(all.map(({ sentence }) => sentence).filter((one) => one.startsWith(test.slice(0, -3))))
    if (found.size !== 1) throw new Error(`${found.size} sentences begin with: ${test}`)
    return [...found][0]!
  }
  return all.map((row) => ({ ...row, proofs: row.proofs.map(({ file, test }) => ({ file, test: wholeOf(test) })) }))
}

const rowsAsWritten = (): ReadonlyArray<Row> => {
  const [, ...sections] = readFileSync(path.join(root, "docs/interface.md"), "utf8").split(/^## /mu)
  return sections.flatMap((text) => {
    const section = text.slice(0, text.indexOf("\n"))
    const own = /^Proven by `(.+)`\.$/mu.exec(text)?.[1]
    return text
      .split(/^- /mu)
      .slice(1)
      .map((item) => {
        const [first, ...rest] = item.trim().split(/\n+ {2}- /u)
        const sentence = textOf(first!)
        const proofs = rest.length === 0 ? [`\`${own ?? ""}\``] : rest
        return { section, sentence, proofs: proofs.map((proof) => proofOf(proof, sentence)) }
      })
  })
}

const proofOf = (proof: string, sentence: string): Row["proofs"][number] => {
  const parts = /^`([^`]+)`(?:: (.*))?$/u.exec(proof)
  if (parts === null) throw new Error(`not a test: ${proof}`)
  const [, file, test] = parts
  return { file: file!.includes("/") ? file! : `${OWN}/${file}`, test: test === undefined ? sentence : textOf(test) }
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
