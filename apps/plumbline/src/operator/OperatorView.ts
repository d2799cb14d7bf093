/** Formats answers for operators as text. Names are untrusted text, because users choose them. */
import * as Account from "@plumbline/gateway/accounts/Account"
import type * as TokenRules from "@plumbline/gateway/accounts/TokenRules"
import type * as AdminModel from "@plumbline/gateway/admin/AdminModel"
import type * as UsageReport from "@plumbline/gateway/metering/usage/UsageReport"
import type * as StateMove from "@plumbline/gateway/StateMove"

import type { Style } from "../terminal/Style.ts"
import * as TerminalText from "../terminal/TerminalText.ts"
import * as TextTable from "../terminal/TextTable.ts"
import * as Units from "../terminal/Units.ts"

/** A key and its secret, in plain text. */
export interface KeySecrets {
  readonly apiKey: string
  readonly apiKeySecret: string
}

/** Returns the lines about a new project and its key. */
export const created = (
  project: Account.Project,
  { keyId, sameName, ...secrets }: KeySecrets & { readonly keyId: string | undefined; readonly sameName: number },
  style: Style
): ReadonlyArray<string> => [
  style.title(`Made the project ${TerminalText.printable(project.name)}`),
  "",
  ...facts(
    [
      ...factsOf(project),
      ...(keyId === undefined ? [] : [["key id", TerminalText.printable(keyId)] as const]),
      ...factsOfSecrets(secrets)
    ],
    style
  ),
  "",
  ...(sameName === 0
    ? []
    : [`${sameName} more with this name: commands take the id of this project, not its name.`, ""]),
  ONCE
]

/** Returns the lines about a new key. */
export const issued = (
  key: Account.Key,
  { oldEnds, ...secrets }: KeySecrets & { readonly oldEnds?: number | undefined },
  style: Style
): ReadonlyArray<string> => [
  style.title("Made a key"),
  "",
  ...facts(
    [
      ["key id", key.id],
      ["project", key.project],
      ...(oldEnds === undefined ? [] : [["old key ends", time(oldEnds)] as const]),
      ...factsOfSecrets(secrets)
    ],
    style
  ),
  "",
  ONCE
]

const ONCE = "Keep the key and its secret now: they are not shown again."

/** Returns the lines about a project. */
export const project = (project: Account.Project, style: Style): ReadonlyArray<string> => [
  style.title(TerminalText.printable(project.name)),
  "",
  ...facts(factsOf(project), style)
]

/** Returns the lines about projects. */
export const projects = (projects: ReadonlyArray<Account.Project>, style: Style): ReadonlyArray<string> =>
  listed(
    Units.count(projects.length, "project"),
    [{ title: "id" }, { title: "name" }, { title: "account" }, { title: "state" }],
    projects.map(({ account, id, name, suspended }) => [
      TerminalText.printable(id),
      TerminalText.printable(name),
      TerminalText.printable(account),
      suspended ? "suspended" : "on"
    ]),
    style
  )

/** Returns the lines about accounts. */
export const accounts = (accounts: ReadonlyArray<Account.Account>, style: Style): ReadonlyArray<string> =>
  listed(
    Units.count(accounts.length, "account"),
    [{ title: "id" }, { title: "name" }, { title: "card" }],
    accounts.map(({ card, id, name }) => [
      TerminalText.printable(id),
      TerminalText.printable(name),
      card ? "yes" : "no"
    ]),
    style
  )

/** Returns the lines about an account and its card. */
export const account = (
  account: Account.Account,
  card: typeof AdminModel.Card.Type,
  style: Style
): ReadonlyArray<string> => [
  style.title(TerminalText.printable(account.name)),
  "",
  ...facts(
    [
      ["id", TerminalText.printable(account.id)],
      ["card", TerminalText.printable(cardText(card))]
    ],
    style
  )
]

const cardText = ({ brand, expiry, last4, source }: typeof AdminModel.Card.Type): string => {
  if (source === "none") return "none"
  if (source === "manual") return "yes: an operator said so"
  const until = expiry === null ? "" : `, good to the end of ${String(expiry.month).padStart(2, "0")}/${expiry.year}`
  return `${brand ?? "a card"} that ends with ${last4 ?? "?"}${until}`
}

/** Returns the lines about the keys of a project. */
export const keys = (keys: ReadonlyArray<Account.Key>, style: Style): ReadonlyArray<string> =>
  listed(
    Units.count(keys.length, "key"),
    [
      { title: "id" },
      { title: "label" },
      { title: "begins with" },
      { title: "made" },
      { title: "ends" },
      { title: "limits" }
    ],
    keys.map((key) => {
      const end = Account.endOf(key)
      return [
        TerminalText.printable(key.id),
        TerminalText.printable(key.label ?? ""),
        TerminalText.printable(key.start),
        time(key.createdAt),
        end === undefined ? "never" : time(end),
        keyLimits(key.limits)
      ]
    }),
    style
  )

const keyLimits = ({ burst, creditsPerDay, requestsPerSecond }: Account.Key["limits"]): string => {
  const said = [
    [requestsPerSecond, "requests a second"],
    [requestsPerSecond === undefined ? undefined : burst, "at once"],
    [creditsPerDay, "credits a day"]
  ] as const
  const limits = said.flatMap(([bound, what]) =>
    bound === undefined ? [] : [`${Units.grouped(BigInt(bound))} ${what}`]
  )
  return limits.length === 0 ? "those of the project" : limits.join(", ")
}

/** Returns the line about a removed thing. */
export const removed = (sentence: string, style: Style): ReadonlyArray<string> => [
  style.title(TerminalText.printable(sentence))
]

