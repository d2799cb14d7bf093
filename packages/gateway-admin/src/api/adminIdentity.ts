/** The caller of a request to the admin API, after admission. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

import type { AdminGrant } from "./AdminRole.ts"
import * as AdminRole from "./AdminRole.ts"

/** A session. The page has its secret in a cookie. */
export interface PageSession {
  /** The digest of the secret, under which the session is stored. */
  readonly digest: string
  /** The text that requests of the session carry in the header `x-csrf-token`. */
  readonly csrf: string
  /** Time of the session's end, in milliseconds since 1970 UTC. */
  readonly endsAt: number
}

/** An operator. The grants say what is permitted. */
export interface OperatorIdentity {
  readonly _tag: "Operator"
  /** The label of the admin token, or the name of the person that signed in. */
  readonly label: string
  /** A digest that names the admin token or the identity provider. A session ends when it is no longer accepted. */
  readonly credential: string
  readonly grants: ReadonlyArray<AdminGrant>
  /** The groups at the identity provider that have grants; undefined for an admin token. */
  readonly groups?: ReadonlyArray<string> | undefined
  /** The session; undefined if the request carries the token itself. */
  readonly session: PageSession | undefined
}

/** The holder of a project's key and secret. Only reading the project's own data is permitted. */
export interface ProjectIdentity {
  readonly _tag: "Project"
  readonly project: string
  /** The id of the key. */
  readonly key: string
  /** The session. Undefined if the request carries the key and the secret instead, as one that begins a session does. */
  readonly session: PageSession | undefined
}

export type AdminIdentity = OperatorIdentity | ProjectIdentity

/** The caller of the current request; undefined if there is no authorized request. */
export const Caller: Context.Reference<AdminIdentity | undefined> = Context.Reference<AdminIdentity | undefined>(
  "@plumbline/gateway-admin/AdminCaller",
  { defaultValue: () => undefined }
)

/** The ids of the projects that the caller may see, sorted; undefined for all projects. */
export const visible: Effect.Effect<ReadonlyArray<string> | undefined> = Effect.map(Caller, (caller) => {
  if (caller === undefined) return []
  return caller._tag === "Project" ? [caller.project] : AdminRole.projectsOf(caller.grants)
})
