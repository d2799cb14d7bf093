/** The reasons why a statement about storage is only claimed. */
import * as Reason from "@plumbline/verdict/Reason"

/** The general reason: only the node makes this statement. */
export const NodesWord: Reason.ReasonKind<"NodesWord", {}> = /* @__PURE__ */ Reason.kind(
  "NodesWord",
  () => "the node's word"
)

/** The code of a proxy uses the slot only by convention. */
export const ProxyConvention: Reason.ReasonKind<"ProxyConvention", {}> = /* @__PURE__ */ Reason.kind(
  "ProxyConvention",
  () => "that its code goes by this slot is the convention's word"
)

/** By all conventions that this package knows, the account is not a proxy. */
export const UnknownDelegation: Reason.ReasonKind<"UnknownDelegation", {}> = /* @__PURE__ */ Reason.kind(
  "UnknownDelegation",
  () => "it may delegate in a way that is not known here"
)
