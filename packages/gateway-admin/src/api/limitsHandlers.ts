/** The handlers of the admin API for the current use of limits. */
import type { Project } from "@plumbline/gateway/accounts/Account"
import * as KeyLimits from "@plumbline/gateway/limits/KeyLimits"
import type { Limiter, QuotaStatus } from "@plumbline/gateway/limits/Limiter"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"

import { type AccountDependencies, page, present, visibleProjects } from "./accountHandlers.ts"
import * as AdminApi from "./AdminApi.ts"
import type * as AdminModel from "./AdminModel.ts"
import { toAdminError } from "./storeFailures.ts"

export const limitsGroup = ({
  accounts,
  limiter
}: Pick<AccountDependencies, "accounts"> & { readonly limiter: Limiter["Service"] }) =>
  HttpApiBuilder.group(AdminApi.Api, "limits", (handlers) => {
    const standing = (project: Project): Effect.Effect<typeof AdminModel.Standing.Type> =>
      Effect.map(limiter.standing(project.id, project.limits), (found) => {
        const { concurrency, creditsPerDay, creditsPerSecond } = project.limits
        const { day, rate, underWay } = found ?? {}
        return {
          project: project.id,
          name: project.name,
          suspended: project.suspended,
          counted: found !== undefined,
          day: day === undefined || creditsPerDay === undefined ? null : { ...day, allowed: creditsPerDay },
          rate:
            rate === undefined || creditsPerSecond === undefined
              ? null
              : { ...rate, allowed: creditsPerSecond, burst: project.limits.burst ?? creditsPerSecond },
          underWay:
            underWay === undefined || concurrency === undefined ? null : { current: underWay, allowed: concurrency }
        }
      })
    const ofKeys = (project: Project) =>
      Effect.flatMap(toAdminError(accounts.keys(project.id)), (keys) =>
        Effect.forEach(
          keys.filter(({ limits }) => !KeyLimits.isNone(limits)),
          ({ id, limits }) =>
            Effect.map(limiter.keyStanding(project.id, id, limits), (found) => ({
              key: id,
              ...memberOf(found, limits)
            })),
          { concurrency: READERS }
        )
      )
    return handlers.handleAll({
      get: Effect.fnUntraced(function* ({ params: { id } }) {
        const project = yield* present(accounts.project(id), "project", id)
        return { ...(yield* standing(project)), keys: yield* ofKeys(project) }
      }),
      account: Effect.fnUntraced(function* ({ params: { id } }) {
        const { limits = {}, name } = yield* present(accounts.account(id), "account", id)
        const found = yield* limiter.accountStanding(id, limits)
        return { account: id, name, counted: found !== undefined, ...memberOf(found, limits) }
      }),
      list: ({ query }) =>
        Effect.flatMap(
          page(query, (asked) => visibleProjects(accounts, asked)),
          ([projects, next]) =>
            Effect.map(Effect.forEach(projects, standing, { concurrency: READERS }), (standings) => ({
              standings,
              next
            }))
        )
    })
  })

/** Returns the use of the limits of an account or a key, whose rate is in requests. */
const memberOf = (
  { day, rate }: Partial<QuotaStatus> = {},
  { burst, creditsPerDay, requestsPerSecond }: KeyLimits.KeyLimits
): Pick<typeof AdminModel.AccountStanding.Type, "day" | "rate"> => ({
  day: day === undefined || creditsPerDay === undefined ? null : { ...day, allowed: creditsPerDay },
  rate:
    rate === undefined || requestsPerSecond === undefined
      ? null
      : { ...rate, allowed: requestsPerSecond, burst: burst ?? requestsPerSecond }
})

/** Number of projects or keys whose limits are read at the same time. */
const READERS = 16
