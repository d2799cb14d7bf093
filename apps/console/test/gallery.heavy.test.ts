/** Renders the gallery as the documentation shows it: five screens, three widths, two themes. */
import { spawnSync } from "node:child_process"
import { readFileSync, statSync } from "node:fs"
import * as path from "node:path"

import { describe, expect, test } from "vitest"

import * as Shots from "../scripts/shots.ts"
import * as Service from "./support/Service.ts"

const here = path.resolve(import.meta.dirname, "..")
const INTO = path.join(here, "dist/gallery")

/** Returns the width and the height in the header of a PNG: four bytes each, after eight of signature and eight of IHDR. */
const sizeOf = (file: string): readonly [width: number, height: number] => {
  const bytes = readFileSync(file)
  expect(bytes.subarray(1, 4).toString()).toBe("PNG")
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
}

describe.skipIf(Service.skipped)("the gallery", () => {
  test("has each screen on a desktop, a tablet and a phone, light and dark, and no script failed", async ({
    onTestFinished
  }) => {
    const service = await Service.start({
      settings:
        "networks: { history: { upstreams: [{ embedded: history }], integrity: check } }\nipfs: { node: none }\n"
    })
    onTestFinished(() => service.stop())
    const args = ["scripts/pictures.ts", "--gallery", "--url", service.url, "--into", INTO]
    const { status, stderr, stdout } = spawnSync(process.execPath, args, {
      cwd: here,
      encoding: "utf8",
      env: { ...process.env, CHROMIUM: Service.chromium!, PLUMBLINE_ADMIN_TOKEN: service.adminToken }
    })
    expect([status, stderr]).toEqual([0, ""])
    // the program prints each error of a page
    expect(stdout).toBe("")
    for (const name of Shots.gallery) {
      for (const theme of ["light", "dark"]) {
        for (const wide of [1440, 1024, 390]) {
          const [width, height] = sizeOf(path.join(INTO, `${name}-${theme}-${wide}.png`))
          // a screen that extends beyond the window would make a wider picture
          expect(width, name).toBe(wide)
          expect(height, name).toBeGreaterThanOrEqual(840)
        }
      }
    }
  })

  test("has one picture of each screen in the repository, which is small, and the README shows it", () => {
    const readme = readFileSync(path.resolve(here, "../../README.md"), "utf8")
    for (const name of Shots.gallery) {
      const picture = path.resolve(here, `../../docs/pictures/${name}.png`)
      expect(statSync(picture).size).toBeLessThan(80_000)
      expect(sizeOf(picture)[0]).toBeGreaterThanOrEqual(1024)
      expect(readme).toContain(`](docs/pictures/${name}.png)`)
    }
  })
})
