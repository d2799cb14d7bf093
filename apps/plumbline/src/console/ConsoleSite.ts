/** The built files of the console: a page, and assets whose names hold their hashes. */
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, globSync, readFileSync } from "node:fs"
import type { IncomingMessage, ServerResponse } from "node:http"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"

/** The folder into which the console's own package is built. */
const SITE = fileURLToPath(new URL("../../../console/dist/site", import.meta.url))

/** The folder of the console's package. The published command has only the built site. */
const PACKAGE = path.resolve(SITE, "../..")

/**
 * Returns the policy of the page: scripts, styles and fonts of this origin alone, and requests to this origin and to
 * the service, if the service has another one. WebAssembly is allowed to the page's own scripts, because Keccak-256 is
 * a WebAssembly module.
 */
const policyOf = (service: string | undefined): string =>
  [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self'",
    `connect-src 'self'${service === undefined ? "" : ` ${service}`}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")

/** The policy of every answer that is not the page. */
export const POLICY: string = policyOf(undefined)

const HEADERS = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin"
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2"
}

/** A file of the site, held in memory. */
interface Asset {
  readonly type: string
  readonly bytes: Buffer
  /** The compressed bytes; undefined if compression saves nothing. */
  readonly zipped: Buffer | undefined
  readonly tag: string
  readonly isHashed: boolean
}

/** The files of a built site, by their paths below `/console/`. */
export type SiteFiles = ReadonlyMap<string, Asset>

/** Reads a built site; undefined if the folder has no page. */
export const read = (folder: string = SITE): SiteFiles | undefined => {
  if (!existsSync(path.join(folder, "index.html"))) return undefined
  const files = globSync("**/*.{html,js,css,svg,woff2}", { cwd: folder })
  return new Map(files.map((file) => [file.split(path.sep).join("/"), assetOf(path.join(folder, file), file)]))
}

const assetOf = (file: string, name: string): Asset => {
  const bytes = readFileSync(file)
  const extension = path.extname(file)
  return {
    type: TYPES[extension]!,
    bytes,
    zipped: extension === ".woff2" ? undefined : gzipSync(bytes),
    tag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`,
    isHashed: name.startsWith("assets")
  }
}

/** The name of an asset: in one folder, with one of the extensions that a build makes. */
const ASSET = /^assets\/[^/]+\.(?:js|css|svg|woff2|map)$/u

/**
 * Answers with a file. Every path without a file gets the page, because the page reads its own address. That includes a
 * path that looks like a file's name, because names of networks can contain dots. Only a missing asset gets 404, such
 * as one of another build: a browser could not run the page as a script.
 *
 * The page may also call the origin `service`. Assets are kept for a year. The browser asks for the page at every visit, and gets 304 if the page is unchanged.
 */
export const answer = (
  files: SiteFiles,
  request: IncomingMessage,
  response: ServerResponse,
  service?: string
): void => {
  const { pathname } = new URL(request.url ?? "/", "http://console.invalid")
  const name = pathname.replace(/^\/console\/?/u, "")
  const asset = files.get(name) ?? (ASSET.test(name) ? undefined : files.get("index.html"))
  if (asset === undefined) {
    say(response, 404, "The console has no such file.")
    return
  }
  const { bytes, isHashed, tag, type, zipped } = asset
  const caching = isHashed ? "public, max-age=31536000, immutable" : "no-cache"
  const policy = { "content-security-policy": policyOf(service) }
  const headers = { ...HEADERS, ...policy, "cache-control": caching, etag: tag, vary: "accept-encoding" }
  if (request.headers["if-none-match"] === tag) {
    response.writeHead(304, headers).end()
    return
  }
  const isZipped = zipped !== undefined && /\bgzip\b/u.test([request.headers["accept-encoding"]].join())
  const body = isZipped ? zipped : bytes
  response.writeHead(200, {
    ...headers,
    "content-type": type,
    "content-length": body.length,
    ...(isZipped ? { "content-encoding": "gzip" } : {})
  })
  response.end(request.method === "HEAD" ? undefined : body)
}

/** Answers with a sentence. */
export const say = (
  response: ServerResponse,
  status: number,
  sentence: string,
  more: Readonly<Record<string, string>> = {}
): void => {
  const headers = { ...HEADERS, "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" }
  response.writeHead(status, { ...headers, ...more }).end(`${sentence}\n`)
}

/** Builds the site with the package's own bundler. Returns undefined if it is not installed, as in a deployment. */
export const build = (): Promise<boolean> | undefined => {
  const bundler = path.join(PACKAGE, "node_modules/vite/bin/vite.js")
  if (!existsSync(bundler)) return undefined
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [bundler, "build", "--logLevel", "error"], {
      cwd: PACKAGE,
      stdio: ["ignore", "ignore", "inherit"]
    })
    child.once("error", () => resolve(false))
    child.once("close", (code) => resolve(code === 0))
  })
}
