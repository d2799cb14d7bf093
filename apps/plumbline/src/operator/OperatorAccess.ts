import type * as AdminOperators from "@plumbline/gateway-admin/api/AdminOperators"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

import * as TextTable from "../terminal/TextTable.ts"
import * as Units from "../terminal/Units.ts"
import * as AdminCall from "./AdminCall.ts"
import type { AdminFlags } from "./AdminFlags.ts"
import * as FlagTimes from "./FlagTimes.ts"
import type { OperatorAccessFlags } from "./OperatorFlags.ts"
import * as ProjectNames from "./ProjectNames.ts"
import * as ResultView from "./ResultView.ts"

export const list = Effect.fnUntraced(function* (_: OperatorAccessFlags["list"], service: AdminFlags) {
  const admin = yield* AdminCall.connect(service)
  const { tokens } = yield* admin.operators.tokens()
  const { sessions } = yield* admin.operators.sessions()
  const result: ResultView.PrintableResult = {
    json: JSON.stringify({ tokens, sessions }),
    view: (style) =>
      ResultView.page(
        `${Units.count(tokens.length, "admin token")}, ${Units.count(sessions.length, "session")}`,
        [TextTable.lines(columns, tokens, style), TextTable.lines(sessionColumns, sessions, style)],
        style
      )
  }
  return result
})

export const create = Effect.fnUntraced(function* (flags: OperatorAccessFlags["create"], service: AdminFlags) {
  const { expires, label, projects: named, role } = flags
  const now = yield* Clock.currentTimeMillis
  const expiresAt =
    Option.isNone(expires) || expires.value === "never"
      ? null
      : yield* Effect.fromResult(FlagTimes.future("expires", expires.value, now))
  const admin = yield* AdminCall.connect(service)
  const projects = yield* Effect.forEach(named, (project) => ProjectNames.idOf(admin, project))
  const payload = { label, role, expiresAt, ...(projects.length === 0 ? {} : { projects }) }
  const { secret, token } = yield* admin.operators.create({ payload })
  const adminToken = Redacted.value(secret)
  return ResultView.one(
    { token, adminToken },
    "Created an admin token",
    [
      ["id", token.id ?? ""],
      ["label", token.label],
      ["role", token.role],
      ["projects", projectsOf(token)],
      ["expires", expiryOf(token)],
      ["admin token", adminToken]
    ],
    ["Keep the admin token: it is shown only now."]
  )
})

export const revoke = AdminCall.remover(
  (admin) => admin.operators.revoke,
  (id) => `Revoked the admin token ${id}. Its sessions have ended`,
  "revoked"
)

export const end = AdminCall.remover(
  (admin) => admin.operators.end,
  (id) => `Ended the session ${id}`,
  "ended"
)

const projectsOf = ({ projects }: AdminOperators.OperatorToken): string =>
  projects === null ? "all" : projects.join(", ")

const expiryOf = ({ expiresAt }: AdminOperators.OperatorToken): string =>
  expiresAt === null ? "never" : ResultView.time(expiresAt)

const columns: ReadonlyArray<TextTable.TableColumn<AdminOperators.OperatorToken>> = [
  ["label", ({ label }) => label],
  ["role", ({ role }) => role],
  ["projects", projectsOf],
  ["expires", expiryOf],
  ["created by", ({ createdBy }) => createdBy ?? "the configuration"],
  ["id", ({ id }) => id ?? ""]
]

const sessionColumns: ReadonlyArray<TextTable.TableColumn<AdminOperators.OpenSession>> = [
  ["signed in", ({ label, project }) => label ?? `project ${project ?? ""}`],
  ["from", ({ address }) => address ?? ""],
  ["since", ({ begunAt }) => ResultView.time(begunAt)],
  ["until", ({ endsAt }) => ResultView.time(endsAt)],
  ["session id", ({ id }) => id]
]
