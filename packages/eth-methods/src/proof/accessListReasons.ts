/** The reasons about block access lists (EIP-7928). */
import * as Reason from "@plumbline/verdict/Reason"

import { named } from "./fieldNames.ts"

/** The header has no hash of a block access list. */
export const BeforeAmsterdam: Reason.ReasonKind<"BeforeAmsterdam", {}> = /* @__PURE__ */ Reason.kind(
  "BeforeAmsterdam",
  () => "its header has no blockAccessListHash, as before Amsterdam, so nothing covers a list"
)

/** The node has no access list of the block. */
export const AccessListUnknown: Reason.ReasonKind<"AccessListUnknown", {}> = /* @__PURE__ */ Reason.kind(
  "AccessListUnknown",
  () => "the node has no access list of this block, which proves nothing about it"
)

/** The access list has more entries than a block's gas can pay, and was not hashed. */
export const AccessListTooLong: Reason.ReasonKind<"AccessListTooLong", { readonly most: number }> =
  /* @__PURE__ */ Reason.kind(
    "AccessListTooLong",
    ({ most }) =>
      `the list has more than ${most} entries, which is more than the block's gas can pay, and was not hashed`
  )

/** The hash of an access list does not follow from its known fields, and it has others. */
export const UnknownAccessListFields: Reason.ReasonKind<
  "UnknownAccessListFields",
  { readonly fields: ReadonlyArray<string> }
> = /* @__PURE__ */ Reason.kind(
  "UnknownAccessListFields",
  ({ fields }) =>
    `the header's blockAccessListHash does not follow from the fields that are known here, and the list has others (${named(fields)}), which a later fork may have added`
)

/** The field of an entry is not part of the access list that the header's hash covers. */
export const BesideAccessList: Reason.ReasonKind<"BesideAccessList", {}> = /* @__PURE__ */ Reason.kind(
  "BesideAccessList",
  () => "it is not part of the list that the header's blockAccessListHash covers"
)

/** A rule of EIP-7928 about the order of a block access list. */
export type AccessListRule =
  | "account-order"
  | "slot-order"
  | "read-order"
  | "index-order"
  | "read-and-written"
  | "empty-slot"

/** The access list has the header's hash, and breaks a rule that every valid block keeps. */
export const AccessListRuleBroken: Reason.ReasonKind<
  "AccessListRuleBroken",
  {
    readonly rule: AccessListRule
    /** The path of the entry that breaks it. */
    readonly at: string
  }
> = /* @__PURE__ */ Reason.kind(
  "AccessListRuleBroken",
  ({ at, rule }) =>
    `the list has the hash in the header, and breaks the rule ${rule} of EIP-7928 at ${at}, so the block is not valid`
)
