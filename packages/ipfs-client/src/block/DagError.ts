/** The errors of blocks that have the right hash. The maker of the content is at fault, not the node that sent it. */
import * as Schema from "effect/Schema"

/** The block matches its CID, but contradicts its codec, its parent or itself. */
export class MalformedBlock extends Schema.TaggedError<MalformedBlock>()("MalformedBlock", {
  cid: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.cid}: ${this.detail}`
  }
}

/**
 * The content exceeds a bound. `bound` is the name of the option that sets the bound, and `limit` is the bound's value.
 */
export class LimitExceeded extends Schema.TaggedError<LimitExceeded>()("LimitExceeded", {
  cid: Schema.String,
  bound: Schema.String,
  limit: Schema.Int
}) {
  override get message(): string {
    return `${this.cid}: beyond ${this.bound}, which is ${this.limit}`
  }
}

/** The content under the CID is not of the requested kind. */
export class WrongKind extends Schema.TaggedError<WrongKind>()("WrongKind", {
  cid: Schema.String,
  expected: Schema.Literals(["file", "directory"]),
  got: Schema.Literals(["file", "directory", "symlink", "metadata"])
}) {
  override get message(): string {
    return `${this.cid}: expected a ${this.expected}, found a ${this.got}`
  }
}

/** The directory has no entry of this name. Every block that could have the entry was checked. */
export class NoSuchEntry extends Schema.TaggedError<NoSuchEntry>()("NoSuchEntry", {
  cid: Schema.String,
  name: Schema.String
}) {
  override get message(): string {
    return `${this.cid}: no entry named ${JSON.stringify(this.name)}`
  }
}

/** The content ended, but some of its blocks never arrived. At most ten of them are named. */
export class MissingBlocks extends Schema.TaggedError<MissingBlocks>()("MissingBlocks", {
  cid: Schema.String,
  missing: Schema.Array(Schema.String),
  count: Schema.Int
}) {
  override get message(): string {
    return `${this.cid}: ${this.count} blocks are missing, ${this.missing.join(", ")} among them`
  }
}
