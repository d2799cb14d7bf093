/** A page in Chromium, built by Vite and loaded over HTTP under a content security policy without `eval`. */
import { execFile } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { promisify } from "node:util"

import * as Place from "../place.ts"
import * as Page from "./page.ts"

/** Milliseconds for the page to load and for its programs to end. */
const TIME = 120_000

/** The content security policy of a strict site. WebAssembly needs `wasm-unsafe-eval`. */
const POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; object-src 'none'"

const HTML = `<!doctype html>
<meta charset="utf-8" />
<title>Plumbline</title>
<output></output>
<script type="module" src="./page.js"></script>
`

const SCRIPT = `const tell = (text) => { document.querySelector("output").textContent = encodeURIComponent(text) }
import("./all.js").then(({ said }) => tell(said.join("\\n")), (error) => tell(String(error?.stack ?? error)))
`

export const chromiumPage: Place.Environment = {
  name: "page",
  about: "a page in Chromium, by Vite",
  isFast: false,
  run: async (place) => {
    const tool = path.join(await place.tool("vite"), "dist/node/index.js")
    await Place.begin(place)
    const install = await Place.npmInstall(place)
    const installed = Place.sizeOf(place)
    Place.writePrograms(place)
    Place.write(place, "index.html", HTML)
    Place.write(place, "page.js", SCRIPT)
    await Page.script(
      place,
      "build.js",
      Page.byVite(tool, `{ outDir: "out", target: "es2024", modulePreload: false, chunkSizeWarningLimit: 10_000 }`)
    )
    const [told, program] = await Place.timed(() => load(place))
    return { installed, install, program, said: `${Place.expectAll(told)} in a page` }
  }
}

/** Serves the built page, loads it, and returns what it wrote. */
const load = async (place: Place.Place): Promise<string> => {
  const types: Readonly<Record<string, string>> = { ".html": "text/html", ".js": "text/javascript" }
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost")
    const file = path.join(place.folder, "out", pathname === "/" ? "index.html" : pathname)
    if (!existsSync(file)) return void response.writeHead(404).end()
    const type = types[path.extname(file)] ?? "application/octet-stream"
    response.writeHead(200, { "content-type": type, "content-security-policy": POLICY }).end(readFileSync(file))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    const { port } = server.address() as AddressInfo
    const { stdout } = await promisify(execFile)(
      place.chromium,
      [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        `--user-data-dir=${path.join(place.folder, "profile")}`,
        `--timeout=${TIME}`,
        "--virtual-time-budget=600000",
        "--dump-dom",
        `http://127.0.0.1:${port}/`
      ],
      { timeout: TIME, maxBuffer: 2 ** 26 }
    )
    const told = /<output>(.*)<\/output>/su.exec(stdout)?.[1]
    if (told === undefined || told === "") throw new Error("the page did not say how its programs ended")
    return decodeURIComponent(told)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}
