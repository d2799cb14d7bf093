/**
 * Computes formulas: the steps from a name to its slot, each with the hashed bytes and the added numbers.
 */
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Result from "effect/Result"

import type { Layout } from "../layout/Layout.ts"
import type * as StorageType from "../layout/StorageType.ts"
import { number } from "../path/keyNumber.ts"
import * as Path from "../path/Path.ts"
import type { PathError } from "../path/PathError.ts"
import * as Slot from "../slot/Slot.ts"
import * as Word from "../slot/word.ts"
import * as ArrayElements from "./arrayElements.ts"
import * as FollowPath from "./followPath.ts"
import * as MappingKey from "./mappingKey.ts"
import type { Location } from "./storagePlace.ts"

/** A slot that is a hash. */
export interface FormulaHash {
  /** The hashed bytes. */
  readonly preimage: Uint8Array
  /** The Keccak-256 of the preimage, 32 bytes. */
  readonly digest: Uint8Array
}

/** The place that a step reaches. */
export interface ReachedPlace {
  /** The path up to this step. */
  readonly path: string
  readonly slot: Slot.Slot
  /** Bytes from the low-order end of the slot. */
  readonly offset: number
  readonly type: StorageType.StorageType
}

/** The step to a variable, whose slot the compiler chose. */
export interface VariableStep extends ReachedPlace {
  readonly _tag: "Variable"
}

/** The step to a namespace of ERC-7201. The slot is the digest with its last byte set to zero. */
export interface NamespaceStep extends ReachedPlace, FormulaHash {
  readonly _tag: "Namespace"
  readonly id: string
  /** The Keccak-256 of the id. The preimage is this number minus one, in 32 bytes. */
  readonly idDigest: Uint8Array
}

/** The step to a member of a struct. Its slot is the previous slot plus `add`. */
export interface MemberStep extends ReachedPlace {
  readonly _tag: "Member"
  readonly name: string
  readonly add: bigint
}

/** The step to an entry of a mapping. The slot is the digest. */
export interface EntryStep extends ReachedPlace, FormulaHash {
  readonly _tag: "Entry"
  /**
   * The key in the preimage: 32 bytes, or in Solidity the unchanged bytes of a `string` or `bytes`.
   *
   * In Solidity the preimage is the key and then the previous slot. In Vyper it is the previous slot and then the key.
   */
  readonly key: Uint8Array
  /** The bytes of a Vyper `String` or `Bytes` whose Keccak-256 is the key; otherwise undefined. */
  readonly text: Uint8Array | undefined
}

/**
 * The step to an element of an array. Its slot is `index / perSlot * slots` after the first element, with the quotient
 * rounded down.
 */
export interface ElementStep extends ReachedPlace {
  readonly _tag: "Element"
  readonly index: bigint
  /** The slot of the first element: the slot of `content`, or the previous slot if the array has a fixed length. */
  readonly first: Slot.Slot
  readonly content: ContentFormula | undefined
  /** The number of elements in one slot; 1 if an element takes one or more whole slots. */
  readonly perSlot: bigint
  /** The number of slots of one element; 1 if elements share a slot. */
  readonly slots: bigint
}

/** The step to the length of an array or of bytes, which is in the previous slot. */
export interface LengthStep extends ReachedPlace {
  readonly _tag: "Length"
}

/** A step from a name to a slot. */
export type FormulaStep = VariableStep | NamespaceStep | MemberStep | EntryStep | ElementStep | LengthStep

/** Content in Solidity. It begins at the hash of the slot that holds its length. `slot` is the digest. */
export interface HashedContent extends FormulaHash {
  readonly _tag: "Hashed"
  readonly slot: Slot.Slot
}

/** Content in Vyper. It begins in the slot after its length. */
export interface FollowingContent {
  readonly _tag: "Following"
  readonly slot: Slot.Slot
}

/** The first slot of an array's elements, or of a text's bytes, if its length is in storage. */
export type ContentFormula = HashedContent | FollowingContent

/** The steps to a location. */
export interface Formula {
  readonly location: Location
  /** The steps, at least one. The last step reaches the slot, the offset and the type of the location. */
  readonly steps: ReadonlyArray<FormulaStep>
  /**
   * The first slot of the content, if the location is a whole array or text whose length is in storage.
   *
   * A Solidity `string` or `bytes` uses that slot only if it is longer than 31 bytes.
   */
  readonly content: ContentFormula | undefined
}

