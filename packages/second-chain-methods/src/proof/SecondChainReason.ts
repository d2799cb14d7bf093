/** The reasons why a statement about the second chain is only claimed. */
import * as Reason from "@plumbline/verdict/Reason"

/** The hash of the transaction does not cover the field. */
export const NotHashed: Reason.ReasonKind<"NotHashed", {}> = /* @__PURE__ */ Reason.kind(
  "NotHashed",
  () => "the hash does not cover it"
)

/** No hash covers a signature, and the caller did not pass the key of the account. */
export const KeyUnknown: Reason.ReasonKind<"KeyUnknown", {}> = /* @__PURE__ */ Reason.kind(
  "KeyUnknown",
  () => "the hash does not cover it, and the account's public key is not known here"
)

/** The transaction has more felts than this package hashes. */
export const TooLong: Reason.ReasonKind<"TooLong", { readonly most: number }> = /* @__PURE__ */ Reason.kind(
  "TooLong",
  ({ most }) => `it has more than ${most} felts, which no transaction has: its hash was not made`
)

/** This package does not know the type and version. */
export const UnknownKind: Reason.ReasonKind<"UnknownKind", {}> = /* @__PURE__ */ Reason.kind(
  "UnknownKind",
  () => "transactions of this type and version are not known here: their hash cannot be made"
)

/** A hashed field that nodes of older specifications omit. */
export type OmittedField = "l1_data_gas" | "proof_facts"

/** The fields do not give the hash, but the node omits fields that the hash may cover. */
export const LeftOut: Reason.ReasonKind<"LeftOut", { readonly fields: ReadonlyArray<OmittedField> }> =
  /* @__PURE__ */ Reason.kind(
    "LeftOut",
    ({ fields }) => `its hash may cover ${fields.join(" and ")}, which the node leaves out`
  )

/** Only the node says that a transaction is pending. */
export const PendingSaidByNode: Reason.ReasonKind<"PendingSaidByNode", {}> = /* @__PURE__ */ Reason.kind(
  "PendingSaidByNode",
  () => "that it is pending is the node's word"
)
