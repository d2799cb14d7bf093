/**
 * The errors of the admin API. The server answers with them, and the client fails with them.
 *
 * On the wire an error is a JSON object with its name as `_tag` and a sentence as `message`. Its HTTP status is the
 * number at the start of each comment below. Errors contain no token, key or secret. From the request they contain only
 * ids and the names of members.
 */
import * as Schema from "effect/Schema"

import * as AdminRole from "./AdminRole.ts"

const message = Schema.String.annotate({ description: "The problem, as a sentence" })

/**
 * 400: a part of the request is invalid. `at` is the path of that part: `payload.limits.burst`, `query.window`.
 */
export class BadRequest extends Schema.TaggedError<BadRequest>()(
  "BadRequest",
  {
    message,
    at: Schema.String.annotate({
      description: "The place of the mistake, such as payload.limits.burst or query.window"
    })
  },
  { httpApiStatus: 400, description: "Part of the request is invalid." }
) {}

/**
 * 401: the request has no admin token, or a wrong one.
 */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()(
  "Unauthorized",
  { message },
  { httpApiStatus: 401, description: "There is no admin token in the request, or a wrong one." }
) {}

/**
 * 403: the caller is known, and may not make the request.
 *
 * - `OtherOrigin`: a page of another origin sent the request.
 * - `NoCsrfToken`: the session's CSRF token is missing or wrong.
 * - `NotYours`: the request is not limited to the project of the session, or to the projects of the role.
 * - `Role`: the caller's role does not permit the request; `needs` is the lowest role that does.
 */
export class Forbidden extends Schema.TaggedError<Forbidden>()(
  "Forbidden",
  {
    message,
    reason: Schema.Literals(["OtherOrigin", "NoCsrfToken", "NotYours", "Role"]).annotate({
      description: "The reason why the request is not permitted"
    }),
    needs: Schema.NullOr(AdminRole.Role).annotate({
      description: "The lowest role that permits the request; null if a role is not the reason"
    })
  },
  { httpApiStatus: 403, description: "The caller may not make this request." }
) {}

/**
 * 404: the requested thing does not exist. `kind` names the kind of thing. The kind `service` means a part of the
 * service that this installation does not have.
 */
export class NotFound extends Schema.TaggedError<NotFound>()(
  "NotFound",
  {
    message,
    kind: Schema.Literals([
      "account",
      "project",
      "key",
      "customer",
      "path",
      "service",
      "session",
      "network",
      "webhook",
      "event",
      "token"
    ]).annotate({
      description: "The kind of the requested thing; service is a part that this installation does not have"
    }),
    id: Schema.NullOr(Schema.String).annotate({ description: "The id that was asked for, if there was one" })
  },
  { httpApiStatus: 404, description: "The requested thing does not exist." }
) {}

/**
 * 405: the path exists, but not for this HTTP method.
 */
export class MethodNotAllowed extends Schema.TaggedError<MethodNotAllowed>()(
  "MethodNotAllowed",
  { message },
  { httpApiStatus: 405, description: "The path exists, but not with this method." }
) {}

/**
 * 408: the request did not arrive in time.
 */
export class TooSlow extends Schema.TaggedError<TooSlow>()(
  "TooSlow",
  { message },
  { httpApiStatus: 408, description: "The request did not come in time." }
) {}

/**
 * 409: the current state does not permit the change, and nothing was changed.
 *
 * - `NotEmpty`: the account `id` still has projects.
 * - `TooManyKeys`: the project `id` has the maximum number of keys.
 * - `Ending`: the key `id` was rotated before.
 * - `Taken`: `id` exists already.
 * - `AlreadyDone`: a request with this `Idempotency-Key` was carried out before, and created `id`.
 * - `TooManyWebhooks`, `TooManyTokens`: the service has the maximum number of webhooks or admin tokens.
 * - `Configured`: the webhook `id` is defined in the configuration, and can be changed only there.
 * - `Misconfigured`: the configuration of `id` is invalid; the previous one is kept.
 */
