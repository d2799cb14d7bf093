/** A call that a bundle keeps: the question, and the rules under which its maker ran it. */
import type { CallRules } from "@plumbline/eth-methods/call/CallEngine"
import type * as CallRequest from "@plumbline/eth-methods/model/CallRequest"

/**
 * A call in the state after the bundle's block. No hash proves it: it is the question that the maker asked. The bundle
 * proves the state, from which the answer follows.
 */
export interface BundleCall {
  /** The fields of the call, with its gas. Hex digits are in lower case. */
  readonly request: CallRequest.CallRequest
  /** The rules of the maker's run. A header does not name them, so they are the maker's word. */
  readonly rules: CallRules
  /**
   * The function's signature, such as `balanceOf(address)(uint256)`, if the maker added it. The call's data is bound to
   * it by four bytes only, and the types of the result by nothing.
   */
  readonly signature: string | undefined
}
