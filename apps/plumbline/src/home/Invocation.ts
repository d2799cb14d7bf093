/** The words that start this program again, for the lines that a user is to paste. */

/** Returns the words, by the file that Node runs and the variables of the environment. */
export const words = (file: string | undefined, variables: Readonly<Record<string, string | undefined>>): string => {
  // sources run in the workspace alone
  if (file?.endsWith(".ts") === true) return "npx --yes pnpm --silent plumbline"
  return variables["npm_command"] === "exec" ? "npx @plumbline/cli" : "plumbline"
}
