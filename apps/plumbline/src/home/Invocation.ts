/** The words that start this program, for printed commands that a user can paste. */
import * as path from "node:path"

/**
 * Finds the words that start this program, from the file that Node runs, the environment variables and the folder in
 * which they are pasted. In a clone they are the path of its script; without a folder, they work in the clone's root.
 */
export const words = (
  file: string | undefined,
  variables: Readonly<Record<string, string | undefined>>,
  folder?: string
): string => {
  // source files run only in the workspace, and its script `plumbline` needs a POSIX shell
  if (file?.endsWith(".ts") === true) {
    if (variables["OS"] === "Windows_NT") return "npx --yes pnpm --silent plumbline"
    const root = path.resolve(path.dirname(file), "../../..")
    return folder === undefined || path.relative(root, folder) === "" ? "./plumbline" : path.join(root, "plumbline")
  }
  return variables["npm_command"] === "exec" ? "npx @plumbline/cli" : "plumbline"
}
