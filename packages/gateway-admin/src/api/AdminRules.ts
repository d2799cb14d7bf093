/**
 * The rules of the admin API: the role that each method needs, and the projects that it concerns. The server refuses
 * requests by them; a page hides by the same rules what its session may not do.
 */
import * as Effect from "effect/Effect"

import type * as AdminApi from "./AdminApi.ts"
import * as AdminRole from "./AdminRole.ts"

/**
 * The project that a request concerns:
 *
 * - `project`, `key`: the project with the id in the path, or the project of the key with that id.
 * - `query`: the project in the parameter `project`; all projects without it.
 * - `list`: the handler shows only the caller's projects.
 * - `service`: facts of the service without customers' data, for every role.
 * - `all`: every project. A grant for some projects does not permit it.
 */
export type Scope = "project" | "key" | "query" | "list" | "service" | "all"

/**
 * The rule of a method.
 */
export interface AdminRule {
  readonly role: AdminRole.AdminRole
  readonly scope: Scope
  /** True if a project's own session may make the request for its project. */
  readonly isForProjects: boolean
}

const rule = (role: AdminRole.AdminRole, scope: Scope, isForProjects = false): AdminRule => ({
  role,
  scope,
  isForProjects
})

const read = rule("read-only", "all")
const operate = rule("operator", "all")
const own = rule("owner", "all")
const facts = rule("read-only", "service")
const listed = rule("read-only", "list")
const ofProject = rule("read-only", "project", true)
const support = rule("support", "project")
const ofUsage = rule("read-only", "query", true)

type Groups = (typeof AdminApi.Api)["groups"]

/**
 * The rules. A method without a rule does not compile, and is refused.
 */
export const RULES: { readonly [G in keyof Groups]: { readonly [M in keyof Groups[G]["endpoints"]]: AdminRule } } = {
  session: {
    create: rule("read-only", "service", true),
    get: rule("read-only", "service", true),
    remove: rule("read-only", "service", true)
  },
  accounts: {
    list: listed,
    create: operate,
    get: read,
    update: operate,
    remove: operate,
    card: read,
    setCard: operate
  },
  projects: {
    list: listed,
    create: operate,
    get: ofProject,
    update: support,
    remove: rule("operator", "project")
  },
  limits: { get: ofProject, account: read, list: listed },
  standing: { access: ofProject, keyHistory: ofProject },
  keys: {
    list: ofProject,
    issue: support,
    get: rule("read-only", "key"),
    update: rule("support", "key"),
    rotate: rule("support", "key"),
    revoke: rule("support", "key")
  },
  tokens: { get: ofProject, set: support, remove: support },
  networks: { call: facts, lie: operate },
  usage: {
    report: ofUsage,
    totals: ofUsage,
    by: ofUsage,
    series: ofUsage,
    latency: facts,
    stored: ofUsage
  },
  exports: { usage: rule("read-only", "query"), auditCsv: listed, auditNdjson: listed },
  alerts: { get: ofProject, set: support, remove: support, events: read, list: listed, fired: ofProject },
  webhooks: { list: read, create: operate, remove: operate, tries: read, attempt: operate },
  operators: { tokens: own, create: own, revoke: own, sessions: own, end: own },
  service: {
    status: facts,
    lies: facts,
    changes: facts,
    reload: operate,
    collection: read,
    collect: operate,
    audit: listed
  }
}

/**
 * A request, as far as rules concern it.
 */
export interface RuledRequest {
  readonly group: string
  readonly endpoint: string
  /** The id in the path. */
  readonly id: string | undefined
  /** All values of the query parameter `project`. */
  readonly projects: ReadonlyArray<string>
}

/**
 * The caller of a request, as far as rules concern it: the holder of a project's key and secret, or an operator.
 */
export type RuledCaller =
  | { readonly _tag: "Project"; readonly project: string }
  | { readonly _tag: "Operator"; readonly grants: ReadonlyArray<AdminRole.AdminGrant> }

/**
 * A reason why a request is refused.
 *
 * - `NotYours`: it concerns projects that the caller's role does not cover.
 * - `Role`: the caller's role does not permit it; `needs` is the lowest role that does, undefined if none does.
 */
export type Refusal =
  | { readonly _tag: "NotYours" }
  | { readonly _tag: "Role"; readonly needs: AdminRole.AdminRole | undefined }

const notYours: Refusal = { _tag: "NotYours" }

/**
 * Returns the reason why a caller may not make a request of a rule; undefined if it is permitted. `project` is the
 * project that the request concerns, if the rule's scope has one; for a key it is the key's project.
 */
export const refusalOf = (
  caller: RuledCaller,
  { isForProjects, role, scope }: AdminRule,
  project: string | undefined
): Refusal | undefined => {
  if (caller._tag === "Project") {
    const isOwn = scope === "service" || project === caller.project
    return isForProjects && isOwn ? undefined : notYours
  }
  const covering = caller.grants.filter((grant) => AdminRole.covers(grant.role, role))
  if (covering.length === 0) return { _tag: "Role", needs: role }
  if (scope === "list" || scope === "service" || covering.some(({ projects }) => projects === undefined)) {
    return undefined
  }
  const isWithin = project !== undefined && covering.some(({ projects }) => projects?.includes(project))
  return scope !== "all" && isWithin ? undefined : notYours
}

/**
 * Returns the reason why a request is refused; undefined if it is permitted. `projectOfKey` finds the project of a key.
 * It is called only if the caller does not have all projects.
 */
export const refusal = <E>(
  caller: RuledCaller,
  { endpoint, group, id, projects }: RuledRequest,
  projectOfKey: (key: string) => Effect.Effect<string | undefined, E>
): Effect.Effect<Refusal | undefined, E> => {
  const { [group]: methods = {} }: Readonly<Record<string, Readonly<Record<string, AdminRule>>>> = RULES
  const needed = methods[endpoint]
  if (needed === undefined) return Effect.succeed({ _tag: "Role", needs: undefined })
  // With several `project` parameters, one of them could name another project. One beside a key is not that of the key.
  const asked = needed.scope !== "key" && projects.length === 1 ? projects[0] : undefined
  const named = needed.scope === "project" ? id : asked
  const refused = refusalOf(caller, needed, named)
  const isOfKey = needed.scope === "key" && caller._tag === "Operator" && refused?._tag === "NotYours"
  return isOfKey
    ? Effect.map(projectOfKey(id ?? ""), (project) => refusalOf(caller, needed, project))
    : Effect.succeed(refused)
}
