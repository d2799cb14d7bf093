/** Errors of the entries from which a trie is made. */
import * as Schema from "effect/Schema"

/** Two entries of one trie have the same key. `key` is its hex, without `0x`. */
export class DuplicateKey extends Schema.TaggedError<DuplicateKey>()("DuplicateKey", {
  key: Schema.String
}) {
  override get message(): string {
    return `two entries have the key 0x${this.key}`
  }
}

/** A key is longer than the bound, in bytes. Keys are bounded because the depth of a trie grows with their length. */
export class KeyTooLong extends Schema.TaggedError<KeyTooLong>()("KeyTooLong", {
  got: Schema.Int,
  limit: Schema.Int
}) {
  override get message(): string {
    return `a key has ${this.got} bytes, the limit is ${this.limit}`
  }
}

/** Every error of `Trie.rootOfMap`. */
export type TrieError = DuplicateKey | KeyTooLong