export class Conflict extends Schema.TaggedError<Conflict>()(
  "Conflict",
  {
    message,
    reason: Schema.Literals([
      "NotEmpty",
      "TooManyKeys",
      "Ending",
      "Taken",
      "AlreadyDone",
      "TooManyWebhooks",
      "TooManyTokens",
      "Configured",
      "Misconfigured"
    ]).annotate({
      description: "The reason why nothing was changed"
    }),
    id: Schema.String.annotate({
      description: "The id of the thing that prevents the change; for AlreadyDone, the id of the thing that was made"
    })
  },
  { httpApiStatus: 409, description: "Nothing was changed, because the change conflicts with existing data." }
) {}

/**
 * 413: the body has more than `limit` bytes.
 */
export class TooLarge extends Schema.TaggedError<TooLarge>()(
  "TooLarge",
  { message, limit: Schema.Int.annotate({ description: "The most bytes" }) },
  { httpApiStatus: 413, description: "The body is too large." }
) {}

/**
 * 415: the content type is not JSON.
 */
export class UnsupportedMediaType extends Schema.TaggedError<UnsupportedMediaType>()(
  "UnsupportedMediaType",
  { message },
  { httpApiStatus: 415, description: "The Content-Type of the body is not JSON." }
) {}

/**
 * 429: too many wrong tokens came from this address. `retryAfter` is the number of seconds to wait, as in the header
 * Retry-After.
 */
export class TooManyAttempts extends Schema.TaggedError<TooManyAttempts>()(
  "TooManyAttempts",
  { message, retryAfter: Schema.Int.annotate({ description: "Seconds until this address may try again" }) },
  { httpApiStatus: 429, description: "Too many wrong tokens came from this address." }
) {}

/**
 * 429: operators made more calls to the chains than the service permits. `retryAfter` is the number of seconds to wait.
 */
export class TooManyCalls extends Schema.TaggedError<TooManyCalls>()(
  "TooManyCalls",
  { message, retryAfter: Schema.Int.annotate({ description: "Seconds until there is room" }) },
  { httpApiStatus: 429, description: "Operators read more of the chains than the service permits." }
) {}

/**
 * 500: an error in the service. The log of the service has the details.
 */
export class Failed extends Schema.TaggedError<Failed>()(
  "Failed",
  { message },
  { httpApiStatus: 500, description: "An error in the service. Its log has the details." }
) {}

/**
 * 503: the database is not available, too many requests are under way, or the request took too long. A change may or
 * may not have been made.
 */
export class Unavailable extends Schema.TaggedError<Unavailable>()(
  "Unavailable",
  { message },
  { httpApiStatus: 503, description: "The service cannot answer now. A change may have been made or not." }
) {}

/**
 * The client received no valid answer:
 *
 * - `Unreachable`: the service cannot be reached, or the connection broke.
 * - `BadCertificate`: the client does not accept the certificate of the service.
 * - `TimedOut`: the answer did not arrive in time.
 * - `NotUnderstood`: the answer does not come from an admin API, or comes from another version of it. `status` is the
 *   HTTP status of the answer; in the other cases it is null.
 *
 * Only the client creates this error. The error contains no URL and no token. A change may or may not have been made.
 */
export class NoAnswer extends Schema.TaggedError<NoAnswer>()("NoAnswer", {
  problem: Schema.Literals(["Unreachable", "BadCertificate", "TimedOut", "NotUnderstood"]),
  status: Schema.NullOr(Schema.Int)
}) {
  override get message(): string {
    switch (this.problem) {
      case "Unreachable":
        return "the service cannot be reached"
      case "BadCertificate":
        return "the certificate of the service is not accepted"
      case "TimedOut":
        return "the service has not answered in time"
      case "NotUnderstood":
        return `this is not an answer of an admin API (status ${this.status})`
    }
  }
}
