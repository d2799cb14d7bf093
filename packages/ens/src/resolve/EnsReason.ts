/** The reasons why an answer about a name is only claimed. */
import * as Reason from "@plumbline/verdict/Reason"

/**
 * A part of the answer came from gateways (EIP-3668). The resolver's contract accepted it in its callback, which ran
 * here; the proof does not show which check the contract makes.
 */
export const FromGateway: Reason.ReasonKind<
  "FromGateway",
  {
    /** The hosts that were asked, in the order of the first request. */
    readonly hosts: ReadonlyArray<string>
  }
> = /* @__PURE__ */ Reason.kind(
  "FromGateway",
  ({ hosts }) =>
    `it comes from outside the chain${hosts.length === 0 ? "" : `, by ${hosts.join(", ")}`}: the resolver's contract accepted it, and nothing shows how it checks`
)

/** A name was read in one block, and the thing that it leads to in another. */
export const OtherBlock: Reason.ReasonKind<
  "OtherBlock",
  { readonly name: string; readonly nameBlock: `0x${string}`; readonly block: `0x${string}` }
> = /* @__PURE__ */ Reason.kind(
  "OtherBlock",
  ({ block, name, nameBlock }) => `the name ${name} was read in block ${nameBlock}, and the rest in block ${block}`
)
