/**
 * `plumbline projects ...`
 */
import type * as Account from "@plumbline/gateway/accounts/Account"
import * as Allowlist from "@plumbline/gateway/accounts/Allowlist"
import type * as AdminClient from "@plumbline/gateway/admin/AdminClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

import { UsageError } from "../terminal/UsageError.ts"
import * as AdminCall from "./AdminCall.ts"
import type { AdminFlags } from "./AdminFlags.ts"
import * as OperatorView from "./OperatorView.ts"
import type { ProjectFlags } from "./ProjectFlags.ts"
import * as ProjectNames from "./ProjectNames.ts"
import * as ProjectSettings from "./ProjectSettings.ts"

/** The flags of `projects create`. */
export interface CreateFlags extends AdminFlags, ProjectFlags {
  readonly name: string
  readonly card: Option.Option<boolean>
  readonly account: Option.Option<string>
}

/** `plumbline projects create` */
export const create = Effect.fnUntraced(function* (flags: CreateFlags) {
  const changes = yield* Effect.fromResult(ProjectSettings.limitChanges(flags))
  const allowlist = yield* Effect.fromResult(ProjectSettings.allowlist(flags, Allowlist.none))
  return yield* AdminCall.answer(
    flags,
    Effect.fnUntraced(function* (admin: AdminClient.AdminClient) {
      const made = yield* admin.projects.create({
        headers: {},
        payload: {
          name: flags.name,
          ...member("account", flags.account),
          ...member("card", flags.card),
          ...member("secretRequired", flags.secretRequired),
          allowlist
        }
      })
      const project = yield* withLimits(admin, made.project, changes).pipe(
        // after a failure the new project is removed again, because its key was never shown
        Effect.onError(() => undo(admin, made.project, Option.isNone(flags.account)))
      )
      const secrets = { apiKey: Redacted.value(made.apiKey), apiKeySecret: Redacted.value(made.apiKeySecret) }
      const { keys } = flags.json ? { keys: [] } : yield* admin.keys.list({ params: { id: project.id } })
      const names = flags.json ? [] : [...(yield* ProjectNames.of(admin)).values()]
      const sameName = names.filter((name) => name === project.name).length - 1
      return {
        json: JSON.stringify({ project, ...secrets }),
        view: (style) => OperatorView.created(project, { ...secrets, keyId: keys[0]?.id, sameName }, style)
      }
    })
  )
})

/** Changes only the given limits. The service sets the other limits of a new project. */
const withLimits = (
  admin: AdminClient.AdminClient,
  project: Account.Project,
  changes: ProjectSettings.ProjectLimitChanges
) =>
  Object.keys(changes).length === 0
    ? Effect.succeed(project)
    : admin.projects.update({
        params: { id: project.id },
        payload: { limits: ProjectSettings.limits(changes, project.limits) }
      })

const undo = (admin: AdminClient.AdminClient, { account, id }: Account.Project, withAccount: boolean) =>
  admin.projects
    .remove({ params: { id } })
    .pipe(Effect.andThen(withAccount ? admin.accounts.remove({ params: { id: account } }) : Effect.void), Effect.ignore)

/** The flags of `projects list`. */
export interface ListFlags extends AdminFlags {
  readonly account: Option.Option<string>
}

/** `plumbline projects list` */
export const list = (flags: ListFlags) =>
  AdminCall.answer(flags, (admin) =>
    Effect.map(
      AdminCall.all((after) =>
        Effect.map(
          admin.projects.list({ query: { ...after, ...member("account", flags.account) } }),
          ({ next, projects }) => [projects, next] as const
        )
      ),
      (projects) => ({
        json: JSON.stringify({ projects }),
        view: (style) => OperatorView.projects(projects, style)
      })
    )
  )

/** The flags of a command about one project. */
export interface OneFlags extends AdminFlags {
  readonly id: string
}

/** `plumbline projects show` */
export const show = (flags: OneFlags) =>
  AdminCall.answer(flags, (admin) =>
    Effect.flatMap(ProjectNames.idOf(admin, flags.id), (id) =>
      Effect.map(admin.projects.get({ params: { id } }), shown)
    )
  )

/** The flags of `projects update`. */
export interface UpdateFlags extends OneFlags, ProjectFlags {
  readonly name: Option.Option<string>
  readonly clearAllowlist: boolean
}

/** `plumbline projects update` */
export const update = Effect.fnUntraced(function* (flags: UpdateFlags) {
  const changes = yield* Effect.fromResult(ProjectSettings.limitChanges(flags))
  const hasAllowlist = flags.clearAllowlist || ProjectSettings.hasAllowlist(flags)
  const hasLimits = Object.keys(changes).length > 0
  if (!hasAllowlist && !hasLimits && Option.isNone(flags.name) && Option.isNone(flags.secretRequired)) {
    return yield* new UsageError({ problem: "no change was given: pass at least one flag" })
  }
  const allowlistOver = (before: Allowlist.Allowlist) =>
    Effect.fromResult(ProjectSettings.allowlist(flags, flags.clearAllowlist ? Allowlist.none : before))
  // invalid arguments are refused before the service is asked
  yield* allowlistOver(Allowlist.none)
  return yield* AdminCall.answer(
    flags,
    Effect.fnUntraced(function* (admin: AdminClient.AdminClient) {
      const params = { id: yield* ProjectNames.idOf(admin, flags.id) }
      const before = yield* admin.projects.get({ params })
      const payload = {
        ...member("name", flags.name),
        ...member("secretRequired", flags.secretRequired),
        ...(hasAllowlist ? { allowlist: yield* allowlistOver(before.allowlist) } : {}),
        ...(hasLimits ? { limits: ProjectSettings.limits(changes, before.limits) } : {})
      }
      return shown(yield* admin.projects.update({ params, payload }))
    })
  )
})

/** `plumbline projects suspend` and `resume` */
export const suspend = (suspended: boolean) => (flags: OneFlags) =>
  AdminCall.answer(flags, (admin) =>
    Effect.flatMap(ProjectNames.idOf(admin, flags.id), (id) =>
      Effect.map(admin.projects.update({ params: { id }, payload: { suspended } }), shown)
    )
  )

/** `plumbline projects remove` */
export const remove = (flags: OneFlags) =>
  AdminCall.answer(flags, (admin) =>
    Effect.as(admin.projects.remove({ params: { id: flags.id } }), {
      json: JSON.stringify({ removed: flags.id }),
      view: (style) => OperatorView.removed(`Removed the project ${flags.id} and its keys`, style)
    })
  )

const shown = (project: Account.Project): AdminCall.PrintableResult => ({
  json: JSON.stringify({ project }),
  view: (style) => OperatorView.project(project, style)
})

/** Returns a member of an object, if the value is given. */
const member = <Name extends string, A>(name: Name, value: Option.Option<A>): { readonly [N in Name]?: A } =>
  Option.match(value, {
    onNone: () => ({}),
    onSome: (given) => ({ [name]: given }) as { readonly [N in Name]: A }
  })
