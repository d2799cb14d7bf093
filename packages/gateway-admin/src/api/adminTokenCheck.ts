/** Checks the admin token of a request, and limits the number of wrong tokens from an address. */
import { Buffer } from "node:buffer"
import { timingSafeEqual } from "node:crypto"

import { BoundedMap } from "@plumbline/codec/value/BoundedMap"
import * as ApiKey from "@plumbline/gateway/accounts/ApiKey"
import { addressOf } from "@plumbline/gateway/GatewayInternals"

import type { AdminToken } from "./AdminToken.ts"

export type TokenCheck =
  | { readonly _tag: "Accepted"; readonly label: string }
  | { readonly _tag: "Missing" }
  | { readonly _tag: "Wrong" }
  | { readonly _tag: "TooMany"; readonly retryAfter: number }

/** The answer to a wrong credential. */
export type RejectedCredential = Extract<TokenCheck, { readonly _tag: "Wrong" | "TooMany" }>

/**
 * The accepted tokens. After `MAX_TRIES` wrong tokens of an address, further wrong ones are told to wait, until a minute
 * has passed since the first. A correct token always passes: behind a proxy all callers share one address, and a
 * stranger must not lock the operator out. A token is too long to be guessed, so the limit only keeps the log short.
 */
export class AdminTokenCheck {
  readonly #tokens: ReadonlyArray<{ readonly label: string; readonly digest: Buffer }>
  readonly #tries = new BoundedMap<string, { readonly since: number; count: number }>(MAX_ADDRESSES)

  constructor(tokens: ReadonlyArray<AdminToken>) {
    this.#tokens = tokens.map(({ digest, label }) => ({ label, digest: Buffer.from(digest, "hex") }))
  }

  check(authorization: string | undefined, caller: string, now: number): TokenCheck {
    const token = this.read(authorization)
    if (token === undefined) return { _tag: "Missing" }
    return token.label === undefined ? this.failed(caller, now) : { _tag: "Accepted", label: token.label }
  }

  /** Returns the digest of the token in a header, with its label if it is accepted; undefined without a token. */
  read(authorization: string | undefined): { readonly digest: string; readonly label: string | undefined } | undefined {
    const token = /^Bearer +([\x21-\x7e]{1,512})$/iu.exec(authorization ?? "")?.[1]
    if (token === undefined) return undefined
    const digest = ApiKey.digest(token)
    return { digest, label: this.#labelOf(digest) }
  }

  /** Counts a wrong credential: a token, or one of another kind, such as a wrong key of a project. */
  failed(caller: string, now: number): RejectedCredential {
    const address = addressOf(caller)
    const tries = this.#of(address, now)
    if (tries === undefined) this.#begin(address, now)
    else if (tries.count < MAX_TRIES) tries.count++
    else return { _tag: "TooMany", retryAfter: Math.max(1, Math.ceil((tries.since + MINUTE - now) / 1000)) }
    return { _tag: "Wrong" }
  }

  /** Returns the label of a token. It compares all tokens, so that the time does not reveal which one matches. */
  #labelOf(hex: string): string | undefined {
    const digest = Buffer.from(hex, "hex")
    let found: string | undefined
    for (const known of this.#tokens) if (timingSafeEqual(known.digest, digest)) found = known.label
    return found
  }

  #of(address: string, now: number): { readonly since: number; count: number } | undefined {
    const tries = this.#tries.get(address)
    if (tries === undefined || now < tries.since + MINUTE) return tries
    this.#tries.delete(address)
    return undefined
  }

  /** Starts the count of an address. If there are too many addresses, the oldest is dropped. */
  #begin(address: string, now: number): void {
    this.#tries.set(address, { since: now, count: 1 })
  }
}

const MINUTE = 60_000

/** Maximum number of wrong tokens from one address in a minute. */
export const MAX_TRIES = 10

const MAX_ADDRESSES = 10_000
