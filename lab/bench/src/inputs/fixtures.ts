/** Recorded answers of mainnet, from the fixtures beside the repository if they are present. */
import { existsSync, readFileSync } from "node:fs"
import * as path from "node:path"

const folder = path.resolve(import.meta.dirname, "../../../../../shared/fixtures/9-bench")

/** True if the fixtures are present. Without them, the bench makes its own inputs, and says so. */
export const hasFixtures = existsSync(path.join(folder, "proof.json"))

/** Returns a fixture as text. */
export const fixture = (file: string): string => readFileSync(path.join(folder, file), "utf8")
