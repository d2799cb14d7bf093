/** The error of a text that is not a path of content. */
import * as Schema from "effect/Schema"

/**
 * A text is not a path: it is too long, does not begin with a CID, or has a name that is empty, `.`, `..` or not
 * well-formed.
 */
export class IpfsPathError extends Schema.TaggedError<IpfsPathError>()("IpfsPathError", {
  reason: Schema.Literals(["TooLong", "NoCid", "BadName"])
}) {
  override get message(): string {
    switch (this.reason) {
      case "TooLong":
        return "a path of more than 4,096 characters"
      case "NoCid":
        return "a path that does not begin with a CID, /ipfs/ and a CID, or /ipns/ and a name"
      case "BadName":
        return "a path with an empty name, a dot, two dots, a zero character or half a character"
    }
  }
}
