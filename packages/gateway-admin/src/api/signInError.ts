/** The error of a sign-in at the identity provider. It holds no code, token or secret. */
import * as Schema from "effect/Schema"

/**
 * A person could not be signed in:
 *
 * - `BadTarget`: the page to return to is not one of the console.
 * - `NoAttempt`: this browser has not begun a sign-in here, or too long ago.
 * - `Denied`: the provider refused the person or the service.
 * - `Invalid`: the provider's answer does not belong to this sign-in, or has expired, or its signature is wrong.
 * - `NoGroup`: the person is in no group that has a role.
 * - `Unreachable`: the provider does not answer.
 */
export class SignInError extends Schema.TaggedError<SignInError>()("SignInError", {
  reason: Schema.Literals(["BadTarget", "NoAttempt", "Denied", "Invalid", "NoGroup", "Unreachable"]),
  /** The library's or the provider's code; empty if there is none. */
  code: Schema.String
}) {
  override get message(): string {
    switch (this.reason) {
      case "BadTarget":
        return "the page to return to is not a page of the console"
      case "NoAttempt":
        return "this browser has not begun this sign-in, or more than ten minutes ago"
      case "Denied":
        return "the identity provider refused the sign-in"
      case "Invalid":
        return "the answer of the identity provider is not valid for this sign-in"
      case "NoGroup":
        return "you are in no group that may use this service: ask an owner for a role"
      case "Unreachable":
        return "the identity provider does not answer"
    }
  }
}
