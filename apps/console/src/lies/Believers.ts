/** Reads a table of the documentation: the result of each client under each lie. */

/** The result of one program under one lie, such as `believed` or `refused`. */
export interface LieFate {
  readonly program: string
  readonly fate: string
}

/**
 * Reads the table, and returns the results of all programs, keyed by the name of the lie. A row is about one lie or
 * several. Text around the table is ignored.
 */
export const read = (markdown: string): ReadonlyMap<string, ReadonlyArray<LieFate>> => {
  const [head, , ...rows] = markdown
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim())
    )
  const programs = (head ?? []).slice(2)
  return new Map(
    rows.flatMap(([lies = "", , ...fates]) => {
      const row = programs.map((program, at) => ({ program, fate: fates[at] ?? "" }))
      return lies.split(", ").map((lie) => [lie.replaceAll("`", ""), row] as const)
    })
  )
}
