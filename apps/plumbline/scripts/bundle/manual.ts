/** Makes the manual page from the `--help` of each command. Source of the form: man-pages(7). */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import type { FlagDoc, HelpDoc } from "effect/cli/HelpDoc"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

import * as Cli from "../../src/cli.ts"

/** Returns the page in roff, for a version. */
export const page = async (version: string): Promise<string> => {
  const command = await Cli.whole()
  const root = await docOf([])
  const docs = await docsOf(command, [])
  return [
    `.TH PLUMBLINE 1 "" "plumbline ${version}" "Plumbline"`,
    ".SH NAME",
    "plumbline \\- reads blockchain nodes and IPFS, and tells whether the answer is true",
    ".SH SYNOPSIS",
    ".B plumbline",
    "\\fIcommand\\fR [\\fIflags\\fR] [\\fIarguments\\fR]",
    ".SH DESCRIPTION",
    ...paragraph(root.description),
    ...VERDICTS,
    ".SH COMMANDS",
    ...docs.flatMap(section),
    ".SH FLAGS OF EVERY COMMAND",
    ...flags(root.globalFlags ?? []),
    ...ENDING,
    ""
  ].join("\n")
}

const VERDICTS = [
  ".TP\n.B VERIFIED",
  "It is proven by hashing from a block that you trust: a hash that you gave, or the block of a light client.",
  ".TP\n.B CLAIMED",
  "It is the node's word, and the reason is named.",
  ".TP\n.B REFUTED",
  "It is false. The check that failed is named, with the expected value and the received one."
]

const ENDING = [
  ".SH EXIT STATUS",
  ".TP\n.B 0",
  "VERIFIED or CLAIMED.",
  ".TP\n.B 2",
  "REFUTED.",
  ".TP\n.B 1",
  "Any other failure."
]

/** Returns the help of all commands below a command, in the order of the help. */
const docsOf = async (
  { subcommands: groups }: { readonly subcommands: Command.Command.Any["subcommands"] },
  path: ReadonlyArray<string>
): Promise<ReadonlyArray<HelpDoc>> => {
  const found: Array<HelpDoc> = []
  for (const { commands } of groups) {
    for (const { name, subcommands } of commands) {
      const below = [...path, name]
      found.push(await docOf(below), ...(await docsOf({ subcommands }, below)))
    }
  }
  return found
}

/** Returns the help of one command. `path` has the names that a user types for this command. */
export const docOf = async (path: ReadonlyArray<string>): Promise<HelpDoc> => {
  let found: HelpDoc | undefined
  const presenter = CliOutput.layerPresenter({
    present: (event) => Effect.sync(() => (found = event._tag === "Help" ? event.helpDoc : found))
  })
  const command = await Cli.whole()
  await Command.runWith(command, { version: "" })([...path, "--help"]).pipe(
    Effect.ignore,
    Effect.provide(Layer.merge(NodeServices.layer, presenter)),
    (program) => Effect.runPromise(program)
  )
  if (found === undefined) throw new Error(`no help of ${path.join(" ")}`)
  return found
}

const section = (doc: HelpDoc): ReadonlyArray<string> => {
  // a command that only groups subcommands needs no entry
  if ((doc.subcommands ?? []).length > 0) return []
  return [
    `.SS ${escape(doc.usage)}`,
    ...paragraph(doc.description),
    ...(doc.args ?? []).flatMap(({ description, name }) => item(`\\fI${escape(name)}\\fR`, description)),
    ...flags(doc.flags),
    ...(doc.examples ?? []).flatMap(({ command, description }) => [
      ...(description === undefined ? [] : paragraph(`${description}:`)),
      ".PP\n.RS 4\n.EX",
      escape(command),
      ".EE\n.RE"
    ])
  ]
}

const flags = (docs: ReadonlyArray<FlagDoc>): ReadonlyArray<string> =>
  docs.flatMap(({ aliases, description, name, type }) => {
    const names = [`--${name}`, ...aliases].map((alias) => `\\fB${escape(alias)}\\fR`).join(", ")
    return item(type === "boolean" ? names : `${names} \\fI${escape(type)}\\fR`, description)
  })

const item = (title: string, description: Option.Option<string>): ReadonlyArray<string> => [
  `.TP\n${title}`,
  escape(Option.getOrElse(description, () => ""))
]

const paragraph = (text: string): ReadonlyArray<string> => [".PP", escape(text)]

/** Escapes a text so that roff prints it unchanged: backslashes, hyphens, and lines that begin like a request. */
const escape = (text: string): string =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(/^(?=[.'])/gmu, "\\&")
