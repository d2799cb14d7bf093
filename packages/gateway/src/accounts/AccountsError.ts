/**
 * The error of a refused change to accounts, projects or keys.
 */
import * as Schema from "effect/Schema"

const Kind = Schema.Literals(["account", "project", "key", "customer"])

/**
 * Nothing was changed:
 *
 * - `Absent`: there is no account, project or key of this id.
 * - `NotEmpty`: the account still has projects.
 * - `TooManyKeys`: the project has the maximum number of keys.
 * - `Ending`: the key was rotated before. It ends at the time that the rotation set.
 * - `Taken`: the project or key exists already, or the customer of the payment provider belongs to another account.
 */
export class AccountsError extends Schema.TaggedError<AccountsError>()("AccountsError", {
  reason: Schema.Union([
    Schema.TaggedStruct("Absent", { kind: Kind, id: Schema.String }),
    Schema.TaggedStruct("NotEmpty", { account: Schema.String }),
    Schema.TaggedStruct("TooManyKeys", { project: Schema.String, limit: Schema.Int }),
    Schema.TaggedStruct("Ending", { key: Schema.String }),
    Schema.TaggedStruct("Taken", { kind: Kind, id: Schema.String })
  ])
}) {
  override get message(): string {
    const { reason } = this
    switch (reason._tag) {
      case "Absent":
        return `there is no ${reason.kind} ${reason.id}`
      case "NotEmpty":
        return `account ${reason.account} still has projects`
      case "TooManyKeys":
        return `project ${reason.project} has ${reason.limit} keys, and may not have more`
      case "Ending":
        return `key ${reason.key} was rotated before`
      case "Taken":
        return reason.kind === "customer"
          ? `customer ${reason.id} belongs to another account`
          : `${reason.kind} ${reason.id} is there already`
    }
  }
}
