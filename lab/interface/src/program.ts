/** The program that tests and tools of this folder start: the `plumbline` command. */
import * as path from "node:path"

/** The path of the program: its source, or the bundle that `PLUMBLINE_MAIN` names (`pnpm test`). */
export const MAIN: string =
  process.env["PLUMBLINE_MAIN"] ?? path.resolve(import.meta.dirname, "../../../apps/plumbline/src/main.ts")
