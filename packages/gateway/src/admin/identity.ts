/** The caller of a request to the admin API, once it is known. */
import * as Context from "effect/Context"

/** A session that a page holds in a cookie. */
export interface Session {
  /** The digest of its secret, by which it is stored. */
  readonly digest: string
  /** The text that its requests repeat in the header `x-csrf-token`. */
  readonly csrf: string
  /** Milliseconds of Unix time. */
  readonly endsAt: number
}

/** An operator, who may do everything. */
export interface Operator {
  readonly _tag: "Operator"
  /** The label of the admin token. */
  readonly label: string
  /** The session; undefined if the request carries the token itself. */
  readonly session: Session | undefined
}

/** The holder of a project's key and secret, who may read what concerns that project. */
export interface Owner {
  readonly _tag: "Owner"
  readonly project: string
  /** The id of the key. */
  readonly key: string
  /** The session; undefined if the request carries key and secret themselves, which can only begin a session. */
  readonly session: Session | undefined
}

export type Identity = Operator | Owner

/** The caller of the current request; undefined without an authorized request. */
export const Caller: Context.Reference<Identity | undefined> = Context.Reference<Identity | undefined>(
  "@plumbline/gateway/AdminCaller",
  { defaultValue: () => undefined }
)
