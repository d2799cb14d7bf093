/** The flags and arguments of operators' commands. */
import * as AdminRole from "@plumbline/gateway-admin/api/AdminRole"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"

import * as JsonFlag from "../terminal/JsonFlag.ts"
import * as AdminFlags from "./AdminFlags.ts"
import * as LimitFlags from "./LimitFlags.ts"

const account = Argument.String("account").pipe(Argument.withDescription("The id of an account"))

const accountLimits = LimitFlags.make({
  requestsPerSecond: "Requests per second of all its projects; each call of a batch is one",
  burst: "Requests of all its projects at once",
  creditsPerDay: "Credits per day of all its projects; a day begins at midnight UTC"
})

export const accounts = {
  list: {},
  one: { id: account },
  create: {
    name: Argument.String("name").pipe(Argument.withDescription("Name of the account")),
    card: AdminFlags.onOff("card", "State that it has a billing card (default: off)"),
    limits: accountLimits
  },
  update: {
    id: account,
    name: AdminFlags.text("name", "text", "The new name"),
    card: AdminFlags.onOff("card", "State that it has a billing card, or none; overrides the payment provider"),
    customer: AdminFlags.text("customer", "id|none", "The id of this account's customer at the payment provider"),
    limits: accountLimits
  },
  move: {
    from: Flag.String("from").pipe(
      Flag.withMetavar("folder"),
      Flag.withDescription("The data folder of a stopped service")
    ),
    toFile: AdminFlags.text(
      "to-file",
      "file",
      "A file with the postgres:// URL of an empty database (default: $PLUMBLINE_STATE__POSTGRES)"
    ),
    json: JsonFlag.flag
  }
}

export type AccountFlags = AdminFlags.Values<typeof accounts>

const project = Argument.String("project").pipe(
  Argument.withDescription("The id of a project, or its name if no other project has it")
)

const allow = (name: string, metavar: string, what: string): Flag.Flag<ReadonlyArray<string>> =>
  Flag.String(name).pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(`Allow ${what}; may be given several times (default: any)`),
    Flag.atLeast(0)
  )

const projectSettings = {
  secretRequired: AdminFlags.onOff(
    "secret-required",
    "Require the secret beside the key for JSON-RPC calls; IPFS commands always need it"
  ),
  allow: {
    networks: allow("allow-network", "name", "this network"),
    methods: allow("allow-method", "name", "this method"),
    addresses: allow("allow-address", "0x...", "calls about this address"),
    origins: allow("allow-origin", "origin", "pages of this origin, such as https://*.example.com"),
    userAgents: allow("allow-agent", "text", "user agents with this in their name")
  },
  limits: LimitFlags.make({
    creditsPerSecond: "Credits per second",
    burst: "Credits that can be taken at once",
    creditsPerDay: "Credits per day, which begins at midnight UTC",
    concurrency: "Calls at a time",
    ipfsReadsPerSecond: "IPFS commands per second that are not writes",
    ipfsWritesPerSecond: "Calls of add, block/put, dag/put and pin/add per second, together",
    ipfsStored: "Bytes of IPFS content that can be pinned at a time",
    ipfsUploadedPerDay: "Bytes that can be sent to IPFS in a day by UTC",
    ipfsDownloadedPerDay: "Bytes that can be read from IPFS in a day by UTC"
  })
}

export const projects = {
  create: {
    name: Argument.String("name").pipe(Argument.withDescription("Name of the project")),
    card: AdminFlags.onOff("card", "State that its new account has a billing card (default: off)"),
    account: AdminFlags.text("account", "id", "The account that it belongs to (default: a new one of the same name)"),
    ...projectSettings
  },
  list: { account: AdminFlags.text("account", "id", "Only projects of this account") },
  update: {
    id: project,
    name: AdminFlags.text("name", "text", "The new name"),
    ...projectSettings,
    clearAllowlist: Flag.Boolean("clear-allowlist").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Remove all entries of the allowlist first (default: replace only the kinds that you give)"),
      Flag.withDefault(false)
    )
  },
  one: { id: project }
}

export type ProjectFlags = AdminFlags.Values<typeof projects>

const key = Argument.String("key").pipe(
  Argument.withDescription("The id of a key, as `plumbline keys list` shows it; not the key itself")
)

