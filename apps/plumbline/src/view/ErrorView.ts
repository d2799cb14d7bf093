/**
 * What stands below an error's line, for errors that are about a place in a text.
 */
import { PathError } from "@plumbline/storage-layout/PathError"

import { LayoutFileError } from "../LayoutFileError.ts"
import * as Text from "./Text.ts"

/** The path with a mark under the character, or the compiler's own words. */
export const below = (error: unknown): ReadonlyArray<string> => {
  if (error instanceof PathError) {
    const shown = Text.withoutKeys(error.path)
    // a URL that a person put here: no mark would fit what is left of it
    if (shown !== error.path) return [`  ${Text.printable(shown)}`]
    const before = Text.printable(error.path.slice(0, error.at))
    return [`  ${before}${Text.printable(error.path.slice(error.at))}`, `  ${" ".repeat(before.length)}^`]
  }
  return error instanceof LayoutFileError
    ? (error.lines ?? []).map((line) => `  ${Text.printable(Text.withoutKeys(line))}`)
    : []
}
