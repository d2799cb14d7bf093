/** The kind of reason for leaving a node's answer out of a bundle. */
import * as Reason from "@plumbline/verdict/Reason"

/** The node's transactions or receipts, in the chain's encoding, do not give the root in the header. */
export const RootNotMade: Reason.ReasonKind<"RootNotMade", { readonly items: "transactions" | "receipts" }> =
  /* @__PURE__ */ Reason.kind("RootNotMade", ({ items }) =>
    items === "transactions"
      ? "its transactions, as they are signed, do not make the transactionsRoot"
      : "its receipts, encoded again, do not make the receiptsRoot"
  )
