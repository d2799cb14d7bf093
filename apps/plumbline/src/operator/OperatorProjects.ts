import type * as AdminClient from "@plumbline/gateway-admin/api/AdminClient"
import type * as Account from "@plumbline/gateway/accounts/Account"
import * as Allowlist from "@plumbline/gateway/accounts/Allowlist"
import * as ProjectLimits from "@plumbline/gateway/limits/ProjectLimits"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

import type { TableColumn } from "../terminal/TextTable.ts"
import * as Units from "../terminal/Units.ts"
import { UsageError } from "../terminal/UsageError.ts"
import * as AdminCall from "./AdminCall.ts"
import * as AdminFlags from "./AdminFlags.ts"
import * as KeySecrets from "./KeySecrets.ts"
import * as LimitFlags from "./LimitFlags.ts"
import type { ProjectFlags } from "./OperatorFlags.ts"
import * as ProjectNames from "./ProjectNames.ts"
import * as ResultView from "./ResultView.ts"

export const create = Effect.fnUntraced(function* (flags: ProjectFlags["create"], service: AdminFlags.AdminFlags) {
  const { account, card, name, secretRequired } = flags
  const limits = yield* Effect.fromResult(LimitFlags.parse(flags.limits, ProjectLimits.parse))
  const allowlist = yield* Effect.fromResult(allowlistOf(flags.allow, Allowlist.none))
  const admin = yield* AdminCall.connect(service)
  const made = yield* admin.projects.create({
    headers: {},
    payload: { name, ...AdminFlags.given({ account, card, secretRequired }), allowlist }
  })
  const project = yield* withLimits(admin, made.project, limits).pipe(
    // after a failure the new project is removed again, because its key was never shown
    Effect.onError(() => undo(admin, made.project, Option.isNone(account)))
  )
  const secrets = KeySecrets.of(made)
  const { keys } = service.json ? { keys: [] } : yield* admin.keys.list({ params: { id: project.id } })
  const names = service.json ? [] : [...(yield* ProjectNames.of(admin)).values()]
  const sameName = names.filter((name) => name === project.name).length - 1
  return ResultView.one(
    { project, ...secrets },
    `Made the project ${project.name}`,
    [...factsOf(project), ...keys.slice(0, 1).map(({ id }) => ["key id", id] as const), ...KeySecrets.facts(secrets)],
    [
      ...(sameName === 0
        ? []
        : [`${sameName} more with this name: commands take the id of this project, not its name.`]),
      KeySecrets.ONCE
    ]
  )
})

/** Changes only the given limits. The service sets the other limits of a new project. */
const withLimits = (
  admin: AdminClient.AdminClient,
  project: Account.Project,
  changes: LimitFlags.LimitChanges<keyof ProjectLimits.ProjectLimits>
) =>
  Object.keys(changes).length === 0
    ? Effect.succeed(project)
    : admin.projects.update({
        params: { id: project.id },
        payload: { limits: LimitFlags.applied(project.limits, changes) }
      })

const undo = (admin: AdminClient.AdminClient, { account, id }: Account.Project, withAccount: boolean) =>
  admin.projects
    .remove({ params: { id } })
    .pipe(Effect.andThen(withAccount ? admin.accounts.remove({ params: { id: account } }) : Effect.void), Effect.ignore)

export const list = Effect.fnUntraced(function* (flags: ProjectFlags["list"], service: AdminFlags.AdminFlags) {
  const admin = yield* AdminCall.connect(service)
  const projects = yield* AdminCall.all("projects", (page) =>
    admin.projects.list({ query: { ...page, ...AdminFlags.given(flags) } })
  )
  return ResultView.list("project", projects, columns)
})

export const show = Effect.fnUntraced(function* (flags: ProjectFlags["one"], service: AdminFlags.AdminFlags) {
  const admin = yield* AdminCall.connect(service)
  return shown(yield* admin.projects.get({ params: { id: yield* ProjectNames.idOf(admin, flags.id) } }))
})

