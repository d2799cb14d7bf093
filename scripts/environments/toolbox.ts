/** The tools of the environments, each installed once below `node_modules/.cache` and kept for the next run. */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"

import * as Outside from "../outside.ts"
import { root } from "../workspace.ts"
import { type Tool, versions } from "./toolVersions.ts"

const cache = path.join(root, "node_modules/.cache/environments")

/** Returns the folder of the tool's package. Installs the tool first if it is missing. */
export const find = async (tool: Tool): Promise<string> => {
  const version = versions[tool]
  const place = path.join(cache, `${tool}@${version}`.replaceAll(/[/:]/gu, "-"))
  const found = path.join(place, "node_modules", tool)
  if (existsSync(found)) return found
  // installed beside the final folder and then moved, so that an interrupted install is never used as a tool
  const work = `${place}.${process.pid}`
  mkdirSync(work, { recursive: true })
  writeFileSync(path.join(work, "package.json"), JSON.stringify({ private: true }))
  writeFileSync(path.join(work, ".npmrc"), `registry=${await Outside.ordinaryRegistry()}\n`)
  const wanted = `${tool}@${version}`
  const options = ["--prefer-offline", "--no-audit", "--no-fund"]
  await Outside.run(work, { PATH: Outside.ownPath }, "npm", "install", ...options, wanted)
  rmSync(place, { recursive: true, force: true })
  renameSync(work, place)
  return found
}
