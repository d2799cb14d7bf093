/** The admin API as a service of the page: its client over the session, reads as atoms, and changes. */
import * as AdminClient from "@plumbline/gateway-admin/api/AdminClient"
import type { Session } from "@plumbline/gateway-admin/api/AdminSession"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import type * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Atom from "effect/reactivity/Atom"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

import type { ReadFailure } from "../parts/ReadState.tsx"
import * as SignInState from "./SignInState.ts"

/** The client of the admin API, which uses the session of the page. */
export class Admin extends Context.Service<
  Admin,
  { readonly client: AdminClient.AdminClient; readonly session: Session }
>()("console/Admin") {}

/** There is no session. */
export class SignedOutError extends Schema.TaggedError<SignedOutError>()("SignedOutError", {}) {
  override get message(): string {
    return "You are not signed in."
  }
}

const clientOf = (options: Omit<AdminClient.AdminClientOptions, "url">) =>
  Effect.suspend(() => Effect.provide(AdminClient.make({ url: location.origin, ...options }), FetchHttpClient.layer))

const runtime = Atom.runtime((get) => {
  const signed = get(SignInState.signInState)
  return Layer.effect(
    Admin,
    signed._tag === "In"
      ? Effect.map(clientOf({ csrfToken: signed.session.csrfToken, readTimeout: "30 seconds" }), (client) => ({
          client,
          session: signed.session
        }))
      : Effect.fail(new SignedOutError())
  )
})

/** Marks the session as ended if a request was refused for that reason. */
const noted = <A, E extends ReadFailure, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.tapError(effect, ({ _tag }) =>
    Effect.sync(() => (_tag === "Unauthorized" ? SignInState.leave("ended") : undefined))
  )

/** Makes an atom of a read through the client. */
export const read = <A, E extends ReadFailure>(
  ask: (client: AdminClient.AdminClient, session: Session) => Effect.Effect<A, E>
): Atom.Atom<AsyncResult.AsyncResult<A, E | SignedOutError>> =>
  runtime.atom(noted(Effect.flatMap(Admin, ({ client, session }) => ask(client, session))))

/** Makes one change, or one read, from an event. Fails with `SignedOutError` without a session. */
export const once = <A, E extends ReadFailure>(
  ask: (client: AdminClient.AdminClient) => Effect.Effect<A, E>,
  signed: SignInState.SignInState
): Effect.Effect<A, E | SignedOutError> =>
  signed._tag === "In"
    ? noted(Effect.flatMap(clientOf({ csrfToken: signed.session.csrfToken }), ask))
    : Effect.fail(new SignedOutError())

/** The credentials of a sign-in: the admin token, or the key and the secret of a project. */
export type Credentials = { readonly token: string } | { readonly apiKey: string; readonly apiKeySecret: string }

/** Signs in. The credentials are sent once, in a header, and kept nowhere. */
export const signIn = (given: Credentials) =>
  Effect.flatMap(
    clientOf(
      "token" in given
        ? { token: Redacted.make(given.token) }
        : { project: { apiKey: Redacted.make(given.apiKey), apiKeySecret: Redacted.make(given.apiKeySecret) } }
    ),
    (client) => client.session.create()
  ).pipe(Effect.tap((session) => Effect.sync(() => SignInState.enter(session))))

/** Asks the service for the session of this browser, after the page has loaded. */
export const resume = Effect.flatMap(clientOf({ readTimeout: "10 seconds" }), (client) => client.session.get()).pipe(
  Effect.matchEffect({
    onFailure: () => Effect.sync(() => SignInState.leave("new")),
    onSuccess: (session) => Effect.sync(() => SignInState.enter(session))
  })
)

/** Signs out, in every process of the service. If the service does not answer, signs out on this page alone. */
export const signOut = (signed: SignInState.SignInState) =>
  Effect.ensuring(
    Effect.ignore(once((client) => client.session.remove(), signed)),
    Effect.sync(() => SignInState.leave("left"))
  )