const keySettings = {
  label: AdminFlags.text("label", "text|none", "A name for people, such as the program that has the key"),
  expires: AdminFlags.text(
    "expires",
    "time|never",
    "The time from which the key is refused: an ISO time, a day, or 30d for 30 days from now (default: never)"
  ),
  limits: LimitFlags.make({
    requestsPerSecond: "Requests per second of this key",
    burst: "Requests that can be sent at once, such as the calls of a batch (default: the requests per second)",
    creditsPerDay: "Credits per day of this key; a day begins at midnight UTC"
  })
}

export const keys = {
  list: { id: project },
  issue: { id: project, ...keySettings },
  update: { id: key, ...keySettings },
  rotate: {
    id: key,
    overlap: AdminFlags.text(
      "overlap",
      "duration",
      "Time for which the old key is still accepted, such as 24h (default: none)"
    )
  },
  revoke: { id: key }
}

export type KeyFlags = AdminFlags.Values<typeof keys>

const projectId = Argument.String("project").pipe(Argument.withDescription("The id of a project"))

export const tokens = {
  one: { id: projectId },
  set: {
    id: projectId,
    keys: AdminFlags.text(
      "keys",
      "file",
      "A JSON file with a public key (JWK), a list of them, or a JWK set. These keys replace the present ones"
    ),
    audience: AdminFlags.text("audience", "text", "The aud that a token must name (default: the id of the project)"),
    required: AdminFlags.onOff("required", "Require a token for every call of JSON-RPC (default: off)"),
    tolerance: AdminFlags.text("tolerance", "seconds", "Seconds by which clocks may differ (default: 30)"),
    limits: LimitFlags.make(
      {
        requestsPerSecond: "Requests per second of each user",
        burst: "Requests that a user can send at once (default: the requests per second)",
        creditsPerDay: "Credits per day of each user; a day begins at midnight UTC"
      },
      "user-"
    )
  }
}

export type TokenFlags = AdminFlags.Values<typeof tokens>

export const operators = {
  list: {},
  create: {
    label: Argument.String("label").pipe(Argument.withDescription("The holder's name in the audit log")),
    role: Flag.Literals("role", AdminRole.roles).pipe(
      Flag.withMetavar(AdminRole.roles.join("|")),
      Flag.withDescription(
        "What the holder may do: read; also change projects and keys; also everything else; also create admin tokens"
      )
    ),
    projects: Flag.String("project").pipe(
      Flag.withMetavar("id|name"),
      Flag.withDescription("Limit it to this project; may be given several times (default: all projects)"),
      Flag.atLeast(0)
    ),
    expires: AdminFlags.text(
      "expires",
      "time|never",
      "The time from which it is refused: an ISO time, a day, or 30d for 30 days from now (default: never)"
    )
  },
  revoke: { id: Argument.String("token").pipe(Argument.withDescription("The id of an admin token, not the token")) },
  end: { id: Argument.String("session").pipe(Argument.withDescription("The id of a session")) }
}

export type OperatorAccessFlags = AdminFlags.Values<typeof operators>

export const audit = {
  last: Flag.Int("last").pipe(
    Flag.withMetavar("n"),
    Flag.withDescription("Maximum number of changes, the newest ones (default: 50)"),
    Flag.withDefault(50)
  ),
  by: AdminFlags.text("by", "label", "Only changes with the admin token of this label"),
  action: AdminFlags.text("action", "text", "Only actions that begin with this, such as key or project.update"),
  target: AdminFlags.text("target", "id", "Only changes of this account, project or key"),
  from: AdminFlags.text("from", "time", "Only changes since this time: an ISO time, a day, or 24h for 24 hours ago"),
  export: Flag.Literals("export", ["csv", "ndjson"]).pipe(
    Flag.withMetavar("csv|ndjson"),
    Flag.withDescription("Print all changes since --from, as CSV (RFC 4180) or as lines of JSON"),
    Flag.optional
  )
}

export type AuditFlags = AdminFlags.Values<typeof audit>

export const usage = {
  project: AdminFlags.text("project", "id|name", "Only the usage of this project (default: all)"),
  from: AdminFlags.text("from", "time", "The start: an ISO time, a day, or 24h for 24 hours ago (default: 24h)"),
  to: AdminFlags.text("to", "time", "The end, in the same forms (default: now)"),
  every: AdminFlags.text(
    "every",
    "duration",
    "Show each project's sums for each such time, of at least a minute: 1h, 1d. Times begin at multiples of it, by UTC"
  ),
  csv: Flag.Boolean("csv").pipe(
    Flag.withoutNegation,
    Flag.withDescription("Print lines of CSV (RFC 4180) for a spreadsheet; cells are safe from formulas"),
    Flag.withDefault(false)
  )
}

export type UsageFlags = AdminFlags.Values<typeof usage>
