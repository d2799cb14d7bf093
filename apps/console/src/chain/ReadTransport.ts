/**
 * The ways in which the page reads a network: through the operator's session, with the reader's key, or, on the machine
 * of the service, without a session or key.
 *
 * The sign-in sets `session` to the CSRF token of the operator's session, and to undefined when the session ends. The
 * session's secret is in a cookie that no script can read. Keys and the token never enter an address of the page, a
 * storage or a log.
 */
import * as Atom from "effect/reactivity/Atom"
import * as Redacted from "effect/Redacted"

/** A way to read a network. */
export type ReadTransport =
  | { readonly _tag: "Session"; readonly csrfToken: Redacted.Redacted }
  | { readonly _tag: "Key"; readonly key: Redacted.Redacted }
  | { readonly _tag: "Loopback" }

/** The CSRF token of the operator's session; undefined while the reader is signed out on this page. */
export const session: Atom.Writable<Redacted.Redacted | undefined> = Atom.keepAlive(
  Atom.make<Redacted.Redacted | undefined>(undefined)
)

/** The way that the reader chose. Networks that do not offer it use their first way. */
export const preferred: Atom.Writable<ReadTransport["_tag"] | undefined> = Atom.keepAlive(
  Atom.make<ReadTransport["_tag"] | undefined>(undefined)
)

/** The secrets that the page holds in memory. */
export interface HeldSecrets {
  readonly session: Redacted.Redacted | undefined
  readonly key: Redacted.Redacted | undefined
}

/** Returns the ways to read a network, the usual one first. The list is empty if the reader must enter a key. */
export const readTransports = (
  { open }: { readonly open: boolean },
  { key, session }: HeldSecrets
): ReadonlyArray<ReadTransport> => [
  ...(session === undefined ? [] : [{ _tag: "Session", csrfToken: session } as const]),
  ...(key === undefined ? [] : [{ _tag: "Key", key } as const]),
  ...(open ? [{ _tag: "Loopback" } as const] : [])
]

/** Returns the preferred way if it is among these ways, otherwise the first of them. */
export const choose = (
  ways: ReadonlyArray<ReadTransport>,
  preferred: ReadTransport["_tag"] | undefined
): ReadTransport | undefined => ways.find(({ _tag }) => _tag === preferred) ?? ways[0]

/** The origins that a page calls. */
export interface PageOrigins {
  /** The page's own origin, with sessions and reads without a key. */
  readonly page: string
  /** The service's origin, with reads by a key. */
  readonly service: string
}

/** Returns the address and the headers of a network's calls. The browser adds the session's cookie itself. */
export const endpoint = (
  way: ReadTransport,
  network: string,
  { page, service }: PageOrigins
): {
  readonly url: string | Redacted.Redacted
  readonly headers?: Readonly<Record<string, string | Redacted.Redacted>>
} => {
  switch (way._tag) {
    case "Session":
      return {
        url: new URL(`/admin/v1/networks/${network}/rpc`, page).href,
        headers: { "x-csrf-token": way.csrfToken }
      }
    case "Key":
      return { url: Redacted.make(new URL(`/${network}/v3/${Redacted.value(way.key)}`, service).href) }
    case "Loopback":
      return { url: new URL(`/console/api/read/${network}`, page).href }
  }
}

/** Completes the sentence "This page reads ..." for a way. */
export const toSentence = ({ _tag }: ReadTransport): string => {
  switch (_tag) {
    case "Session":
      return "with your session as an operator; no project pays"
    case "Key":
      return "with the API key that you entered; its project pays"
    case "Loopback":
      return "without a key, because it runs on the same machine as the service"
  }
}
