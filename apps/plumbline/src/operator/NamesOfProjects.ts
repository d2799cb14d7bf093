/** The names of a service's projects, to show them beside the ids. */
import type * as AdminClient from "@plumbline/gateway/admin/AdminClient"
import * as Effect from "effect/Effect"

import * as AdminCall from "./AdminCall.ts"

/** Reads the names of all projects, by id. */
export const of = (admin: AdminClient.AdminClient) =>
  Effect.map(
    AdminCall.all((after) =>
      Effect.map(admin.projects.list({ query: after }), ({ next, projects }) => [projects, next] as const)
    ),
    (projects): ReadonlyMap<string, string> => new Map(projects.map(({ id, name }) => [id, name]))
  )
