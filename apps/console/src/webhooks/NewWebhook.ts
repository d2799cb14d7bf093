/**
 * The secret of a webhook that was just made. It is only in the memory of this page, until the reader closes its panel,
 * leaves the page of the webhook, signs out, or reloads.
 */
import * as Atom from "effect/reactivity/Atom"
import type * as Redacted from "effect/Redacted"

import * as SignInState from "../admin/SignInState.ts"
import { registry } from "../look/useAtom.ts"
import * as Router from "../route/Router.ts"

/** The name of a webhook, and its secret. */
export interface NewWebhook {
  readonly name: string
  readonly secret: Redacted.Redacted
}

/** The webhook whose secret is shown now, if any. */
export const shown: Atom.Writable<NewWebhook | undefined> = Atom.keepAlive(Atom.make<NewWebhook | undefined>(undefined))

/** Shows the secret of a new webhook. */
export const show = (made: NewWebhook): void => registry.set(shown, made)

/** Removes the secret from the page and from its memory. */
export const hide = (): void => registry.set(shown, undefined)

registry.subscribe(Router.currentRoute, (place) => {
  if (place._tag !== "Webhooks" || place.name !== registry.get(shown)?.name) hide()
})
registry.subscribe(SignInState.signInState, ({ _tag }) => (_tag === "In" ? undefined : hide()))
