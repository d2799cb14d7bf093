/**
 * What stands below an error's line, for errors that are about a place in a text.
 */
import { PathError } from "@plumbline/storage-layout/PathError"

import { ConfigError } from "../config/ConfigError.ts"
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
  // of the admin API, whose errors are loaded by the commands that ask it
  if (error instanceof Error && "_tag" in error && error._tag === "BadRequest" && "at" in error) {
    return [`  in ${Text.printable(String(error.at))}`]
  }
  if (error instanceof ConfigError) return error.lines.map((line) => `  ${Text.printable(line)}`)
  return error instanceof LayoutFileError
    ? (error.lines ?? []).map((line) => `  ${Text.printable(Text.withoutKeys(line))}`)
    : []
}
