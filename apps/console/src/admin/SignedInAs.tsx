/**
 * Shows the operator or project that is signed in, with a button to sign out. Otherwise shows a link to the sign-in.
 */
import * as Effect from "effect/Effect"
import { useEffect } from "react"

import { Disclosure } from "../look/Disclosure.tsx"
import { useAtom } from "../look/useAtom.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as Router from "../route/Router.ts"
import * as SignInState from "./SignInState.ts"

/** The session in the top bar. The client of the admin API is loaded only if there may be a session. */
export const SignedInAs = () => {
  const signed = useAtom(SignInState.signInState)
  useEffect(() => {
    if (signed._tag === "Unknown") void import("./AdminService.ts").then(({ resume }) => Effect.runPromise(resume))
  }, [signed])
  if (signed._tag === "Unknown") return null
  if (signed._tag === "Out") {
    return (
      <a className="button quiet-button" href={ConsoleRoute.link({ _tag: "Overview" }).href}>
        Sign in
      </a>
    )
  }
  const { endsAt, kind, label, role, signOutUrl } = signed.session
  const name = kind === "operator" ? (label ?? "operator") : "project"
  return (
    <Disclosure
      className="who"
      label={
        <>
          <span className="spoken">Signed in as </span>
          <b>{name}</b>
        </>
      }
    >
      <p>
        {kind === "operator"
          ? `Your role is ${role ?? "read-only"}.`
          : "You can see one project, and cannot change it."}{" "}
        The session ends at {new Date(endsAt).toISOString().slice(11, 16)} UTC.
      </p>
      <button
        type="button"
        className="button"
        onClick={() => {
          if (!Router.mayLeave()) return
          void import("./AdminService.ts")
            .then(({ signOut }) => Effect.runPromise(signOut(signed)))
            .then(() => (signOutUrl === null ? undefined : location.assign(signOutUrl)))
        }}
      >
        Sign out
      </button>
    </Disclosure>
  )
}
