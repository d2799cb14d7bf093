/**
 * The trace of a call. Nodes can continue it.
 */
import * as Context from "effect/Context"

/**
 * The `traceparent` header of a call to a node (W3C Trace Context); undefined, the default, if the call is not traced.
 */
export const Traceparent: Context.Reference<string | undefined> = Context.Reference<string | undefined>(
  "@plumbline/gateway/Traceparent",
  { defaultValue: () => undefined }
)
