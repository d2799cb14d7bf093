/** Errors with geth's texts and codes, although EIP-1474 gives some of these codes other meanings. */
import * as ErrorCode from "../error/ErrorCode.ts"
import * as ErrorObject from "../error/ErrorObject.ts"

export const timedOut = /* @__PURE__ */ ErrorObject.make(ErrorCode.RESOURCE_UNAVAILABLE, "request timed out")

export const tooLarge = /* @__PURE__ */ ErrorObject.make(ErrorCode.TRANSACTION_REJECTED, "response too large")

export const notificationsUnsupported = /* @__PURE__ */ ErrorObject.make(
  ErrorCode.METHOD_NOT_FOUND,
  "notifications not supported"
)

export const subscriptionNotFound = /* @__PURE__ */ ErrorObject.make(ErrorCode.INVALID_INPUT, "subscription not found")
