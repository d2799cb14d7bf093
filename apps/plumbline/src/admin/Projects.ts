/**
 * `plumbline projects ...`
 */
import type * as Account from "@plumbline/gateway/Account"
import type * as AdminClient from "@plumbline/gateway/AdminClient"
import * as Allowlist from "@plumbline/gateway/Allowlist"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

import { UsageError } from "../terminal/UsageError.ts"
import * as AdminView from "../view/AdminView.ts"
import type { AdminFlags } from "./AdminFlags.ts"
import * as Asking from "./Asking.ts"
import type { ProjectFlags } from "./ProjectFlags.ts"
import * as Settings from "./Settings.ts"

/** What `projects create` is given. */
export interface CreateFlags extends AdminFlags, ProjectFlags {
  readonly name: string
  readonly card: Option.Option<boolean>
  readonly account: Option.Option<string>
}

/** `plumbline projects create` */
export const create = Effect.fnUntraced(function* (flags: CreateFlags) {
  const changes = yield* Effect.fromResult(Settings.limitChanges(flags))
  const allowlist = yield* Effect.fromResult(Settings.allowlist(flags, Allowlist.none))
  return yield* Asking.answer(
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
        // nobody has its key
        Effect.onError(() => undo(admin, made.project, Option.isNone(flags.account)))
      )
      const secrets = { apiKey: Redacted.value(made.apiKey), apiKeySecret: Redacted.value(made.apiKeySecret) }
      return {
        json: JSON.stringify({ project, ...secrets }),
        view: (style) => AdminView.created(project, secrets, style)
      }
    })
  )
})

/** Which limits a new project has, the service knows: only those that are given are other ones. */
const withLimits = (admin: AdminClient.AdminClient, project: Account.Project, changes: Settings.LimitChanges) =>
  Object.keys(changes).length === 0
    ? Effect.succeed(project)
    : admin.projects.update({
        params: { id: project.id },
        payload: { limits: Settings.limits(changes, project.limits) }
      })

const undo = (admin: AdminClient.AdminClient, { account, id }: Account.Project, withAccount: boolean) =>
  admin.projects
    .remove({ params: { id } })
    .pipe(Effect.andThen(withAccount ? admin.accounts.remove({ params: { id: account } }) : Effect.void), Effect.ignore)

/** What `projects list` is given. */
export interface ListFlags extends AdminFlags {
  readonly account: Option.Option<string>
}

/** `plumbline projects list` */
export const list = (flags: ListFlags) =>
  Asking.answer(flags, (admin) =>
    Effect.map(
      Asking.all((after) =>
        Effect.map(
          admin.projects.list({ query: { ...after, ...member("account", flags.account) } }),
          ({ next, projects }) => [projects, next] as const
        )
      ),
      (projects) => ({
        json: JSON.stringify({ projects }),
        view: (style) => AdminView.projects(projects, style)
      })
    )
  )

/** What a command about one thing is given. */
export interface OneFlags extends AdminFlags {
  readonly id: string
}

/** `plumbline projects show` */
export const show = (flags: OneFlags) =>
  Asking.answer(flags, (admin) => Effect.map(admin.projects.get({ params: { id: flags.id } }), shown))

/** What `projects update` is given. */
export interface UpdateFlags extends OneFlags, ProjectFlags {
  readonly name: Option.Option<string>
  readonly clearAllowlist: boolean
}

/** `plumbline projects update` */
export const update = Effect.fnUntraced(function* (flags: UpdateFlags) {
  const changes = yield* Effect.fromResult(Settings.limitChanges(flags))
  const hasAllowlist = flags.clearAllowlist || Settings.hasAllowlist(flags)
  const hasLimits = Object.keys(changes).length > 0
  if (!hasAllowlist && !hasLimits && Option.isNone(flags.name) && Option.isNone(flags.secretRequired)) {
    return yield* new UsageError({ problem: "nothing is to be changed: name it by a flag" })
  }
  const allowlistOver = (before: Allowlist.Allowlist) =>
    Effect.fromResult(Settings.allowlist(flags, flags.clearAllowlist ? Allowlist.none : before))
  // what makes no sense is not asked about
  yield* allowlistOver(Allowlist.none)
  return yield* Asking.answer(
    flags,
    Effect.fnUntraced(function* (admin: AdminClient.AdminClient) {
      const params = { id: flags.id }
      const before = yield* admin.projects.get({ params })
      const payload = {
        ...member("name", flags.name),
        ...member("secretRequired", flags.secretRequired),
        ...(hasAllowlist ? { allowlist: yield* allowlistOver(before.allowlist) } : {}),
        ...(hasLimits ? { limits: Settings.limits(changes, before.limits) } : {})
      }
      return shown(yield* admin.projects.update({ params, payload }))
    })
  )
})

/** `plumbline projects suspend` and `resume` */
export const suspend = (suspended: boolean) => (flags: OneFlags) =>
  Asking.answer(flags, (admin) =>
    Effect.map(admin.projects.update({ params: { id: flags.id }, payload: { suspended } }), shown)
  )

/** `plumbline projects remove` */
export const remove = (flags: OneFlags) =>
  Asking.answer(flags, (admin) =>
    Effect.as(admin.projects.remove({ params: { id: flags.id } }), {
      json: JSON.stringify({ removed: flags.id }),
      view: (style) => AdminView.removed(`Removed the project ${flags.id} and its keys`, style)
    })
  )

const shown = (project: Account.Project): Asking.Shown => ({
  json: JSON.stringify({ project }),
  view: (style) => AdminView.project(project, style)
})

/** A member of an object, if there is something to say. */
const member = <Name extends string, A>(name: Name, value: Option.Option<A>): { readonly [N in Name]?: A } =>
  Option.match(value, {
    onNone: () => ({}),
    onSome: (given) => ({ [name]: given }) as { readonly [N in Name]: A }
  })
