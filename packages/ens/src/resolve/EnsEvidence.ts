/** The kinds of evidence about a name. */
import type * as Address from "@plumbline/codec/value/Address"
import * as Evidence from "@plumbline/verdict/Evidence"

/** The reason why there is no value, as the contracts give it. */
export type Absence =
  /** Neither the name nor a name above it has a resolver that answers for it. */
  | "NoResolver"
  /** The resolver's address has no code. */
  | "NoContract"
  /** The resolver does not have this kind of record. */
  | "NoProfile"
  /** The resolver has no such record of this name. */
  | "NoRecord"
  /** The name that the address claims belongs to another address. */
  | "OtherAddress"

/** The result of a name, as the Universal Resolver and the name's resolver gave it in a call. */
export const Resolution: Evidence.EvidenceKind<
  "Resolution",
  {
    /** The name, or the address whose name was asked for. */
    readonly subject: string
    /** The asked part, such as `addr` or `text com.github`. */
    readonly record: string
    /** The contract that answered; undefined if the call does not name it. */
    readonly resolver: Address.Address | undefined
    /** The value as text; undefined if there is none. */
    readonly value: string | undefined
    /** Undefined if there is a value. */
    readonly absence: Absence | undefined
  }
> = /* @__PURE__ */ Evidence.kind("Resolution", ({ absence, record, resolver, subject, value = "" }) => {
  const by = resolver === undefined ? "" : `, by the resolver ${resolver}`
  const shown = value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}...` : value
  return `${record} of ${subject} is ${absence === undefined ? shown : SENTENCES[absence]}${by}`
})

/** Maximum number of characters of a value in a sentence. */
const MAX_SHOWN = 200

const SENTENCES = {
  NoResolver: "none, because no resolver answers for it",
  NoContract: "none, because its resolver has no code",
  NoProfile: "none, because its resolver has no such records",
  NoRecord: "not set",
  OtherAddress: "none, because the name that it claims has another address"
} as const