export const update = Effect.fnUntraced(function* (flags: ProjectFlags["update"], service: AdminFlags.AdminFlags) {
  const { allow, clearAllowlist, name, secretRequired } = flags
  const changes = yield* Effect.fromResult(LimitFlags.parse(flags.limits, ProjectLimits.parse))
  const hasAllowlist = clearAllowlist || Object.values(allow).some((entries) => entries.length > 0)
  const hasLimits = Object.keys(changes).length > 0
  if (!hasAllowlist && !hasLimits && Option.isNone(name) && Option.isNone(secretRequired)) {
    return yield* AdminCall.noChange
  }
  const allowlistOver = (before: Allowlist.Allowlist) =>
    Effect.fromResult(allowlistOf(allow, clearAllowlist ? Allowlist.none : before))
  // invalid arguments are refused before the service is asked
  yield* allowlistOver(Allowlist.none)
  const admin = yield* AdminCall.connect(service)
  const params = { id: yield* ProjectNames.idOf(admin, flags.id) }
  const before = yield* admin.projects.get({ params })
  const payload = {
    ...AdminFlags.given({ name, secretRequired }),
    ...(hasAllowlist ? { allowlist: yield* allowlistOver(before.allowlist) } : {}),
    ...(hasLimits ? { limits: LimitFlags.applied(before.limits, changes) } : {})
  }
  return shown(yield* admin.projects.update({ params, payload }))
})

const suspended = (suspended: boolean) =>
  Effect.fnUntraced(function* (flags: ProjectFlags["one"], service: AdminFlags.AdminFlags) {
    const admin = yield* AdminCall.connect(service)
    const params = { id: yield* ProjectNames.idOf(admin, flags.id) }
    return shown(yield* admin.projects.update({ params, payload: { suspended } }))
  })

export const suspend = suspended(true)

export const resume = suspended(false)

export const remove = AdminCall.remover(
  (admin) => admin.projects.remove,
  (id) => `Removed the project ${id} and its keys`
)

/** Applies flags to the present allowlist. A flag replaces all entries of its kind. */
const allowlistOf = (
  allow: ProjectFlags["create"]["allow"],
  before: Allowlist.Allowlist
): Result.Result<Allowlist.Allowlist, UsageError> => {
  const merged = { ...before }
  for (const [kind, flag] of KINDS) {
    const entries = allow[kind]
    if (entries.length === 0) continue
    const parsed = Allowlist.parse({ [kind]: entries })
    if (Result.isFailure(parsed)) {
      return Result.fail(new UsageError({ problem: `--${flag}: ${parsed.failure.problem}` }))
    }
    merged[kind] = parsed.success[kind]
  }
  return Result.succeed(merged)
}

/** The kinds of entries in an allowlist: the member, the flag, and the name for people. */
const KINDS = [
  ["networks", "allow-network", "networks"],
  ["methods", "allow-method", "methods"],
  ["addresses", "allow-address", "addresses"],
  ["origins", "allow-origin", "origins"],
  ["userAgents", "allow-agent", "user agents"]
] as const

const stateOf = ({ suspended }: Account.Project): string => (suspended ? "suspended" : "on")

const columns: ReadonlyArray<TableColumn<Account.Project>> = [
  ["id", ({ id }) => id],
  ["name", ({ name }) => name],
  ["account", ({ account }) => account],
  ["state", stateOf]
]

const shown = (project: Account.Project) => ResultView.one({ project }, project.name, factsOf(project))

const factsOf = (project: Account.Project): ReadonlyArray<ResultView.NamedFact> => {
  const { allowlist, limits } = project
  const limit = (bound: number | undefined) => (bound === undefined ? "not limited" : Units.grouped(BigInt(bound)))
  return [
    ["id", project.id],
    ["account", project.account],
    ["state", stateOf(project)],
    ["secret", project.secretRequired ? "required of every call" : "required of IPFS commands"],
    ...KINDS.filter(([kind]) => allowlist[kind].length > 0).map(
      ([kind, , name]) => [name, `only ${allowlist[kind].join(", ")}`] as const
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
