/** The handlers of the admin API for accounts, projects and keys. */
import type { Account, Project } from "@plumbline/gateway/accounts/Account"
import type * as Accounts from "@plumbline/gateway/accounts/Accounts"
import * as Redaction from "@plumbline/gateway/errors/Redaction"
import type { StateError } from "@plumbline/gateway/state/StateError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"

import type * as BillingCard from "../cards/BillingCard.ts"
import type * as BillingCards from "../cards/BillingCards.ts"
import * as AdminApi from "./AdminApi.ts"
import * as AdminError from "./AdminError.ts"
import { visible } from "./adminIdentity.ts"
import type * as AdminModel from "./AdminModel.ts"
import type { AuditedChanges } from "./auditedChanges.ts"
import { found, toAdminError } from "./storeFailures.ts"

type Store = Accounts.Accounts["Service"]

/** The services that the handlers need. Without `cards`, only an operator's statement gives an account a card. */
export interface AccountDependencies {
  readonly accounts: Store
  readonly cards: BillingCards.BillingCards["Service"] | undefined
  readonly changes: AuditedChanges
}

export const accountsGroup = ({ accounts, cards, changes }: AccountDependencies) =>
  HttpApiBuilder.group(AdminApi.Api, "accounts", (handlers) => {
    const account = (id: string) => present(accounts.account(id), "account", id)
    const card = (id: string) =>
      cards === undefined
        ? Effect.map(account(id), ({ card }) => cardOf({ _tag: card ? "Manual" : "None" }, undefined))
        : found(Effect.zipWith(cards.status(id), cards.customer(id), cardOf))
    return handlers.handleAll({
      list: ({ query }) =>
        Effect.map(
          page(query, (asked) => visibleAccounts(accounts, asked)),
          ([list, next]) => ({ accounts: list, next })
        ),
      create: ({ headers, payload }) =>
        toAdminError(
          changes.once(headers["idempotency-key"], {
            action: "account.create",
            work: accounts.createAccount(payload),
            target: ({ id }) => id,
            given: payload,
            state: accounts.account
          })
        ),
      get: ({ params }) => account(params.id),
      update: ({ params: { id }, payload }) =>
        found(
          changes.make({
            action: "account.update",
            work: accounts.updateAccount(id, payload),
            target: id,
            given: payload,
            state: accounts.account
          })
        ),
      remove: ({ params: { id } }) =>
        toAdminError(
          changes.make({
            action: "account.remove",
            work: accounts.removeAccount(id),
            target: id,
            state: accounts.account
          })
        ),
      card: ({ params }) => card(params.id),
      setCard: Effect.fnUntraced(function* ({ params: { id }, payload }) {
        const { card: manual, customer } = payload
        if (customer === undefined && manual === undefined) {
          return yield* new AdminError.BadRequest({ at: "payload", message: "must have a card or a customer" })
        }
        if (customer !== undefined && cards === undefined) return yield* noService("payment provider")
        yield* toAdminError(
          changes.make({
            action: "account.card",
            work: Effect.gen(function* () {
              if (customer !== undefined) yield* cards!.link(id, customer ?? undefined)
              if (manual !== undefined) yield* accounts.updateAccount(id, { card: manual })
            }),
            target: id,
            given: payload,
            state: accounts.account
          })
        )
        return yield* card(id)
      })
    })
  })

export const projectsGroup = ({ accounts, changes }: AccountDependencies) =>
  HttpApiBuilder.group(AdminApi.Api, "projects", (handlers) =>
    handlers.handleAll({
      list: ({ query: { account, ...query } }) =>
        Effect.map(
          page(query, (asked) => visibleProjects(accounts, { ...asked, account })),
          ([list, next]) => ({ projects: list, next })
        ),
      create: Effect.fnUntraced(function* ({ headers, payload }) {
        const { account, card, ...project } = payload
        if (account !== undefined && card !== undefined) {
          return yield* new AdminError.BadRequest({
            at: "payload.card",
            message: "belongs to the account, which is given"
          })
        }
        const { issued, project: made } = yield* toAdminError(
          changes.once(headers["idempotency-key"], {
            action: "project.create",
            work: Effect.gen(function* () {
              const owner = account ?? (yield* accounts.createAccount({ name: project.name, card })).id
              return yield* accounts.createProject({ account: owner, ...project })
            }),
            target: ({ project }) => project.id,
            also: ({ issued, project }) => [
              ...(account === undefined ? [{ action: "account.create", target: project.account }] : []),
              { action: "key.issue", target: issued.key.id },
              ...suspension(project.id, payload.suspended === true ? true : undefined)
            ],
            given: payload,
            state: accounts.project
          })
        )
        return { project: made, ...issued }
      }),
      get: ({ params: { id } }) => present(accounts.project(id), "project", id),
      update: ({ params: { id }, payload }) =>
        found(
          changes.make({
            action: "project.update",
            work: accounts.updateProject(id, payload),
            target: id,
            also: () => suspension(id, payload.suspended),
            given: payload,
            state: accounts.project
          })
        ),
      remove: ({ params: { id } }) =>
        found(
          changes.make({
            action: "project.remove",
            work: accounts.removeProject(id),
            target: id,
            state: accounts.project
          })
        )
    })
  )

