/**
 * The memory of the open page: the networks, and the key that the reader typed.
 *
 * A key lives in this module's memory alone. It never enters a storage, an address of the page or a log, and is gone
 * after a reload.
 */
import * as Atom from "effect/reactivity/Atom"
import * as Redacted from "effect/Redacted"

import * as ConsoleNetworks from "./ConsoleNetworks.ts"

/** The networks of the service. */
export const start = Atom.keepAlive(Atom.make(ConsoleNetworks.read))

/**
 * The origin that serves networks and IPFS to keys. It is the page's own, unless the console has a port of its own.
 */
export const service: Atom.Atom<string> = Atom.keepAlive(
  Atom.make((get) => {
    const found = get(start)
    return (found._tag === "Success" ? found.value.service : null) ?? location.origin
  })
)

/** The API key that the reader entered, if any. It serves all networks. */
export const key: Atom.Writable<Redacted.Redacted | undefined> = Atom.keepAlive(
  Atom.make<Redacted.Redacted | undefined>(undefined)
)

/** Wraps the key from a field, so that it is never printed. */
export const redacted = (text: string): Redacted.Redacted => Redacted.make(text)

/** The network that searches use: the network that the reader viewed last. */
export const current: Atom.Writable<string | undefined> = Atom.keepAlive(Atom.make<string | undefined>(undefined))

/** A project's key with its secret. IPFS needs both. */
export interface ProjectAccess {
  readonly apiKey: Redacted.Redacted
  readonly apiKeySecret: Redacted.Redacted
  /** Makes another key if this one has ended, for a key that the page made; undefined if there is no other. */
  readonly renew?: () => Promise<ProjectAccess | undefined>
}

/** The access to IPFS that the reader entered, if any. */
export const access: Atom.Writable<ProjectAccess | undefined> = Atom.keepAlive(
  Atom.make<ProjectAccess | undefined>(undefined)
)

/**
 * The hash that the reader typed into the search last. A hash that only a node named can be in a link, but never here.
 */
export const typed: Atom.Writable<string | undefined> = Atom.keepAlive(Atom.make<string | undefined>(undefined))
