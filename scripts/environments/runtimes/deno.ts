/**
 * Deno, which installs the packages and runs the programs. The one permission is for `debug`, a dependency of the EVM
 * of `@plumbline/verified-calls`, which reads the environment.
 */
import * as path from "node:path"

import * as Place from "../place.ts"

export const deno: Place.Environment = {
  name: "deno",
  about: "Deno, permission: env",
  isFast: false,
  run: async (place) => {
    const program = path.join(await place.tool("deno"), "../.bin/deno")
    await Place.begin(place)
    Place.write(place, "deno.json", JSON.stringify({ nodeModulesDir: "auto" }))
    const [, install] = await Place.timed(() => Place.run(place, program, "install"))
    Place.writePrograms(place)
    const ran = await Place.runMain(place, program, "run", "--no-prompt", "--cached-only", "--allow-env")
    return { installed: Place.sizeOf(place), install, ...ran }
  }
}
