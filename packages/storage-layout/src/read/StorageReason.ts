/** Why something about storage is only claimed: the kinds of reasons that this package gives. */
import * as Reason from "@plumbline/verdict/Reason"

/** Only the node says so, and no other reason was given. */
export const NodesWord: Reason.Kind<"NodesWord", {}> = /* @__PURE__ */ Reason.kind("NodesWord", () => "the node's word")

/** Only a convention says that the code of a proxy uses the slot. */
export const ProxyConvention: Reason.Kind<"ProxyConvention", {}> = /* @__PURE__ */ Reason.kind(
  "ProxyConvention",
  () => "that its code goes by this slot is the convention's word"
)

/** No convention that is known here makes the account a proxy. */
export const UnknownDelegation: Reason.Kind<"UnknownDelegation", {}> = /* @__PURE__ */ Reason.kind(
  "UnknownDelegation",
  () => "it may delegate in a way that is not known here"
)
