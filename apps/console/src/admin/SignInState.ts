/**
 * The session of the open page: signed in, signed out, or not known yet.
 *
 * Scripts cannot read the cookie of a session, so a page that loads cannot see whether there is a session. After a
 * sign-in, the page stores a mark, which is not a secret. It asks the service for the session only if the mark is
 * there. It never stores a token or a key.
 */
import type { Session } from "@plumbline/gateway-admin/api/AdminSession"
import * as Atom from "effect/reactivity/Atom"
import * as Redacted from "effect/Redacted"

import * as ReadTransport from "../chain/ReadTransport.ts"
import { registry } from "../look/useAtom.ts"

/** The state of the session. */
export type SignInState =
  | { readonly _tag: "Unknown" }
  | { readonly _tag: "Out"; readonly reason: "new" | "left" | "ended" }
  | { readonly _tag: "In"; readonly session: Session }

const NOTE = "plumbline-signed-in"

const wasIn = (): boolean => {
  try {
    return localStorage.getItem(NOTE) !== null
  } catch {
    return true
  }
}

const note = (isIn: boolean): void => {
  try {
    if (isIn) localStorage.setItem(NOTE, "yes")
    else localStorage.removeItem(NOTE)
  } catch {
    // without storage, the page asks the service at every load
  }
}

/** The session. `Unknown` means that the page must ask the service. */
export const signInState: Atom.Writable<SignInState> = Atom.keepAlive(
  Atom.make<SignInState>(wasIn() ? { _tag: "Unknown" } : { _tag: "Out", reason: "new" })
)

/** Stores the mark before the browser goes to the identity provider, so that the page then asks for the session. */
export const expect = (): void => note(true)

/** The reader of the last session of this page, with what it may read, as text. */
let reader: string | undefined

/**
 * Enters a session. With an operator's session the page reads every network without a key. After the session of another
 * reader the page is loaded again, because it holds what that reader has read.
 */
export const enter = (session: Session): void => {
  note(true)
  const { grants, kind, label, project, projects, role } = session
  const before = reader
  reader = JSON.stringify([kind, label, project, role, projects, grants])
  if (before !== undefined && before !== reader) return location.reload()
  registry.set(ReadTransport.session, session.kind === "operator" ? Redacted.make(session.csrfToken) : undefined)
  registry.set(signInState, { _tag: "In", session })
}

/**
 * Leaves the session. `reason` is `left` if the reader signed out, `ended` if the session ended, and `new` if the
 * reader never had a session.
 */
export const leave = (reason: "new" | "left" | "ended"): void => {
  note(false)
  registry.set(ReadTransport.session, undefined)
  registry.set(signInState, { _tag: "Out", reason })
}
