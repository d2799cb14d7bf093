/** Runs nginx in front of processes, with the published configuration. */
import { execFile, spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import * as path from "node:path"
import { promisify } from "node:util"

import { freePort } from "@plumbline/gateway/support/ports"
import { Effect, Schedule } from "effect"

import { temporaryFolder } from "../service.ts"

const program = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/opt/homebrew/bin/nginx"].find(existsSync)

/** The reason why no process can run behind nginx here; undefined if nginx is installed. */
export const skipped: string | undefined =
  process.env["CI"] === "true" || program !== undefined
    ? undefined
    : "skipped: nginx is not installed (scripts/servers.sh)"

const site = path.resolve(import.meta.dirname, "../../../../deploy/nginx/plumbline.conf")

/**
 * The addresses in the published file: one for clients, one for clients over TLS, and one for each of the three
 * processes.
 */
const addresses = [8650, 8643, 8651, 8652, 8653].map((port) => `127.0.0.1:${port}`)

/**
 * Returns the published site with other ports. Throws if an address is not in the file, because the test would then not
 * test the published site.
 */
const sited = (ports: ReadonlyArray<number>): string =>
  addresses.reduce(
    (text, address, index) => {
      if (!text.includes(address)) throw new Error(`${site} says nothing of ${address}`)
      return text.replaceAll(address, `127.0.0.1:${ports[index]}`)
    },
    readFileSync(site, "utf8")
  )

/** Returns the main nginx.conf around a site, with all files in one folder. */
const main = (site: string): string => `
pid nginx.pid;
error_log stderr emerg;
events { worker_connections 4096; }
http {
  ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${name};`).join(" ")}
  ${site}
}
`

/** The ports at which clients reach nginx. */
export interface Nginx {
  readonly port: number
  /** The port for TLS, and the certificate that clients must trust. */
  readonly secure: { readonly port: number; readonly certificate: string }
}

/** Starts nginx in front of three processes. `hosts` are the names in its certificate. nginx ends with the scope. */
export const start = Effect.fnUntraced(function* (ports: ReadonlyArray<number>, hosts: ReadonlyArray<string>) {
  if (program === undefined) throw new Error("nginx is not installed: scripts/servers.sh installs it")
  const folder = yield* temporaryFolder
  const [port, securePort] = yield* Effect.promise(() => Promise.all([freePort(), freePort()]))
  yield* Effect.promise(() => writeFile(path.join(folder, "nginx.conf"), main(sited([port, securePort, ...ports]))))
  const certificate = yield* Effect.promise(() => certify(folder, hosts))
  const start = Effect.sync(() => {
    // The shell ends nginx when the shell's input ends, so that a killed test run leaves no process.
    const shell = spawn("sh", ["-c", DEAD_MAN, "sh", program, folder], { stdio: ["pipe", "ignore", "inherit"] })
    const ended = new Promise<void>((resolve) => shell.once("exit", () => resolve()))
    return () => {
      shell.stdin.end()
      return ended
    }
  })
  yield* Effect.acquireRelease(start, (stop) => Effect.promise(stop))
  yield* Effect.tryPromise(() => fetch(`http://127.0.0.1:${port}/health`)).pipe(
    Effect.retry({ schedule: Schedule.spaced("50 millis"), times: 100 }),
    Effect.orDie
  )
  const nginx: Nginx = { port, secure: { port: securePort, certificate } }
  return nginx
})

/** Makes a certificate that is valid for a day, and returns it as text. */
const certify = async (folder: string, hosts: ReadonlyArray<string>): Promise<string> => {
  const file = path.join(folder, "plumbline.crt")
  const names = hosts.map((host) => `DNS:${host}`).join(",")
  const kind = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost"
  const own = ["-addext", `subjectAltName=${names}`, "-keyout", path.join(folder, "plumbline.key"), "-out", file]
  await promisify(execFile)("openssl", [...kind.split(" "), ...own])
  return readFile(file, "utf8")
}

// A shell gives its background processes no standard input, so the script passes it on as descriptor 3.
const DEAD_MAN = `
  exec 3<&0
  "$1" -p "$2" -c "$2/nginx.conf" -e stderr -g "daemon off; master_process off;" </dev/null 3<&- &
  server=$!
  (read -r _ <&3; kill -TERM "$server") &
  watch=$!
  wait "$server"
  kill "$watch" 2>/dev/null
`
