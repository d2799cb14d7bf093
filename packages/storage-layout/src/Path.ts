/**
 * Paths: text that names a variable or a part of one, as `vault.positions[3].owner`.
 *
 * A path starts with a variable, with `Contract.variable` where two share a name, or with `erc7201("<id>")`. Then come
 * `.member`, `[index]`, `[key]` and `.length`. A key is a decimal number, `0x` hex, `true` or `false`, the name of an
 * enum's member, or text in double quotes with the escapes of JSON.
 */
import type * as Result from "effect/Result"

import * as Scanner from "./internal/scanner.ts"
import type { PathError } from "./PathError.ts"

/** What is between brackets, before it is known what it is a key of. */
export type Key =
  | { readonly _tag: "Number"; readonly value: bigint }
  /** `0x` and hex digits, any number of them. */
  | { readonly _tag: "Hex"; readonly digits: string }
  | { readonly _tag: "Text"; readonly value: string }
  /** `true`, or the name of an enum's member. */
  | { readonly _tag: "Name"; readonly name: string }

/** One step on. `at` is the place in the text, from 0, at which an error about it points. */
export type Step =
  | { readonly _tag: "Member"; readonly name: string; readonly at: number }
  | { readonly _tag: "Key"; readonly key: Key; readonly at: number }

/** What a path starts with. */
export type Root =
  | { readonly _tag: "Variable"; readonly name: string; readonly at: number }
  | { readonly _tag: "Namespace"; readonly id: string; readonly at: number }

/** A path, read. */
export interface Path {
  readonly text: string
  readonly root: Root
  readonly steps: ReadonlyArray<Step>
}

/** Longer paths, in UTF-16 code units, are refused. */
export const MAX_LENGTH = 4096

/**
 * Reads a path. Whether a contract has what it names is for `Location.locate` to say.
 *
 * Fails with `PathError` `Syntax`.
 *
 * ```ts import.meta.vitest
 * import { Path } from "@plumbline/storage-layout"
 * import { Result } from "effect"
 *
 * const path = Result.getOrThrow(Path.parse("names[\"bob\"].length"))
 * path.root // => { _tag: "Variable", name: "names", at: 0 }
 * path.steps.map((step) => step._tag) // => ["Key", "Member"]
 * const wrong = Path.parse("balances[0x12")
 * Result.isFailure(wrong) && wrong.failure.pointer // => "balances[0x12\n             ^"
 * Result.isFailure(wrong) && wrong.failure.message // => "character 13 of the path: expected ]"
 * ```
 */
export const parse = (text: string): Result.Result<Path, PathError> => Scanner.scan(text, MAX_LENGTH)