export const keysGroup = ({ accounts, changes }: AccountDependencies) =>
  HttpApiBuilder.group(AdminApi.Api, "keys", (handlers) =>
    handlers.handleAll({
      list: ({ params: { id } }) =>
        Effect.andThen(
          present(accounts.project(id), "project", id),
          Effect.map(toAdminError(accounts.keys(id)), (keys) => ({ keys }))
        ),
      issue: ({ headers, params: { id }, payload }) =>
        toAdminError(
          changes.once(headers["idempotency-key"], {
            action: "key.issue",
            work: accounts.issueKey(id, payload ?? {}),
            target: ({ key }) => key.id,
            given: payload ?? {},
            state: accounts.key
          })
        ),
      get: ({ params: { id } }) => present(accounts.key(id), "key", id),
      update: ({ params: { id }, payload }) =>
        found(
          changes.make({
            action: "key.update",
            work: accounts.updateKey(id, payload),
            target: id,
            given: payload,
            state: accounts.key
          })
        ),
      rotate: ({ params: { id }, payload }) =>
        toAdminError(
          changes.make({
            action: "key.rotate",
            work: accounts.rotateKey(id, { overlap: Duration.seconds(payload.overlapSeconds ?? 0) }),
            target: id,
            also: ({ key }) => [{ action: "key.issue", target: key.id }],
            given: payload,
            state: accounts.key
          })
        ),
      revoke: ({ params: { id } }) =>
        found(changes.make({ action: "key.revoke", work: accounts.revokeKey(id), target: id, state: accounts.key }))
    })
  )

/** Returns a page of the projects that the caller may see, sorted by id. */
export const visibleProjects = (
  accounts: Pick<Store, "project" | "projects">,
  asked: Accounts.AccountsPage & { readonly account?: string | undefined }
): Effect.Effect<ReadonlyArray<Project>, StateError> =>
  Effect.gen(function* () {
    const ids = yield* visible
    if (ids === undefined) return yield* accounts.projects(asked)
    const { account, after = "" } = asked
    const found = yield* Effect.forEach(
      ids.filter((id) => id > after),
      accounts.project
    )
    return found.flatMap((project) =>
      project === undefined || (account !== undefined && project.account !== account) ? [] : [project]
    )
  })

/** Returns the accounts that the caller may see: all of them, or those of its projects. */
const visibleAccounts = (
  accounts: Pick<Store, "account" | "accounts" | "project">,
  asked: Accounts.AccountsPage
): Effect.Effect<ReadonlyArray<Account>, StateError> =>
  Effect.gen(function* () {
    const ids = yield* visible
    if (ids === undefined) return yield* accounts.accounts(asked)
    const { after = "" } = asked
    const projects = yield* Effect.forEach(ids, accounts.project)
    const own = [...new Set(projects.flatMap((project) => (project === undefined ? [] : [project.account])))]
    const found = yield* Effect.forEach(own.filter((id) => id > after).sort(), accounts.account)
    return found.filter((account) => account !== undefined)
  })

/** Returns the error for a part of the service that this installation does not have. */
export const noService = (name: string): AdminError.NotFound =>
  new AdminError.NotFound({ kind: "service", id: null, message: `this service has no ${name}` })

/**
 * Returns the entry for the suspension or resumption of a project, so that the audit log names the author of this
 * change.
 */
const suspension = (target: string, suspended: boolean | undefined) =>
  suspended === undefined ? [] : [{ action: suspended ? "project.suspend" : "project.resume", target }]

/** Returns the thing that a store found, or fails with 404. */
export const present = <A, E>(
  asked: Effect.Effect<A | undefined, E>,
  kind: "account" | "project" | "key",
  id: string
) =>
  Effect.flatMap(toAdminError(asked), (value) => {
    if (value !== undefined) return Effect.succeed(value)
    const shown = Redaction.id(id)
    return Effect.fail(new AdminError.NotFound({ kind, id: shown, message: `there is no ${kind} ${shown}` }))
  })

/** Returns a page of a list, and the id after which the next page begins; null on the last page. */
export const page = <A extends { readonly id: string }, E>(
  { after, limit = 100 }: { readonly after?: string | undefined; readonly limit?: number | undefined },
  ask: (page: Accounts.AccountsPage) => Effect.Effect<ReadonlyArray<A>, E>
) =>
  Effect.map(toAdminError(ask({ after })), (all) => {
    const list = all.slice(0, limit)
    // A full page may be the last page. Then the next page is empty.
    return [list, list.length === limit ? (list.at(-1)?.id ?? null) : null] as const
  })

const cardOf = (status: BillingCard.CardStatus, linked: string | undefined): typeof AdminModel.Card.Type => {
  const customer = linked ?? null
  const none = { provider: null, brand: null, last4: null, expiry: null, customer }
  switch (status._tag) {
    case "None":
      return { card: false, source: "none", ...none }
    case "Manual":
      return { card: true, source: "manual", ...none }
    case "Card":
      return {
        card: true,
        source: "provider",
        provider: status.provider,
        brand: status.brand,
        last4: status.last4,
        expiry: { month: status.expiryMonth, year: status.expiryYear },
        customer
      }
  }
}
