/**
 * Paths: text that names a variable or a part of one, such as `vault.positions[3].owner`.
 *
 * A path starts with a variable, with `Contract.variable` if two variables share a name, or with `erc7201("<id>")`.
 * Then come `.member`, `[index]`, `[key]` and `.length`. A key is a decimal number, `0x` hex, `true` or `false`, the
 * name of an enum's member, or text in double quotes with the escapes of JSON.
 */
import type * as Result from "effect/Result"

import type { PathError } from "./PathError.ts"
import type { ParsedPath } from "./pathScanner.ts"
import * as PathScanner from "./pathScanner.ts"

export { PathError } from "./PathError.ts"
export type { PathKey, ParsedPath, PathRoot, PathStep } from "./pathScanner.ts"

/** The longest path that is accepted, in UTF-16 code units. */
export const MAX_LENGTH = 4096

/**
 * Parses a path. `Location.locate` checks that a contract has the named variable.
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
export const parse = (text: string): Result.Result<ParsedPath, PathError> => PathScanner.scan(text, MAX_LENGTH)
