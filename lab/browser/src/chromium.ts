/** Runs the program of a bundle in a page of Chromium: `pnpm lab browser --chromium <path of the program>`. */
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { promisify } from "node:util"

import type { Report, Task } from "./realm.ts"

/** Milliseconds for a page to load and for its program to end. */
const TIME = 120_000

/** Loads a page with the program, calls `entry`, and reads the outcome from the page. No network is needed. */
export const run = async (chromium: string, { code, entry, name }: Task): Promise<Report> => {
  const folder = mkdtempSync(path.join(tmpdir(), "plumbline-chromium-"))
  try {
    writeFileSync(path.join(folder, "program.js"), code)
    writeFileSync(path.join(folder, "page.html"), pageOf(name, entry))
    const { stdout } = await promisify(execFile)(
      chromium,
      [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        `--user-data-dir=${path.join(folder, "profile")}`,
        `--timeout=${TIME}`,
        "--virtual-time-budget=600000",
        "--dump-dom",
        `file://${folder}/page.html`
      ],
      { timeout: TIME, maxBuffer: 64 * 1024 * 1024 }
    )
    const told = /<output>(.*)<\/output>/su.exec(stdout)?.[1]
    if (told === undefined || told === "") return { _tag: "Failed", why: "the page did not say how the program ended" }
    return JSON.parse(decodeURIComponent(told)) as Report
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The outcome is percent-encoded, so that it contains no HTML markup. */
const pageOf = (name: string, entry: string): string => `<!doctype html>
<meta charset="utf-8" />
<output></output>
<script src="program.js"></script>
<script>
  const tell = (report) => { document.querySelector("output").textContent = encodeURIComponent(JSON.stringify(report)) }
  Promise.resolve()
    .then(() => ${name}.${entry}())
    .then((said) => tell({ _tag: "Done", said }), (error) => tell({ _tag: "Failed", why: String(error?.stack ?? error) }))
</script>
`
