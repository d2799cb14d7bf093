/** Why a node's answer is no part of a bundle: the kind of reason that this package gives. */
import * as Reason from "@plumbline/verdict/Reason"

/** The node's transactions or receipts, encoded as the chain encodes them, do not make the root in the header. */
export const RootNotMade: Reason.Kind<"RootNotMade", { readonly items: "transactions" | "receipts" }> =
  /* @__PURE__ */ Reason.kind("RootNotMade", ({ items }) =>
    items === "transactions"
      ? "its transactions, as they are signed, do not make the transactionsRoot"
      : "its receipts, written anew, do not make the receiptsRoot"
  )
