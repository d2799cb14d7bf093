/** The handlers of the admin API for tokens of projects' users. */
import * as Redaction from "@plumbline/gateway/errors/Redaction"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"

import type { AccountDependencies } from "./accountHandlers.ts"
import * as AdminApi from "./AdminApi.ts"
import * as AdminError from "./AdminError.ts"
import { found, toAdminError } from "./storeFailures.ts"

export const tokensGroup = ({ accounts, changes }: Pick<AccountDependencies, "accounts" | "changes">) =>
  HttpApiBuilder.group(AdminApi.Api, "tokens", (handlers) =>
    handlers.handleAll({
      get: ({ params: { id } }) =>
        Effect.flatMap(toAdminError(accounts.tokens(id)), (rules) =>
          rules === undefined
            ? Effect.fail(
                new AdminError.NotFound({
                  kind: "project",
                  id: Redaction.id(id),
                  message: "this project has no rules for tokens"
                })
              )
            : Effect.succeed(rules)
        ),
      set: ({ params: { id }, payload }) =>
        found(
          changes.make({
            action: "project.tokens",
            work: accounts.setTokens(id, payload),
            target: id,
            given: payload,
            state: accounts.tokens
          })
        ),
      remove: ({ params: { id } }) =>
        found(
          changes.make({
            action: "project.tokens.remove",
            work: accounts.removeTokens(id),
            target: id,
            state: accounts.tokens
          })
        )
    })
  )