/**
 * Returns the steps from a name to its slot: the hashed bytes, their digests, and the added numbers.
 *
 * **When to use**
 *
 * Use this function to show or to check how a slot is computed. `Location.locate` finds the same location without the
 * bytes, and is faster.
 *
 * **Details**
 *
 * The first step is a variable or a namespace. Each further step starts from the slot of the previous step:
 *
 * | step | slot after it |
 * | --- | --- |
 * | `Variable` | chosen by the compiler |
 * | `Namespace` | the Keccak-256 of the id's Keccak-256 minus one, with zero as its last byte (ERC-7201) |
 * | `Member` | the previous slot plus `add` |
 * | `Entry` | the Keccak-256 of the key and the previous slot; in Vyper, of the previous slot and the key |
 * | `Element` | `first` plus `index / perSlot * slots`; `first` is the Keccak-256 of the previous slot if the length is dynamic |
 * | `Length` | the previous slot |
 *
 * All sums are modulo 2^256.
 *
 * Fails with `PathError` as `Location.locate` does.
 *
 * ```ts import.meta.vitest
 * import { Keccak256 } from "@plumbline/codec"
 * import { Formula, Layout, Slot } from "@plumbline/storage-layout"
 * import { Result } from "effect"
 *
 * const layout = Result.getOrThrow(
 *   Layout.fromSolc({
 *     storage: [{ label: "balanceOf", offset: 0, slot: "3", type: "t_balances" }],
 *     types: {
 *       t_address: { encoding: "inplace", label: "address", numberOfBytes: "20" },
 *       t_balances: { encoding: "mapping", label: "", numberOfBytes: "32", key: "t_address", value: "t_uint256" },
 *       t_uint256: { encoding: "inplace", label: "uint256", numberOfBytes: "32" }
 *     }
 *   })
 * )
 * const path = "balanceOf[0x00000000219ab540356cbb839cbe05303d7705fa]"
 * const { location, steps } = Result.getOrThrow(Formula.make(layout, path))
 * steps.map((step) => step._tag) // => ["Variable", "Entry"]
 * const [variable, entry] = steps
 * variable?.slot // => 3n
 * // 64 bytes: the address, then the slot of the mapping
 * const preimage = entry?._tag === "Entry" ? entry.preimage : new Uint8Array()
 * preimage.subarray(32) // => Slot.numberKey(3n)
 * Keccak256.hash(preimage) // => Slot.numberKey(location.slot)
 * ```
 */
export const make = (layout: Layout, path: string | Path.ParsedPath): Result.Result<Formula, PathError> =>
  Result.flatMap(typeof path === "string" ? Path.parse(path) : Result.succeed(path), (path) => {
    const trail: Array<FollowPath.PassedPlace> = []
    return Result.map(FollowPath.walk(layout, path, trail), (location) => ({
      location,
      steps: stepsOf(layout, path, trail),
      content: location.part === "value" ? contentOf(location.type, location.slot) : undefined
    }))
  })

const stepsOf = (
  layout: Layout,
  path: Path.ParsedPath,
  trail: ReadonlyArray<FollowPath.PassedPlace>
): ReadonlyArray<FormulaStep> => {
  let used = 0
  return trail.map(({ steps, to }, i) => {
    used += steps.length
    // a step begins after its `.` or `[`
    const next = path.steps[used]
    const text = next === undefined ? path.text : path.text.slice(0, next.at - 1)
    const reached: ReachedPlace = { path: text, slot: to.slot, offset: to.offset, type: to.type }
    const before = trail[i - 1]
    return before === undefined ? start(path.root, reached) : stepOf(layout, before.to, steps[0]!, to, reached)
  })
}

const start = (root: Path.PathRoot, reached: ReachedPlace): FormulaStep => {
  if (root._tag === "Variable") return { _tag: "Variable", ...reached }
  const idDigest = Keccak256.hash(new TextEncoder().encode(root.id))
  return { _tag: "Namespace", ...reached, id: root.id, idDigest, ...hash(Word.toBytes(Word.fromBytes(idDigest) - 1n)) }
}

const stepOf = (
  layout: Layout,
  from: Location,
  step: Path.PathStep,
  to: Location,
  reached: ReachedPlace
): FormulaStep => {
  const { slot, type } = from
  if (step._tag === "Member") {
    return to.part === "length"
      ? { _tag: "Length", ...reached }
      : { _tag: "Member", ...reached, name: step.name, add: BigInt.asUintN(256, to.slot - slot) }
  }
  if (type._tag === "Mapping") {
    // the path was followed up to this step, so the key is valid for this mapping
    const { key, preimage, text } = Result.getOrThrow(
      MappingKey.hashed(layout, layout.types.get(type.key)!, step.key, slot)
    )
    return { _tag: "Entry", ...reached, key, text, ...hash(preimage) }
  }
  const { base } = type as StorageType.FixedArray | StorageType.DynamicArray | StorageType.BoundedArray
  const content = contentOf(type, slot)
  return {
    _tag: "Element",
    ...reached,
    index: number(step.key)!,
    first: content?.slot ?? slot,
    content,
    ...ArrayElements.stride(layout, layout.types.get(base)!)
  }
}

const contentOf = (type: StorageType.StorageType, slot: Slot.Slot): ContentFormula | undefined => {
  switch (type._tag) {
    case "DynamicArray":
    case "DynamicBytes": {
      const hashed = hash(Word.toBytes(slot))
      return { _tag: "Hashed", ...hashed, slot: Word.fromBytes(hashed.digest) }
    }
    case "BoundedArray":
    case "BoundedBytes":
      return { _tag: "Following", slot: Slot.add(slot, 1n) }
    default:
      return undefined
  }
}

const hash = (preimage: Uint8Array): FormulaHash => ({ preimage, digest: Keccak256.hash(preimage) })
