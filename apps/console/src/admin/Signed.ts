/**
 * The session of the open page: in, out, or not known yet.
 *
 * The cookie of a session is hidden from scripts, so a page that loads cannot see if there is one. It keeps a note that
 * there was a sign-in, which is not a secret, and asks the service only then. Neither token nor key is ever kept.
 */
import type { Session } from "@plumbline/gateway/admin/AdminSession"
import * as Atom from "effect/reactivity/Atom"
import * as Redacted from "effect/Redacted"

import * as Way from "../chain/Way.ts"
import { registry } from "../look/useAtom.ts"

/** The state of the session. */
export type Signed =
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
    // a browser without storage asks the service at every load
  }
}

/** The session. `Unknown` means that the service is to be asked. */
export const signed: Atom.Writable<Signed> = Atom.keepAlive(
  Atom.make<Signed>(wasIn() ? { _tag: "Unknown" } : { _tag: "Out", reason: "new" })
)

/** Enters a session. With an operator's session the page reads every network without a key. */
export const enter = (session: Session): void => {
  note(true)
  registry.set(Way.session, session.kind === "operator" ? Redacted.make(session.csrfToken) : undefined)
  registry.set(signed, { _tag: "In", session })
}

/** Leaves the session: the reader signed out, it ended, or there never was one. */
export const leave = (reason: "new" | "left" | "ended"): void => {
  note(false)
  registry.set(Way.session, undefined)
  registry.set(signed, { _tag: "Out", reason })
}
