/** Bun, which installs the packages and runs the programs. */
import * as path from "node:path"

import * as Place from "../place.ts"

export const bun: Place.Environment = {
  name: "bun",
  about: "Bun",
  isFast: false,
  run: async (place) => {
    const program = path.join(await place.tool("bun"), "../.bin/bun")
    await Place.begin(place)
    const [, install] = await Place.timed(() => Place.run(place, program, "install"))
    Place.writePrograms(place)
    const ran = await Place.runMain(place, program, "--bun", "run")
    return { installed: Place.sizeOf(place), install, ...ran }
  }
}
