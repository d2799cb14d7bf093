/** The database queries for alerts and events. */
import { AccountsError } from "@plumbline/gateway/accounts/AccountsError"
import * as Redaction from "@plumbline/gateway/errors/Redaction"
import { SettingError } from "@plumbline/gateway/errors/SettingError"
import { plain } from "@plumbline/gateway/GatewayInternals"
import * as ProjectLimits from "@plumbline/gateway/limits/ProjectLimits"
import { fromSql, StateError } from "@plumbline/gateway/state/StateError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SqlClient from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"

import { AlertRules } from "./AlertRules.ts"
import { type UsageEvent, type FiredThreshold, type AlertsService, ToldLie } from "./alertsService.ts"

export const MAX_EVENTS = 100_000

const DAY = 86_400_000

/** Time from the end of a day to the event with the day's usage, in milliseconds. */
const CLOSING = 10 * 60_000

interface WatchedProject {
  readonly project: string
  readonly rules: string
  readonly limits: string
  readonly credits: number | bigint | null
}

/** The database client returns small integers as numbers, and large integers as bigints. */
type Count = number | bigint

interface Sum {
  readonly project: string
  readonly calls: Count
  readonly credits: Count
}

interface FiredRow {
  readonly project: string
  readonly threshold: string
  readonly at: Count
  readonly credits: Count
}

interface EventRow extends Omit<UsageEvent, "calls" | "credits" | "lie"> {
  readonly calls: Count | null
  readonly credits: Count
  readonly lie: string | null
}

type NewEvent = Omit<UsageEvent, "id" | "at">

/** Makes the service. The tables of accounts, usage and alerts must exist. */
export const make = (sql: SqlClient.SqlClient): AlertsService => ({
  all: ({ after = "", limit, only }) =>
    stated(
      Effect.gen(function* () {
        const rows = yield* sql<{ readonly project: string; readonly name: string; readonly rules: string }>`
          SELECT r.project, p.name, r.rules FROM alert_rules r JOIN projects p ON p.id = r.project
          WHERE r.project > ${plain(after)} AND ${only === undefined ? sql.literal("1 = 1") : sql.in("r.project", only)}
          ORDER BY r.project LIMIT ${limit}`
        const fired = yield* firedOf(
          sql,
          rows.map(({ project }) => project)
        )
        return yield* Effect.forEach(rows, ({ name, project, rules }) =>
          Effect.map(Effect.fromResult(rulesOf(project, rules)), (rules) => ({
            project,
            name,
            rules,
            fired: fired.filter((row) => row.project === project).map(fireOf)
          }))
        )
      })
    ),
  fired: (project) =>
    stated(Effect.andThen(present(sql, project), firedOf(sql, [plain(project)]))).pipe(
      Effect.map((rows) => rows.map(fireOf))
    ),
  rules: (project) =>
    stated(
      Effect.flatMap(
        sql<{ readonly rules: string }>`
          SELECT rules FROM alert_rules WHERE project = ${plain(project)}`,
        ([row]) => (row === undefined ? Effect.undefined : Effect.fromResult(rulesOf(project, row.rules)))
      )
    ),
  setRules: (project, rules) =>
    Effect.gen(function* () {
      if (!isRules(rules)) {
        return yield* new SettingError({ setting: "alerts", problem: "must be at most ten thresholds of each kind" })
      }
      yield* present(sql, project)
      yield* sql`INSERT INTO alert_rules ${sql.insert({ project, rules: JSON.stringify(rules) })}
        ON CONFLICT (project) DO UPDATE SET rules = excluded.rules`
      return rules
    }).pipe(sql.withTransaction, stated),
  removeRules: (project) =>
    Effect.andThen(present(sql, project), sql`DELETE FROM alert_rules WHERE project = ${project}`).pipe(
      sql.withTransaction,
      Effect.asVoid,
      stated
    ),
  events: (after, limit) =>
    stated(
      Effect.map(
        sql<EventRow>`SELECT id, name, at, type, project, day, threshold, calls, credits, lie FROM usage_events WHERE id > ${after} ORDER BY id LIMIT ${limit}`,
        (rows) =>
          rows.map((row) => ({
            ...row,
            calls: row.calls === null ? null : BigInt(row.calls),
            credits: BigInt(row.credits),
            lie: row.lie === null ? null : Option.getOrNull(decodeLie(row.lie))
          }))
      )
    ),
  lied: (lie, at) => {
    const hour = new Date(at).toISOString().slice(0, 13)
    const event: NewEvent = {
      // the event of a drill must not stand in the way of that of another lie
      name: `node.lie:${lie.drill === undefined ? hour : `drill ${lie.drill.at}`}:${lie.network}:${lie.node}:${lie.check}`,
      type: "node.lie",
      project: "",
      day: at - (at % DAY),
      threshold: null,
      calls: null,
      credits: 0n,
      lie
    }
    return stated(
      Effect.gen(function* () {
        // most lies are repeated within the hour, and change nothing
        const told = yield* sql`SELECT id FROM usage_events WHERE name = ${event.name}`
        if (told.length === 0) yield* sql.withTransaction(tell(sql, [event], at))
      })
    )
  },
  look: stated(
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const found = yield* thresholds(sql, now)
      if (found.length > 0) yield* sql.withTransaction(tell(sql, found, now))
      yield* close(sql, now)
    })
  )
})

const stated = <A, E>(work: Effect.Effect<A, E | SqlError>) =>
  Effect.mapError(work, (error): Exclude<E, SqlError> | StateError =>
    isSqlError(error) ? fromSql(error) : (error as Exclude<E, SqlError>)
  )

const present = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, id: string) {
  const [row] = yield* sql`SELECT id FROM projects WHERE id = ${plain(id)}`
  if (row !== undefined) return
  return yield* new AccountsError({ reason: { _tag: "Absent", kind: "project", id: Redaction.id(id) } })
})

