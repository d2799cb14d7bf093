/** The reasons why a light client does not prove a block. */
import * as Reason from "@plumbline/verdict/Reason"

/** The block is newer than the newest block that a sync committee signed. */
export const NewerThanHead: Reason.Kind<
  "NewerThanHead",
  {
    readonly number: bigint
    /** The number of the optimistic head's execution block. */
    readonly head: bigint
  }
> = /* @__PURE__ */ Reason.kind(
  "NewerThanHead",
  ({ head, number }) => `block ${number} is newer than block ${head}, the newest that the light client knows`
)

/** The head is a beacon block from before Capella, whose header has no data of the execution chain. */
export const NoExecutionBlock: Reason.Kind<"NoExecutionBlock", { readonly slot: bigint }> = /* @__PURE__ */ Reason.kind(
  "NoExecutionBlock",
  ({ slot }) => `the light client's header of slot ${slot} names no execution block, as all before Capella`
)
