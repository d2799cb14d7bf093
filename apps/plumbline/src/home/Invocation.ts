/** The words that start this program, for printed commands that a user can paste. */

/** Finds the words that start this program, from the file that Node runs and the environment variables. */
export const words = (file: string | undefined, variables: Readonly<Record<string, string | undefined>>): string => {
  // source files run only in the workspace
  if (file?.endsWith(".ts") === true) return "npx --yes pnpm --silent plumbline"
  return variables["npm_command"] === "exec" ? "npx @plumbline/cli" : "plumbline"
}
