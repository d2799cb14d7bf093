/**
 * The secret of a webhook that was just made. It is only in the memory of this page, until the reader closes its panel,
 * leaves the page of the webhook, signs out, or reloads.
 */
import * as Atom from "effect/reactivity/Atom"
import type * as Redacted from "effect/Redacted"

import * as Signed from "../admin/Signed.ts"
import { registry } from "../look/useAtom.ts"
import * as Router from "../route/Router.ts"

/** The name of a webhook, and its secret. */
export interface Made {
  readonly name: string
  readonly secret: Redacted.Redacted
}

/** The webhook whose secret is shown now, if any. */
export const shown: Atom.Writable<Made | undefined> = Atom.keepAlive(Atom.make<Made | undefined>(undefined))

/** Shows the secret of a new webhook. */
export const show = (made: Made): void => registry.set(shown, made)

/** Removes the secret from the page and from its memory. */
export const hide = (): void => registry.set(shown, undefined)

registry.subscribe(Router.place, (place) => {
  if (place._tag !== "Webhooks" || place.name !== registry.get(shown)?.name) hide()
})
registry.subscribe(Signed.signed, ({ _tag }) => (_tag === "In" ? undefined : hide()))