/**
 * Records the events that were not recorded before. It first changes the row with the last event's number, so that
 * other processes wait.
 */
const tell = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, found: ReadonlyArray<NewEvent>, at: number) {
  const [last] = yield* sql<{ readonly id: number }>`UPDATE usage_events_last SET id = id RETURNING id`
  let { id } = last!
  for (const { lie, ...event } of found) {
    const row = { ...event, id: id + 1, at, lie: lie === null ? null : JSON.stringify(lie) }
    const told = yield* sql`INSERT INTO usage_events ${sql.insert(row)} ON CONFLICT (name) DO NOTHING RETURNING id`
    id += told.length
  }
  if (id === last!.id) return
  yield* sql`UPDATE usage_events_last SET id = ${id}`
  yield* sql`DELETE FROM usage_events WHERE id <= ${id - MAX_EVENTS}`
})

const thresholds = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, now: number) {
  const day = now - (now % DAY)
  const rows = yield* sql<WatchedProject>`
    SELECT r.project, r.rules, p.limits, (
      SELECT CAST(sum(u.credits) AS BIGINT) FROM usage_days u WHERE u.project = r.project AND u.at = ${day}
    ) AS credits
    FROM alert_rules r JOIN projects p ON p.id = r.project`
  const found = yield* Effect.forEach(rows, (row) => Effect.fromResult(passed(row, day)))
  const told = new Set<string>()
  for (const { name } of yield* sql<{ readonly name: string }>`
    SELECT name FROM usage_events WHERE day = ${day} AND type = 'usage.threshold'`) {
    told.add(name)
  }
  return found.flat().filter(({ name }) => !told.has(name))
})

/** Records the usage of the next finished day. The first run starts with the last finished day. */
const close = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, now: number) {
  const before = now - CLOSING - ((now - CLOSING) % DAY) - DAY
  const [last] = yield* sql<{ readonly closed_day: number | null }>`SELECT closed_day FROM usage_events_last`
  const closed = last?.closed_day ?? before - DAY
  if (closed >= before) return
  const day = Math.max(closed + DAY, before - MOST_DAYS * DAY)
  yield* Effect.gen(function* () {
    const taken = yield* sql`
      UPDATE usage_events_last SET closed_day = ${day}
      WHERE closed_day IS NULL OR closed_day < ${day} RETURNING id`
    if (taken.length === 0) return
    const sums = yield* sql<Sum>`
      SELECT project, CAST(sum(calls) AS BIGINT) AS calls, CAST(sum(credits) AS BIGINT) AS credits
      FROM usage_days WHERE at = ${day} GROUP BY project ORDER BY project LIMIT ${MAX_EVENTS}`
    const ended = sums.map(({ calls, credits, project }): NewEvent => ({
      name: `usage.day:${dateOf(day)}:${project}`,
      type: "usage.day",
      project,
      day,
      threshold: null,
      calls: BigInt(calls),
      credits: BigInt(credits),
      lie: null
    }))
    yield* tell(sql, ended, now)
  }).pipe(sql.withTransaction)
})

/** Returns the last event of each threshold of the given projects, newest first. */
const firedOf = (sql: SqlClient.SqlClient, projects: ReadonlyArray<string>) =>
  projects.length === 0
    ? Effect.succeed([])
    : sql<FiredRow>`
        SELECT project, threshold, at, credits FROM usage_events WHERE id IN (
          SELECT MAX(id) FROM usage_events WHERE type = 'usage.threshold' AND ${sql.in("project", projects)}
          GROUP BY project, threshold
        ) ORDER BY id DESC`

/** Maximum number of finished days that are recorded after a pause of the service. Each check records one day. */
const MOST_DAYS = 31

const isRules = Schema.is(AlertRules)
const decodeLie = Schema.decodeUnknownOption(Schema.fromJsonString(ToldLie))
const decodeRules = Schema.decodeUnknownResult(Schema.fromJsonString(AlertRules))
const decodeLimits = Schema.decodeUnknownResult(Schema.fromJsonString(ProjectLimits.ProjectLimits))

const rulesOf = (project: string, text: string): Result.Result<AlertRules, StateError> =>
  Result.mapError(decodeRules(text), () => damaged(project))

const damaged = (project: string): StateError =>
  new StateError({ problem: "Damaged", detail: `the alerts of project ${Redaction.id(project)}` })

/** Returns the thresholds that a project has reached. */
const passed = (row: WatchedProject, day: number): Result.Result<ReadonlyArray<NewEvent>, StateError> =>
  Result.gen(function* () {
    const { creditsOfDay, percentOfDay } = yield* rulesOf(row.project, row.rules)
    const { creditsPerDay } = yield* Result.mapError(decodeLimits(row.limits), () => damaged(row.project))
    const credits = BigInt(row.credits ?? 0)
    const limit = BigInt(creditsPerDay ?? 0)
    const reached = [
      ...percentOfDay
        .filter((percent) => limit > 0n && credits * 100n >= limit * BigInt(percent))
        .map((percent) => `${percent}%`),
      ...creditsOfDay.filter((threshold) => credits >= BigInt(threshold)).map(String)
    ]
    return [...new Set(reached)].map((threshold): NewEvent => ({
      name: `usage.threshold:${dateOf(day)}:${threshold}:${row.project}`,
      type: "usage.threshold",
      project: row.project,
      day,
      threshold,
      calls: null,
      credits,
      lie: null
    }))
  })

const fireOf = ({ at, credits, threshold }: FiredRow): FiredThreshold => ({
  threshold,
  at: Number(at),
  credits: BigInt(credits)
})

const dateOf = (day: number): string => new Date(day).toISOString().slice(0, 10)
