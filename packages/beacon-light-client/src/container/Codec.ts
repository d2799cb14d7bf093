/**
 * Reads and writes the containers as SSZ and as the beacon API's JSON. Both give the same values.
 *
 * Reading is strict: lengths and offsets are exact, JSON's numbers are decimal text, and hex becomes lower case. Reading
 * proves nothing; `LightClientStore` does.
 */
import { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Result from "effect/Result"

import { refuse } from "../refusal/LightClientCheck.ts"
import type { SszType } from "../ssz/sszType.ts"
import type * as BeaconHeader from "./BeaconHeader.ts"
import type * as Bootstrap from "./Bootstrap.ts"
import * as types from "./containerTypes.ts"
import * as Form from "./Form.ts"
import type * as SyncCommittee from "./SyncCommittee.ts"
import type * as Update from "./Update.ts"

/** Reads and writes containers of one kind, in every form. Reading fails with `RefutedError`, check `shape` or `bounds`. */
export interface ContainerCodec<A> {
  /** Reads SSZ. */
  readonly decode: (bytes: Uint8Array, form: Form.ContainerForm) => Result.Result<A, RefutedError>
  /** Writes SSZ. The value must be of this form. */
  readonly encode: (value: A, form: Form.ContainerForm) => Uint8Array
  /** Reads parsed JSON. Unknown fields are ignored. */
  readonly fromJson: (json: unknown, form: Form.ContainerForm) => Result.Result<A, RefutedError>
  /** Writes JSON, before `JSON.stringify`. The value must be of this form. */
  readonly toJson: (value: A, form: Form.ContainerForm) => unknown
}

/** Makes the codec of containers whose type depends on the form. Errors contain `name`. */
const make = <A>(name: string, typeOf: (family: Form.ForkFamily, size: number) => SszType<A>): ContainerCodec<A> => {
  const known = new Map<string, SszType<A>>()
  const at = ({ fork, syncCommitteeSize }: Form.ContainerForm): SszType<A> => {
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

/** Runs a reader that throws `RefutedError`, and returns the outcome as a `Result`. */
const refusable = <A>(read: () => A): Result.Result<A, RefutedError> => {
  try {
    return Result.succeed(read())
  } catch (thrown) {
    if (thrown instanceof RefutedError) return Result.fail(thrown)
    throw thrown
  }
}

/** The codec of bootstraps. */
export const bootstrap: ContainerCodec<Bootstrap.Bootstrap> = /* @__PURE__ */ make("Bootstrap", types.bootstrap)

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
export const update: ContainerCodec<Update.Update> = /* @__PURE__ */ make("Update", types.update)

/** The codec of finality updates. */
export const finalityUpdate: ContainerCodec<Update.FinalityUpdate> = /* @__PURE__ */ make(
  "FinalityUpdate",
  types.finalityUpdate
)

/** The codec of optimistic updates. */
export const optimisticUpdate: ContainerCodec<Update.OptimisticUpdate> = /* @__PURE__ */ make(
  "OptimisticUpdate",
  types.optimisticUpdate
)

/** The codec of headers, for programs that store them. */
export const header: ContainerCodec<BeaconHeader.LightClientHeader> = /* @__PURE__ */ make("Header", types.header)

/** The codec of committees, for programs that store them. Committees are the same in all forks. */
export const syncCommittee: ContainerCodec<SyncCommittee.SyncCommittee> = /* @__PURE__ */ make(
  "SyncCommittee",
  (_, size) => types.syncCommittee(size)
)
