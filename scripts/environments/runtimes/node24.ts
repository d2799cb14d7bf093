/** npm with Node 24, the version that the workspace itself uses. */
import * as Place from "../place.ts"

export const node24: Place.Environment = {
  name: "node-24",
  about: "npm, Node 24",
  isFast: true,
  run: async (place) => {
    await Place.begin(place)
    const install = await Place.npmInstall(place)
    Place.writePrograms(place)
    const ran = await Place.runMain(place, process.execPath)
    return { installed: Place.sizeOf(place), install, ...ran }
  }
}
