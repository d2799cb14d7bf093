/**
 * Checks the types of the workspace for `pnpm test`, and says what it does: `tsc -b` prints nothing for minutes in a fresh
 * clone. In a terminal, the progress is one line that changes; elsewhere, each project is a line. With CI=true, only the
 * compiler's own complaints are printed. The arguments are projects; default: all.
 */
import * as path from "node:path"
import { createInterface } from "node:readline"
import { stripVTControlCharacters } from "node:util"

import * as Children from "./children.ts"
import { root } from "./workspace.ts"

/** A line of the compiler: the number of projects so far, a project that is now compiled, a detail, or a complaint. */
export type Said =
  | { readonly _tag: "Listed" }
  | { readonly _tag: "Compiles"; readonly project: string }
  | { readonly _tag: "Detail" }
  | { readonly _tag: "Complaint"; readonly text: string }

/** The time before a line of progress: `10:20:30 PM - `, or `[10:20:30 PM] ` in a terminal. */
const TIMED = /^(?:\d\d:\d\d:\d\d (?:[AP]M )?- |\[\d\d:\d\d:\d\d(?: [AP]M)?\] )/u

/** Reads a line of `tsc -b --verbose`, with or without colours. */
export const read = (text: string): Said => {
  const line = stripVTControlCharacters(text).trimEnd()
  if (/^ {4}\* \S+$/u.test(line)) return { _tag: "Listed" }
  if (line === "" || TIMED.test(line)) {
    const [, project] = /Building project '(.*?)(?:\/tsconfig\.json)?'\.\.\.$/u.exec(line) ?? []
    return project === undefined ? { _tag: "Detail" } : { _tag: "Compiles", project }
  }
  return { _tag: "Complaint", text }
}

/** Runs the compiler, and ends as it does. */
const main = (projects: ReadonlyArray<string>): void => {
  const isQuiet = process.env["CI"] === "true"
  const isTerminal = process.stdout.isTTY
  let all = 0
  let begun = 0
  const show = (text: string): void => {
    if (!isQuiet) process.stdout.write(isTerminal ? `\r\u001B[K${text}` : `${text}\n`)
  }
  show("Checking types, for minutes in a fresh clone ...")
  const tsc = path.join(root, "node_modules/.bin/tsc")
  // what ends this process ends the compiler, which could otherwise write beside the next one
  const child = Children.start(tsc, ["-b", ...projects, "--verbose", "--pretty", isTerminal ? "true" : "false"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"]
  })
  child.once("error", (error) => console.error(`The compiler does not start: ${error.message}. Run pnpm install.`))
  createInterface({ input: child.stdout! }).on("line", (line) => {
    const said = read(line)
    if (said._tag === "Listed") all++
    else if (said._tag === "Compiles") show(`Checking types: ${said.project}, ${++begun} of at most ${all} projects`)
    else if (said._tag === "Complaint") {
      if (isTerminal && !isQuiet) process.stdout.write("\r\u001B[K")
      console.log(said.text)
    }
  })
  child.once("close", (code) => {
    if (isTerminal && !isQuiet) process.stdout.write("\r\u001B[K")
    process.exitCode = code === null || code < 0 ? 1 : code
  })
}

if (import.meta.main) main(process.argv.slice(2))
