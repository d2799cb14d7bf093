/** The words that start this program, for printed commands that a user can paste. */

/**
 * Finds the words that start this program, from the file that Node runs and the environment variables. In a clone they
 * work in its root.
 */
export const words = (file: string | undefined, variables: Readonly<Record<string, string | undefined>>): string => {
  // source files run only in the workspace, and its script `plumbline` needs a POSIX shell
  if (file?.endsWith(".ts") === true) {
    return variables["OS"] === "Windows_NT" ? "npx --yes pnpm --silent plumbline" : "./plumbline"
  }
  return variables["npm_command"] === "exec" ? "npx @plumbline/cli" : "plumbline"
}
