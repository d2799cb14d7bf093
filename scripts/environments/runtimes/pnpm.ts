/** pnpm, which lets a package see only what its manifest names: an undeclared import fails here. */
import * as path from "node:path"

import * as Place from "../place.ts"

export const pnpm: Place.Environment = {
  name: "pnpm",
  about: "pnpm, Node 24",
  isFast: false,
  run: async (place) => {
    const program = path.join(await place.tool("pnpm"), "bin/pnpm.mjs")
    await Place.begin(place)
    // the packages of a rehearsal are younger than pnpm's minimum age; without hoisting, a package finds only the
    // packages that its own manifest names
    Place.write(place, "pnpm-workspace.yaml", "minimumReleaseAge: 0\nhoist: false\nstrictPeerDependencies: true\n")
    const store = `--store-dir=${path.join(place.folder, ".cache/store")}`
    const [, install] = await Place.timed(() => Place.run(place, process.execPath, program, "install", store))
    Place.writePrograms(place)
    const ran = await Place.runMain(place, process.execPath)
    return { installed: Place.sizeOf(place), install, ...ran }
  }
}
