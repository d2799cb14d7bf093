/**
 * The roles of operators, and the projects that a role covers.
 */
import * as Schema from "effect/Schema"

/**
 * The roles. Each permits everything that the roles before it permit:
 *
 * - `read-only`: reads.
 * - `support`: changes the settings of projects, and their keys, alerts and rules for tokens.
 * - `operator`: creates and removes projects, and changes accounts, cards, webhooks and the service.
 * - `owner`: creates and revokes admin tokens, and ends sessions.
 */
export const roles = ["read-only", "support", "operator", "owner"] as const

/**
 * One of `roles`.
 */
export type AdminRole = (typeof roles)[number]

/**
 * A role, and the projects that it covers.
 */
export interface AdminGrant {
  readonly role: AdminRole
  /** The ids of the projects; undefined for all projects and for the service itself. An owner has all projects. */
  readonly projects?: ReadonlyArray<string> | undefined
}

/**
 * The grant of an admin token in the configuration.
 */
export const owner: AdminGrant = { role: "owner" }

/** Maximum number of projects in a grant. */
const MAX_PROJECTS = 100

/**
 * Returns the problem of a grant; undefined if there is none.
 */
export const problemOf = ({ projects, role }: AdminGrant): string | undefined => {
  if (projects === undefined) return undefined
  if (role === "owner") return "must be absent: an owner has all projects"
  return projects.length === 0 || projects.length > MAX_PROJECTS
    ? `must be 1 to ${MAX_PROJECTS} ids of projects`
    : undefined
}

/** True if the first role permits everything that the second permits. */
export const covers = (role: AdminRole, needed: AdminRole): boolean => roles.indexOf(role) >= roles.indexOf(needed)

/**
 * Returns the highest role of several grants, and all their projects; null means all projects. The answer is for
 * people: a role may cover only some of the projects.
 */
export const summary = (
  grants: ReadonlyArray<AdminGrant>
): { readonly role: AdminRole; readonly projects: ReadonlyArray<string> | null } => ({
  role: roles.findLast((role) => grants.some((grant) => grant.role === role)) ?? "read-only",
  projects: projectsOf(grants) ?? null
})

/** Returns the ids of all projects that the grants cover, sorted; undefined for all projects. */
export const projectsOf = (grants: ReadonlyArray<AdminGrant>): ReadonlyArray<string> | undefined =>
  grants.some(({ projects }) => projects === undefined)
    ? undefined
    : [...new Set(grants.flatMap(({ projects = [] }) => projects))].sort()

/** A role, on the wire. */
export const Role = Schema.Literals(roles).annotate({ description: "The role: read-only, support, operator or owner" })

/** The projects of a role, on the wire. */
export const Projects = Schema.NullOr(Schema.Array(Schema.String)).annotate({
  description: "The ids of the projects that it covers; null for all"
})

/** A role with its projects, on the wire. */
export const Grant = Schema.Struct({ role: Role, projects: Projects }).annotate({ identifier: "Grant" })
