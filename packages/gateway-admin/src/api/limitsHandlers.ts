/** The handlers of the admin API for the current use of limits. */
import type { Project } from "@plumbline/gateway/accounts/Account"
import type { Limiter } from "@plumbline/gateway/limits/Limiter"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"

import { type AccountDependencies, page, present, visibleProjects } from "./accountHandlers.ts"
import * as AdminApi from "./AdminApi.ts"
import type * as AdminModel from "./AdminModel.ts"

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
    return handlers.handleAll({
      get: ({ params: { id } }) => Effect.flatMap(present(accounts.project(id), "project", id), standing),
      account: Effect.fnUntraced(function* ({ params: { id } }) {
        const { limits = {}, name } = yield* present(accounts.account(id), "account", id)
        const { creditsPerDay, requestsPerSecond } = limits
        const found = yield* limiter.accountStanding(id, limits)
        const { day, rate } = found ?? {}
        return {
          account: id,
          name,
          counted: found !== undefined,
          day: day === undefined || creditsPerDay === undefined ? null : { ...day, allowed: creditsPerDay },
          rate:
            rate === undefined || requestsPerSecond === undefined
              ? null
              : { ...rate, allowed: requestsPerSecond, burst: limits.burst ?? requestsPerSecond }
        }
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

/** Number of projects whose limits are read at the same time. */
const READERS = 16
