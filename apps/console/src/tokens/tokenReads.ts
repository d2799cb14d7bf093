/** The reads of user tokens: a project's rules for them, and what the project itself may do. */
import type { Access } from "@plumbline/gateway-admin/api/AdminProject"
import type { Project } from "@plumbline/gateway/accounts/Account"
import type { TokenRules } from "@plumbline/gateway/accounts/TokenRules"
import * as Effect from "effect/Effect"
import * as Atom from "effect/reactivity/Atom"

import * as AdminService from "../admin/AdminService.ts"

/** The data that the page of a project's tokens shows. */
export interface TokenRead {
  readonly project: Project
  readonly access: Access
  readonly rules: TokenRules | undefined
}

/** Reads everything about the tokens of one project. A session of that project may read it too. */
export const one = Atom.family((id: string) =>
  AdminService.read((client) =>
    Effect.gen(function* () {
      const params = { id }
      const [project, access] = yield* Effect.all(
        [client.projects.get({ params }), client.standing.access({ params })],
        { concurrency: 2 }
      )
      const read: TokenRead = { project, access, rules: undefined }
      if (access.tokens === null) return read
      return { ...read, rules: yield* client.tokens.get({ params }) }
    })
  )
)
