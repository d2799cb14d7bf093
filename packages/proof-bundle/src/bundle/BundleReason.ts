/** The kinds of reasons for leaving a node's answer out of a bundle, and for doubting what a bundle says of a call. */
import type { CallRules } from "@plumbline/eth-methods/call/CallEngine"
import * as Reason from "@plumbline/verdict/Reason"

/** The node's transactions or receipts, in the chain's encoding, do not give the root in the header. */
export const RootNotMade: Reason.ReasonKind<"RootNotMade", { readonly items: "transactions" | "receipts" }> =
  /* @__PURE__ */ Reason.kind("RootNotMade", ({ items }) =>
    items === "transactions"
      ? "its transactions, as they are signed, do not make the transactionsRoot"
      : "its receipts, encoded again, do not make the receiptsRoot"
  )

/** The header, of the fields that this version knows, does not give the block's hash. Readers could not read it. */
export const HeaderNotMade: Reason.ReasonKind<"HeaderNotMade", {}> = /* @__PURE__ */ Reason.kind(
  "HeaderNotMade",
  () => "its header has fields of a later fork, and a bundle holds only headers of the forks that are known here"
)

/**
 * The call was run by the rules that the bundle names. The reader knows none, or `known` are others. The block's header
 * proves neither the chain nor its hardfork.
 */
export const RulesOfMaker: Reason.ReasonKind<
  "RulesOfMaker",
  { readonly rules: CallRules; readonly known: CallRules | undefined }
> = /* @__PURE__ */ Reason.kind("RulesOfMaker", ({ known, rules }) =>
  known === undefined
    ? `only the bundle says that the block is of ${named(rules)}, and the outcome depends on it`
    : `the bundle says that the block is of ${named(rules)}, but by your rules it is of ${named(known)}`
)

const named = ({ blobUpdateFraction, chainId, hardfork }: CallRules): string =>
  `chain ${chainId} under ${hardfork}${
    blobUpdateFraction === undefined ? "" : ` with the blob fraction ${blobUpdateFraction}`
  }`
