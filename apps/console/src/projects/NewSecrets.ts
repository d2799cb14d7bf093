/**
 * Keys and secrets that were just made. They are only in the memory of this page, until the reader closes their panel,
 * leaves the page of the project, signs out, or reloads.
 */
import type { Issued } from "@plumbline/gateway-admin/api/AdminModel"
import * as Atom from "effect/reactivity/Atom"
import type * as Redacted from "effect/Redacted"

import * as SignInState from "../admin/SignInState.ts"
import { registry } from "../look/useAtom.ts"
import * as Router from "../route/Router.ts"

/** A key that is shown only once. */
export interface NewSecret {
  readonly project: string
  readonly key: string
  readonly apiKey: Redacted.Redacted
  readonly apiKeySecret: Redacted.Redacted
}

/** The key that is shown now, if any. */
export const shown: Atom.Writable<NewSecret | undefined> = Atom.keepAlive(Atom.make<NewSecret | undefined>(undefined))

/** Shows the new key that an answer of the admin API contains. */
export const show = ({ apiKey, apiKeySecret, key }: typeof Issued.Type): void =>
  registry.set(shown, { project: key.project, key: key.id, apiKey, apiKeySecret })

/** Removes the key from the page and from its memory. */
export const hide = (): void => registry.set(shown, undefined)

registry.subscribe(Router.currentRoute, (place) => {
  if (place._tag !== "Project" || place.id !== registry.get(shown)?.project) hide()
})
registry.subscribe(SignInState.signInState, ({ _tag }) => (_tag === "In" ? undefined : hide()))
