/** Archives as text, for comparison. */
import { archived } from "../suite/content.ts"
import * as Truth from "./trueContent.ts"

/**
 * Returns the files in an archive, by their paths below the directory. For bytes that are not an archive it returns a
 * text that says so.
 */
export const archiveShown = async (archive: Uint8Array): Promise<string> => {
  try {
    const entries = await archived(archive)
    return entries
      .filter(({ type }) => type === "file")
      .map(({ content, name }) => `${name.replace(`${String(Truth.cids.directory)}/`, "")} ${content}`)
      .join(", ")
  } catch {
    return "no archive"
  }
}
