/** The observations of a client in a case, in the same form for all clients. */
import { inspect } from "node:util"

/** The outcome of one call. */
export type Seen =
  /** A value, as `show` writes it. */
  | { readonly _tag: "Value"; readonly shown: string }
  /** "There is no such thing": null, or an error that says so. */
  | { readonly _tag: "Absent" }
  | Failed
  /** The client warns that heads may be missing here. */
  | { readonly _tag: "Gap" }
  /** An error that no caller can catch: it ends the process. */
  | { readonly _tag: "Escaped" }
  /** The client had no result when the time limit of the case ended. */
  | { readonly _tag: "Unsettled" }

export interface Failed {
  readonly _tag: "Failed"
  /** The kind of error, in the client's own terms. */
  readonly kind: string
  /** All text in the error, at any depth. */
  readonly content: string
  /** The text of the error in a log. */
  readonly printed: string
}

export const value = (shown: string): Seen => ({ _tag: "Value", shown })
export const absent: Seen = { _tag: "Absent" }
export const gap: Seen = { _tag: "Gap" }
export const escaped: Seen = { _tag: "Escaped" }
export const unsettled: Seen = { _tag: "Unsettled" }

export const failed = (kind: string, error: unknown): Failed => ({
  _tag: "Failed",
  kind,
  content: inspect(error, { depth: 12, maxStringLength: 20_000 }),
  printed: `${inspect(error)}\n${String(error)}\n${asJson(error)}`
})

/** Errors with circular references cannot be written as JSON. */
const asJson = (error: unknown): string => {
  try {
    return JSON.stringify(error) ?? ""
  } catch {
    return ""
  }
}

/**
 * Returns fields as text that is the same for all clients' types: numbers in decimal, all other values in lower case.
 */
const show = (...fields: ReadonlyArray<unknown>): string => fields.map(showField).join(" ")

const showField = (field: unknown): string => {
  try {
    return String(BigInt(field as string))
  } catch {
    return String(field).toLowerCase()
  }
}

/** The compared fields of each kind of answer. Each function takes a wire value or a value of any client. */
export const shown = {
  transaction: (it: any): string => show(it.hash, it.from, it.nonce, it.value),
  block: (it: any): string =>
    show(it.hash, it.number, it.stateRoot, it.timestamp, it.transactions?.length, it.transactions?.[0]?.hash),
  slot: (it: unknown): string => show(it),
  account: (it: any): string =>
    show(it.address, it.nonce, it.balance, it.storageHash, it.accountProof?.[0], it.storageProof?.[0]?.value),
  head: (it: any): string => show(it?.number)
}