/** Returns the lines about the token rules of a project. */
export const tokens = (rules: TokenRules.TokenRules, style: Style): ReadonlyArray<string> => [
  style.title(Units.count(rules.keys.length, "public key")),
  "",
  ...TextTable.lines(
    [{ title: "kid" }, { title: "algorithm" }],
    rules.keys.map(({ alg, kid }) => [TerminalText.printable(kid), alg]),
    style
  ),
  "",
  ...facts(
    [
      ["tokens", rules.required ? "required of every call of JSON-RPC" : "accepted, and not required"],
      ["audience", TerminalText.printable(rules.audience)],
      ["each user", keyLimits(rules.userLimits)],
      ["tolerance", `${rules.toleranceSeconds} s`]
    ],
    style
  )
]

/** Returns the lines about the tables of a moved state. */
export const moved = (
  folder: string,
  tables: ReadonlyArray<StateMove.MovedTable>,
  style: Style
): ReadonlyArray<string> => [
  style.title(`Moved the state of ${TerminalText.printable(folder)} to Postgres`),
  "",
  ...TextTable.lines(
    [{ title: "table" }, { title: "rows", numbers: true }],
    tables.map(({ rows, table }) => [TerminalText.printable(table), Units.grouped(BigInt(rows))]),
    style
  ),
  "",
  "Every row was read again and compared. The folder is unchanged. From now on, start services with state.postgres."
]

/** Returns the lines about changes by operators, the newest first. */
export const audit = (entries: ReadonlyArray<AdminModel.AuditEntry>, style: Style): ReadonlyArray<string> =>
  listed(
    Units.count(entries.length, "change"),
    [{ title: "time" }, { title: "by" }, { title: "action" }, { title: "target" }, { title: "given" }],
    entries.map((entry) => [
      time(entry.at),
      TerminalText.printable(entry.by),
      TerminalText.printable(entry.action),
      TerminalText.printable(entry.target),
      TerminalText.printable(entry.changed.join(", "))
    ]),
    style
  )

/** Returns the lines of a report of usage. `names` are the names of projects, by id. */
export const usage = (
  report: UsageReport.UsageReport,
  names: ReadonlyMap<string, string>,
  style: Style
): ReadonlyArray<string> => {
  const numbers = ({ bytesIn, bytesOut, calls, credits }: UsageReport.UsageReportCounts) =>
    [calls, credits, bytesIn, bytesOut].map(Units.grouped)
  const rows = report.rows.map((row) => [
    ...[row.project, names.get(row.project) ?? "", row.product, row.network, row.method].map(TerminalText.printable),
    String(row.status),
    ...numbers(row)
  ])
  return [
    style.title(`Used from ${report.from} to ${report.to}`),
    "",
    ...TextTable.lines(
      [
        { title: "project" },
        { title: "name" },
        { title: "product" },
        { title: "network" },
        { title: "method" },
        { title: "status" },
        { title: "calls", numbers: true },
        { title: "credits", numbers: true },
        { title: "bytes in", numbers: true },
        { title: "bytes out", numbers: true }
      ],
      [...rows, ["in all", "", "", "", "", "", ...numbers(report.totals)]],
      style
    )
  ]
}

/** A name and a text. */
export type NamedFact = readonly [name: string, text: string]

const factsOf = (project: Account.Project): ReadonlyArray<NamedFact> => {
  const { allowlist, limits } = project
  const entries: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["networks", allowlist.networks],
    ["methods", allowlist.methods],
    ["addresses", allowlist.addresses],
    ["origins", allowlist.origins],
    ["user agents", allowlist.userAgents]
  ]
  const limit = (bound: number | undefined) => (bound === undefined ? "not limited" : Units.grouped(BigInt(bound)))
  return [
    ["id", TerminalText.printable(project.id)],
    ["account", TerminalText.printable(project.account)],
    ["state", project.suspended ? "suspended" : "on"],
    ["secret", project.secretRequired ? "required of every call" : "required of IPFS commands"],
    ...entries.flatMap(([name, allowed]): ReadonlyArray<NamedFact> =>
      allowed.length === 0 ? [] : [[name, `only ${allowed.map(TerminalText.printable).join(", ")}`]]
    ),
    ["credits a second", limit(limits.creditsPerSecond)],
    ["credits at once", limit(limits.burst ?? limits.creditsPerSecond)],
    ["credits a day", limit(limits.creditsPerDay)],
    ["calls at a time", limit(limits.concurrency)],
    ["IPFS reads a second", limit(limits.ipfsReadsPerSecond)],
    ["IPFS writes a second", limit(limits.ipfsWritesPerSecond)],
    ["IPFS bytes stored", limit(limits.ipfsStored)],
    ["IPFS bytes sent a day", limit(limits.ipfsUploadedPerDay)],
    ["IPFS bytes read a day", limit(limits.ipfsDownloadedPerDay)]
  ]
}

const factsOfSecrets = ({ apiKey, apiKeySecret }: KeySecrets): ReadonlyArray<NamedFact> => [
  ["API key", TerminalText.printable(apiKey)],
  ["API key secret", TerminalText.printable(apiKeySecret)]
]

/** Returns lines of names and texts, with the texts aligned in a column. */
export const facts = (rows: ReadonlyArray<NamedFact>, style: Style): ReadonlyArray<string> => {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, text]) => `  ${style.label(name.padEnd(width))}  ${text}`)
}

const listed = (
  title: string,
  columns: ReadonlyArray<TextTable.TableColumn>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  style: Style
): ReadonlyArray<string> =>
  rows.length === 0 ? [style.title(title)] : [style.title(title), "", ...TextTable.lines(columns, rows, style)]

const time = (millis: number): string => Units.utc(BigInt(Math.floor(millis / 1000))) ?? String(millis)
