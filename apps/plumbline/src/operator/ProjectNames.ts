/** The names of a service's projects, to show them beside the ids, and to read them instead of ids. */
import type * as AdminClient from "@plumbline/gateway-admin/api/AdminClient"
import * as Effect from "effect/Effect"

import { UsageError } from "../terminal/UsageError.ts"
import * as AdminCall from "./AdminCall.ts"

/** Reads the names of all projects, by id. */
export const of = (admin: AdminClient.AdminClient) =>
  Effect.map(
    AdminCall.all("projects", (query) => admin.projects.list({ query })),
    (projects): ReadonlyMap<string, string> => new Map(projects.map(({ id, name }) => [id, name]))
  )

/**
 * Returns the id of the only project with this name. A text that is an id, or that no project has, stays as it is: the
 * service says if there is no such project. Fails if several projects have the name.
 */
export const idOf = Effect.fnUntraced(function* (admin: AdminClient.AdminClient, text: string) {
  if (ID.test(text)) return text
  const names = yield* of(admin)
  if (names.has(text)) return text
  const ids = [...names].flatMap(([id, name]) => (name === text ? [id] : []))
  const [only = text, ...others] = ids
  if (others.length === 0) return only
  return yield* new UsageError({
    problem: `${ids.length} projects are named "${text}". Name one by its id: ${ids.slice(0, SHOWN).join(", ")}`
  })
})

/** The form of the ids that services make. */
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu

const SHOWN = 8
