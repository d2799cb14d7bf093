/**
 * Reads and writes the containers as SSZ and as the beacon API's JSON. Both give the same values.
 *
 * Reading is strict: lengths and offsets are exact, JSON's numbers are decimal text, and hex becomes lower case. Reading
 * proves nothing; `LightClientStore` does.
 */
import { Refuted } from "@plumbline/verdict/Refuted"
import * as Result from "effect/Result"

import { refuse } from "../refusal/Check.ts"
import type { Type } from "../ssz/type.ts"
import type * as Bootstrap from "./Bootstrap.ts"
import * as Form from "./Form.ts"
import type * as Header from "./Header.ts"
import type * as SyncCommittee from "./SyncCommittee.ts"
import * as types from "./types.ts"
import type * as Update from "./Update.ts"

/** Reads and writes containers of one kind, in every form. Reading fails with `Refuted`, check `shape` or `bounds`. */
export interface Codec<A> {
  /** Reads SSZ. */
  readonly decode: (bytes: Uint8Array, form: Form.Form) => Result.Result<A, Refuted>
  /** Writes SSZ. The value must be of this form. */
  readonly encode: (value: A, form: Form.Form) => Uint8Array
  /** Reads parsed JSON. Unknown fields are ignored. */
  readonly fromJson: (json: unknown, form: Form.Form) => Result.Result<A, Refuted>
  /** Writes JSON, before `JSON.stringify`. The value must be of this form. */
  readonly toJson: (value: A, form: Form.Form) => unknown
}

/** Makes the codec of containers whose type depends on the form. Errors contain `name`. */
const make = <A>(name: string, typeOf: (family: Form.Family, size: number) => Type<A>): Codec<A> => {
  const known = new Map<string, Type<A>>()
  const at = ({ fork, syncCommitteeSize }: Form.Form): Type<A> => {
    const family = Form.familyOf(fork)
    const key = `${family} ${syncCommitteeSize}`
    const type = known.get(key) ?? typeOf(family, syncCommitteeSize)
    known.set(key, type)
    return type
  }
  return {
    decode: (bytes, form) => {
      const type = at(form)
      return bytes.length > type.limit
        ? Result.fail(refuse("bounds", `at most ${type.limit} bytes`, `${bytes.length} bytes`, name))
        : refusable(() => type.decode(bytes, name))
    },
    encode: (value, form) => at(form).encode(value),
    fromJson: (json, form) => refusable(() => at(form).fromJson(json, name)),
    toJson: (value, form) => at(form).toJson(value)
  }
}

/** Runs a reader that throws `Refuted`, and returns the outcome as a `Result`. */
const refusable = <A>(read: () => A): Result.Result<A, Refuted> => {
  try {
    return Result.succeed(read())
  } catch (thrown) {
    if (thrown instanceof Refuted) return Result.fail(thrown)
    throw thrown
  }
}

/** The codec of bootstraps. */
export const bootstrap: Codec<Bootstrap.Bootstrap> = /* @__PURE__ */ make("Bootstrap", types.bootstrap)

/**
 * The codec of updates.
 *
 * ```ts import.meta.vitest
 * import { Codec } from "@plumbline/beacon-light-client"
 * import { Result } from "effect"
 *
 * const form = { fork: "electra", syncCommitteeSize: 512 } as const
 * const read = Codec.update.decode(new Uint8Array(27), form)
 * Result.isFailure(read) && read.failure.message // => "Update: shape: expected at least 25216 bytes, got 27 bytes"
 * ```
 */
export const update: Codec<Update.Update> = /* @__PURE__ */ make("Update", types.update)

/** The codec of finality updates. */
export const finalityUpdate: Codec<Update.FinalityUpdate> = /* @__PURE__ */ make("FinalityUpdate", types.finalityUpdate)

/** The codec of optimistic updates. */
export const optimisticUpdate: Codec<Update.OptimisticUpdate> = /* @__PURE__ */ make(
  "OptimisticUpdate",
  types.optimisticUpdate
)

/** The codec of headers, for programs that store them. */
export const header: Codec<Header.LightClientHeader> = /* @__PURE__ */ make("Header", types.header)

/** The codec of committees, for programs that store them. Committees are the same in all forks. */
export const syncCommittee: Codec<SyncCommittee.SyncCommittee> = /* @__PURE__ */ make("SyncCommittee", (_, size) =>
  types.syncCommittee(size)
)
